/*
 * app/http_threads: the connections, a thread for each, by libmicrohttpd.
 *
 * A connection's thread decides nothing: it puts its question into a queue, rings the main
 * loop's bell and waits for the answer, which it then sends (app/http_body, where that is a
 * file), so that a slow client or disk holds up nobody else.  What the two sides share, the
 * queue and the list of connections, is behind one lock; the rest of the process is the main
 * loop's alone.
 *
 *     http_threads_start()   after privileges went: a thread keeps what it was born with
 *     ask(), ended(), ...    called in the main loop
 *     http_threads_stop()    before loop_free(): threads ring a bell of the loop
 *
 * Bounded: connections in all and of one address; header fields by HTTP_HEADERS_SIZE; a
 * connection that makes no progress for `timeout`, and one that has not brought a whole
 * request for so long, however slowly it sends, is closed.
 *
 * Ownership: all its own; what an answer holds is taken over.
 * Errors: 0 or -errno.  Shell: libmicrohttpd, threads.
 */
#ifndef APP_HTTP_THREADS_H
#define APP_HTTP_THREADS_H

#include "app/http_answer.h"
#include "app/loop.h"

#define HTTP_HEADERS_SIZE (16u << 10) /* octets of a request's line and header fields */

struct http_threads;

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

/* fd: listens; it is ours from then on, if this goes well. */
int http_threads_start(int fd, const struct http_limits *limits,
                       const struct http_host *host, struct loop *loop,
                       struct http_threads **out);
/* Running transfers end here, and ended() tells so.  NULL is fine. */
void http_threads_stop(struct http_threads *t);

usec_t http_threads_deadline(const struct http_threads *t);
void http_threads_timeout(struct http_threads *t, usec_t now);

/* How many were turned away, of which the main loop is told the first at once. */
void http_threads_count(struct http_threads *t, uint64_t out[HTTP_TURNED_AWAY_COUNT]);

/* Octets of the body that the client has acknowledged, header fields included. */
uint64_t http_threads_sent(struct http_threads *t, const void *transfer);

#endif
