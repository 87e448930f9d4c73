/*
 * common/recent: a bounded table by key that forgets what was put longest ago.
 *
 *     struct recent *t = recent_new(room, sizeof key, sizeof(struct thing), &seed);
 *     struct thing *x = recent_find(t, &key);      NULL: not there
 *     x = recent_put(t, &key);                     there, now the newest; zeros when it was not
 *     recent_each(t, &at)                          all, the oldest first
 *
 * Keys are compared as octets: they have no padding.  They may be a peer's choice, since the
 * hash is keyed.  A value stays where it is until it is forgotten.
 *
 * Ownership: the table owns keys and values; `forget`, if set, is called before a value goes.
 * Errors: NULL when memory is out.  Pure but for the memory of slots and uthash's buckets.
 */
#ifndef COMMON_RECENT_H
#define COMMON_RECENT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/hash.h"

struct recent;

/* room > 0.  All slots are made at once. */
struct recent *recent_new(size_t room, size_t key_len, size_t value_len,
                          const struct hash_seed *seed);
void recent_free(struct recent *t); /* NULL is fine */

void recent_on_forget(struct recent *t, void (*forget)(void *context, void *value),
                      void *context);

void *recent_find(const struct recent *t, const void *key);
/* NULL: memory for the buckets is out; then the key is not in the table. */
void *recent_put(struct recent *t, const void *key);
void recent_remove(struct recent *t, const void *key);
void recent_clear(struct recent *t);

size_t recent_count(const struct recent *t);
/* The next value: *at begins NULL, and is the value's key then.  NULL: no more. */
void *recent_each(const struct recent *t, const void **at);

#endif
