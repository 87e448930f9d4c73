/*
 * app/explain_v4: judges DHCP requests as the service does, and tells it as explain prints it.
 *
 * Ownership: the judge owns what it remembers; what it tells are views, good until the next
 * call.  Pure but for its memory.
 */
#ifndef APP_EXPLAIN_V4_H
#define APP_EXPLAIN_V4_H

#include "app/explain_print.h"
#include "app/request.h"

struct explain4;

/* interface, config: outlive it.  NULL: out of memory. */
struct explain4 *explain4_new(const struct configuration *config, const char *interface,
                              struct ip4 address);
void explain4_free(struct explain4 *e); /* NULL is fine */

/* False: it is no request.  packet and time of *out are the caller's. */
bool explain4_judge(struct explain4 *e, const struct dhcp_arrival *at, struct rd payload,
                    usec_t now, struct explained *out);
/* This machine loads a file: its offer was right. */
void explain4_loads(struct explain4 *e, const struct mac *mac, usec_t now);

/* Is this boot file there, as `pxed check` found it?  context: struct configuration. */
bool explain_has_file(void *context, const char *file);

#endif
