/*
 * tftp/disk: are the octets of a file in memory, or would sending them wait for the disk?
 *
 * One slow disk must not hold up every other client: what is cold is read by another thread
 * first (tftp/transfer.c).
 *
 * Units: octets; chunks begin at multiples of DISK_CHUNK.
 * Ownership: the file stays the store's.  Shell: preadv2, posix_fadvise.
 */
#ifndef TFTP_DISK_H
#define TFTP_DISK_H

#include "tftp/store.h"

/* What is looked at, and read from the disk, at a time. */
#define DISK_CHUNK (UINT64_C(1) << 20)

/*
 * Are the octets of the chunk that begins at `from` in memory?  Looked at here and there:
 * the kernel reads ahead in runs.  False too where the file system cannot tell.
 */
bool disk_is_warm(const struct store_file *file, uint64_t from);
/* The chunk will be wanted soon: the disk may begin.  Does not wait. */
void disk_hint(const struct store_file *file, uint64_t from);
/* Reads the chunk from the disk, which may take long.  For any thread.  0 or -errno. */
int disk_warm(const struct store_file *file, uint64_t from);

/*
 * Of a file behind a server nothing is sure to stay in memory: as many octets as this are read
 * into memory of ours, for each transfer.  The largest block fits.
 */
#define DISK_FAR (UINT64_C(64) << 10)

/* How many there are from there on. */
size_t disk_far_len(const struct store_file *file, uint64_t from);
/* Reads so many into buf.  For any thread.  0 or -errno; -ESTALE: it was cut short. */
int disk_read_far(const struct store_file *file, uint64_t from, uint8_t *buf);

#endif
