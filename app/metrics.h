/*
 * app/metrics: every metric of pxed, in one table, and the text of all of them.
 *
 * docs/metrics.md lists the same table; tests/unit/test_app_metrics.c compares the two.
 * Labels take words of ours and interface names only, so that no client can make their number
 * grow.
 *
 * Spec: Prometheus' practices for names; the process_* metrics are those of its own clients.
 * Ownership: the sources are borrowed for the call.
 * Errors: false when the text does not fit.  Pure.
 */
#ifndef APP_METRICS_H
#define APP_METRICS_H

#include "app/boot_watch.h"
#include "app/exposition.h"
#include "app/process.h"
#include "app/refusals.h"

#define METRICS_TEXT_MAX (256u << 10)

struct metrics_sources {
    const char *version;
    const struct interface_conf *interfaces; /* as the services count them */
    size_t interface_count;
    struct tallies of;
    const struct radar *radar; /* NULL: disabled */
    const struct boot_tally *boots;
    size_t booting;
    size_t tftp_running;
    size_t tftp_half_open;
    size_t hosts;
    bool reload_good;
    double reload_time; /* seconds since 1970 */
    struct process_facts process;
};

/* NULL: there are no more. */
const struct exposition_metric *metrics_at(size_t index);

bool metrics_write(const struct metrics_sources *from, struct exposition *out);

#endif
