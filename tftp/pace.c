#include "tftp/pace.h"

#include "common/minmax.h"

#define NS_PER_USEC UINT64_C(1000)
#define PART_TIME   100 /* microseconds: what a timer is good for */
#define GROW_EVERY  2   /* whole windows until the burst grows by an eighth */
#define HOLD_FIRST  64  /* whole windows */
#define HOLD_MAX    1024
#define IMMUNITY    128
#define STRIKES_MAX 3
#define STRIKES_NEW 6 /* before any window was measured: twice as slow each time */

void tftp_pace_init(struct tftp_pace *p)
{
    *p = (struct tftp_pace){.burst = TFTP_BURST_FIRST,
                            .ceiling = UINT32_MAX,
                            .hold = HOLD_FIRST,
                            .immunity = IMMUNITY};
}

void tftp_pace_trip(struct tftp_pace *p, usec_t trip)
{
    if (p->base == 0 || trip < p->base) {
        p->base = greater(trip, 1);
    }
}

/* Never beyond what a window has proven. */
static void grow_burst(struct tftp_pace *p, uint64_t window)
{
    uint64_t most = lesser(p->ceiling, window);
    if (p->whole % GROW_EVERY == 0 && p->burst < most) {
        p->burst = (uint32_t)lesser(p->burst + p->burst / 8 + 1, most);
    }
}

void tftp_pace_whole(struct tftp_pace *p, uint64_t window)
{
    p->whole++;
    p->immune -= p->immune > 0;
    if (p->whole > p->hold) {
        p->strikes = 0;
        p->ceiling = UINT32_MAX;
        p->floor_ns -= p->floor_ns / 16;
    }
    grow_burst(p, window);
}

void tftp_pace_window(struct tftp_pace *p, usec_t took, uint64_t blocks)
{
    if (blocks <= TFTP_BURST_PACED) {
        return; /* one burst, which says little */
    }
    if (p->block_ns == 0 && blocks > TFTP_BURST_FIRST) {
        p->burst = TFTP_BURST_PACED;
    }
    uint64_t spent = took > p->base ? took - p->base : 0;
    uint64_t each = spent * NS_PER_USEC / blocks;
    p->block_ns = greater(greater(each - each / 16, p->floor_ns), 1);
}

/* Slower, as long as it seems to help. */
static void slow_down(struct tftp_pace *p, bool again)
{
    if (p->strikes == 0) {
        p->before_ns = p->block_ns;
    }
    if (++p->strikes > (p->before_ns > 0 ? STRIKES_MAX : STRIKES_NEW)) {
        p->strikes = 0;
        p->block_ns = p->before_ns;
        p->floor_ns = 0;
        p->burst = TFTP_BURST_FIRST;
        p->ceiling = UINT32_MAX;
        p->immune = p->immunity;
        p->immunity = (unsigned)lesser(p->immunity * UINT64_C(2), HOLD_MAX);
        return;
    }
    /* Parts a round trip apart were too fast already: the pace is at least half of that. */
    uint64_t pace = p->block_ns > 0 ? p->block_ns : p->base * NS_PER_USEC / p->burst;
    uint64_t slower = again ? 2 * pace : pace + pace / 4;
    p->floor_ns = slower;
    p->block_ns = slower;
}

void tftp_pace_lost(struct tftp_pace *p)
{
    bool again = p->whole == 0;
    if (p->whole > p->hold) {
        p->hold = (unsigned)lesser(p->hold * UINT64_C(2), HOLD_MAX);
    }
    p->whole = 0;
    if (p->immune > 0) {
        p->immune--;
    } else if (p->burst > TFTP_BURST_PACED) {
        p->ceiling = p->burst - p->burst / 8;
        p->burst = TFTP_BURST_PACED;
    } else {
        slow_down(p, again);
    }
}

uint32_t tftp_pace_part(const struct tftp_pace *p)
{
    if (p->block_ns == 0) {
        return p->burst;
    }
    uint64_t blocks = PART_TIME * NS_PER_USEC / p->block_ns;
    return (uint32_t)greater(lesser(blocks, UINT16_MAX), TFTP_BURST_PACED);
}

usec_t tftp_pace_gap(const struct tftp_pace *p)
{
    return (tftp_pace_part(p) * p->block_ns + NS_PER_USEC - 1) / NS_PER_USEC;
}
