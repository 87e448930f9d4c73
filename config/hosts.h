/*
 * config/hosts: which host of the table a machine is.
 *
 * Order: hosts with an exact MAC, then those with a UUID, then the others in file order (MAC
 * prefixes and whatever else config/match knows).  Of several hosts with the same MAC or
 * UUID the first in file order whose other demands hold.
 * Time: constant for MAC, UUID and bare MAC prefixes; the other patterns are tried in turn,
 * HOSTS_PATTERNS_MAX at most, as are those of the same MAC or UUID.
 *
 * Ownership: the table owns its hosts; results are views.
 */
#ifndef CONFIG_HOSTS_H
#define CONFIG_HOSTS_H

#include "config/match.h"

#define HOSTS_PATTERNS_MAX 1000
#define HOSTS_ALIKE_MAX    64 /* with the same MAC or UUID */

struct hosts *hosts_new(size_t expected);
void hosts_free(struct hosts *table); /* NULL is fine */

enum hosts_result {
    HOSTS_ADDED,
    HOSTS_TWIN,     /* a host is there that names exactly the same */
    HOSTS_TOO_MANY, /* of patterns, or of hosts with this MAC or UUID */
    HOSTS_NO_MEMORY,
};

/*
 * Adds a host and takes over what it points to; but HOSTS_ADDED, the table is unchanged and
 * all stays the caller's.  *other is the index of the twin; when added, that of an earlier
 * host that is always taken before this one, so that it is never reached, or SIZE_MAX.
 */
enum hosts_result hosts_add(struct hosts *table, const struct host *host, size_t *other);

size_t hosts_count(const struct hosts *table);
const struct host *hosts_at(const struct hosts *table, size_t index);
/* The place in the table of a host that came from it. */
size_t hosts_index(const struct hosts *table, const struct host *host);

/* NULL: an unknown host. */
const struct host *hosts_find(const struct hosts *table, const struct host_facts *facts);

#endif
