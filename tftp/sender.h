/*
 * tftp/sender: a session's sends, put into as few system calls as the kernel allows.
 *
 * A run of blocks leaves as one segmented send (UDP_SEGMENT), or as one sendmmsg where the
 * kernel or the path refuses that; the octets come straight from the file's mapping.
 *
 * Shell: common/net.
 */
#ifndef TFTP_SENDER_H
#define TFTP_SENDER_H

#include "tftp/hooks.h"
#include "tftp/store.h"
#include "tftp/table.h"

enum sender_result {
    SENDER_IDLE,    /* all that was due has left */
    SENDER_BLOCKED, /* the kernel takes no more now; the session knows what is left */
    SENDER_COLD,    /* the chunk at *cold_at must be read from the disk first */
    SENDER_FILE_CHANGED, /* the file was written to or cut short */
};

/* Adds the file octets that left to *octets. */
enum sender_result tftp_sender_run(struct tftp_transfer *x,
                                   const struct tftp_hooks *hooks, usec_t now,
                                   uint64_t *octets, uint64_t *cold_at);

/* The chunk of the file that begins there is in memory now. */
void tftp_sender_warmed(struct tftp_transfer *x, uint64_t from);

#endif
