/*
 * config/keys: from a key of eight octets to the numbers that were added with it, and
 * seldom others, so that whoever asks compares what they stand for.
 *
 * One array without pointers: a look-up touches one cache line of it.  At a hundred thousand
 * hosts it is such lines, fetched from far memory, that cost the time.
 *
 * Not keyed by a secret: for keys that the configuration chooses, not a peer.
 * Errors: false when memory is out, the table unchanged.  Pure but for its memory.
 */
#ifndef CONFIG_KEYS_H
#define CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYS_NONE UINT32_MAX

struct keys {
    struct keys_entry *list;
    size_t room; /* a power of two, or 0 */
    size_t count;
};

/* All numbers of this key, and perhaps others, in turn: begin with *at zero, until KEYS_NONE. */
uint32_t keys_next(const struct keys *k, uint64_t key, size_t *at);

bool keys_add(struct keys *k, uint64_t key, uint32_t number);
void keys_done(struct keys *k);

#endif
