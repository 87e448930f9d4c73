/*
 * app/host_files: the directory of host files, read whole.
 *
 * Every *.json in it, sorted by name; names that begin with a dot are passed over, as an
 * editor's copies and files under way are.
 *
 * Ownership: host_files_done() frees the list.
 * Errors: 0, or -errno when the directory cannot be read or memory is out.  A file that
 * cannot be read has no text, and a fault is added.  Shell: files.
 */
#ifndef APP_HOST_FILES_H
#define APP_HOST_FILES_H

#include "config/faults.h"

struct host_file_list {
    struct fault_source *list; /* in the order that faults count them in */
    size_t count;
};

/* What the directory would hold: for a change that is to be checked before it is made. */
struct host_change {
    const char *name; /* of the file in the directory */
    const char *text; /* NULL: it is gone */
    size_t len;
};

/* change: may be NULL.  A directory that is not there is empty when something is added. */
int host_files_read(const char *dir, const struct host_change *change,
                    struct faults *faults, struct host_file_list *out);

void host_files_done(struct host_file_list *l);

#endif
