/*
 * app/boots: the table that app/timeline keeps its boots in.
 *
 * Bounded, in boots and in the octets of their lists.  Machines that are known (they stand in
 * the host table, or have loaded something) hold at least half of the room against strangers;
 * else the boot that ended longest ago goes first, and one under way only when none has ended.
 *
 *     boots_begin()      a machine's new boot; its former one is no longer found by key
 *     boots_heard()      of those under way it is the last to go now
 *     boots_ended()      of those that have ended likewise; boots_open() takes that back
 *     boots_changed()    after whatever let its lists grow
 *
 * Ownership: the table owns the boots; a pointer is good until boots_begin() or boots_changed()
 * of another boot.
 * Errors: NULL when memory is out.
 * Pure but for the memory of slots, of lists and of uthash's buckets.
 */
#ifndef APP_BOOTS_H
#define APP_BOOTS_H

#include "app/boot.h"
#include "common/hash.h"

/* Strangers and known machines, each: under way by when they were heard, ended by their end. */
enum boots_list {
    BOOTS_STRANGERS,
    BOOTS_STRANGERS_ENDED,
    BOOTS_KNOWN,
    BOOTS_KNOWN_ENDED,
    BOOTS_LIST_COUNT,
};

struct boots_chain {
    struct boot *oldest;
    struct boot *newest;
    size_t count;
};

struct boots {
    struct hash_seed seed;
    struct boot *slots;
    size_t room;
    size_t used; /* slots that have been in use */
    struct boot *free;
    struct boot *by_key; /* a machine's newest boot */
    struct boots_chain chain[BOOTS_LIST_COUNT];
    struct timers timers;
    struct timer **timer_slots;
    uint64_t octets_max;
    uint64_t octets; /* of the lists of all boots */
    uint64_t ids;
    uint64_t turn; /* of the last end */
};

/* False: memory is out; boots_done() is fine either way. */
bool boots_init(struct boots *t, size_t room, uint64_t octets,
                const struct hash_seed *seed);
void boots_done(struct boots *t);

struct boot *boots_find(struct boots *t, const struct boot_key *key);
struct boot *boots_begin(struct boots *t, const struct boot_key *key, usec_t now);

void boots_heard(struct boots *t, struct boot *b, usec_t now, usec_t due);
void boots_known(struct boots *t, struct boot *b);
void boots_ended(struct boots *t, struct boot *b, usec_t now);
void boots_open(struct boots *t, struct boot *b);
/* before: boot_size() before the change. */
void boots_changed(struct boots *t, struct boot *b, size_t before);

/* Of those under way whose time has come, one after another; NULL: no more. */
struct boot *boots_due(struct boots *t, usec_t now);
/* The first whose end came after this turn, or NULL. */
const struct boot *boots_after(const struct boots *t, uint64_t turn);

#endif
