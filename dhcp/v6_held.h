/*
 * dhcp/v6_held: replies that are to go out a moment later, first come, first gone.
 *
 *     held6_put()        a reply is to wait
 *     held6_take()       until NULL, at the deadline or later
 *     held6_deadline()
 *
 * Ownership: values are copied in; what held6_take() hands out is good until the next call.
 * Zeros are a good start.  Pure.
 */
#ifndef DHCP_V6_HELD_H
#define DHCP_V6_HELD_H

#include "common/clock.h"
#include "common/net.h"
#include "dhcp/v6_packet.h"

#define HELD6_MAX 1024

struct held6_reply {
    usec_t due;
    struct net_path back;
    size_t len;
    uint8_t packet[DHCP6_MAX_LEN];
};

struct held6 {
    size_t first;
    size_t count;
    struct held6_reply reply[HELD6_MAX]; /* a ring */
};

/* due: not before that of the one put last.  False: HELD6_MAX wait already. */
bool held6_put(struct held6 *h, const struct net_path *back, const void *packet,
               size_t len, usec_t due);
/* The next one due by now, taken out; NULL: none. */
const struct held6_reply *held6_take(struct held6 *h, usec_t now);
/* USEC_NEVER when none waits. */
usec_t held6_deadline(const struct held6 *h);

#endif
