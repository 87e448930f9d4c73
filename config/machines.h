/*
 * config/machines: which machine has which address, as its own packets told, or the kernel.
 *
 * DHCP learns it (a client's REQUEST for its lease, its questions on port 4011), the other
 * doors ask: a transfer has only an address, and the host table speaks of machines.
 *
 * Bounded: when it is full the machine heard of longest ago goes.  What was not confirmed for
 * MACHINES_LIFE is forgotten.
 *
 * Ownership: the table owns its entries; a result is a view until the next machines_learn().
 * Errors: machines_new() gives NULL when memory is out; nothing else fails.
 * Pure but for its memory (common/recent).
 */
#ifndef CONFIG_MACHINES_H
#define CONFIG_MACHINES_H

#include "common/clock.h"
#include "common/hash.h"
#include "common/netaddr.h"

#define MACHINES_LIFE (UINT64_C(12) * 3600 * USEC_PER_SEC)

struct machine {
    struct mac mac;
    bool has_uuid;
    uint8_t uuid[16]; /* as sent in option 97 */
    bool has_arch;
    uint16_t arch;     /* option 93 */
    bool ipxe;         /* an iPXE was speaking */
    bool by_neighbour; /* no packet of its own told, but the kernel's neighbour table */
};

struct machines;

struct machines *machines_new(size_t room, const struct hash_seed *seed);
void machines_free(struct machines *t); /* NULL is fine */

/*
 * The port of the endpoint does not count.  What `m` does not tell (no UUID, no architecture)
 * is kept from before if the MAC is the same.
 */
void machines_learn(struct machines *t, const struct endpoint *at,
                    const struct machine *m, usec_t now);

/* NULL: nothing is known of this address, or no longer. */
const struct machine *machines_find(struct machines *t, const struct endpoint *at,
                                    usec_t now);

size_t machines_count(const struct machines *t);

#endif
