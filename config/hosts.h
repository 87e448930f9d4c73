/*
 * config/hosts: which host of the table a machine is.
 *
 * Order: exact MAC, then exact UUID, then MAC prefixes in file order.  A UUID matches in
 * either byte order (SMBIOS keeps its first three fields little-endian; RFC 4578 section
 * 2.3 leaves the order open).  Junk UUIDs (all octets alike, such as 00.. or ff..) never
 * match.  Exact look-ups take constant time.
 *
 * Ownership: the table owns its hosts; results are views.
 * Errors: hosts_add() returns false when memory is out, the table unchanged.
 */
#ifndef CONFIG_HOSTS_H
#define CONFIG_HOSTS_H

#include "config/snapshot.h"

struct hosts *hosts_new(size_t expected);
void hosts_free(struct hosts *table); /* NULL is fine */

/*
 * Adds a host and takes over its name.  *twin is the index of a host already there with the
 * same exact MAC, UUID or prefix (then nothing is added or taken over, and true is
 * returned), else SIZE_MAX.
 */
bool hosts_add(struct hosts *table, const struct host *host, size_t *twin);

/* All octets alike: what boards without a number of their own send. */
bool uuid_is_junk(const uint8_t uuid[16]);

size_t hosts_count(const struct hosts *table);
const struct host *hosts_at(const struct hosts *table, size_t index);
/* The place in the table of a host that came from it. */
size_t hosts_index(const struct hosts *table, const struct host *host);

/*
 * The host added before whose shorter prefix takes every machine that this pattern could, so
 * that this one would never be found by its MAC; NULL: none.
 */
const struct host *hosts_shadow(const struct hosts *table, const struct host *host);

/* mac and uuid (16 octets as sent in option 97) may be NULL.  NULL: an unknown host. */
const struct host *hosts_find(const struct hosts *table, const struct mac *mac,
                              const uint8_t uuid[16]);

#endif
