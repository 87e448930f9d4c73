#include "common/recent.h"

#include <stdlib.h>
#include <string.h>

#include "common/uthash_keyed.h"

/* Key and value stand behind it. */
struct slot {
    UT_hash_handle hh; /* in the order put: the head is the oldest */
    struct slot *next; /* of those that are free */
    max_align_t octets[];
};

struct recent {
    struct hash_seed seed;
    size_t key_len;
    size_t value_at; /* octets behind the key's first */
    size_t value_len;
    size_t slot_len;
    size_t room;
    size_t used; /* slots that were ever taken */
    struct slot *free;
    struct slot *by_key;
    void (*forget)(void *context, void *value);
    void *context;
    max_align_t slots[];
};

static size_t aligned(size_t len)
{
    size_t to = sizeof(max_align_t);
    return (len + to - 1) / to * to;
}

struct recent *recent_new(size_t room, size_t key_len, size_t value_len,
                          const struct hash_seed *seed)
{
    size_t slot_len = sizeof(struct slot) + aligned(key_len) + aligned(value_len);
    struct recent *t = calloc(1, sizeof *t + room * slot_len);
    if (t) {
        t->seed = *seed;
        t->key_len = key_len;
        t->value_at = aligned(key_len);
        t->value_len = value_len;
        t->slot_len = slot_len;
        t->room = room;
    }
    return t;
}

void recent_on_forget(struct recent *t, void (*forget)(void *context, void *value),
                      void *context)
{
    t->forget = forget;
    t->context = context;
}

static void *value_of(const struct recent *t, struct slot *slot)
{
    return (char *)slot->octets + t->value_at;
}

static void forget(struct recent *t, struct slot *slot)
{
    if (t->forget) {
        t->forget(t->context, value_of(t, slot));
    }
}

/*
 * Every use of the hash macros stands here, in functions of a few lines.
 * NOLINTBEGIN(readability-function-size): what the macros unfold to nests deeply
 */
static struct slot *find(const struct recent *t, const void *key)
{
    struct slot *found;
    HASH_FIND(hh, t->by_key, key, t->key_len, found);
    return found;
}

static bool enter(struct recent *t, struct slot *slot)
{
    HASH_ADD_KEYPTR(hh, t->by_key, slot->octets, t->key_len, slot);
    return slot->hh.tbl != NULL; /* else uthash had no memory for its buckets */
}

static void leave(struct recent *t, struct slot *slot)
{
    HASH_DEL(t->by_key, slot);
}

void recent_clear(struct recent *t)
{
    for (struct slot *s = t->by_key; s; s = s->hh.next) {
        forget(t, s);
    }
    HASH_CLEAR(hh, t->by_key);
    t->used = 0;
    t->free = NULL;
}

size_t recent_count(const struct recent *t)
{
    return HASH_COUNT(t->by_key);
}
/* NOLINTEND(readability-function-size) */

void recent_free(struct recent *t)
{
    if (t) {
        recent_clear(t);
        free(t);
    }
}

/* Out of the table: a free slot, or the oldest. */
static struct slot *take_slot(struct recent *t)
{
    struct slot *slot = t->free;
    if (slot) {
        t->free = slot->next;
    } else if (t->used < t->room) {
        slot = (struct slot *)(void *)((char *)t->slots + t->used++ * t->slot_len);
    } else {
        slot = t->by_key;
        forget(t, slot);
        leave(t, slot);
    }
    return slot;
}

static void give_back(struct recent *t, struct slot *slot)
{
    slot->next = t->free;
    t->free = slot;
}

void *recent_find(const struct recent *t, const void *key)
{
    struct slot *slot = find(t, key);
    return slot ? value_of(t, slot) : NULL;
}

void *recent_put(struct recent *t, const void *key)
{
    struct slot *slot = find(t, key);
    bool is_new = !slot;
    if (is_new) {
        slot = take_slot(t);
        memcpy(slot->octets, key, t->key_len);
        memset(value_of(t, slot), 0, t->value_len);
    } else {
        leave(t, slot); /* to stand behind all others, the newest */
    }
    if (!enter(t, slot)) {
        if (!is_new) {
            forget(t, slot);
        }
        give_back(t, slot);
        return NULL;
    }
    return value_of(t, slot);
}

void recent_remove(struct recent *t, const void *key)
{
    struct slot *slot = find(t, key);
    if (slot) {
        forget(t, slot);
        leave(t, slot);
        give_back(t, slot);
    }
}

void *recent_each(const struct recent *t, const void **at)
{
    struct slot *slot = t->by_key;
    if (*at) {
        const char *octets = *at;
        slot =
            ((const struct slot *)(const void *)(octets - offsetof(struct slot, octets)))
                ->hh.next;
    }
    *at = slot ? slot->octets : NULL;
    return slot ? value_of(t, slot) : NULL;
}
