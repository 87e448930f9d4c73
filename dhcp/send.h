/*
 * dhcp/send: an answer to port 67 back to where the request came from.
 *
 * By frames it goes to everybody when the client has no address, else to the hardware
 * address the request's frame came from, which needs neither a route nor ARP.  By UDP the
 * kernel finds the way, but out of the same interface.
 *
 * Errors: 0 or -errno.  Shell: dhcp/capture, common/net.
 */
#ifndef DHCP_SEND_H
#define DHCP_SEND_H

#include "dhcp/ports.h"
#include "dhcp/reply.h"

/* The way back. */
struct way {
    struct mac asker; /* of the request's frame; unknown, and not needed, by UDP */
    struct ip4 us;    /* whom the request was for */
};

int dhcp_send(const struct port *p, const struct way *way,
              const struct dhcp_reply *reply);

#endif
