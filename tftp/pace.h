/*
 * tftp/pace: how the blocks of one large window are spaced.
 *
 * A receiver tells what it got at the end of a window only, so a window may not overrun the
 * shortest queue on its way (a switch's 16 packets, U-Boot's 31 buffers).  The first blocks
 * leave at once, a burst; the others follow in parts, as fast as the slowest stage drains
 * them, which costs no time: it could not have taken them sooner.
 *
 * pace     time a block, measured: a whole window took its round trip and W times the
 *          slowest stage, or W times our pace when that was slower.  So a sixteenth less
 *          than what was measured comes down to the drain rate in a few windows, and stays.
 * floor    where a loss was met with the shortest burst: a quarter slower, for a while.
 *          When losses go on within that while, again and again, the wire loses packets
 *          anyway: the pace is what it was, and losses do not count for a while.
 * burst    grows while windows come through whole; after a loss it begins small, and stays
 *          below the size that lost for a while that doubles each time.
 *
 * Until a window was measured parts are a burst, a round trip apart (gap 0).
 *
 * Units: usec_t; nanoseconds a block; blocks.  Pure.
 */
#ifndef TFTP_PACE_H
#define TFTP_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"

#define TFTP_BURST_FIRST 16 /* fits the smallest queues seen in the field */
#define TFTP_BURST_PACED 8  /* and leaves room there when the pace is a little too fast */

struct tftp_pace {
    uint64_t block_ns;  /* 0: not known yet */
    uint64_t floor_ns;  /* 0: none */
    uint64_t before_ns; /* the pace before the first of the strikes */
    usec_t base;        /* the shortest round trip seen, 0: none */
    uint32_t burst;
    uint32_t ceiling;  /* of burst, UINT32_MAX: none */
    unsigned hold;     /* whole windows until the ceiling and the floor are tried again */
    unsigned whole;    /* windows that came through since the last loss */
    unsigned strikes;  /* losses that made it slower, without the hold between */
    unsigned immune;   /* so many windows long a loss is not the pace's fault */
    unsigned immunity; /* the next time */
};

void tftp_pace_init(struct tftp_pace *p);
/* A round trip without a queue before it, or one that was shorter than all others. */
void tftp_pace_trip(struct tftp_pace *p, usec_t trip);
/* A window, of that size, came through whole. */
void tftp_pace_whole(struct tftp_pace *p, uint64_t window);
/* So many blocks, sent once and without pauses, were acknowledged so long after the first left. */
void tftp_pace_window(struct tftp_pace *p, usec_t took, uint64_t blocks);
/* Once for each window that had a loss. */
void tftp_pace_lost(struct tftp_pace *p);

/* How many blocks go out at once behind the burst. */
uint32_t tftp_pace_part(const struct tftp_pace *p);
/* And how long after those before; 0: nothing is known, a round trip. */
usec_t tftp_pace_gap(const struct tftp_pace *p);

#endif
