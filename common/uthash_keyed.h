/*
 * common/uthash_keyed: uthash for tables whose keys a peer chooses.
 *
 * Where its macros are used, a pointer `t` is in scope whose member `seed` is the
 * struct hash_seed of the table: keys are hashed with it.  A table without memory for its
 * buckets leaves hh.tbl of the new entry NULL; the process lives on.
 */
#ifndef COMMON_UTHASH_KEYED_H
#define COMMON_UTHASH_KEYED_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "common/hash.h"

#undef HASH_FUNCTION
#define HASH_FUNCTION(key, len, out) ((out) = (unsigned)hash_keyed(&t->seed, key, len))

#endif
