#include "dhcp/pending.h"

static void take_out(struct pending *p, struct pending_offer *offer)
{
    offer->used = false;
    p->count--;
}

void pending_drop(struct pending *p, const struct dhcp_packet *in)
{
    for (size_t i = 0; p->count > 0 && i < PENDING_MAX; i++) {
        struct pending_offer *offer = &p->offer[i];
        if (offer->used && memcmp(offer->chaddr, in->chaddr, DHCP_CHADDR_LEN) == 0) {
            take_out(p, offer);
        }
    }
}

static struct pending_offer *free_place(struct pending *p)
{
    for (size_t i = 0; i < PENDING_MAX; i++) {
        if (!p->offer[i].used) {
            return &p->offer[i];
        }
    }
    return NULL;
}

/* That of the machine no host names whose time is farthest off; NULL: there is none. */
static struct pending_offer *place_of_stranger(struct pending *p)
{
    struct pending_offer *last = NULL;
    for (size_t i = 0; i < PENDING_MAX; i++) {
        struct pending_offer *offer = &p->offer[i];
        if (!offer->named && (!last || offer->due > last->due)) {
            last = offer;
        }
    }
    return last;
}

bool pending_put(struct pending *p, const struct dhcp_packet *in,
                 const struct dhcp_decision *d, const struct pending_offer *where)
{
    struct pending_offer *offer = free_place(p);
    bool crowded = !offer;
    if (crowded && d->host) {
        offer = place_of_stranger(p);
    }
    if (!offer) {
        return false;
    }
    p->count -= crowded;
    offer->used = true;
    offer->named = d->host != NULL;
    offer->due = where->due;
    offer->interface = where->interface;
    offer->to = where->to;
    offer->from = where->from;
    memcpy(offer->chaddr, in->chaddr, DHCP_CHADDR_LEN);
    offer->reply_count = d->reply_count;
    for (unsigned i = 0; i < d->reply_count; i++) {
        offer->reply[i] = d->reply[i];
    }
    p->count++;
    return !crowded;
}

const struct pending_offer *pending_take(struct pending *p, usec_t now)
{
    for (size_t i = 0; p->count > 0 && i < PENDING_MAX; i++) {
        if (p->offer[i].used && p->offer[i].due <= now) {
            take_out(p, &p->offer[i]);
            return &p->offer[i];
        }
    }
    return NULL;
}

usec_t pending_deadline(const struct pending *p)
{
    usec_t next = USEC_NEVER;
    for (size_t i = 0; p->count > 0 && i < PENDING_MAX; i++) {
        if (p->offer[i].used && p->offer[i].due < next) {
            next = p->offer[i].due;
        }
    }
    return next;
}
