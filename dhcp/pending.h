/*
 * dhcp/pending: offers that are to go out later ("delay_ms").
 *
 * One for each client: its next DISCOVER takes back what is still waiting.
 *
 *     pending_drop()       a DISCOVER came
 *     pending_put()        its answer is to wait
 *     pending_take()       until NULL, at the deadline or later
 *     pending_deadline()
 *
 * Ownership: values are copied in; what pending_take() hands out is good until the next call.
 * When PENDING_MAX clients wait already a machine that a host names takes the place of one that
 * none names; others are left out.
 *
 * Errors: false when an offer fell out so, this one or that one.  Zeros are a good start.  Pure.
 */
#ifndef DHCP_PENDING_H
#define DHCP_PENDING_H

#include "common/clock.h"
#include "dhcp/decision.h"

#define PENDING_MAX 256

struct pending_offer {
    bool used;
    bool named; /* by a host of the table */
    usec_t due;
    size_t interface; /* whichever number the caller gives it */
    struct mac to;    /* on the wire: client or relay */
    struct ip4 from;  /* whom it asked */
    uint8_t chaddr[DHCP_CHADDR_LEN];
    unsigned reply_count;
    struct dhcp_reply reply[2];
};

struct pending {
    size_t count;
    struct pending_offer offer[PENDING_MAX];
};

void pending_drop(struct pending *p, const struct dhcp_packet *in);
/* The replies of d, for the client that sent in. */
bool pending_put(struct pending *p, const struct dhcp_packet *in,
                 const struct dhcp_decision *d, const struct pending_offer *where);
/* The next one due by now, taken out; NULL: none. */
const struct pending_offer *pending_take(struct pending *p, usec_t now);
/* USEC_NEVER when none waits. */
usec_t pending_deadline(const struct pending *p);

#endif
