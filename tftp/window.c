#include "tftp/window.h"

#include <stdlib.h>
#include <string.h>

#include "common/minmax.h"
#include "common/uthash_keyed.h"

#define LOSSY_SHARE 16 /* one block in so many sent again: too much for this window */
#define CLEAN_SHARE 64 /* or fewer than one in so many: there is room */
#define TELLING     16 /* blocks: a shorter transfer says nothing */
#define FULL        4  /* windows: a shorter one is no reason to grow */
#define MOST        65535

/* No padding: it is hashed and compared as octets. */
struct key {
    uint8_t ip[16];
    uint32_t scope;
    uint32_t shape;
    uint32_t subnet;
};

struct slot {
    struct key key;
    enum tftp_kind kind;
    uint32_t blocks;
    usec_t told;
    struct tftp_wire wire;
    UT_hash_handle hh; /* in the order told of: the head is the oldest */
};

struct tftp_windows {
    struct hash_seed seed;
    struct slot *slots;
    size_t room;
    size_t used;
    uint32_t first;
    struct slot *by_key;
};

struct tftp_windows *tftp_windows_new(size_t room, const struct hash_seed *seed)
{
    struct tftp_windows *t = calloc(1, sizeof *t);
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
    t->first = TFTP_WINDOW_FIRST;
    return t;
}

void tftp_windows_set_first(struct tftp_windows *t, uint32_t blocks)
{
    t->first = blocks;
}

/*
 * Every use of the hash macros stands here, in functions of a few lines.
 * NOLINTBEGIN(readability-function-size): what the macros unfold to nests deeply
 */
void tftp_windows_reset(struct tftp_windows *t)
{
    HASH_CLEAR(hh, t->by_key);
    t->used = 0;
}

static struct slot *find(struct tftp_windows *t, const struct key *key)
{
    struct slot *found;
    HASH_FIND(hh, t->by_key, key, sizeof *key, found);
    return found;
}

static bool enter(struct tftp_windows *t, struct slot *slot)
{
    HASH_ADD(hh, t->by_key, key, sizeof slot->key, slot);
    return slot->hh.tbl != NULL; /* else uthash had no memory for its buckets */
}

static void leave(struct tftp_windows *t, struct slot *slot)
{
    HASH_DEL(t->by_key, slot);
}

size_t tftp_windows_count(const struct tftp_windows *t)
{
    return HASH_COUNT(t->by_key);
}
/* NOLINTEND(readability-function-size) */

void tftp_windows_free(struct tftp_windows *t)
{
    if (t) {
        tftp_windows_reset(t);
        free(t->slots);
        free(t);
    }
}

static struct key key_of(const struct endpoint *client, const struct tftp_shape *shape,
                         bool subnet)
{
    struct key key = {.scope = client->scope, .shape = shape->key, .subnet = subnet};
    size_t whole = !subnet ? 16 : endpoint_is_ip4(client) ? 15 : 8; /* octets */
    memcpy(key.ip, client->ip, whole);
    return key;
}

static struct slot *find_fresh(struct tftp_windows *t, const struct endpoint *client,
                               const struct tftp_shape *shape, bool subnet, usec_t now)
{
    struct key key = key_of(client, shape, subnet);
    struct slot *slot = find(t, &key);
    return slot && now - slot->told < TFTP_WINDOWS_LIFE ? slot : NULL;
}

static uint32_t first_window(const struct tftp_windows *t, const struct tftp_shape *shape)
{
    bool uboot = shape->kind == TFTP_KIND_UBOOT && t->first >= TFTP_WINDOW_FIRST;
    return uboot ? TFTP_WINDOW_UBOOT : t->first;
}

uint32_t tftp_windows_ask(struct tftp_windows *t, const struct endpoint *client,
                          const struct tftp_shape *shape, usec_t now,
                          struct tftp_wire *wire)
{
    const struct slot *own = find_fresh(t, client, shape, false, now);
    *wire = own ? own->wire : (struct tftp_wire){0};
    if (!own) {
        own = find_fresh(t, client, shape, true, now);
    }
    return own ? own->blocks : first_window(t, shape);
}

/* Out of the table: a fresh slot, or the oldest. */
static struct slot *take_slot(struct tftp_windows *t)
{
    if (t->used < t->room) {
        return &t->slots[t->used++];
    }
    struct slot *oldest = t->by_key;
    if (oldest) {
        leave(t, oldest);
    }
    return oldest;
}

static uint32_t next_window(uint32_t known, const struct tftp_carried *how)
{
    if (how->refused || known == 1) {
        return 1; /* until that is forgotten */
    }
    if (how->stalled || how->resent * LOSSY_SHARE > how->blocks) {
        uint32_t half = (uint32_t)greater(how->granted / 2, TFTP_WINDOW_SMALL);
        return (uint32_t)lesser(half, known);
    }
    bool full = how->granted >= known && how->blocks >= FULL * (uint64_t)how->granted;
    if (full && how->resent * CLEAN_SHARE <= how->blocks) {
        return (uint32_t)lesser(2 * (uint64_t)known, MOST);
    }
    return known;
}

static void tell(struct tftp_windows *t, const struct key *key,
                 const struct tftp_shape *shape, uint32_t blocks,
                 const struct tftp_wire *wire, usec_t now)
{
    struct slot *slot = find(t, key);
    bool refused_before = slot && slot->blocks == 1 && blocks == 1;
    usec_t told = refused_before ? slot->told : now;
    if (slot) {
        leave(t, slot); /* to stand behind all others, the newest */
    } else {
        slot = take_slot(t);
    }
    if (!slot) {
        return;
    }
    *slot = (struct slot){
        .key = *key,
        .kind = shape->kind,
        .blocks = blocks,
        .told = told,
        .wire = *wire,
    };
    (void)enter(t, slot); /* refused: it is forgotten, no more */
}

void tftp_windows_tell(struct tftp_windows *t, const struct endpoint *client,
                       const struct tftp_shape *shape, const struct tftp_carried *how,
                       usec_t now)
{
    if (how->blocks < TELLING && !how->stalled) {
        return;
    }
    const struct tftp_wire unknown = {0};
    const struct slot *subnet = find_fresh(t, client, shape, true, now);
    const struct slot *own = find_fresh(t, client, shape, false, now);
    uint32_t of_subnet = subnet ? subnet->blocks : first_window(t, shape);
    uint32_t of_client = own ? own->blocks : of_subnet;
    struct key subnet_key = key_of(client, shape, true);
    struct key client_key = key_of(client, shape, false);
    tell(t, &subnet_key, shape, next_window(of_subnet, how), &unknown, now);
    tell(t, &client_key, shape, next_window(of_client, how), &how->wire, now);
}

bool tftp_windows_at(const struct tftp_windows *t, size_t index, struct tftp_window *out)
{
    const struct slot *slot = t->by_key;
    while (slot && index-- > 0) {
        slot = slot->hh.next;
    }
    if (!slot) {
        return false;
    }
    *out = (struct tftp_window){
        .from.scope = slot->key.scope,
        .subnet = slot->key.subnet != 0,
        .shape = {slot->kind, slot->key.shape},
        .blocks = slot->blocks,
        .told = slot->told,
        .wire = slot->wire,
    };
    memcpy(out->from.ip, slot->key.ip, sizeof out->from.ip);
    return true;
}
