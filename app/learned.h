/*
 * app/learned: what the process has found out by itself, to be looked at and forgotten.
 *
 * Verbs of the control socket:
 *
 *     {"verb": "learned"} -> {"windows":   [{"from", "subnet", "client", "blocks"}],
 *                             "forms":     [{"class", "arch", "form", "came": {form: n}}],
 *                             "conflicts": [{"kind", "count", "sentence"}]}
 *     {"verb": "forget"}  -> {}: windows and forms start anew; conflicts stay
 *
 * windows: the largest window (or number of blocks sent ahead) a kind of client carries at an
 * address, or in the subnet that begins there.  forms: the form of offer that clients of one
 * vendor class and architecture came after.  conflicts: what other servers say that harms.
 *
 * Shell: control socket.
 */
#ifndef APP_LEARNED_H
#define APP_LEARNED_H

#include "app/appliance.h"

/* False: no room for the verbs. */
bool learned_serve(struct appliance *a);

#endif
