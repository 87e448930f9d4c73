/*
 * tftp/holders: which address holds how many transfers, and who gives way when all are taken.
 *
 *     tftp_holders_add()     a client has answered: the transfer counts for its address
 *     tftp_holders_drop()    it ended
 *     tftp_holders_choose()  none is free, and somebody asks for one
 *
 * Whoever answers and then dawdles costs a place for as long as it likes.  So no address keeps
 * one from an address that would hold fewer, and none that stands still keeps one from anybody;
 * crowds of honest machines, whose transfers go on, take nothing from each other.
 *
 * Each of these takes a bounded time: addresses are kept by how many they hold, and of those
 * that hold most a few are looked at, others each time.
 *
 * Ownership: the struct owns its tables; transfers are the caller's, and stay until dropped.
 * Errors: without memory for a bucket a transfer is not counted, and never gives way.
 * Pure but for the memory of the slots and of uthash's buckets.
 */
#ifndef TFTP_HOLDERS_H
#define TFTP_HOLDERS_H

#include "common/clock.h"
#include "common/hash.h"
#include "common/netaddr.h"

/* Over the steps of clients that repeat themselves, or write to flash: 4 s and 5 s. */
#define TFTP_HOLDERS_STILL (6 * USEC_PER_SEC)

struct tftp_transfer;
struct tftp_holders;

/* room: transfers at the most.  NULL: no memory. */
struct tftp_holders *tftp_holders_new(size_t room, const struct hash_seed *seed);
void tftp_holders_free(struct tftp_holders *h); /* NULL is fine */

void tftp_holders_add(struct tftp_holders *h, struct tftp_transfer *x);
void tftp_holders_drop(struct tftp_holders *h, struct tftp_transfer *x);

/* Which one gives way to another transfer of that address; NULL: none has to. */
struct tftp_transfer *tftp_holders_choose(struct tftp_holders *h,
                                          const struct endpoint *asks, usec_t now);

#endif
