/*
 * tftp/state: everything a transfer is, between two events.
 *
 * Changed by tftp/session, tftp/recovery and tftp/parts only; others read it.
 * Units: usec_t for time, blocks for windows, octets for sizes.  Pure.
 */
#ifndef TFTP_STATE_H
#define TFTP_STATE_H

#include "common/clock.h"
#include "tftp/ahead.h"
#include "tftp/end.h"
#include "tftp/flow.h"

enum tftp_state {
    TFTP_OFFERED, /* first packet out (OACK, or DATA 1), nothing heard yet */
    TFTP_SENDING, /* the client has answered */
    TFTP_ENDED,   /* see tftp_session.end */
};

struct tftp_terms {
    uint64_t file_size;    /* octets */
    uint32_t blksize;      /* 8..65464 */
    uint32_t window;       /* 1..65535 */
    uint32_t ahead;        /* with window 1: blocks out at most; 0, 1: one, lock-step */
    bool msft_window;      /* each ACK names the next window (Microsoft's msftwindow) */
    bool oack;             /* options were agreed: begin with an OACK */
    usec_t rto_max;        /* > 0; a negotiated timeout, or TFTP_RTO_MAX */
    usec_t patience;       /* how long without progress, > 0 */
    struct tftp_wire wire; /* what is known of it, all zero: nothing */
};

#define TFTP_PATIENCE    (35 * USEC_PER_SEC) /* over EDK2's 6 x 4 s and U-Boot's 5 s steps */
#define TFTP_FIRST_SENDS 3 /* a mute or forged address gets the first packet this often */
#define TFTP_FIRST_PATIENCE                                                              \
    (10 * USEC_PER_SEC) /* EDK2 repeats its ACK 0 after 4 s, U-Boot 5 */

struct tftp_stats {
    uint64_t sent_blocks;   /* DATA packets given out, repeats included */
    uint64_t resent_blocks; /* of these, repeats */
    uint32_t timeouts;      /* rto expiries */
    uint32_t overdue;       /* windows sent again by the overdue rule */
};

struct tftp_session {
    struct tftp_terms terms;
    enum tftp_state state;
    enum tftp_end end;
    struct tftp_flow flow;
    struct tftp_ahead ahead;
    uint32_t window;        /* as agreed, or as the client wants it now (msft_window) */
    uint64_t last;          /* number of the final block, >= 1 */
    uint64_t acked;         /* highest block acknowledged in order */
    uint64_t next;          /* next block to give out, acked < next */
    uint64_t limit;         /* blocks up to here may go out now */
    uint64_t reached;       /* and up to here within this round trip */
    uint64_t end_of_window; /* and up to here later, limit <= end_of_window <= last */
    uint64_t high;          /* highest block ever given out */
    uint64_t repeated;      /* blocks above it were given out once at most: Karn's rule */
    uint64_t probe;         /* a single block to give out first, 0: none */
    uint64_t last_probe;    /* the newest packet was this single block, 0: it was not */
    uint64_t asked;         /* the block that was repeated alone, 0: none */
    uint64_t recover;       /* sent ahead: what went out before the last loss counted */
    uint64_t timed;       /* sent ahead: the round trip of this block is taken, 0: none */
    bool answered;        /* the client has acknowledged the first packet */
    bool offer_due;       /* the OACK is to be given out */
    bool repeats;         /* the open window was given out more than once */
    bool paused;          /* parts of the open window were a round trip apart */
    bool in_doubt;        /* sent ahead: was it lost, or was the client only away? */
    bool was_quiet;       /* no ACK came between the newest packet and the rto */
    usec_t sent_at;       /* when the newest packet went out */
    usec_t new_at;        /* when a block went out for the first time, lately */
    usec_t timed_at;      /* when that block went out */
    usec_t opened_at;     /* when the window was opened, its repeats apart */
    usec_t heard_at;      /* when the newest ACK came in */
    usec_t progress_at;   /* when acked last moved, or the transfer began */
    usec_t rto_at;        /* USEC_NEVER: nothing outstanding */
    usec_t due_at;        /* overdue rule, USEC_NEVER: not armed */
    usec_t more_at;       /* the next part of the window, USEC_NEVER: none is held back */
    usec_t part_at;       /* when the part that went out last was due, 0: the first */
    usec_t reach_at;      /* likewise the first part of this round trip */
    unsigned silences;    /* rto expiries without progress */
    unsigned overdues;    /* repeats by the overdue rule without progress */
    unsigned first_sends; /* of the first packet */
    uint16_t error_code;  /* the client's, when end is PROBE or ABORTED */
    struct tftp_stats stats;
};

#endif
