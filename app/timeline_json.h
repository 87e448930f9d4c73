/*
 * app/timeline_json: the document of docs/control.md, one builder for every door.
 *
 * Ownership: what is returned is the caller's; NULL: memory is out.  Shell: jansson, clock.
 */
#ifndef APP_TIMELINE_JSON_H
#define APP_TIMELINE_JSON_H

#include <jansson.h>

#include "app/appliance.h"

/* Answers are cut to this: fewer boots, never half of one. */
#define STATUS_OCTETS (7u << 19) /* of CONTROL_ANSWER */

#define STATUS_RECENT 256 /* boots that have ended, in the status document */
#define STATUS_HELD   256 /* machines that wait for approval */

/* parts: of each boot, enum boot_parts. */
json_t *status_json(const struct appliance *a, unsigned parts);

/* Which boots: those of this machine, or this one; all when neither is given. */
struct boots_wanted {
    const struct mac *mac; /* NULL: any */
    uint64_t id;           /* 0: any */
};

/* {"boots": [with events, the newest first]} */
json_t *boots_json(const struct appliance *a, const struct boots_wanted *wanted);

/*
 * {"boots": [without events, as they ended], "next": N}: those that ended after the turn
 * `after`.  *count: how many there are.
 */
json_t *ended_json(const struct appliance *a, const struct mac *mac, uint64_t after,
                   size_t *count);

/* [{"kind", "count", "sentence"}]; dhcp may be NULL. */
json_t *conflicts_json(const struct dhcp_service *dhcp);

#endif
