/*
 * app/refusals: every named reason why something that came in got nowhere, and how often; and
 * what the kernel dropped.
 *
 * One table for the metrics, the status document and the documentation, so that a reason which
 * is added to an enum is in all of them: tests/unit/test_app_refusals.c compares.
 *
 * Ownership: the counters are borrowed.  Pure.
 */
#ifndef APP_REFUSALS_H
#define APP_REFUSALS_H

#include "app/control.h"
#include "app/http.h"
#include "dhcp/service.h"
#include "dhcp/v6_service.h"
#include "tftp/service.h"

/* What is counted; NULL: disabled. */
struct tallies {
    const struct dhcp_counters *dhcp;
    const struct dhcp6_counters *dhcp6;
    const struct tftp_counters *tftp;
    const struct http_counters *http;
    const uint64_t *control; /* enum control_refused */
};

/* The reasons of one enum. */
struct refusals {
    const char *part;   /* of the status document, and the list in it */
    const char *list;   /* "ignored" */
    const char *metric; /* whose last label is the reason */
    const char *label;  /* its first one, NULL: it has none */
    const char *(*name)(unsigned why);
    unsigned first; /* what is below is no reason */
    unsigned end;
    const uint64_t *count; /* NULL: disabled */
};

#define REFUSALS_LISTS 12

/* All of them, also those that are disabled; how many. */
size_t refusals_of(const struct tallies *t, struct refusals out[REFUSALS_LISTS]);

#define LOSSES_LISTS (CONFIG_INTERFACES_MAX + 5)

/* What the kernel dropped, by where it came in, of what is enabled; how many. */
size_t losses_of(const struct tallies *t, size_t interface_count,
                 const struct losses *out[LOSSES_LISTS]);

const char *control_refused_name(enum control_refused why);
const char *http_turned_away_name(enum http_turned_away why);

#endif
