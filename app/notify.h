/*
 * app/notify: tells systemd how we are (Type=notify).
 *
 * Spec: sd_notify(3): a datagram to the socket named by NOTIFY_SOCKET.
 * Errors: none; without the variable nothing is done.  Shell: AF_UNIX.
 */
#ifndef APP_NOTIFY_H
#define APP_NOTIFY_H

/* "READY=1", "RELOADING=1", "STOPPING=1", "STATUS=..."; several lines are fine. */
void notify_systemd(const char *state);

#endif
