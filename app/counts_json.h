/*
 * app/counts_json: the counters of the status document (docs/control.md).
 *
 * Ownership: what is returned is the caller's.  Without memory a value is left out.
 * Shell: jansson.
 */
#ifndef APP_COUNTS_JSON_H
#define APP_COUNTS_JSON_H

#include <jansson.h>

#include "app/appliance.h"
#include "app/boot_json.h"
#include "app/refusals.h"

struct tallies tallies_of(const struct appliance *a);

/*
 * Adds "dhcp", "dhcp6", "tftp", "http" and "control" to o, each with the reasons that came up
 * and how often, null where it is disabled.
 */
void refusals_json(json_t *o, const struct tallies *t);

/*
 * Where packets were lost within the last LOST_LATELY: [{"socket", "interface", "count",
 * "last", "sentence", "remedy"}].
 */
#define LOST_LATELY (3600 * USEC_PER_SEC)
json_t *lost_json(const struct tallies *t, size_t interface_count,
                  const struct moment *m);

#endif
