/*
 * dhcp/sighting: which address a client's packet says it has, or is about to have.
 *
 * A REQUEST names the lease it takes (option 50) or the address it holds (ciaddr); a question
 * on port 4011 comes from that address.  Offers of other servers are not believed.
 * Spec: RFC 2131 section 4.3.2.  Pure.
 */
#ifndef DHCP_SIGHTING_H
#define DHCP_SIGHTING_H

#include "config/machines.h"
#include "dhcp/reply.h"

/* False, outputs untouched: the packet tells no address, or no Ethernet address. */
bool dhcp_sighting(const struct dhcp_packet *in, const struct dhcp_arrival *at,
                   const struct pxe_request *client, struct ip4 *address,
                   struct machine *out);

#endif
