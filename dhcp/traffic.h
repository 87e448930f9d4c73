/*
 * dhcp/traffic: what came in and what was answered, by kind, for the metrics.
 *
 * Ownership: the caller's, fixed size, starts all zero.  Pure.
 */
#ifndef DHCP_TRAFFIC_H
#define DHCP_TRAFFIC_H

#include "dhcp/decision.h"

enum traffic_message {
    TRAFFIC_DISCOVER,
    TRAFFIC_SOLICIT,
    TRAFFIC_REQUEST,
    TRAFFIC_INFORMATION, /* DHCPv6: INFORMATION-REQUEST */
    TRAFFIC_OTHER_MESSAGE,
    TRAFFIC_MESSAGE_COUNT,
};

enum traffic_arch {
    TRAFFIC_NO_ARCH, /* it names none: no PXE client, mostly */
    TRAFFIC_IPXE,    /* an iPXE that runs already, on whatever machine */
    TRAFFIC_BIOS,
    TRAFFIC_UEFI,
    TRAFFIC_HTTP, /* UEFI or other firmware that boots by HTTP */
    TRAFFIC_OTHER_ARCH,
    TRAFFIC_ARCH_COUNT,
};

/* Of one interface. */
struct traffic {
    uint64_t packets[TRAFFIC_MESSAGE_COUNT][TRAFFIC_ARCH_COUNT];
    uint64_t offers[OFFER_FORM_COUNT]; /* requests answered with an offer of this form */
    uint64_t acks;                     /* requests answered with an ACK or a REPLY */
};

void traffic_count_request(struct traffic *t, enum traffic_message message,
                           const struct dhcp_decision *d);

const char *traffic_message_name(enum traffic_message message);
const char *traffic_arch_name(enum traffic_arch arch);

#endif
