#include "common/hash.h"

struct state {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(struct state *s)
{
    s->v0 += s->v1;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v2 = rotate(s->v2, 32);
}

static void absorb(struct state *s, uint64_t word)
{
    s->v3 ^= word;
    mix(s);
    s->v0 ^= word;
}

uint64_t hash_keyed(const struct hash_seed *seed, const void *key, size_t len)
{
    struct state s = {
        seed->k0 ^ UINT64_C(0x736f6d6570736575),
        seed->k1 ^ UINT64_C(0x646f72616e646f6d),
        seed->k0 ^ UINT64_C(0x6c7967656e657261),
        seed->k1 ^ UINT64_C(0x7465646279746573),
    };
    const uint8_t *p = key;
    uint64_t word = 0;
    for (size_t i = 0; i < len; i++) {
        word |= (uint64_t)p[i] << 8 * (i % 8);
        if (i % 8 == 7) {
            absorb(&s, word);
            word = 0;
        }
    }
    absorb(&s, word | (uint64_t)len << 56);
    s.v2 ^= 0xff;
    mix(&s);
    mix(&s);
    mix(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
