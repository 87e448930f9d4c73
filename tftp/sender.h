/*
 * tftp/sender: a session's sends, put into as few system calls as the kernel allows.
 *
 * A run of blocks leaves as one segmented send (UDP_SEGMENT), or as one sendmmsg where the
 * kernel or the path refuses that; the octets come straight from the file's mapping.
 *
 * A client never ends with a mixture: from the moment when the last block goes out for the first
 * time blocks are copied, then the file is looked at, and only if it is what it was they leave.
 *
 * Shell: common/net.
 */
#ifndef TFTP_SENDER_H
#define TFTP_SENDER_H

#include "tftp/hooks.h"
#include "tftp/scratch.h"
#include "tftp/store.h"
#include "tftp/table.h"

enum sender_result {
    SENDER_IDLE,    /* all that was due has left */
    SENDER_BLOCKED, /* the kernel takes no more now; the session knows what is left */
    SENDER_COLD,    /* the chunk at *cold_at must be read from the disk first */
    SENDER_FILE_CHANGED, /* the file was written to or cut short */
};

struct sender {
    const struct tftp_hooks *hooks;
    uint64_t *octets; /* of files: those that leave are added */
    struct scratch scratch;
};

enum sender_result tftp_sender_run(const struct sender *s, struct tftp_transfer *x,
                                   usec_t now, uint64_t *cold_at);

/* The octets of a far file from there on, as disk_read_far() gave them; the transfer's now. */
void tftp_sender_read(struct tftp_transfer *x, uint64_t from, uint8_t *octets);
/* The chunk of the file that begins there is in memory now. */
void tftp_sender_warmed(struct tftp_transfer *x, uint64_t from);

#endif
