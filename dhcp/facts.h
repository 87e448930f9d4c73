/*
 * dhcp/facts: what a request says of its machine, in the words of the host table.
 *
 * Ownership: dhcp_facts.facts holds views into the packet, the client and the struct itself,
 * which therefore must not be moved.  Pure.
 */
#ifndef DHCP_FACTS_H
#define DHCP_FACTS_H

#include "config/match.h"
#include "dhcp/pxe.h"

struct dhcp_facts {
    struct host_facts facts;
    struct mac mac;
    uint16_t arch[PXE_ARCHS_MAX];
    uint8_t vendor_class[DHCP_OPTION_MAX];
    uint8_t user_classes[DHCP_OPTION_MAX];
    uint8_t relay_agent[DHCP_OPTION_MAX];
};

/* interface: where it came in; NULL: not known. */
void dhcp_facts_read(const struct dhcp_packet *in, const struct pxe_request *client,
                     const char *interface, struct dhcp_facts *out);

#endif
