#include "config/hosts.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/keys.h"

#define CHUNK 256 /* hosts that are allocated together */

#define LINE 64 /* octets of a cache line */

/*
 * At a hundred thousand hosts it is cache lines, fetched from far memory, that a look-up
 * costs: so a slot begins with one, and that one holds what is compared.
 */
struct slot {
    struct host host; /* octets of mac behind mac_len are zero */
    uint32_t index;
    struct slot *next; /* the next one in file order with the same exact MAC or UUID */
} __attribute__((aligned(LINE)));

struct hosts {
    void **chunks; /* a slot never moves: tables and callers point at it */
    size_t chunk_room;
    size_t chunk_count;
    size_t count;
    struct keys by_mac; /* exact MACs, and prefixes of which nothing else is asked */
    struct keys by_uuid;
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

/* In what is allocated for a chunk, the first whole line. */
static struct slot *slots_of(void *chunk)
{
    size_t before = (LINE - (uintptr_t)chunk % LINE) % LINE;
    return (struct slot *)(void *)((char *)chunk + before);
}

static struct slot *slot_at(const struct hosts *table, size_t index)
{
    return &slots_of(table->chunks[index / CHUNK])[index % CHUNK];
}

/* A number in the tables below has this mark when nothing but its key is asked. */
#define BARE      (UINT32_C(1) << 31)
#define HOSTS_MAX (BARE - 1) /* KEYS_NONE is no marked number */

/* MAC, or its beginning, and length. */
static uint64_t mac_key(const struct mac *mac, size_t len)
{
    uint64_t key = len;
    for (size_t i = 0; i < len; i++) {
        key = key << 8 | mac->octet[i];
    }
    return key;
}

static bool has_mac(const struct host *host, const struct mac *mac, size_t len)
{
    return host->mac_len == len && !memcmp(&host->mac, mac, len);
}

/* The mark and number of the first host of exactly this MAC or bare prefix, or KEYS_NONE. */
static uint32_t find_mac(const struct hosts *table, const struct mac *mac, size_t len)
{
    size_t at = 0;
    uint64_t key = mac_key(mac, len);
    uint32_t n = keys_next(&table->by_mac, key, &at);
    while (n != KEYS_NONE && !has_mac(&slot_at(table, n & ~BARE)->host, mac, len)) {
        n = keys_next(&table->by_mac, key, &at);
    }
    return n;
}

/* Likewise of this UUID. */
static uint32_t find_uuid(const struct hosts *table, const uint8_t uuid[16])
{
    size_t at = 0;
    uint64_t key = uuid_key(uuid);
    uint32_t n = uuid_is_junk(uuid) ? KEYS_NONE : keys_next(&table->by_uuid, key, &at);
    while (n != KEYS_NONE && !uuid_same(slot_at(table, n & ~BARE)->host.uuid, uuid)) {
        n = keys_next(&table->by_uuid, key, &at);
    }
    return n;
}

void hosts_free(struct hosts *table)
{
    if (!table) {
        return;
    }
    keys_done(&table->by_mac);
    keys_done(&table->by_uuid);
    for (size_t i = 0; i < table->count; i++) {
        struct host *host = &slot_at(table, i)->host;
        free(host->name);
        host_match_free(host->match);
        host_vars_free(host->vars);
        host_own_free(host->own);
    }
    for (size_t i = 0; i < table->chunk_count; i++) {
        free(table->chunks[i]);
    }
    free((void *)table->chunks);
    free((void *)table->patterns);
    free(table);
}

/* -- look-up --------------------------------------------------------------------------- */

/* Of the bare prefixes up to this length that match, the first in the file. */
static struct slot *find_prefix(const struct hosts *table, const struct mac *mac,
                                size_t len_max)
{
    uint32_t first = KEYS_NONE;
    for (size_t len = 1; len <= len_max && len < sizeof(struct mac); len++) {
        uint32_t n = table->has_prefix[len] ? find_mac(table, mac, len) : KEYS_NONE;
        first = n < first ? n : first; /* all of them are marked */
    }
    return first == KEYS_NONE ? NULL : slot_at(table, first & ~BARE);
}

/* From this number along those with the same MAC or UUID. */
static const struct slot *first_that_holds(const struct hosts *table, uint32_t n,
                                           const struct host_facts *facts)
{
    if (n == KEYS_NONE) {
        return NULL;
    }
    const struct slot *s = slot_at(table, n & ~BARE);
    if (n & BARE) {
        return s;
    }
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
        uint32_t n = find_mac(table, facts->mac, sizeof *facts->mac);
        found = first_that_holds(table, n, facts);
    }
    if (!found && facts->uuid) {
        found = first_that_holds(table, find_uuid(table, facts->uuid), facts);
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
    uint32_t n = KEYS_NONE;
    if (at.kind == BY_MAC || at.kind == BY_PREFIX) {
        n = find_mac(table, &host->mac, host->mac_len);
    } else if (at.kind == BY_UUID) {
        n = find_uuid(table, host->uuid);
    }
    at.head = n == KEYS_NONE ? NULL : slot_at(table, n & ~BARE);
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
        void **chunks = realloc((void *)table->chunks, room * sizeof(void *));
        if (!chunks) {
            return NULL;
        }
        table->chunks = chunks;
        table->chunk_room = room;
    }
    void *chunk = calloc(1, CHUNK * sizeof(struct slot) + LINE - 1);
    if (!chunk) {
        return NULL;
    }
    table->chunks[table->chunk_count++] = chunk;
    return slots_of(chunk);
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
    const struct host *host = &slot->host;
    uint32_t n = slot->index | (is_bare(host, at->kind) ? BARE : 0);
    return at->kind == BY_UUID
               ? keys_add(&table->by_uuid, uuid_key(host->uuid), n)
               : keys_add(&table->by_mac, mac_key(&host->mac, host->mac_len), n);
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
    struct slot *slot = table->count < HOSTS_MAX ? spare_slot(table) : NULL;
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
