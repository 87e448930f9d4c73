#include "tftp/holders.h"

#include <stdlib.h>
#include <utlist.h>

#include "tftp/queue.h"
#include "tftp/slot.h"

/* Address and scope, without the port behind them. */
#define KEY_LEN (offsetof(struct endpoint, scope) + sizeof(uint32_t))

#define LOOKS 16 /* transfers looked at to find one that gives way */

struct tftp_holder {
    struct endpoint who;
    struct tftp_queue queue;
    UT_hash_handle hh;
    struct tftp_holder *before; /* among those that hold as many; free: none */
    struct tftp_holder *behind; /* likewise; free: the next free one */
};

struct tftp_holders {
    struct hash_seed seed;
    struct tftp_holder *slots;
    struct tftp_holder *by_ip; /* uthash head */
    struct tftp_holder *free;
    struct tftp_holder **level; /* by how many they hold: [0..room], the first unused */
    size_t most;                /* that anybody holds */
};

struct tftp_holders *tftp_holders_new(size_t room, const struct hash_seed *seed)
{
    struct tftp_holders *h = calloc(1, sizeof *h);
    if (!h) {
        return NULL;
    }
    h->seed = *seed;
    h->slots = calloc(room, sizeof *h->slots);
    h->level = calloc(room + 1, sizeof(struct tftp_holder *));
    if (!h->slots || !h->level) {
        tftp_holders_free(h);
        return NULL;
    }
    for (size_t i = room; i-- > 0;) {
        h->slots[i].behind = h->free;
        h->free = &h->slots[i];
    }
    return h;
}

void tftp_holders_free(struct tftp_holders *h)
{
    if (h) {
        HASH_CLEAR(hh, h->by_ip);
        free(h->slots);
        free(h->level);
        free(h);
    }
}

/* NOLINTBEGIN(readability-function-size): what the macros unfold to nests deeply */
static struct tftp_holder *find(struct tftp_holders *t, const struct endpoint *who)
{
    struct tftp_holder *a;
    HASH_FIND(hh, t->by_ip, who, KEY_LEN, a);
    return a;
}

static bool enter(struct tftp_holders *t, struct tftp_holder *a)
{
    HASH_ADD(hh, t->by_ip, who, KEY_LEN, a);
    return a->hh.tbl != NULL; /* else uthash had no memory for its buckets */
}

static void leave(struct tftp_holders *t, struct tftp_holder *a)
{
    HASH_DEL(t->by_ip, a);
}
/* NOLINTEND(readability-function-size) */

/* At the end of those that hold as many. */
static void join(struct tftp_holders *h, struct tftp_holder *a)
{
    DL_APPEND2(h->level[a->queue.count], a, before, behind);
}

static void quit(struct tftp_holders *h, struct tftp_holder *a)
{
    DL_DELETE2(h->level[a->queue.count], a, before, behind);
}

/* NULL: no memory for a bucket. */
static struct tftp_holder *new_holder(struct tftp_holders *h, const struct endpoint *who)
{
    struct tftp_holder *a = h->free;
    h->free = a->behind;
    *a = (struct tftp_holder){.who = *who};
    a->who.port = 0;
    if (!enter(h, a)) {
        a->behind = h->free;
        h->free = a;
        return NULL;
    }
    return a;
}

void tftp_holders_add(struct tftp_holders *h, struct tftp_transfer *x)
{
    struct tftp_holder *a = find(h, &x->path.peer);
    if (a) {
        quit(h, a);
    } else {
        a = new_holder(h, &x->path.peer);
    }
    x->holder = a;
    if (!a) {
        return;
    }
    tftp_queue_join(&a->queue, x);
    join(h, a);
    h->most = h->most > a->queue.count ? h->most : a->queue.count;
}

void tftp_holders_drop(struct tftp_holders *h, struct tftp_transfer *x)
{
    struct tftp_holder *a = x->holder;
    x->holder = NULL;
    if (!a) {
        return;
    }
    quit(h, a);
    tftp_queue_quit(&a->queue, x);
    if (a->queue.count > 0) {
        join(h, a);
    } else {
        leave(h, a);
        a->behind = h->free;
        h->free = a;
    }
    if (!h->level[h->most] && h->most > 0) {
        h->most--;
    }
}

/* The next one of those that hold most; it comes again when all others have been. */
static struct tftp_transfer *look(struct tftp_holders *h)
{
    struct tftp_holder *a = h->level[h->most];
    struct tftp_transfer *x = a->queue.oldest;
    quit(h, a);
    join(h, a);
    tftp_queue_quit(&a->queue, x);
    tftp_queue_join(&a->queue, x);
    return x;
}

struct tftp_transfer *tftp_holders_choose(struct tftp_holders *h,
                                          const struct endpoint *asks, usec_t now)
{
    struct tftp_transfer *best = NULL;
    const struct tftp_holder *a = find(h, asks);
    size_t would_hold = a ? a->queue.count + 1 : 1;
    for (int i = 0; i < LOOKS && h->most > 0; i++) {
        struct tftp_transfer *x = look(h);
        if (!best || x->session.progress_at < best->session.progress_at) {
            best = x;
        }
    }
    if (!best) {
        return NULL;
    }
    bool still = now >= best->session.progress_at + TFTP_HOLDERS_STILL;
    return h->most > would_hold || still ? best : NULL;
}
