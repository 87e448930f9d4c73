/*
 * app/logging: the log as the configuration wants it.
 * Shell: common/log.
 */
#ifndef APP_LOGGING_H
#define APP_LOGGING_H

#include "config/snapshot.h"

/* Before there is a configuration: to the journal under systemd, else text. */
void logging_start(bool verbose);
/* verbose: everything is logged, whatever "log" says. */
void logging_configure(const struct snapshot *s, bool verbose);

/*
 * Faults as `pxed check` prints them: as they stand in a log that is text, else a line each,
 * without the lines of the file that they point at.  NULL: none.
 */
void logging_report(const char *report);

#endif
