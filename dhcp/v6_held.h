/*
 * dhcp/v6_held: replies that are to go out later.
 *
 *     held6_put()        a reply is to wait
 *     held6_drop()       its client asks again: what waits for it goes
 *     held6_take()       until NULL, at the deadline or later
 *     held6_deadline()
 *
 * Ownership: values are copied in; what held6_take() hands out is good until the next call.
 * Large: belongs on the heap, and stays where it was initialised.  Pure.
 */
#ifndef DHCP_V6_HELD_H
#define DHCP_V6_HELD_H

#include "common/net.h"
#include "common/seen.h"
#include "common/timers.h"
#include "dhcp/v6_packet.h"

#define HELD6_MAX 1024

/* Where a reply goes, and whose it is. */
struct held6_way {
    struct net_path back;
    uint16_t from_port; /* DHCP6_SERVER_PORT or DHCP_PXE_PORT */
    uint16_t to_port;   /* from DHCP6_SERVER_PORT only: else it is in `back` */
    uint64_t client;    /* whichever number the caller gives it */
    struct seen_client who;
};

struct held6_reply {
    struct timer timer; /* comes first, so that it is found by it */
    struct held6_way way;
    size_t len;
    uint8_t packet[DHCP6_MAX_LEN];
};

struct held6 {
    struct timers timers;
    struct timer *heap[HELD6_MAX];
    struct held6_reply *unused[HELD6_MAX];
    size_t unused_count;
    struct held6_reply reply[HELD6_MAX];
};

void held6_init(struct held6 *h);
/* False: HELD6_MAX wait already, or it is too long. */
bool held6_put(struct held6 *h, const struct held6_way *way, const void *packet,
               size_t len, usec_t due);
void held6_drop(struct held6 *h, uint64_t client);
/* The next one due by now, taken out; NULL: none. */
const struct held6_reply *held6_take(struct held6 *h, usec_t now);
/* USEC_NEVER when none waits. */
usec_t held6_deadline(const struct held6 *h);

#endif
