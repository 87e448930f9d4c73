/*
 * dhcp/v6_journal: the log lines of DHCPv6, one for each request that concerns us.
 * Shell: common/log.
 */
#ifndef DHCP_V6_JOURNAL_H
#define DHCP_V6_JOURNAL_H

#include "dhcp/v6_decision.h"

/* An answer, or a boot client that got none.  What is no boot client's is debug talk. */
void dhcp6_journal_decision(const struct snapshot *config, const char *interface,
                            const struct dhcp6_arrival *at, const struct dhcp6_packet *in,
                            const struct dhcp6_decision *d);

/* A packet that is no DHCPv6 message. */
void dhcp6_journal_fault(const char *interface, const struct dhcp6_arrival *at,
                         enum dhcp6_fault fault);

#endif
