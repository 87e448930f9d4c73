/*
 * app/http_coming: connections that were taken, and that libmicrohttpd has yet to begin with.
 *
 * They count against the limits as those that have begun do.  Where libmicrohttpd fails to begin
 * with one nothing tells; the descriptor that is given out again does, and in the end the time.
 *
 * Ownership: the descriptors stay the caller's, whose lock guards the table too.
 * Pure.
 */
#ifndef APP_HTTP_COMING_H
#define APP_HTTP_COMING_H

#include "common/clock.h"
#include "common/netaddr.h"

#define HTTP_COMING_MAX      1024
#define HTTP_COMING_PATIENCE (2 * USEC_PER_SEC) /* then it never came */

struct http_coming {
    size_t count;
    struct {
        int fd;
        struct endpoint peer;
        usec_t since;
    } one[HTTP_COMING_MAX];
};

/* For another one, once those that never came are forgotten. */
bool http_coming_has_room(struct http_coming *c, usec_t now);
/* Only where there is room. */
void http_coming_add(struct http_coming *c, int fd, const struct endpoint *peer,
                     usec_t now);
/* Takes it out, and puts its peer into *out, if it is there. */
void http_coming_take(struct http_coming *c, int fd, struct endpoint *out);
/* How many of this address. */
size_t http_coming_of(const struct http_coming *c, const struct endpoint *peer);

#endif
