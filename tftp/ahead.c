#include "tftp/ahead.h"

#include "common/minmax.h"

#define FIRST       2
#define TAKES       4 /* blocks between two losses: fewer, and it is the client */
#define STRIKES_MAX 4
#define GROW_AFTER  8 /* rounds without a loss, after the first one */

void tftp_ahead_init(struct tftp_ahead *a, uint32_t max)
{
    max = max > 1 ? max : 1;
    *a = (struct tftp_ahead){.now = (uint32_t)lesser(FIRST, max), .max = max};
}

void tftp_ahead_arrived(struct tftp_ahead *a, uint64_t blocks)
{
    a->run += blocks;
    a->grown += blocks;
    if (!a->lossy) {
        a->now = (uint32_t)lesser(a->now + blocks, a->max);
    } else if (a->grown >= GROW_AFTER * (uint64_t)a->now) {
        a->now = (uint32_t)lesser(a->now + 1, a->max);
        a->grown = 0;
    }
}

void tftp_ahead_lost(struct tftp_ahead *a)
{
    if (a->now > FIRST || a->run >= TAKES) {
        a->strikes = 0;
    } else if (a->now == FIRST && ++a->strikes >= STRIKES_MAX) {
        a->refused = true;
        a->max = 1;
    }
    a->lossy = true;
    a->now = a->now / 2 > FIRST ? a->now / 2 : (uint32_t)lesser(FIRST, a->max);
    a->run = 0;
    a->grown = 0;
}
