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

#endif
