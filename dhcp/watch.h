/*
 * dhcp/watch: packets put into the words of hooks.packet, for whoever keeps some.
 *
 * Ownership: views, for the time of a call.  Pure.
 */
#ifndef DHCP_WATCH_H
#define DHCP_WATCH_H

#include "common/net.h"
#include "dhcp/hooks.h"

/* A message to or from the client it names; boots: it asks as a boot client. */
void dhcp_watch_message(const struct dhcp_hooks *hooks, const struct dhcp_packet *in,
                        const struct seen_packet *packet, bool boots);
/* A frame that this machine sent to somebody else. */
void dhcp_watch_passing(const struct dhcp_hooks *hooks, const struct mac *from,
                        const struct seen_packet *packet);

/* Our reply to the client of this hardware address. */
struct dhcp_watch_reply {
    const uint8_t *chaddr; /* as in its request */
    struct ip4 us;
    struct mac our_mac;
    const struct dhcp_reply *reply;
};
void dhcp_watch_reply(const struct dhcp_hooks *hooks, const struct dhcp_watch_reply *r);

/* A datagram that came by a socket bound to this port. */
struct seen_packet dhcp_watch_datagram(const struct net_dgram *d, uint16_t port);

#endif
