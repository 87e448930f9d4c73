/*
 * common/histogram: how often a measured value was how large, on the scales that pxed
 * measures by.
 *
 * Ownership: the caller's, fixed size, starts all zero.  Pure.
 */
#ifndef COMMON_HISTOGRAM_H
#define COMMON_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum histogram_scale {
    HISTOGRAM_DURATION, /* of transfers: 10 ms to 5 minutes */
    HISTOGRAM_WAIT,     /* for the first data: 0.3 ms to 3 s */
    HISTOGRAM_WINDOW,   /* blocks: 1 to 256 */
    HISTOGRAM_SCALE_COUNT,
};

#define HISTOGRAM_BOUNDS_MAX 10

struct histogram {
    /* [i]: values up to bound i and over the one before; then those over all. */
    uint64_t bucket[HISTOGRAM_BOUNDS_MAX + 1];
    double sum; /* of all values */
};

/* The upper bounds of a scale, growing; returns how many. */
size_t histogram_bounds(enum histogram_scale scale, const double **out);

/* One histogram is for one scale. */
void histogram_add(struct histogram *h, enum histogram_scale scale, double value);

#endif
