#include "tftp/window.h"

#include <stdlib.h>
#include <string.h>

#include "common/minmax.h"
#include "common/recent.h"

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

struct entry {
    enum tftp_kind kind;
    uint32_t blocks;
    usec_t told;
    struct tftp_wire wire;
};

struct tftp_windows {
    struct recent *table;
    uint32_t first;
};

struct tftp_windows *tftp_windows_new(size_t room, const struct hash_seed *seed)
{
    struct tftp_windows *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->table = recent_new(room, sizeof(struct key), sizeof(struct entry), seed);
    if (!t->table) {
        free(t);
        return NULL;
    }
    t->first = TFTP_WINDOW_FIRST;
    return t;
}

void tftp_windows_set_first(struct tftp_windows *t, uint32_t blocks)
{
    t->first = blocks;
}

void tftp_windows_reset(struct tftp_windows *t)
{
    recent_clear(t->table);
}

size_t tftp_windows_count(const struct tftp_windows *t)
{
    return recent_count(t->table);
}

void tftp_windows_free(struct tftp_windows *t)
{
    if (t) {
        recent_free(t->table);
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

static struct entry *find_fresh(struct tftp_windows *t, const struct endpoint *client,
                                const struct tftp_shape *shape, bool subnet, usec_t now)
{
    struct key key = key_of(client, shape, subnet);
    struct entry *e = recent_find(t->table, &key);
    return e && now - e->told < TFTP_WINDOWS_LIFE ? e : NULL;
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
    const struct entry *own = find_fresh(t, client, shape, false, now);
    *wire = own ? own->wire : (struct tftp_wire){0};
    if (!own) {
        own = find_fresh(t, client, shape, true, now);
    }
    return own ? own->blocks : first_window(t, shape);
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
    struct entry *e = recent_put(t->table, key); /* refused: it is forgotten, no more */
    if (e) {
        bool refused_before =
            e->blocks == 1 && blocks == 1 && now - e->told < TFTP_WINDOWS_LIFE;
        *e = (struct entry){
            .kind = shape->kind,
            .blocks = blocks,
            .told = refused_before ? e->told : now,
            .wire = *wire,
        };
    }
}

void tftp_windows_tell(struct tftp_windows *t, const struct endpoint *client,
                       const struct tftp_shape *shape, const struct tftp_carried *how,
                       usec_t now)
{
    if (how->blocks < TELLING && !how->stalled) {
        return;
    }
    const struct tftp_wire unknown = {0};
    const struct entry *subnet = find_fresh(t, client, shape, true, now);
    const struct entry *own = find_fresh(t, client, shape, false, now);
    uint32_t of_subnet = subnet ? subnet->blocks : first_window(t, shape);
    uint32_t of_client = own ? own->blocks : of_subnet;
    struct key subnet_key = key_of(client, shape, true);
    struct key client_key = key_of(client, shape, false);
    tell(t, &subnet_key, shape, next_window(of_subnet, how), &unknown, now);
    tell(t, &client_key, shape, next_window(of_client, how), &how->wire, now);
}

bool tftp_windows_at(const struct tftp_windows *t, size_t index, struct tftp_window *out)
{
    const void *at = NULL;
    const struct entry *e = recent_each(t->table, &at);
    while (e && index-- > 0) {
        e = recent_each(t->table, &at);
    }
    if (!e) {
        return false;
    }
    const struct key *key = at;
    *out = (struct tftp_window){
        .from.scope = key->scope,
        .subnet = key->subnet != 0,
        .shape = {e->kind, key->shape},
        .blocks = e->blocks,
        .told = e->told,
        .wire = e->wire,
    };
    memcpy(out->from.ip, key->ip, sizeof out->from.ip);
    return true;
}
