/*
 * app/system_files: are the kernels and initrds there that "boot" names, and is a kernel one?
 * Is "directory" a directory?
 *
 * Looked at as boot files are (app/boot_files.h).  Names with variables are checked for these
 * alone: what they become is known when a machine asks.
 *
 * Errors: faults at the place of the name, in its file.  Shell: as app/boot_files.
 */
#ifndef APP_SYSTEM_FILES_H
#define APP_SYSTEM_FILES_H

#include "config/faults.h"
#include "config/snapshot.h"

/* s->tftp.root must be a path that can be opened from here, or nothing is looked at. */
void system_files_check(const struct snapshot *s, enum fault_severity severity,
                        struct faults *faults);

#endif
