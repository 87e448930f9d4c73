/*
 * tftp/search: opens what lies under a name beneath the TFTP root.
 *
 * Only regular files, only beneath the root: every way out is refused (common/beneath).  What
 * is no regular file is not even opened: a FIFO's writer or a device would notice.
 *
 * A directory or disk may take its time, and a server (NFS, FUSE) for ever.  search_now() tells
 * what can be told without any of them; else search_long() is for another thread.
 *
 * Ownership: what was opened is the caller's to close.
 * Errors: enum store_fault, 0 = ok; outputs untouched then.
 * Shell: common/beneath, statx, readdir.
 */
#ifndef TFTP_SEARCH_H
#define TFTP_SEARCH_H

#include "tftp/path.h"
#include "tftp/stamp.h"

enum store_fault {
    STORE_OK = 0,
    STORE_NOT_FOUND,
    STORE_NOT_REGULAR, /* a directory, a FIFO, a device */
    STORE_DENIED,      /* unreadable for us, or a link that leads out of the root */
    STORE_TOO_LARGE,   /* netascii: over STORE_NETASCII_MAX */
    STORE_TROUBLE, /* something that may be better in a moment (EMFILE, EIO, memory) */
    STORE_WAITS,   /* not to be told without waiting */
    STORE_FAULT_COUNT,
};

struct search_root {
    int fd;
    bool far; /* behind a server, which may not answer */
};

struct opened {
    int fd;
    bool far;
    struct stamp stamp;
};

/* path must be a directory.  0 or -errno. */
int search_root_open(const char *path, struct search_root *out);

/* The file under exactly this (clean) name; STORE_WAITS when that is not to be told at once. */
enum store_fault search_now(const struct search_root *root, const char *path,
                            struct opened *out);

/*
 * The same for any thread; STORE_WAITS: not without going beyond the root's own file system,
 * for which far must be set.  When the exact name is not there its repairs are tried: the tail
 * cut off, then letters in another case (only if one file alone fits); *repairs tells.
 */
enum store_fault search_long(const struct search_root *root, bool far, const char *path,
                             struct opened *out, unsigned *repairs);

/*
 * Is there a regular file under exactly this (clean) name that we may read?  Asks the disk
 * of the root, if need be; STORE_WAITS as above.
 */
enum store_fault search_has(const struct search_root *root, const char *path, bool far);

const char *store_fault_name(enum store_fault fault);

#endif
