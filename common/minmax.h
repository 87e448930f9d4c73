/*
 * minmax: the lesser and the greater of two numbers.  Pure.
 */
#ifndef COMMON_MINMAX_H
#define COMMON_MINMAX_H

#include <stdint.h>

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
