/*
 * tftp/scratch: a copy of octets that may go away while they are read.
 *
 * A file's mapping ends early when the file is cut short under it, or the disk fails: then the
 * kernel says EFAULT, where a read of ours would be the end of the process (SIGBUS).
 *
 * Ownership: all its own.  Errors: 0 or -errno.  Shell: memfd_create, pwrite, mmap.
 */
#ifndef TFTP_SCRATCH_H
#define TFTP_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#define SCRATCH_SIZE (64u << 10) /* one segmented send (NET_SEGMENTED) fits */

struct scratch {
    int fd;
    const uint8_t *at; /* what was copied last */
};

int scratch_open(struct scratch *s);
void scratch_close(struct scratch *s);

/* 0 or -EFAULT: these octets, SCRATCH_SIZE at the most, are not to be had (any more). */
int scratch_copy(const struct scratch *s, const void *octets, size_t len);

#endif
