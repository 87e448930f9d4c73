#include "common/sha256.h"

#include <string.h>

#define BLOCK sizeof(((struct sha256 *)0)->block)

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static void schedule(const uint8_t block[BLOCK], uint32_t w[64])
{
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *at = block + i * 4;
        w[i] =
            (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = w[i - 15];
        uint32_t b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void mix(struct sha256 *s, const uint8_t block[BLOCK])
{
    uint32_t w[64];
    uint32_t v[8];
    schedule(block, w);
    memcpy(v, s->state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        uint32_t e = v[4];
        uint32_t a = v[0];
        uint32_t one = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                       ((e & v[5]) ^ (~e & v[6])) + constants[i] + w[i];
        uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                       ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += one;
        v[0] = one + two;
    }
    for (size_t i = 0; i < 8; i++) {
        s->state[i] += v[i];
    }
}

void sha256_init(struct sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->state, start, sizeof start);
    s->octets = 0;
}

void sha256_add(struct sha256 *s, const void *octets, size_t len)
{
    const uint8_t *at = octets;
    while (len > 0) {
        size_t used = s->octets % BLOCK;
        size_t n = len < BLOCK - used ? len : BLOCK - used;
        memcpy(s->block + used, at, n);
        s->octets += n;
        at += n;
        len -= n;
        if (used + n == BLOCK) {
            mix(s, s->block);
        }
    }
}

char *sha256_end(struct sha256 *s, char text[SHA256_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    static const uint8_t padding[BLOCK] = {0x80};
    uint64_t bits = s->octets * 8;
    uint8_t length[8];
    for (size_t i = 0; i < 8; i++) {
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    size_t used = s->octets % BLOCK;
    sha256_add(s, padding, (used < 56 ? 56 : 56 + BLOCK) - used);
    sha256_add(s, length, sizeof length);
    for (size_t i = 0; i < SHA256_TEXT - 1; i++) {
        text[i] = hex[s->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
    text[SHA256_TEXT - 1] = '\0';
    return text;
}

bool sha256_parse(const char *text, char out[SHA256_TEXT])
{
    if (strlen(text) != SHA256_TEXT - 1) {
        return false;
    }
    for (size_t i = 0; i < SHA256_TEXT; i++) {
        char c = text[i];
        bool upper = c >= 'A' && c <= 'F';
        if (c != '\0' && !upper && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
            return false;
        }
        out[i] = (char)(upper ? c + ('a' - 'A') : c);
    }
    return true;
}
