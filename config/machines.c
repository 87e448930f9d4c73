#include "config/machines.h"

#include <stdlib.h>
#include <string.h>

#include "common/uthash_keyed.h"

/* Address and scope, without the port behind them. */
#define KEY_LEN (offsetof(struct endpoint, scope) + sizeof(uint32_t))

struct slot {
    struct endpoint at;
    struct machine machine;
    usec_t heard;
    UT_hash_handle hh; /* in the order heard: the head is the oldest */
};

struct machines {
    struct hash_seed seed;
    struct slot *slots;
    size_t room;
    size_t used;
    struct slot *by_address;
};

struct machines *machines_new(size_t room, const struct hash_seed *seed)
{
    struct machines *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->slots = calloc(room, sizeof *t->slots);
    if (!t->slots) {
        free(t);
        return NULL;
    }
    t->seed = *seed;
    t->room = room;
    return t;
}

/*
 * Every use of the hash macros stands here, in functions of a few lines.
 * NOLINTBEGIN(readability-function-size): what the macros unfold to nests deeply
 */
void machines_free(struct machines *t)
{
    if (t) {
        HASH_CLEAR(hh, t->by_address);
        free(t->slots);
        free(t);
    }
}

static struct slot *find(struct machines *t, const struct endpoint *at)
{
    struct slot *found;
    HASH_FIND(hh, t->by_address, at, KEY_LEN, found);
    return found;
}

static bool enter(struct machines *t, struct slot *slot)
{
    HASH_ADD(hh, t->by_address, at, KEY_LEN, slot);
    return slot->hh.tbl != NULL; /* else uthash had no memory for its buckets */
}

static void leave(struct machines *t, struct slot *slot)
{
    HASH_DEL(t->by_address, slot);
}

size_t machines_count(const struct machines *t)
{
    return HASH_COUNT(t->by_address);
}
/* NOLINTEND(readability-function-size) */

/* Out of the table: this address's own slot, a fresh one, or the oldest. */
static struct slot *take_slot(struct machines *t, struct slot *own)
{
    if (own) {
        leave(t, own);
        return own;
    }
    if (t->used < t->room) {
        return &t->slots[t->used++];
    }
    struct slot *oldest = t->by_address;
    if (oldest) {
        leave(t, oldest);
    }
    return oldest;
}

static struct machine merge(const struct machine *old, const struct machine *heard)
{
    struct machine m = *heard;
    if (!mac_equal(&old->mac, &heard->mac)) {
        return m;
    }
    if (!m.has_uuid && old->has_uuid) {
        m.has_uuid = true;
        memcpy(m.uuid, old->uuid, sizeof m.uuid);
    }
    if (!m.has_arch && old->has_arch) {
        m.has_arch = true;
        m.arch = old->arch;
    }
    return m;
}

void machines_learn(struct machines *t, const struct endpoint *at,
                    const struct machine *m, usec_t now)
{
    struct slot *own = find(t, at);
    struct machine machine = own ? merge(&own->machine, m) : *m;
    struct slot *slot = take_slot(t, own);
    if (slot) {
        *slot = (struct slot){.at = *at, .machine = machine, .heard = now};
        (void)enter(t, slot);
    }
}

const struct machine *machines_find(struct machines *t, const struct endpoint *at,
                                    usec_t now)
{
    const struct slot *slot = find(t, at);
    return slot && now < slot->heard + MACHINES_LIFE ? &slot->machine : NULL;
}
