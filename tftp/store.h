/*
 * tftp/store: the files beneath the TFTP root, open and mapped once for all who read them.
 *
 * Only regular files, only beneath the root: every way out is refused (common/beneath,
 * RESOLVE_BENEATH).  A FIFO or a device is not waited for.
 *
 * Ownership: store_get() lends a file that store_put() gives back; it stays open while lent.
 * Errors: enum store_fault, 0 = ok; outputs untouched then.
 * Shell: common/beneath, mmap, readdir.
 */
#ifndef TFTP_STORE_H
#define TFTP_STORE_H

#include "common/clock.h"
#include "tftp/path.h"

enum store_fault {
    STORE_OK = 0,
    STORE_NOT_FOUND,
    STORE_NOT_REGULAR, /* a directory, a FIFO, a device */
    STORE_DENIED,      /* unreadable for us, or a link that leads out of the root */
    STORE_TOO_LARGE,   /* netascii: over STORE_NETASCII_MAX */
    STORE_TROUBLE, /* something that may be better in a moment (EMFILE, EIO, memory) */
    STORE_FAULT_COUNT,
};

#define STORE_NETASCII_MAX (1u << 20) /* read at once and kept in memory, translated */

struct store;

struct store_file {
    uint64_t size;       /* octets as they are sent: translated ones for netascii */
    const uint8_t *data; /* size octets; NULL when empty.  For the kernel to read from: a
                            file cut short under us is EFAULT there, but SIGBUS here */
    int fd;         /* whose octets these are; -1: a translation, which lives in memory */
    usec_t checked; /* the sender's note: when it was last found unchanged */
};

/* root must be a directory.  0 or -errno. */
int store_open(const char *root, struct store **out);
void store_close(struct store *s); /* NULL is fine; files still lent stay usable */

/*
 * The file for a clean path.  When the exact name is not there its repairs are tried: the
 * tail cut off, then letters in another case (only if one file alone fits); *repairs tells.
 */
enum store_fault store_get(struct store *s, const char *path, enum tftp_mode mode,
                           struct store_file **out, unsigned *repairs);
void store_put(struct store_file *file);

/*
 * A file of these octets, which are malloc'd and the store's from then on, for one transfer.
 * STORE_TROUBLE: memory is out; STORE_TOO_LARGE: as above.
 */
enum store_fault store_text(void *octets, size_t len, enum tftp_mode mode,
                            struct store_file **out);

/*
 * Is there a regular file under exactly this (clean) name that we may read?  What cannot be told
 * now (STORE_TROUBLE) is believed to be there: its reader is told better.
 */
bool store_has(struct store *s, const char *path);

/* False when the file was written to since it was opened (tftp/stamp).  Never waits. */
bool store_unchanged(struct store_file *file);

/* Lends the file once more. */
struct store_file *store_share(struct store_file *file);

const char *store_fault_name(enum store_fault fault);

#endif
