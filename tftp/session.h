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

#include "tftp/packet.h"
#include "tftp/state.h"

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
/* Another one needs its place. */
void tftp_session_displace(struct tftp_session *s);

#endif
