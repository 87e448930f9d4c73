/*
 * common/sha256: a digest of octets as they come.
 *
 * Spec: FIPS 180-4.  Ownership: the state is the caller's and holds no pointers.  Pure.
 */
#ifndef COMMON_SHA256_H
#define COMMON_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_TEXT 65 /* hexadecimal digits and a NUL */

struct sha256 {
    uint32_t state[8];
    uint64_t octets; /* taken so far */
    uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *octets, size_t len);
/* In hexadecimal digits; s is used up.  Returns text. */
char *sha256_end(struct sha256 *s, char text[SHA256_TEXT]);

/* True when the whole text is such a digest; out is in lower case. */
bool sha256_parse(const char *text, char out[SHA256_TEXT]);

#endif
