/*
 * app/logging: the log as the configuration wants it.
 * Shell: common/log.
 */
#ifndef APP_LOGGING_H
#define APP_LOGGING_H

#include "config/faults.h"
#include "config/snapshot.h"

/* Before there is a configuration: to the journal under systemd, else text. */
void logging_start(bool verbose);
/* verbose: everything is logged, whatever "log" says. */
void logging_configure(const struct snapshot *s, bool verbose);

/*
 * Faults of that configuration: in a log that is text the report, as `pxed check` prints it
 * (NULL: none), else a line each, without the lines of the file that they point at.
 */
void logging_report(const char *report, const struct faults *f, const char *path);

#endif
