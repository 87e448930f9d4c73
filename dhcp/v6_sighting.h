/*
 * dhcp/v6_sighting: which IPv6 address a client's packet says it has, or is about to have.
 *
 * A REQUEST names the lease it takes, whichever server gave it; any other packet comes from
 * an address of its sender.  Offers of other servers are not believed.
 * Spec: RFC 8415 section 18.2.2, 21.6.  Pure.
 */
#ifndef DHCP_V6_SIGHTING_H
#define DHCP_V6_SIGHTING_H

#include "config/machines.h"
#include "dhcp/v6_decision.h"

/*
 * d: the decision on this very packet.  False, outputs untouched: the packet tells no
 * address, or no MAC.
 */
bool dhcp6_sighting(const struct dhcp6_packet *in, const struct dhcp6_arrival *at,
                    const struct dhcp6_decision *d, struct ip6 *address,
                    struct machine *out);

#endif
