/*
 * tests/bench/chance: seeded chance, the same on every machine (xorshift64).
 */
#ifndef TESTS_BENCH_CHANCE_H
#define TESTS_BENCH_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Never zero; near seeds do not start alike. */
static inline uint64_t chance_seed(uint64_t seed)
{
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ? x : 1;
}

/* True in `share` of all cases, 0..1. */
static inline bool chance(uint64_t *state, double share)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53 < share;
}

#endif
