#include "app/boots.h"

#include <stdlib.h>
#include <string.h>

bool boots_init(struct boots *t, size_t room, uint64_t octets,
                const struct hash_seed *seed)
{
    *t = (struct boots){.seed = *seed, .room = room, .octets_max = octets};
    t->slots = calloc(room, sizeof *t->slots);
    t->timer_slots = calloc(room, sizeof(struct timer *));
    timers_init(&t->timers, t->timer_slots, room);
    return t->slots && t->timer_slots;
}

/*
 * Every use of the hash macros stands here, in functions of a few lines.
 * NOLINTBEGIN(readability-function-size): what the macros unfold to nests deeply
 */
void boots_done(struct boots *t)
{
    HASH_CLEAR(hh, t->by_key);
    for (size_t i = 0; i < t->used; i++) {
        boot_done(&t->slots[i]);
    }
    free(t->slots);
    free(t->timer_slots);
}

struct boot *boots_find(struct boots *t, const struct boot_key *key)
{
    struct boot *found;
    HASH_FIND(hh, t->by_key, key, sizeof *key, found);
    return found;
}
static bool enter_key(struct boots *t, struct boot *b)
{
    HASH_ADD(hh, t->by_key, key, sizeof b->key, b);
    return b->hh.tbl != NULL; /* else uthash had no memory for its buckets */
}

/* A machine's former boots are no more found by its key. */
static void leave_key(struct boots *t, struct boot *b)
{
    if (boots_find(t, &b->key) == b) {
        HASH_DEL(t->by_key, b);
    }
}
/* NOLINTEND(readability-function-size) */

/* -- lists -------------------------------------------------------------------------------- */

static void unlink_boot(struct boots *t, struct boot *b)
{
    struct boots_chain *c = &t->chain[b->list];
    *(b->older ? &b->older->newer : &c->oldest) = b->newer;
    *(b->newer ? &b->newer->older : &c->newest) = b->older;
    c->count--;
}

static void link_boot(struct boots *t, struct boot *b)
{
    b->list = (b->known ? BOOTS_KNOWN : BOOTS_STRANGERS) + (b->ended > 0);
    struct boots_chain *c = &t->chain[b->list];
    b->older = c->newest;
    b->newer = NULL;
    *(c->newest ? &c->newest->newer : &c->oldest) = b;
    c->newest = b;
    c->count++;
}

/* Forgets a boot; its slot is free again. */
static void drop(struct boots *t, struct boot *b)
{
    leave_key(t, b);
    timers_set(&t->timers, &b->timer, USEC_NEVER);
    unlink_boot(t, b);
    t->octets -= boot_size(b);
    boot_done(b);
    *b = (struct boot){.newer = t->free};
    t->free = b;
}

/* Whoever is to go, `spared` never; NULL: nobody else is there. */
static struct boot *one_to_go(const struct boots *t, const struct boot *spared)
{
    static const enum boots_list crowded[] = {BOOTS_STRANGERS_ENDED, BOOTS_STRANGERS,
                                              BOOTS_KNOWN_ENDED, BOOTS_KNOWN};
    static const enum boots_list usual[] = {BOOTS_KNOWN_ENDED, BOOTS_STRANGERS_ENDED,
                                            BOOTS_STRANGERS, BOOTS_KNOWN};
    size_t strangers =
        t->chain[BOOTS_STRANGERS].count + t->chain[BOOTS_STRANGERS_ENDED].count;
    const enum boots_list *order = strangers >= (t->room + 1) / 2 ? crowded : usual;
    for (unsigned i = 0; i < BOOTS_LIST_COUNT; i++) {
        struct boot *b = t->chain[order[i]].oldest;
        b = b && b == spared ? b->newer : b;
        if (b) {
            return b;
        }
    }
    return NULL;
}

static struct boot *take_slot(struct boots *t)
{
    if (!t->free && t->used < t->room) {
        t->free = &t->slots[t->used++];
    }
    if (!t->free) {
        struct boot *gone = one_to_go(t, NULL);
        if (gone) {
            drop(t, gone);
        }
    }
    struct boot *b = t->free;
    if (b) {
        t->free = b->newer;
    }
    return b;
}

struct boot *boots_begin(struct boots *t, const struct boot_key *key, usec_t now)
{
    struct boot *former = boots_find(t, key);
    bool known = former && former->known;
    if (former) {
        leave_key(t, former);
    }
    struct boot *b = take_slot(t);
    if (!b) {
        return NULL;
    }
    *b = (struct boot){.id = ++t->ids,
                       .key = *key,
                       .began = now,
                       .heard = now,
                       .known = known,
                       .slot = (unsigned)(b - t->slots)};
    (void)enter_key(t, b); /* without memory for its bucket each request is a boot */
    link_boot(t, b);
    return b;
}

/* -- what changes a boot's place ------------------------------------------------------------ */

void boots_heard(struct boots *t, struct boot *b, usec_t now, usec_t due)
{
    b->heard = now;
    unlink_boot(t, b);
    link_boot(t, b);
    timers_set(&t->timers, &b->timer, due);
}

void boots_known(struct boots *t, struct boot *b)
{
    if (!b->known) {
        unlink_boot(t, b);
        b->known = true;
        link_boot(t, b);
    }
}

void boots_ended(struct boots *t, struct boot *b, usec_t now)
{
    unlink_boot(t, b);
    b->ended = now;
    b->turn = ++t->turn;
    link_boot(t, b);
    timers_set(&t->timers, &b->timer, USEC_NEVER);
}

void boots_open(struct boots *t, struct boot *b)
{
    unlink_boot(t, b);
    b->ended = 0;
    link_boot(t, b);
}

void boots_changed(struct boots *t, struct boot *b, size_t before)
{
    struct boot *gone;
    t->octets += boot_size(b) - before;
    while (t->octets > t->octets_max && (gone = one_to_go(t, b)) != NULL) {
        drop(t, gone);
    }
}

struct boot *boots_due(struct boots *t, usec_t now)
{
    struct timer *due = timers_due(&t->timers, now);
    return due ? (struct boot *)((char *)due - offsetof(struct boot, timer)) : NULL;
}

static const struct boot *first_after(const struct boots_chain *c, uint64_t turn)
{
    const struct boot *b = c->newest;
    while (b && b->turn > turn && b->older && b->older->turn > turn) {
        b = b->older;
    }
    return b && b->turn > turn ? b : NULL;
}

const struct boot *boots_after(const struct boots *t, uint64_t turn)
{
    const struct boot *a = first_after(&t->chain[BOOTS_STRANGERS_ENDED], turn);
    const struct boot *b = first_after(&t->chain[BOOTS_KNOWN_ENDED], turn);
    return !a || (b && b->turn < a->turn) ? b : a;
}
