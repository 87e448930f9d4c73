/*
 * app/notify: tells systemd how we are (Type=notify), and that we are alive (WatchdogSec).
 *
 * Spec: sd_notify(3), sd_watchdog_enabled(3): datagrams to the socket named by NOTIFY_SOCKET.
 * Errors: none; without the variable nothing is done.  Shell: AF_UNIX, the environment.
 */
#ifndef APP_NOTIFY_H
#define APP_NOTIFY_H

#include "common/clock.h"

/* "READY=1", "RELOADING=1", "STOPPING=1", "STATUS=..."; several lines are fine. */
void notify_systemd(const char *state);

struct watchdog {
    usec_t every; /* half of what systemd waits for; USEC_NEVER: nobody waits */
    usec_t due;
};

void watchdog_start(struct watchdog *w, usec_t now);
/* At the deadline w->due: says that the event loop is running. */
void watchdog_timeout(struct watchdog *w, usec_t now);

#endif
