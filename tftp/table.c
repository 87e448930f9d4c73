#include "tftp/table.h"

#include <assert.h>
#include <stdlib.h>

#include "tftp/queue.h"

/* Address, scope and port without the padding behind them. */
#define KEY_LEN (offsetof(struct endpoint, port) + sizeof(uint16_t))

struct tftp_table {
    struct hash_seed seed;
    struct tftp_transfer *slots;
    struct tftp_transfer *by_peer; /* uthash head */
    struct tftp_transfer *free;
    struct tftp_holders *holders; /* of those that were answered */
    struct tftp_queue half_open;
    struct tftp_queue lingering;
    size_t room;
    size_t half_max;
    size_t running;
};

struct tftp_table *tftp_table_new(size_t room, size_t half_max,
                                  const struct hash_seed *seed)
{
    struct tftp_table *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->room = room;
    t->half_max = half_max;
    t->slots = calloc(room + half_max, sizeof *t->slots);
    t->holders = tftp_holders_new(room + half_max, seed);
    if (!t->slots || !t->holders) {
        tftp_table_free(t);
        return NULL;
    }
    t->seed = *seed;
    for (size_t i = room + half_max; i-- > 0;) {
        t->slots[i].newer = t->free;
        t->free = &t->slots[i];
    }
    return t;
}

void tftp_table_free(struct tftp_table *t)
{
    if (t) {
        HASH_CLEAR(hh, t->by_peer);
        tftp_holders_free(t->holders);
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
    tftp_queue_join(&t->half_open, x);
    return x;
}

void tftp_table_heard(struct tftp_table *t, struct tftp_transfer *x)
{
    assert(!x->heard && !x->lingers);
    x->heard = true;
    tftp_queue_quit(&t->half_open, x);
    tftp_holders_add(t->holders, x);
}

void tftp_table_linger(struct tftp_table *t, struct tftp_transfer *x)
{
    assert(!x->lingers);
    if (x->heard) {
        tftp_holders_drop(t->holders, x);
    } else {
        tftp_queue_quit(&t->half_open, x);
    }
    x->lingers = true;
    tftp_queue_join(&t->lingering, x);
    t->running--;
}

struct tftp_transfer *tftp_table_oldest(struct tftp_table *t)
{
    return t->lingering.oldest;
}

void tftp_table_remove(struct tftp_table *t, struct tftp_transfer *x)
{
    assert(x->timer.place == 0); /* or the heap would hold a slot that is used again */
    leave(t, x);
    if (!x->lingers) {
        tftp_table_linger(t, x);
    }
    tftp_queue_quit(&t->lingering, x);
    x->newer = t->free;
    t->free = x;
}

size_t tftp_table_running(const struct tftp_table *t)
{
    return t->running;
}

size_t tftp_table_half_open(const struct tftp_table *t)
{
    return t->half_open.count;
}

struct tftp_transfer *tftp_table_in_the_way(struct tftp_table *t)
{
    return t->half_open.count >= t->half_max ? t->half_open.oldest : NULL;
}

bool tftp_table_is_full(const struct tftp_table *t)
{
    return t->running - t->half_open.count >= t->room;
}

struct tftp_transfer *tftp_table_gives_way(struct tftp_table *t,
                                           const struct endpoint *to, usec_t now)
{
    return tftp_holders_choose(t->holders, to, now);
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
