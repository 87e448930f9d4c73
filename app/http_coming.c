#include "app/http_coming.h"

static void drop(struct http_coming *c, size_t i)
{
    c->one[i] = c->one[--c->count];
}

bool http_coming_has_room(struct http_coming *c, usec_t now)
{
    for (size_t i = c->count; i-- > 0;) {
        if (now > c->one[i].since + HTTP_COMING_PATIENCE) {
            drop(c, i);
        }
    }
    return c->count < HTTP_COMING_MAX;
}

void http_coming_add(struct http_coming *c, int fd, const struct endpoint *peer,
                     usec_t now)
{
    c->one[c->count].fd = fd;
    c->one[c->count].peer = *peer;
    c->one[c->count++].since = now;
}

void http_coming_take(struct http_coming *c, int fd, struct endpoint *out)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->one[i].fd == fd) {
            *out = c->one[i].peer;
            drop(c, i);
            return;
        }
    }
}

size_t http_coming_of(const struct http_coming *c, const struct endpoint *peer)
{
    size_t same = 0;
    for (size_t i = 0; i < c->count; i++) {
        same += endpoint_same_ip(&c->one[i].peer, peer);
    }
    return same;
}
