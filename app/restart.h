/*
 * app/restart: what was opened with privileges stays as it is until the next start.
 * Shell: common/log.
 */
#ifndef APP_RESTART_H
#define APP_RESTART_H

#include "config/snapshot.h"

/* Says which settings have changed that a reload cannot put in force. */
void warn_of_restart(const struct snapshot *old, const struct snapshot *new);

#endif
