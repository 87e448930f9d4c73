/*
 * app/configuration: the configuration file as it stands on disk, read and checked.
 *
 * tftp.root, when relative, is taken from the directory of the configuration file and made
 * absolute here.
 *
 * Ownership: configuration_done() frees all of it.
 * Errors: 0, or -errno when the file could not be read (-EFBIG: over 64 MiB, -ENOMEM); out
 * can be given to configuration_done() in every case.  Faults are in out->faults, sorted.
 * Shell: files.
 */
#ifndef APP_CONFIGURATION_H
#define APP_CONFIGURATION_H

#include "app/boot_files.h"
#include "config/faults.h"
#include "config/snapshot.h"

struct configuration {
    struct snapshot *snapshot; /* NULL when there is a fault of FAULT_ERROR */
    struct snapshot *draft; /* then: what could be read of it, to look at only; or NULL */
    char *path;             /* as it was given */
    char *text;             /* of the file, comments and all */
    size_t len;
    struct faults faults;
    struct boot_file_list files; /* views into snapshot or draft */
};

/* missing_files: how severe a boot file is that is missing or of the wrong kind. */
int configuration_read(const char *path, enum fault_severity missing_files,
                       struct configuration *out);

void configuration_done(struct configuration *c);

/*
 * Where the process that serves by this file listens, which a file with faults still tells.
 * malloc'd; the default path when nothing is said or can be read; NULL: nowhere ("off").
 */
char *configuration_control(const char *path);

#endif
