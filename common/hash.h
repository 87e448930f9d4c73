/*
 * common/hash: SipHash-1-3, a keyed hash for tables whose keys a peer chooses.
 *
 * Without the seed nobody can make many keys fall into one bucket.
 * Spec: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012).
 * Pure.
 */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_seed {
    uint64_t k0;
    uint64_t k1;
};

uint64_t hash_keyed(const struct hash_seed *seed, const void *key, size_t len);

#endif
