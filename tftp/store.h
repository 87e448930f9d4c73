/*
 * tftp/store: files beneath the TFTP root, open and mapped once for all who read them.
 *
 *     store_make()       of an open file, in any thread: it is mapped, or translated
 *     store_lend()       shares it with those that read the same version already
 *     store_put()        given back; it stays open while lent
 *
 * Ownership: as above.
 * Errors: enum store_fault, 0 = ok; outputs untouched then.
 * Shell: mmap, statx.
 */
#ifndef TFTP_STORE_H
#define TFTP_STORE_H

#include "common/clock.h"
#include "tftp/hooks.h"
#include "tftp/search.h"

#define STORE_NETASCII_MAX (1u << 20) /* read at once and kept in memory, translated */

struct store;

struct store_file {
    uint64_t size; /* octets as they are sent: translated ones for netascii */
    const uint8_t
        *data; /* size octets; NULL when empty or far.  For the kernel to read from: a
                            file cut short under us is EFAULT there, but SIGBUS here */
    int fd;    /* whose octets these are; -1: they live in memory */
    bool far;  /* behind a server, which may not answer */
    usec_t checked; /* the sender's note: when it was last found unchanged */
};

/*
 * root must be a directory; hooks stay the caller's: hooks->run closes what may take long to
 * close (NULL: nobody does).  0 or -errno.
 */
int store_open(const char *root, const struct tftp_hooks *hooks, struct store **out);
void store_close(struct store *s); /* NULL is fine; files still lent stay usable */

/* tftp/known: for whoever may not wait for the answer. */
bool store_has(struct store *s, const char *path);

/* Where files are searched; the store's. */
const struct search_root *store_root(const struct store *s);

/* Takes over what was opened, in any case.  For any thread. */
enum store_fault store_make(const struct opened *o, enum tftp_mode mode,
                            struct store_file **out);

struct store_file *store_lend(struct store *s, struct store_file *made);
void store_put(struct store_file *file);
/* Lends the file once more. */
struct store_file *store_share(struct store_file *file);

/*
 * A file of these octets, which are malloc'd and the store's from then on, for one transfer.
 * STORE_TROUBLE: memory is out; STORE_TOO_LARGE: as above.
 */
enum store_fault store_text(void *octets, size_t len, enum tftp_mode mode,
                            struct store_file **out);

/* False when the file was written to since it was opened (tftp/stamp).  Never waits. */
bool store_unchanged(struct store_file *file);

#endif
