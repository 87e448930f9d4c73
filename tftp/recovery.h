/*
 * tftp/recovery: what a session sends again, and when.  The rules are told in tftp/session.h.
 *
 * Private to tftp/session.  Pure.
 */
#ifndef TFTP_RECOVERY_H
#define TFTP_RECOVERY_H

#include "tftp/state.h"

/* An ACK said that something is missing, or still on its way. */
void tftp_recovery_gap(struct tftp_session *s, bool after_silence, usec_t now);
/* No further ACK came for a moment. */
void tftp_recovery_overdue(struct tftp_session *s, usec_t now);
/* Nothing was heard for an rto, but patience is not at its end. */
void tftp_recovery_silence(struct tftp_session *s, usec_t now);
/* The first missing block alone: what the client says to it tells what else it has. */
void tftp_recovery_ask(struct tftp_session *s);
/* The client dropped all that was sent ahead of the block it lacked. */
void tftp_recovery_go_back(struct tftp_session *s);
/* The same after a silence; but it may only have been away, and say the rest in a moment. */
void tftp_recovery_doubt(struct tftp_session *s, usec_t now);

#endif
