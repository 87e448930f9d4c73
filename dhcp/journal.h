/*
 * dhcp/journal: the log lines of the DHCP side, one for each request that concerns us.
 * Shell: common/log.
 */
#ifndef DHCP_JOURNAL_H
#define DHCP_JOURNAL_H

#include "common/log.h"
#include "dhcp/decision.h"
#include "dhcp/radar.h"

/* An answer, or a PXE client that got none.  What is no PXE client's is debug talk. */
void dhcp_journal_decision(const struct snapshot *config, const char *interface,
                           const struct dhcp_arrival *at, const struct dhcp_packet *in,
                           const struct dhcp_decision *d);

/*
 * How urgent an end is, for both families.  A warning is silence for a reason that the
 * operator may want to change; what is no boot client's, or another server's, is debug talk.
 */
enum log_level dhcp_journal_level(enum dhcp_verdict verdict);

/* Fields of a line that both families write alike: what the machine is, */
void dhcp_journal_machine(struct log_line *l, const struct dhcp_decision *d);
/* and what was chosen for it. */
void dhcp_journal_choice(struct log_line *l, const struct snapshot *config,
                         const struct dhcp_decision *d);

/* A packet that is no DHCP message. */
void dhcp_journal_fault(const char *interface, const struct dhcp_arrival *at,
                        enum dhcp_fault fault);

/* Another server stands in our clients' way. */
void dhcp_journal_conflict(const char *interface, const struct radar_event *e);

#endif
