/*
 * tftp/parts: the open window of a session, and what of it may go out now.
 *
 * Private to tftp/session and tftp/recovery.  Pure.
 */
#ifndef TFTP_PARTS_H
#define TFTP_PARTS_H

#include "tftp/state.h"

/* A window begins behind the last acknowledged block. */
void tftp_parts_open(struct tftp_session *s);
/* A burst behind this block, and as far as a round trip may reach; due: 0 is now. */
void tftp_parts_first(struct tftp_session *s, uint64_t behind, usec_t due);
/* The part before it has left the slowest stage of the wire, or has even arrived. */
void tftp_parts_next(struct tftp_session *s);
/* The last block of a part has gone out. */
void tftp_parts_await(struct tftp_session *s, usec_t now);

#endif
