/*
 * tftp/watch: which packets of transfers are told to whoever keeps some (hooks.packet).
 *
 * Requests and errors, the beginning of each transfer, its last block, and what goes out again
 * with the answers to it; a clean transfer costs a comparison for each window.
 *
 * Ownership: views, for the time of a call.  Pure.
 */
#ifndef TFTP_WATCH_H
#define TFTP_WATCH_H

#include "common/net.h"
#include "tftp/hooks.h"
#include "tftp/packet.h"
#include "tftp/table.h"

/* A datagram on a socket of ours that is bound to this port. */
struct tftp_watched {
    const struct net_path *path;
    uint16_t port;
    const void *head;
    size_t head_len;
    const void *body; /* what follows; NULL with body_len zero */
    size_t body_len;
};

void tftp_watch_came(const struct tftp_hooks *hooks, const struct tftp_watched *w);
void tftp_watch_went(const struct tftp_hooks *hooks, const struct tftp_watched *w);

/* Is this packet of a client's transfer to be told?  Before the session has it. */
bool tftp_watch_wants_in(struct tftp_transfer *x, const struct tftp_packet *pkt);
/* May it be wanted?  Asked before a run of blocks is put together; changes nothing. */
bool tftp_watch_may_want(const struct tftp_transfer *x, uint64_t number, bool again);
/* Is this block, which goes out now, perhaps again? */
bool tftp_watch_wants_out(struct tftp_transfer *x, uint64_t number, bool again);

#endif
