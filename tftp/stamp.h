/*
 * tftp/stamp: which version of a file this is, so that a change is noticed while it is sent.
 *
 * Another name or none (renamed, replaced by rename, unlinked) and other rights are no change: the
 * file that was opened is still the same.  Whoever writes into it and sets its times back is
 * found out by the time of its last change of status, which nobody can set.
 *
 * Units: nanoseconds since 1970.
 * Errors: 0 or -errno.  Shell: statx, /proc/self/fd.
 */
#ifndef TFTP_STAMP_H
#define TFTP_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#define NSEC_PER_SEC INT64_C(1000000000)

struct stamp {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t written; /* mtime */
    int64_t changed; /* ctime */
    /* What else than writing moves ctime on: */
    uint32_t links;
    uint32_t mode;
    uint32_t owner;
    uint32_t group;
    uint64_t name; /* a hash of its path; 0: not known */
};

/* now: what is known of it, without asking a server or a disk; else it may take long. */
int stamp_take(int fd, bool now, struct stamp *out);

bool stamp_same(const struct stamp *a, const struct stamp *b);

/* Is it the version of *s?  That which is explained once explains nothing that comes later. */
bool stamp_holds(int fd, bool now, struct stamp *s);

/*
 * Was it written to just now?  Then another write may go unnoticed: file systems count time in
 * steps of some milliseconds.
 */
bool stamp_is_fresh(const struct stamp *s);

#endif
