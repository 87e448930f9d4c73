/*
 * tftp/ahead: how many blocks may be out to a client that knows no windows.
 *
 * It acknowledges every block, so the number counts like a congestion window: it begins
 * small, grows with each block that arrives until the first loss, slowly after it, and is
 * halved by each loss.  A client that loses blocks even with two of them out does not take
 * it: lock-step for the rest of the transfer, and the owner remembers (tftp/window).
 *
 * Units: blocks.  Pure.
 */
#ifndef TFTP_AHEAD_H
#define TFTP_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

struct tftp_ahead {
    uint32_t now;   /* 1..max */
    uint32_t max;   /* 1: lock-step */
    uint64_t run;   /* blocks that arrived since the last loss */
    uint64_t grown; /* of these, since it grew */
    bool lossy;
    unsigned strikes; /* losses in quick succession with two blocks out */
    bool refused;     /* the client does not take it */
};

void tftp_ahead_init(struct tftp_ahead *a, uint32_t max);
void tftp_ahead_arrived(struct tftp_ahead *a, uint64_t blocks);
void tftp_ahead_lost(struct tftp_ahead *a);

#endif
