#include "config/keys.h"

#include <stdlib.h>

#define ROOM_LEAST 16

struct keys_entry {
    uint32_t hash;   /* of the key; where to begin is in its low bits */
    uint32_t number; /* KEYS_NONE: free */
};

/* Keys that differ little shall lie far apart. */
static uint32_t scatter(uint64_t n)
{
    n = (n ^ n >> 32) * UINT64_C(0xd6e8feb86659fd93);
    n = (n ^ n >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(n ^ n >> 32);
}

uint32_t keys_next(const struct keys *k, uint64_t key, size_t *at)
{
    uint32_t hash = scatter(key);
    while (k->room > 0) { /* it is never full, so that this comes to a free entry */
        const struct keys_entry *e = &k->list[(hash + (*at)++) & (k->room - 1)];
        if (e->number == KEYS_NONE || e->hash == hash) {
            return e->number;
        }
    }
    return KEYS_NONE;
}

static void put(struct keys *k, struct keys_entry entry)
{
    size_t i = entry.hash;
    while (k->list[i & (k->room - 1)].number != KEYS_NONE) {
        i++;
    }
    k->list[i & (k->room - 1)] = entry;
    k->count++;
}

static bool grow(struct keys *k)
{
    struct keys more = {.room = k->room ? 2 * k->room : ROOM_LEAST};
    more.list = malloc(more.room * sizeof *more.list);
    if (!more.list) {
        return false;
    }
    for (size_t i = 0; i < more.room; i++) {
        more.list[i].number = KEYS_NONE;
    }
    for (size_t i = 0; i < k->room; i++) {
        if (k->list[i].number != KEYS_NONE) {
            put(&more, k->list[i]);
        }
    }
    free(k->list);
    *k = more;
    return true;
}

bool keys_add(struct keys *k, uint64_t key, uint32_t number)
{
    if (2 * k->count >= k->room && !grow(k)) {
        return false;
    }
    put(k, (struct keys_entry){scatter(key), number});
    return true;
}

void keys_done(struct keys *k)
{
    free(k->list);
    *k = (struct keys){0};
}
