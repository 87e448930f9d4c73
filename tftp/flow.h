/*
 * tftp/flow: what one transfer learns about its wire: how long an answer takes, and how
 * much may go out at once.
 *
 * rto      srtt + 4 rttvar, clamped, doubled while nothing is heard (RFC 6298; Karn's rule:
 *          the owner samples only what was sent once).  The round trip of the first packet,
 *          a small one, serves until that of a window is known.
 * reach    how many blocks may go out in one round trip: about three quarters of what lately
 *          came through between two losses.  A whole window on a good wire; less where most
 *          of it would be dropped behind a gap anyway.
 * pace     how those blocks are spaced: tftp/pace.
 *
 * Units: usec_t for time, blocks for bursts.  Pure.
 */
#ifndef TFTP_FLOW_H
#define TFTP_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "tftp/pace.h"

#define TFTP_RTO_FIRST (500 * USEC_PER_MSEC) /* before any round trip was measured */
#define TFTP_RTO_MIN   (20 * USEC_PER_MSEC)
#define TFTP_RTO_MAX   (1 * USEC_PER_SEC)
#define TFTP_PROBE_MIN (5 * USEC_PER_MSEC)
#define TFTP_REACH_MIN 4 /* EDK2's window */

/* What one transfer knew of its wire at its end; all zero: nothing. */
struct tftp_wire {
    usec_t srtt;
    usec_t rttvar;
    uint64_t apart;
    struct tftp_pace pace;
};

struct tftp_flow {
    usec_t rto_max;
    usec_t srtt; /* 0: no sample yet */
    usec_t rttvar;
    struct tftp_wire known; /* from before, until the first trip */
    bool measured;          /* srtt is that of a window, not of the first packet */
    bool doubtful;          /* a window was repeated: was it lost, or is the wire slow? */
    unsigned backoff;       /* doublings of the rto */
    uint32_t window;
    uint32_t reach; /* 1..window */
    uint64_t run;   /* blocks that came through since the last loss */
    uint64_t apart; /* blocks that come through between two losses, about */
    struct tftp_pace pace;
};

void tftp_flow_init(struct tftp_flow *f, uint32_t window, usec_t rto_max);
/* What another transfer to the same client has learned of the same wire. */
void tftp_flow_know(struct tftp_flow *f, const struct tftp_wire *wire);
struct tftp_wire tftp_flow_wire(const struct tftp_flow *f);
/* The window changed in mid-transfer. */
void tftp_flow_resize(struct tftp_flow *f, uint32_t window);
void tftp_flow_first_trip(struct tftp_flow *f, usec_t rtt);
void tftp_flow_trip(struct tftp_flow *f, usec_t rtt);
/* Part of a window took so long: the round trip is no less. */
void tftp_flow_trip_at_least(struct tftp_flow *f, usec_t rtt);
usec_t tftp_flow_rto(const struct tftp_flow *f);
/* One block may ask that soon whether the end of a window was lost, never after the rto. */
usec_t tftp_flow_probe_time(const struct tftp_flow *f);
/* An answer this late is overdue; doubled for each repeat in vain. */
usec_t tftp_flow_late(const struct tftp_flow *f, unsigned repeats);

/* If nothing was heard by then, all has arrived whole: the next part may go out. */
usec_t tftp_flow_part_time(const struct tftp_flow *f);

/* That many blocks came through; at_once: as a whole window. */
void tftp_flow_arrived(struct tftp_flow *f, uint64_t blocks, bool at_once);
void tftp_flow_lost(struct tftp_flow *f);

#endif
