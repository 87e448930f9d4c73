#include "dhcp/v6_held.h"

void held6_init(struct held6 *h)
{
    timers_init(&h->timers, h->heap, HELD6_MAX);
    for (size_t i = 0; i < HELD6_MAX; i++) {
        h->reply[i].timer.place = 0;
        h->unused[i] = &h->reply[i];
    }
    h->unused_count = HELD6_MAX;
}

bool held6_put(struct held6 *h, const struct held6_way *way, const void *packet,
               size_t len, usec_t due)
{
    if (h->unused_count == 0 || len > DHCP6_MAX_LEN) {
        return false;
    }
    struct held6_reply *r = h->unused[--h->unused_count];
    r->way = *way;
    r->len = len;
    memcpy(r->packet, packet, len);
    timers_set(&h->timers, &r->timer, due);
    return true;
}

void held6_drop(struct held6 *h, uint64_t client)
{
    for (size_t i = h->timers.count; i-- > 0;) {
        struct held6_reply *r = (struct held6_reply *)h->heap[i];
        if (r->way.client == client) {
            timers_set(&h->timers, &r->timer, USEC_NEVER);
            h->unused[h->unused_count++] = r;
            i = h->timers.count; /* others have moved */
        }
    }
}

const struct held6_reply *held6_take(struct held6 *h, usec_t now)
{
    struct held6_reply *r = (struct held6_reply *)timers_due(&h->timers, now);
    if (r) {
        h->unused[h->unused_count++] = r;
    }
    return r;
}

usec_t held6_deadline(const struct held6 *h)
{
    return timers_next(&h->timers);
}
