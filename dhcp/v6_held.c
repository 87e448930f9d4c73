#include "dhcp/v6_held.h"

bool held6_put(struct held6 *h, const struct net_path *back, const void *packet,
               size_t len, usec_t due)
{
    if (h->count == HELD6_MAX || len > DHCP6_MAX_LEN) {
        return false;
    }
    struct held6_reply *r = &h->reply[(h->first + h->count++) % HELD6_MAX];
    r->due = due;
    r->back = *back;
    r->len = len;
    memcpy(r->packet, packet, len);
    return true;
}

const struct held6_reply *held6_take(struct held6 *h, usec_t now)
{
    const struct held6_reply *r = &h->reply[h->first];
    if (h->count == 0 || r->due > now) {
        return NULL;
    }
    h->first = (h->first + 1) % HELD6_MAX;
    h->count--;
    return r;
}

usec_t held6_deadline(const struct held6 *h)
{
    return h->count > 0 ? h->reply[h->first].due : USEC_NEVER;
}
