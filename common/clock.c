#include "common/clock.h"

#include <time.h>

#define CLOCK_SET 100000 /* microseconds apart: somebody has set the clock */

static int64_t microseconds(clockid_t clock)
{
    struct timespec ts = {0};
    (void)clock_gettime(clock, &ts);
    return ts.tv_sec * (int64_t)USEC_PER_SEC + ts.tv_nsec / 1000;
}

usec_t clock_now(void)
{
    return (usec_t)microseconds(CLOCK_MONOTONIC);
}

int64_t clock_wall(void)
{
    return microseconds(CLOCK_REALTIME);
}

/*
 * The two clocks go at one rate, but are read one after the other: what lies between them is
 * kept.
 */
int64_t clock_epoch(void)
{
    static int64_t epoch;
    int64_t now = (int64_t)clock_now();
    int64_t change = clock_wall() - now - epoch;
    if (change < -CLOCK_SET || change > CLOCK_SET) {
        epoch += change;
    }
    return epoch;
}
