/*
 * app/explain_print: one decision, as text or as JSON.
 *
 * Ownership: views; a json_t is the caller's.  Shell: stdio, jansson.
 */
#ifndef APP_EXPLAIN_PRINT_H
#define APP_EXPLAIN_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "app/configuration.h"
#include "common/clock.h"
#include "dhcp/decision.h"

struct explained {
    const struct configuration *config; /* without faults */
    const char *interface;
    struct ip4 address;
    uint64_t packet; /* of a recording; 0: made by hand */
    usec_t time;     /* since the epoch; with packet only */
    const struct dhcp_arrival *at;
    const struct dhcp_packet *in;
    const struct dhcp_decision *decision;
};

void explain_text(const struct explained *e, FILE *to);
json_t *explain_json(const struct explained *e);

#endif
