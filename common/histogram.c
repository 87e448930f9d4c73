#include "common/histogram.h"

#include <assert.h>

static const struct scale {
    size_t count;
    double bound[HISTOGRAM_BOUNDS_MAX];
} scales[HISTOGRAM_SCALE_COUNT] = {
    [HISTOGRAM_DURATION] = {10, {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300}},
    [HISTOGRAM_WAIT] = {9, {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}},
    [HISTOGRAM_WINDOW] = {9, {1, 2, 4, 8, 16, 32, 64, 128, 256}},
};

size_t histogram_bounds(enum histogram_scale scale, const double **out)
{
    assert(scale < HISTOGRAM_SCALE_COUNT);
    *out = scales[scale].bound;
    return scales[scale].count;
}

void histogram_add(struct histogram *h, enum histogram_scale scale, double value)
{
    const double *bound;
    size_t count = histogram_bounds(scale, &bound);
    size_t i = 0;
    while (i < count && value > bound[i]) {
        i++;
    }
    h->bucket[i]++;
    h->sum += value;
}
