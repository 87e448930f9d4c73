/*
 * sim/machine: the machines that ask on a simulated network, by number.
 */
#ifndef TESTS_SIM_MACHINE_H
#define TESTS_SIM_MACHINE_H

#include "app/timeline.h"

/* kind: the first octet; n fills the others. */
struct mac sim_mac(uint8_t kind, uint64_t n);

/* It asks, and an offer goes out. */
void sim_discover(struct timeline *t, const struct timeline_who *who, bool in_table,
                  usec_t now);

#endif
