/*
 * sim/random: seeded numbers for the simulation.  Equal seeds give equal runs for ever.
 */
#ifndef TESTS_SIM_RANDOM_H
#define TESTS_SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct sim_random {
    uint64_t state;
};

/* splitmix64: every seed is good, 0 included. */
static inline uint64_t sim_random_next(struct sim_random *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0..below-1; below > 0 */
static inline uint64_t sim_random_below(struct sim_random *r, uint64_t below)
{
    return sim_random_next(r) % below;
}

static inline bool sim_random_permille(struct sim_random *r, unsigned chance)
{
    return chance > 0 && sim_random_below(r, 1000) < chance;
}

#endif
