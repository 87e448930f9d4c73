#include "config/states.h"

#include <stdlib.h>
#include <string.h>

#include "common/uthash_keyed.h"

struct slot {
    struct state_row row;
    bool changed; /* on the list of changes */
    bool listed;  /* on the list of those that may make room */
    struct slot *next_changed;
    struct slot *prev; /* oldest first */
    struct slot *next;
    UT_hash_handle hh;
};

struct states {
    struct hash_seed seed;
    struct slot *slots;
    size_t room;
    size_t used;
    size_t seen_room;
    size_t seen_count;
    struct slot *seen; /* neither approved nor done; head: seen longest ago */
    struct slot *seen_last;
    struct slot *changed;
    struct slot *by_mac;
};

struct states *states_new(size_t marks, size_t seen, const struct hash_seed *seed)
{
    struct states *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->room = marks + seen;
    t->slots = calloc(t->room, sizeof *t->slots);
    if (!t->slots) {
        free(t);
        return NULL;
    }
    t->seed = *seed;
    t->seen_room = seen;
    return t;
}

/*
 * Every use of the hash macros stands here, in functions of a few lines.
 * NOLINTBEGIN(readability-function-size): what the macros unfold to nests deeply
 */
void states_free(struct states *t)
{
    if (t) {
        HASH_CLEAR(hh, t->by_mac);
        free(t->slots);
        free(t);
    }
}

static struct slot *find(struct states *t, const struct mac *mac)
{
    struct slot *found;
    HASH_FIND(hh, t->by_mac, mac, sizeof *mac, found);
    return found;
}

static bool enter(struct states *t, struct slot *slot)
{
    HASH_ADD(hh, t->by_mac, row.mac, sizeof slot->row.mac, slot);
    return slot->hh.tbl != NULL; /* else uthash had no memory for its buckets */
}

static void leave(struct states *t, struct slot *slot)
{
    HASH_DEL(t->by_mac, slot);
}

size_t states_count(const struct states *t)
{
    return HASH_COUNT(t->by_mac);
}
/* NOLINTEND(readability-function-size) */

static void unlist(struct states *t, struct slot *slot)
{
    if (slot->listed) {
        *(slot->prev ? &slot->prev->next : &t->seen) = slot->next;
        *(slot->next ? &slot->next->prev : &t->seen_last) = slot->prev;
        slot->listed = false;
        t->seen_count--;
    }
}

/* To the end of the list, or off it: marks are kept whatever comes. */
static void relist(struct states *t, struct slot *slot)
{
    unlist(t, slot);
    if (!slot->row.state.approved && !slot->row.state.done) {
        slot->prev = t->seen_last;
        slot->next = NULL;
        *(t->seen_last ? &t->seen_last->next : &t->seen) = slot;
        t->seen_last = slot;
        slot->listed = true;
        t->seen_count++;
    }
}

static void note_change(struct states *t, struct slot *slot)
{
    if (!slot->changed) {
        slot->changed = true;
        slot->next_changed = t->changed;
        t->changed = slot;
    }
}

/* A fresh slot, or that of the machine seen longest ago; NULL: marks fill the table. */
static struct slot *take_slot(struct states *t)
{
    if (t->used < t->room && t->seen_count < t->seen_room) {
        return &t->slots[t->used++];
    }
    struct slot *oldest = t->seen;
    if (oldest) {
        unlist(t, oldest);
        leave(t, oldest);
    } else if (t->used < t->room) {
        return &t->slots[t->used++];
    }
    return oldest;
}

static struct slot *find_or_add(struct states *t, const struct mac *mac)
{
    struct slot *slot = find(t, mac);
    if (slot) {
        return slot;
    }
    slot = take_slot(t);
    if (!slot) {
        return NULL;
    }
    slot->row = (struct state_row){.mac = *mac};
    if (!enter(t, slot)) {
        return NULL; /* lost to the table, which memory is out for */
    }
    relist(t, slot);
    return slot;
}

const struct host_state *states_find(struct states *t, const struct mac *mac)
{
    const struct slot *slot = find(t, mac);
    return slot ? &slot->row.state : NULL;
}

bool states_seen(struct states *t, const struct mac *mac, bool has_arch, uint16_t arch,
                 int64_t now)
{
    struct slot *slot = find_or_add(t, mac);
    if (!slot) {
        return false;
    }
    struct host_state *s = &slot->row.state;
    bool news = s->first_seen == 0 || now < s->last_seen ||
                now - s->last_seen >= STATES_SEEN_AGAIN ||
                (has_arch && (!s->has_arch || s->arch != arch));
    s->first_seen = s->first_seen == 0 || now < s->first_seen ? now : s->first_seen;
    if (has_arch) {
        s->has_arch = true;
        s->arch = arch;
    }
    if (news) {
        s->last_seen = now;
        note_change(t, slot);
    }
    relist(t, slot);
    return news;
}

bool states_mark(struct states *t, const struct mac *mac, bool approved, bool done)
{
    struct slot *slot = find_or_add(t, mac);
    if (!slot || (slot->row.state.approved == approved && slot->row.state.done == done)) {
        return false;
    }
    slot->row.state.approved = approved;
    slot->row.state.done = done;
    relist(t, slot);
    note_change(t, slot);
    return true;
}

bool states_put(struct states *t, const struct state_row *row)
{
    struct slot *slot = find_or_add(t, &row->mac);
    if (slot) {
        slot->row.state = row->state;
        relist(t, slot);
    }
    return slot != NULL;
}

size_t states_changes(struct states *t, struct state_row *out, size_t room)
{
    size_t count = 0;
    while (t->changed && count < room) {
        struct slot *slot = t->changed;
        t->changed = slot->next_changed;
        slot->changed = false;
        out[count++] = slot->row;
    }
    return count;
}

void states_change_all(struct states *t)
{
    for (size_t i = 0; i < t->used; i++) {
        if (t->slots[i].hh.tbl) {
            note_change(t, &t->slots[i]);
        }
    }
}

bool states_next(const struct states *t, size_t *at, struct state_row *out)
{
    while (*at < t->used && !t->slots[*at].hh.tbl) {
        (*at)++;
    }
    if (*at >= t->used) {
        return false;
    }
    *out = t->slots[(*at)++].row;
    return true;
}
