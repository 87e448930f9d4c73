/*
 * app/templates: the templates that "files" names, read and checked.
 *
 * Their text is put into the snapshot, so that nothing is read when a client asks.
 *
 * Errors: faults at the entry's place in the configuration; those within a template name its
 * own line and column as well.  Shell: files.
 */
#ifndef APP_TEMPLATES_H
#define APP_TEMPLATES_H

#include "config/faults.h"
#include "config/snapshot.h"

/* path: of the configuration, from where relative names begin. */
void templates_load(struct snapshot *s, const char *path, struct faults *faults);

#endif
