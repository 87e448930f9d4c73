/*
 * tftp/table: the transfers under way, by the client's address and port.
 *
 * All slots are made at start.  One whose client has not answered yet is half open: these
 * have slots of their own, so that whoever asks and never answers takes none from others.
 * One that has ended stays a while (it "lingers"), so that a late packet of its client meets
 * silence and not ERROR 5.
 *
 * Ownership: the table owns the slots; what a transfer points to is the service's.
 * Errors: NULL when every slot holds a running transfer.  Who adds one keeps the halves: no
 * more than half_max half open, the oldest makes room; no more than `room` others.
 * Pure but for the memory of the slots and of uthash's buckets.
 */
#ifndef TFTP_TABLE_H
#define TFTP_TABLE_H

#include "tftp/holders.h"
#include "tftp/slot.h"

struct tftp_table;

struct tftp_table *tftp_table_new(size_t room, size_t half_max,
                                  const struct hash_seed *seed);
void tftp_table_free(struct tftp_table *t); /* NULL is fine */

struct tftp_transfer *tftp_table_find(struct tftp_table *t, const struct endpoint *peer);

/*
 * A zeroed slot under this key, which must not be in the table, half open; NULL: none is
 * free.
 */
struct tftp_transfer *tftp_table_add(struct tftp_table *t, const struct net_path *path);
/* Its client has answered. */
void tftp_table_heard(struct tftp_table *t, struct tftp_transfer *x);
/* The transfer ended: it lingers from now on. */
void tftp_table_linger(struct tftp_table *t, struct tftp_transfer *x);
/* The one that has lingered longest, or NULL: remove it when a slot is needed. */
struct tftp_transfer *tftp_table_oldest(struct tftp_table *t);
void tftp_table_remove(struct tftp_table *t, struct tftp_transfer *x);

/* Running ones, without those that linger; and of these the half-open ones. */
size_t tftp_table_running(const struct tftp_table *t);
size_t tftp_table_half_open(const struct tftp_table *t);
/* Every half-open slot is taken: this one goes first.  NULL: there is a free one. */
struct tftp_transfer *tftp_table_in_the_way(struct tftp_table *t);
/* As many as the configuration allows have been answered. */
bool tftp_table_is_full(const struct tftp_table *t);
/* When it is full: who makes room for another one of that address (tftp/holders), or NULL. */
struct tftp_transfer *tftp_table_gives_way(struct tftp_table *t,
                                           const struct endpoint *to, usec_t now);
/* Any running transfer, or NULL: for the end of the service. */
struct tftp_transfer *tftp_table_any(struct tftp_table *t);
/* The running one behind this one, from NULL on; NULL behind the last. */
const struct tftp_transfer *tftp_table_next(const struct tftp_table *t,
                                            const struct tftp_transfer *behind);

#endif
