/*
 * app/explain_print: one decision, as text or as JSON, of either family.
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

#define EXPLAINED_SENTENCE 1024

struct explained_reply {
    char to[IP_TEXT];
    uint16_t to_port;
    uint16_t from_port;
    const uint8_t *octets;
    size_t len;
};

struct explained {
    const struct configuration *config; /* without faults */
    const char *interface;
    char address[IP_TEXT]; /* ours; "": none */
    uint64_t packet;       /* of a recording; 0: made by hand */
    usec_t time;           /* since the epoch; with packet only */
    bool ipv6;
    uint16_t port;       /* it came to */
    const char *message; /* "DISCOVER" */
    char who[3 * DHCP_CHADDR_LEN];
    const struct host_facts *facts;
    const struct dhcp_decision *decision;
    char sentence[EXPLAINED_SENTENCE];
    struct explained_reply reply[2];
    unsigned reply_count;
};

void explain_text(const struct explained *e, FILE *to);
json_t *explain_json(const struct explained *e);

#endif
