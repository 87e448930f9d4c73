/*
 * app/evidence_watch: keeps a recording of each boot that failed.
 *
 *     packets of the services -> app/evidence -> the boot has ended -> app/evidence_store
 *     GET /evidence/NAME      <- app/evidence_store
 *
 * Ownership: all its own; the appliance outlives it.
 * Errors: NULL, or nothing is kept.  Shell: the clock.
 */
#ifndef APP_EVIDENCE_WATCH_H
#define APP_EVIDENCE_WATCH_H

#include "app/appliance.h"

struct evidence_watch;

struct evidence_watch *evidence_watch_new(const struct appliance *a);
void evidence_watch_free(struct evidence_watch *w); /* NULL is fine */

/* Fill in the hooks that tell of packets. */
void evidence_watch_dhcp(struct dhcp_hooks *hooks);
void evidence_watch_tftp(struct tftp_hooks *hooks);

/* Once a->boots and a->loop are there: failed boots are recorded from now on. */
bool evidence_watch_start(struct evidence_watch *w);
/* Registers the path. */
bool evidence_watch_serve(struct evidence_watch *w, struct http *http);

#endif
