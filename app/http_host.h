/*
 * app/http_host: whom connections ask, and what is told of them.  Types alone.
 */
#ifndef APP_HTTP_HOST_H
#define APP_HTTP_HOST_H

#include "app/http_answer.h"
#include "common/clock.h"

#define HTTP_HEADERS_SIZE (16u << 10) /* octets of a request's line and header fields */

struct http_limits {
    uint32_t connections;
    uint32_t per_address;
    uint32_t timeout; /* seconds */
};

enum http_turned_away {
    HTTP_TOO_MANY,        /* the limit of all connections */
    HTTP_TOO_MANY_OF_ONE, /* the limit of connections of one address */
    HTTP_TOO_SLOW,        /* no whole request in time */
    HTTP_NAME_TOO_LONG,   /* of what is asked for */
    HTTP_TURNED_AWAY_COUNT,
};

enum http_end {
    HTTP_END_DONE,
    HTTP_END_ABORTED,    /* the client went */
    HTTP_END_STALLED,    /* no progress in time */
    HTTP_END_CLOSED,     /* this process stops */
    HTTP_END_CHANGED,    /* the file was written to meanwhile */
    HTTP_END_UNREADABLE, /* its disk fails */
};

/* Whom the main loop is asked for; all but look() called there. */
struct http_host {
    /* Fills in *out; with out->quest it is called again once look() has come back. */
    void (*ask)(void *context, const struct http_request *q, struct http_answer *out,
                usec_t now);
    void (*look)(struct http_quest *quest);
    void (*forget)(struct http_quest *quest);
    /* All of the body, or at least `sent` octets of it, have come to the client. */
    void (*ended)(void *context, void *transfer, enum http_end end, uint64_t sent,
                  usec_t now);
    void (*turned_away)(void *context, const struct endpoint *peer,
                        enum http_turned_away why, usec_t now);
    void *context;
};

#endif
