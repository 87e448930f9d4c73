/*
 * tftp/session: one read transfer, as a state machine without I/O.
 *
 * The owner feeds it packets and the time, then pulls what is to be sent:
 *
 *     tftp_session_input() / tftp_session_timeout()      something happened
 *     while (tftp_session_next(&s, now, &send)) ...      send these
 *     tftp_session_deadline()                            wake me then
 *     tftp_session_unsend()                              the kernel did not take that one
 *
 * Blocks are counted from 1 in 64 bits and never wrap; the 16-bit wire number is derived,
 * so files of any size work and "rollover" is not a case.
 *
 * Loss recovery, in the words of the code:
 *   silence  nothing is heard for an rto (tftp/flow): a tail probe (the last block sent)
 *            first, rather early; then the whole window; later ones in turn.
 *   overdue  an ACK at or before the end of what was sent, but not the end itself, says that
 *            something is missing *or* still on its way.  The window is sent again once the
 *            last block sent is older than a round trip and no further ACK has come for a
 *            moment: about one round trip per loss, and a client that acknowledges every
 *            stray block (EDK2) or every block at all cannot start a storm.  Each repeat
 *            without progress doubles that wait: a round trip that was taken for shorter
 *            than it is (a slow wire, large blocks) would feed on its own repeats.
 *   asking   a window that holds repeats may have been acknowledged early because of them.
 *            Its first missing block is sent alone: a client that has it says what it has
 *            (EDK2), one that lacked it is silent, and gets the rest a round trip later.
 *   parts    a window goes out at once only if the wire has carried as much; else in parts
 *            (tftp/pace), until an ACK comes.  The client notices nothing.
 *   ahead    a client without windows that is sent several blocks at once (tftp/ahead)
 *            acknowledges each.  A repeated ACK then says what a gap does in a window; its
 *            first missing block goes out alone.  If the client has kept what followed it
 *            jumps over it, else (it acknowledges that block and no more) all goes again.
 *   msft     the client says with every ACK how many blocks it wants before the next one, and
 *            waits for exactly so many.
 *   window 1 a repeated ACK never causes a DATA (RFC 1123 section 4.2.3.1, the Sorcerer's
 *            Apprentice).
 *
 * Spec: RFC 1350 section 2 and 6, RFC 7440 section 4, RFC 1123 section 4.2.3.
 * Units: usec_t for time, blocks for windows, octets for offsets and lengths.
 * Ownership: the struct is the caller's and holds no pointers; it may be memcpy'd.
 * Errors: s.state and s.end say how it ended.  Pure: no allocation, no system call.
 */
#ifndef TFTP_SESSION_H
#define TFTP_SESSION_H

#include "common/clock.h"
#include "tftp/ahead.h"
#include "tftp/end.h"
#include "tftp/flow.h"
#include "tftp/packet.h"

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
    bool offer_due;       /* the OACK is to be given out */
    bool repeats;         /* the open window was given out more than once */
    bool paused;          /* parts of the open window were a round trip apart */
    bool was_quiet;       /* no ACK came between the newest packet and the rto */
    usec_t sent_at;       /* when the newest packet went out */
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

struct tftp_send {
    enum tftp_op op; /* TFTP_OACK or TFTP_DATA */
    uint64_t number; /* DATA: 1..last; the wire number is its low 16 bits */
    uint64_t offset; /* DATA: into the file */
    uint32_t len;    /* DATA: 0..blksize */
};

void tftp_session_init(struct tftp_session *s, const struct tftp_terms *terms,
                       usec_t now);
/* ACK and ERROR matter; anything else is ignored.  A repeated RRQ: tftp_session_again(). */
void tftp_session_input(struct tftp_session *s, const struct tftp_packet *in, usec_t now);
/*
 * The client sent its request once more.  True: it belongs to this transfer (the first
 * packet is repeated if an rto has passed).  False: the client had already answered, so it
 * has started over and the owner begins a new transfer in its place.
 */
bool tftp_session_again(struct tftp_session *s, usec_t now);
void tftp_session_timeout(struct tftp_session *s, usec_t now);
bool tftp_session_next(struct tftp_session *s, usec_t now, struct tftp_send *out);
/* Takes back what tftp_session_next() gave out last, and all after it: it is given again. */
void tftp_session_unsend(struct tftp_session *s, const struct tftp_send *first);
usec_t tftp_session_deadline(const struct tftp_session *s);
/* ICMP says that nobody listens at the client's port any more. */
void tftp_session_unreachable(struct tftp_session *s);
void tftp_session_close(struct tftp_session *s);

#endif
