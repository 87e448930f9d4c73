#include "tftp/table.h"

#include <assert.h>
#include <stdlib.h>

/* Address, scope and port without the padding behind them. */
#define KEY_LEN (offsetof(struct endpoint, port) + sizeof(uint16_t))

struct tftp_table {
    struct hash_seed seed;
    struct tftp_transfer *slots;
    struct tftp_transfer *by_peer; /* uthash head */
    struct tftp_transfer *free;
    struct tftp_transfer *oldest; /* lingering */
    struct tftp_transfer *newest;
    size_t running;
};

struct tftp_table *tftp_table_new(size_t room, const struct hash_seed *seed)
{
    struct tftp_table *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->slots = calloc(room, sizeof *t->slots);
    if (!t->slots) {
        free(t);
        return NULL;
    }
    t->seed = *seed;
    for (size_t i = room; i-- > 0;) {
        t->slots[i].newer = t->free;
        t->free = &t->slots[i];
    }
    return t;
}

void tftp_table_free(struct tftp_table *t)
{
    if (t) {
        HASH_CLEAR(hh, t->by_peer);
        free(t->slots);
        free(t);
    }
}

/*
 * Every use of the hash macros stands here, in functions of a few lines.
 * NOLINTBEGIN(readability-function-size): what the macros unfold to nests deeply
 */
struct tftp_transfer *tftp_table_find(struct tftp_table *t, const struct endpoint *peer)
{
    struct tftp_transfer *x;
    HASH_FIND(hh, t->by_peer, peer, KEY_LEN, x);
    return x;
}

static bool enter(struct tftp_table *t, struct tftp_transfer *x)
{
    HASH_ADD(hh, t->by_peer, path.peer, KEY_LEN, x);
    return x->hh.tbl != NULL; /* else uthash had no memory for its buckets */
}

static void leave(struct tftp_table *t, struct tftp_transfer *x)
{
    HASH_DEL(t->by_peer, x);
}
/* NOLINTEND(readability-function-size) */

struct tftp_transfer *tftp_table_add(struct tftp_table *t, const struct net_path *path)
{
    struct tftp_transfer *x = t->free;
    if (!x) {
        return NULL;
    }
    t->free = x->newer;
    *x = (struct tftp_transfer){.path = *path};
    if (!enter(t, x)) {
        x->newer = t->free;
        t->free = x;
        return NULL;
    }
    t->running++;
    return x;
}

void tftp_table_linger(struct tftp_table *t, struct tftp_transfer *x)
{
    assert(!x->lingers);
    x->lingers = true;
    x->older = t->newest;
    x->newer = NULL;
    if (t->newest) {
        t->newest->newer = x;
    } else {
        t->oldest = x;
    }
    t->newest = x;
    t->running--;
}

struct tftp_transfer *tftp_table_oldest(struct tftp_table *t)
{
    return t->oldest;
}

static void unlink_lingering(struct tftp_table *t, struct tftp_transfer *x)
{
    if (x->older) {
        x->older->newer = x->newer;
    } else {
        t->oldest = x->newer;
    }
    if (x->newer) {
        x->newer->older = x->older;
    } else {
        t->newest = x->older;
    }
}

void tftp_table_remove(struct tftp_table *t, struct tftp_transfer *x)
{
    assert(x->timer.place == 0); /* or the heap would hold a slot that is used again */
    leave(t, x);
    if (x->lingers) {
        unlink_lingering(t, x);
    } else {
        t->running--;
    }
    x->newer = t->free;
    t->free = x;
}

size_t tftp_table_running(const struct tftp_table *t)
{
    return t->running;
}

const struct tftp_transfer *tftp_table_next(const struct tftp_table *t,
                                            const struct tftp_transfer *behind)
{
    const struct tftp_transfer *x = behind ? behind->hh.next : t->by_peer;
    while (x && x->lingers) {
        x = x->hh.next;
    }
    return x;
}

struct tftp_transfer *tftp_table_any(struct tftp_table *t)
{
    for (struct tftp_transfer *x = t->by_peer; x; x = x->hh.next) {
        if (!x->lingers) {
            return x;
        }
    }
    return NULL;
}
