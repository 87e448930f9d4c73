#define HASH_NONFATAL_OOM 1 /* a failed insertion leaves hh.tbl NULL */

#include "config/hosts.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define CHUNK 256 /* hosts that are allocated together */

/* MAC and its length stand side by side: together they are the key of pattern and MAC. */
#define MAC_KEY_LEN (sizeof(struct mac) + 1)
static_assert(offsetof(struct host, mac_len) ==
                  offsetof(struct host, mac) + sizeof(struct mac),
              "mac and mac_len must be neighbours");

struct slot {
    struct host host; /* octets of mac behind mac_len are zero */
    uint32_t index;
    struct slot *next; /* the next one in file order with the same exact MAC or UUID */
    UT_hash_handle hh;
};

/* Apart from the slot, as few tables name hosts by UUID. */
struct uuid_slot {
    uint8_t uuid[16]; /* canonical */
    struct slot *slot;
    UT_hash_handle hh;
};

struct hosts {
    struct slot **chunks; /* a slot never moves: tables and callers point at it */
    size_t chunk_room;
    size_t chunk_count;
    size_t count;
    struct slot *by_mac; /* exact MACs, and prefixes of which nothing else is asked */
    struct uuid_slot *by_uuid;
    struct slot **patterns; /* all others, in file order */
    size_t pattern_count;
    bool has_prefix[sizeof(struct mac)]; /* by mac_len */
};

struct hosts *hosts_new(size_t expected)
{
    struct hosts *table = calloc(1, sizeof *table);
    if (!table || expected == 0) {
        return table;
    }
    table->chunk_room = expected / CHUNK + 1;
    table->chunks = calloc(table->chunk_room, sizeof(void *));
    if (!table->chunks) {
        free(table);
        return NULL;
    }
    return table;
}

static struct slot *slot_at(const struct hosts *table, size_t index)
{
    return &table->chunks[index / CHUNK][index % CHUNK];
}

/*
 * Every use of the hash macros stands here, in functions of a few lines.
 * NOLINTBEGIN(readability-function-size): what the macros unfold to nests deeply
 */
static struct slot *find_key(const struct hosts *table, const uint8_t key[MAC_KEY_LEN])
{
    struct slot *found;
    HASH_FIND(hh, table->by_mac, key, MAC_KEY_LEN, found);
    return found;
}

static struct uuid_slot *find_canonical(const struct hosts *table, const uint8_t uuid[16])
{
    struct uuid_slot *found;
    HASH_FIND(hh, table->by_uuid, uuid, 16, found);
    return found;
}

static bool put_key(struct hosts *table, struct slot *slot)
{
    HASH_ADD_KEYPTR(hh, table->by_mac, &slot->host.mac, MAC_KEY_LEN, slot);
    return slot->hh.tbl != NULL;
}

static bool put_uuid_key(struct hosts *table, struct uuid_slot *u)
{
    HASH_ADD_KEYPTR(hh, table->by_uuid, u->uuid, 16, u);
    return u->hh.tbl != NULL;
}

/* Frees the tables; the elements and their hh.next stay as they are. */
static void drop_all_keys(struct hosts *table)
{
    HASH_CLEAR(hh, table->by_mac);
    HASH_CLEAR(hh, table->by_uuid);
}
/* NOLINTEND(readability-function-size) */

void hosts_free(struct hosts *table)
{
    if (!table) {
        return;
    }
    struct uuid_slot *u = table->by_uuid;
    drop_all_keys(table);
    while (u) {
        struct uuid_slot *next = u->hh.next;
        free(u);
        u = next;
    }
    for (size_t i = 0; i < table->count; i++) {
        struct host *host = &slot_at(table, i)->host;
        free(host->name);
        host_match_free(host->match);
        host_vars_free(host->vars);
    }
    for (size_t i = 0; i < table->chunk_count; i++) {
        free(table->chunks[i]);
    }
    free((void *)table->chunks);
    free((void *)table->patterns);
    free(table);
}

/* -- look-up --------------------------------------------------------------------------- */

/* The slot of exactly this pattern: 6 octets are a MAC, fewer a prefix. */
static struct slot *find_pattern(const struct hosts *table, const struct mac *mac,
                                 size_t len)
{
    uint8_t key[MAC_KEY_LEN] = {0};
    memcpy(key, mac->octet, len);
    key[sizeof(struct mac)] = (uint8_t)len;
    return find_key(table, key);
}

/* Of the bare prefixes up to this length that match, the first in the file. */
static struct slot *find_prefix(const struct hosts *table, const struct mac *mac,
                                size_t len_max)
{
    struct slot *first = NULL;
    for (size_t len = 1; len <= len_max && len < sizeof(struct mac); len++) {
        struct slot *s = table->has_prefix[len] ? find_pattern(table, mac, len) : NULL;
        if (s && (!first || s->index < first->index)) {
            first = s;
        }
    }
    return first;
}

static struct slot *find_uuid(const struct hosts *table, const uint8_t uuid[16])
{
    uint8_t canonical[16];
    if (!table->by_uuid || uuid_is_junk(uuid)) {
        return NULL;
    }
    uuid_canonical(uuid, canonical);
    const struct uuid_slot *found = find_canonical(table, canonical);
    return found ? found->slot : NULL;
}

static const struct slot *first_that_holds(const struct slot *s,
                                           const struct host_facts *facts)
{
    while (s && !match_holds(&s->host, facts)) {
        s = s->next;
    }
    return s;
}

static const struct slot *find_by_pattern(const struct hosts *table,
                                          const struct host_facts *facts)
{
    const struct slot *bare =
        facts->mac ? find_prefix(table, facts->mac, sizeof *facts->mac) : NULL;
    for (size_t i = 0; i < table->pattern_count; i++) {
        const struct slot *s = table->patterns[i];
        if (bare && bare->index < s->index) {
            break;
        }
        if (match_holds(&s->host, facts)) {
            return s;
        }
    }
    return bare;
}

const struct host *hosts_find(const struct hosts *table, const struct host_facts *facts)
{
    const struct slot *found = NULL;
    if (facts->mac) {
        found =
            first_that_holds(find_pattern(table, facts->mac, sizeof *facts->mac), facts);
    }
    if (!found && facts->uuid) {
        found = first_that_holds(find_uuid(table, facts->uuid), facts);
    }
    if (!found) {
        found = find_by_pattern(table, facts);
    }
    return found ? &found->host : NULL;
}

size_t hosts_count(const struct hosts *table)
{
    return table->count;
}

const struct host *hosts_at(const struct hosts *table, size_t index)
{
    return &slot_at(table, index)->host;
}

size_t hosts_index(const struct hosts *table, const struct host *host)
{
    (void)table;
    return ((const struct slot *)host)->index; /* every host is the head of its slot */
}

/* -- building -------------------------------------------------------------------------- */

/* How a host is found. */
enum kind { BY_MAC, BY_UUID, BY_PREFIX, BY_PATTERN };

static enum kind kind_of(const struct host *host)
{
    if (host->mac_len == sizeof host->mac) {
        return BY_MAC;
    }
    if (host->has_uuid) {
        return BY_UUID;
    }
    return host->mac_len > 0 && !host->match ? BY_PREFIX : BY_PATTERN;
}

/* Nothing but the key that finds it is asked. */
static bool is_bare(const struct host *host, enum kind kind)
{
    return !host->match && (kind != BY_MAC || !host->has_uuid) &&
           (kind != BY_UUID || host->mac_len == 0);
}

/* What the table holds of the kind of a new host. */
struct place {
    enum kind kind;
    struct slot *head; /* of those with the same MAC, UUID or bare prefix */
    struct slot *tail;
    size_t alike;
    const struct slot *twin;
    const struct slot *shadow; /* always taken before the new one */
};

static void look_along_chain(const struct host *host, struct place *at)
{
    for (struct slot *s = at->head; s; s = s->next) {
        at->tail = s;
        at->alike++;
        if (!at->twin && match_same(&s->host, host)) {
            at->twin = s;
        }
        if (!at->shadow && is_bare(&s->host, at->kind)) {
            at->shadow = s;
        }
    }
}

static struct place find_place(const struct hosts *table, const struct host *host)
{
    struct place at = {.kind = kind_of(host)};
    if (at.kind == BY_MAC || at.kind == BY_PREFIX) {
        at.head = find_pattern(table, &host->mac, host->mac_len);
    } else if (at.kind == BY_UUID) {
        at.head = find_uuid(table, host->uuid);
    }
    look_along_chain(host, &at);
    for (size_t i = 0; at.kind == BY_PATTERN && i < table->pattern_count; i++) {
        if (match_same(&table->patterns[i]->host, host)) {
            at.twin = table->patterns[i];
        }
    }
    if (at.kind == BY_PREFIX || at.kind == BY_PATTERN) {
        at.alike = table->pattern_count;
        at.shadow = find_prefix(table, &host->mac, host->mac_len);
    }
    return at;
}

static bool is_crowded(const struct place *at)
{
    switch (at->kind) {
    case BY_PREFIX:
        return false;
    case BY_PATTERN:
        return at->alike >= HOSTS_PATTERNS_MAX;
    default:
        return at->alike >= HOSTS_ALIKE_MAX;
    }
}

/* The slot behind the last host, or NULL. */
static struct slot *spare_slot(struct hosts *table)
{
    if (table->count < table->chunk_count * CHUNK) {
        return slot_at(table, table->count);
    }
    if (table->chunk_count == table->chunk_room) {
        size_t room = table->chunk_room ? 2 * table->chunk_room : 4;
        struct slot **chunks = realloc((void *)table->chunks, room * sizeof(void *));
        if (!chunks) {
            return NULL;
        }
        table->chunks = chunks;
        table->chunk_room = room;
    }
    struct slot *chunk = calloc(CHUNK, sizeof *chunk);
    if (chunk) {
        table->chunks[table->chunk_count++] = chunk;
    }
    return chunk;
}

static bool index_uuid(struct hosts *table, struct slot *slot)
{
    struct uuid_slot *u = calloc(1, sizeof *u);
    if (!u) {
        return false;
    }
    u->slot = slot;
    uuid_canonical(slot->host.uuid, u->uuid);
    if (!put_uuid_key(table, u)) {
        free(u);
        return false;
    }
    return true;
}

static bool index_pattern(struct hosts *table, struct slot *slot)
{
    size_t n = table->pattern_count;
    if ((n & (n - 1)) == 0) { /* full at 0, 1, 2, 4, 8... */
        size_t room = n ? 2 * n : 1;
        struct slot **more = realloc((void *)table->patterns, room * sizeof(void *));
        if (!more) {
            return false;
        }
        table->patterns = more;
    }
    table->patterns[table->pattern_count++] = slot;
    return true;
}

static bool put_in_place(struct hosts *table, const struct place *at, struct slot *slot)
{
    if (at->kind == BY_PATTERN) {
        return index_pattern(table, slot);
    }
    if (at->tail) {
        at->tail->next = slot;
        return true;
    }
    return at->kind == BY_UUID ? index_uuid(table, slot) : put_key(table, slot);
}

enum hosts_result hosts_add(struct hosts *table, const struct host *host, size_t *other)
{
    struct place at = find_place(table, host);
    if (at.twin) {
        *other = at.twin->index;
        return HOSTS_TWIN;
    }
    if (is_crowded(&at)) {
        return HOSTS_TOO_MANY;
    }
    struct slot *slot = table->count < UINT32_MAX ? spare_slot(table) : NULL;
    if (!slot) {
        return HOSTS_NO_MEMORY;
    }
    *slot = (struct slot){.host = *host, .index = (uint32_t)table->count};
    for (size_t i = host->mac_len; i < sizeof(struct mac); i++) {
        slot->host.mac.octet[i] = 0;
    }
    if (!put_in_place(table, &at, slot)) {
        return HOSTS_NO_MEMORY;
    }
    if (at.kind == BY_PREFIX) {
        table->has_prefix[host->mac_len] = true;
    }
    table->count++;
    *other = at.shadow ? at.shadow->index : SIZE_MAX;
    return HOSTS_ADDED;
}
