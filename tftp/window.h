/*
 * tftp/window: what windows have carried, for the next transfer.
 *
 *     tftp_windows_ask()      before a transfer: how large, and what is known of the wire
 *     tftp_windows_tell()     after it: how it went
 *
 * Known of the client (address and shape of the request: each program has its own buffers),
 * else of its subnet (/24, /64) and that shape, else a first value.  After a lossy or stalled
 * transfer half of what was granted; after a clean one that used all that was known, twice as
 * much.  The same number limits what is sent ahead to clients without windows; 1 is
 * lock-step, when one did not take it.
 *
 * Bounded: when the table is full what was heard of longest ago goes.  What was not told of for
 * TFTP_WINDOWS_LIFE is forgotten.
 *
 * Ownership: the table owns its entries; answers are values.
 * Errors: tftp_windows_new() gives NULL when memory is out; nothing else fails.
 * Pure but for its memory (common/recent).
 */
#ifndef TFTP_WINDOW_H
#define TFTP_WINDOW_H

#include "common/hash.h"
#include "common/netaddr.h"
#include "tftp/flow.h"
#include "tftp/shape.h"

#define TFTP_WINDOWS_LIFE (UINT64_C(6) * 3600 * USEC_PER_SEC)
#define TFTP_WINDOW_FIRST 16
#define TFTP_WINDOW_UBOOT 24 /* for its 31 receive buffers */
#define TFTP_WINDOW_SMALL 4  /* what is asked up to here is granted, always */

struct tftp_windows;

struct tftp_carried {
    uint32_t granted; /* the window agreed, or the most that was sent ahead */
    uint64_t blocks;  /* acknowledged */
    uint64_t resent;
    bool stalled; /* no progress for seconds, or the client began anew */
    bool refused; /* it does not take what is sent ahead */
    struct tftp_wire wire;
};

/* An entry, for whoever shows or tests them. */
struct tftp_window {
    struct endpoint from; /* a client, or the first address of a subnet */
    bool subnet;
    struct tftp_shape shape;
    uint32_t blocks;
    usec_t told; /* when */
    struct tftp_wire wire;
};

struct tftp_windows *tftp_windows_new(size_t room, const struct hash_seed *seed);
/* For clients nobody knows; TFTP_WINDOW_FIRST to begin with.  U-Boot gets no more than 24. */
void tftp_windows_set_first(struct tftp_windows *t, uint32_t blocks);
void tftp_windows_free(struct tftp_windows *t); /* NULL is fine */

/* The largest window to grant; *wire: what is known of it, all zero when nothing is. */
uint32_t tftp_windows_ask(struct tftp_windows *t, const struct endpoint *client,
                          const struct tftp_shape *shape, usec_t now,
                          struct tftp_wire *wire);
void tftp_windows_tell(struct tftp_windows *t, const struct endpoint *client,
                       const struct tftp_shape *shape, const struct tftp_carried *how,
                       usec_t now);

/* The entries in the order told of, from 0 (the oldest); false: there is none such. */
bool tftp_windows_at(const struct tftp_windows *t, size_t index, struct tftp_window *out);
size_t tftp_windows_count(const struct tftp_windows *t);
void tftp_windows_reset(struct tftp_windows *t);

#endif
