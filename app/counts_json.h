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

/* {"half_open", "ignored"}; null when TFTP is not served. */
json_t *tftp_counts_json(const struct tftp_service *tftp);

/*
 * Where packets were lost within the last LOST_LATELY: [{"socket", "interface", "count",
 * "last", "sentence", "remedy"}].
 */
#define LOST_LATELY (3600 * USEC_PER_SEC)
json_t *lost_json(const struct appliance *a, const struct moment *m);

#endif
