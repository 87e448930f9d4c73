/*
 * app/explain_v6: the same as app/explain_v4 for DHCPv6.
 *
 * Ownership: the judge owns what it remembers; what it tells are views, good until the next
 * call.  Shell: asks the kernel for the interface's addresses, once.
 */
#ifndef APP_EXPLAIN_V6_H
#define APP_EXPLAIN_V6_H

#include "app/explain_print.h"
#include "dhcp/v6_decision.h"

struct explain6;

/* interface, config: outlive it.  NULL: out of memory. */
struct explain6 *explain6_new(const struct configuration *config, const char *interface);
void explain6_free(struct explain6 *e); /* NULL is fine */

/* False: it is no request.  packet and time of *out are the caller's. */
bool explain6_judge(struct explain6 *e, const struct dhcp6_arrival *at, struct rd payload,
                    usec_t now, struct explained *out);

#endif
