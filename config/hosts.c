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
    UT_hash_handle hh;
};

/* Apart from the slot, as few tables name hosts by UUID. */
struct uuid_slot {
    const struct slot *slot; /* the key is slot->host.uuid */
    UT_hash_handle hh;
};

struct hosts {
    struct slot **chunks; /* a slot never moves: tables and callers point at it */
    size_t chunk_room;
    size_t chunk_count;
    size_t count;
    struct slot *by_mac;
    struct uuid_slot *by_uuid;
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

static struct uuid_slot *find_uuid_key(const struct hosts *table, const uint8_t uuid[16])
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
    HASH_ADD_KEYPTR(hh, table->by_uuid, u->slot->host.uuid, 16, u);
    return u->hh.tbl != NULL;
}

static void drop_key(struct hosts *table, struct slot *slot)
{
    HASH_DEL(table->by_mac, slot);
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
        free(slot_at(table, i)->host.name);
        host_vars_free(slot_at(table, i)->host.vars);
    }
    for (size_t i = 0; i < table->chunk_count; i++) {
        free(table->chunks[i]);
    }
    free((void *)table->chunks);
    free(table);
}

/* -- look-up --------------------------------------------------------------------------- */

bool uuid_is_junk(const uint8_t uuid[16])
{
    return !memcmp(uuid, uuid + 1, 15);
}

/* SMBIOS keeps the first three fields of a UUID little-endian. */
static void swap_fields(const uint8_t in[16], uint8_t out[16])
{
    static const uint8_t from[16] = {3, 2, 1,  0,  5,  4,  7,  6,
                                     8, 9, 10, 11, 12, 13, 14, 15};
    for (size_t i = 0; i < 16; i++) {
        out[i] = in[from[i]];
    }
}

/* The slot of exactly this pattern: 6 octets are a MAC, fewer a prefix. */
static struct slot *find_pattern(const struct hosts *table, const struct mac *mac,
                                 size_t len)
{
    uint8_t key[MAC_KEY_LEN] = {0};
    memcpy(key, mac->octet, len);
    key[sizeof(struct mac)] = (uint8_t)len;
    return find_key(table, key);
}

/* Of the prefixes that match, the one that stands first in the file. */
static struct slot *find_prefix(const struct hosts *table, const struct mac *mac)
{
    struct slot *first = NULL;
    for (size_t len = 1; len < sizeof(struct mac); len++) {
        struct slot *s = table->has_prefix[len] ? find_pattern(table, mac, len) : NULL;
        if (s && (!first || s->index < first->index)) {
            first = s;
        }
    }
    return first;
}

static const struct slot *find_uuid(const struct hosts *table, const uint8_t uuid[16])
{
    uint8_t swapped[16];

    if (uuid_is_junk(uuid)) {
        return NULL;
    }
    const struct uuid_slot *found = find_uuid_key(table, uuid);
    if (!found) {
        swap_fields(uuid, swapped);
        found = find_uuid_key(table, swapped);
    }
    return found ? found->slot : NULL;
}

const struct host *hosts_find(const struct hosts *table, const struct mac *mac,
                              const uint8_t uuid[16])
{
    const struct slot *found = mac ? find_pattern(table, mac, sizeof *mac) : NULL;
    if (!found && uuid) {
        found = find_uuid(table, uuid);
    }
    if (!found && mac) {
        found = find_prefix(table, mac);
    }
    return found ? &found->host : NULL;
}

const struct host *hosts_shadow(const struct hosts *table, const struct host *host)
{
    for (size_t len = 1; len < host->mac_len && host->mac_len < sizeof(struct mac);
         len++) {
        const struct slot *s =
            table->has_prefix[len] ? find_pattern(table, &host->mac, len) : NULL;
        if (s) {
            return &s->host;
        }
    }
    return NULL;
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

static const struct slot *find_twin(const struct hosts *table, const struct host *host)
{
    const struct slot *twin = NULL;
    if (host->mac_len > 0) {
        twin = find_pattern(table, &host->mac, host->mac_len);
    }
    if (!twin && host->has_uuid) {
        twin = find_uuid(table, host->uuid);
    }
    return twin;
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

static bool index_uuid(struct hosts *table, const struct slot *slot)
{
    if (!slot->host.has_uuid) {
        return true;
    }
    struct uuid_slot *u = calloc(1, sizeof *u);
    if (!u) {
        return false;
    }
    u->slot = slot;
    if (!put_uuid_key(table, u)) {
        free(u);
        return false;
    }
    return true;
}

bool hosts_add(struct hosts *table, const struct host *host, size_t *twin)
{
    const struct slot *known = find_twin(table, host);
    if (known) {
        *twin = known->index;
        return true;
    }
    struct slot *slot = table->count < UINT32_MAX ? spare_slot(table) : NULL;
    if (!slot) {
        return false;
    }
    *slot = (struct slot){.host = *host, .index = (uint32_t)table->count};
    for (size_t i = host->mac_len; i < sizeof(struct mac); i++) {
        slot->host.mac.octet[i] = 0;
    }
    if (host->mac_len > 0 && !put_key(table, slot)) {
        return false;
    }
    if (!index_uuid(table, slot)) {
        if (host->mac_len > 0) {
            drop_key(table, slot);
        }
        return false;
    }
    if (host->mac_len > 0 && host->mac_len < sizeof(struct mac)) {
        table->has_prefix[host->mac_len] = true;
    }
    table->count++;
    *twin = SIZE_MAX;
    return true;
}
