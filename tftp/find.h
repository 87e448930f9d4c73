/*
 * tftp/find: what is served under a name: a file beneath the root, or what stands for one.
 *
 * For every door: TFTP asks here, and so does HTTP.
 *
 * Ownership: a file that was found is given back by store_put().
 * Errors: enum store_fault, 0 = ok.  Shell: tftp/store.
 */
#ifndef TFTP_FIND_H
#define TFTP_FIND_H

#include "tftp/hooks.h"
#include "tftp/store.h"

struct tftp_wanted {
    const struct endpoint *peer;
    const struct endpoint *local;
    const char *name; /* clean */
    enum tftp_mode mode;
};

struct tftp_found {
    struct store_file *file;
    unsigned repairs;
    char why[100]; /* of STORE_NOT_FOUND, when there is more to say; else "" */
};

/*
 * Names that stand for something else, then the disk, then names that need no file.  What
 * another file stands in for is asked of the disk only.
 */
enum store_fault tftp_find(struct store *store, const struct tftp_hooks *hooks,
                           const struct tftp_wanted *wanted, struct tftp_found *out);

#endif
