/*
 * config/states: what is remembered of machines, by their MAC address.
 *
 * Whether the operator approved it, whether its one boot is done (both stay until they are
 * taken back), and when it was seen (the machine seen longest ago makes room for a new one).
 * This is the copy that is asked; whoever keeps it on disk loads it with states_put() and
 * takes changes from states_changes().
 *
 * Ownership: the table owns its entries; a result is a view until the next change.
 * Errors: NULL or false when memory, or room for marks, is out.
 * Pure but for the memory of its slots and of uthash's buckets.
 */
#ifndef CONFIG_STATES_H
#define CONFIG_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hash.h"
#include "common/netaddr.h"

struct host_state {
    bool approved;
    bool done; /* its one boot */
    bool has_arch;
    uint16_t arch;      /* the last one it told */
    int64_t first_seen; /* seconds since 1970; 0: never */
    int64_t last_seen;
};

struct state_row {
    struct mac mac;
    struct host_state state;
};

/* A machine that is seen again is worth writing down when this has passed. */
#define STATES_SEEN_AGAIN 600 /* seconds */

struct states;

/* marks: machines that are approved or done; seen: others. */
struct states *states_new(size_t marks, size_t seen, const struct hash_seed *seed);
void states_free(struct states *t); /* NULL is fine */

/* NULL: nothing is known. */
const struct host_state *states_find(struct states *t, const struct mac *mac);

/*
 * True when that is worth writing down.  `now` may be earlier than it was before: somebody has
 * set the clock, and the later times were wrong.
 */
bool states_seen(struct states *t, const struct mac *mac, bool has_arch, uint16_t arch,
                 int64_t now);
/* The marks of a machine, known or not; true when they have changed. */
bool states_mark(struct states *t, const struct mac *mac, bool approved, bool done);
/* As it was kept; no change. */
bool states_put(struct states *t, const struct state_row *row);

/* Up to room rows that have changed since they were last taken. */
size_t states_changes(struct states *t, struct state_row *out, size_t room);
/* Every row has changed: it is to be written anew. */
void states_change_all(struct states *t);

size_t states_count(const struct states *t);
/* All of them in some order: *at begins at 0; false: no more. */
bool states_next(const struct states *t, size_t *at, struct state_row *out);

#endif
