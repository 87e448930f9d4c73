/*
 * common/bucket: how often something may happen: so many times at once, and one more each so
 * many microseconds (a token bucket, kept as the moment at which it is full again).
 *
 *     static const struct bucket_rate rate = {.each = 10 * USEC_PER_MSEC, .burst = 50};
 *     if (bucket_has(&b, &rate, now)) { bucket_take(&b, &rate, now); ... }
 *     bucket_give_back(&b, &rate)          what was taken last turned out to be free
 *
 * A bucket that is all zero is full.  `now` does not go back.
 * Pure.
 */
#ifndef COMMON_BUCKET_H
#define COMMON_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"

struct bucket_rate {
    usec_t each; /* > 0 */
    uint32_t burst;
};

struct bucket {
    usec_t full_at;
};

bool bucket_has(const struct bucket *b, const struct bucket_rate *rate, usec_t now);
/* Whether it has one or not. */
void bucket_take(struct bucket *b, const struct bucket_rate *rate, usec_t now);
void bucket_give_back(struct bucket *b, const struct bucket_rate *rate);

#endif
