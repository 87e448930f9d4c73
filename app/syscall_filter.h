/*
 * app/syscall_filter: the system calls that serving takes, and no others from now on.
 *
 * What is not in the table fails with EPERM, in every thread; its name is kept and logged once,
 * by whoever runs the loop (syscall_filter_report).  A few that libraries only try are answered
 * as by a kernel that has none (ENOSYS), so that they go another way.  There is no exec, no
 * fork, no memory that is both new and executable, no signal to others, no sockets but those of
 * the families that are served.
 *
 * Names are looked up for the machine it runs on: one that it has not is passed over.
 *
 * Ownership: the process; there is one filter, and no way back.
 * Errors: 0 or -errno, and nothing has changed.  Shell: libseccomp, SIGSYS, the log.
 */
#ifndef APP_SYSCALL_FILTER_H
#define APP_SYSCALL_FILTER_H

#include <stdbool.h>
#include <stddef.h>

/* Needs no_new_privs; for this thread and those it starts. */
int syscall_filter_load(void);

/* Has one been refused that is not logged yet?  Then syscall_filter_report() does. */
bool syscall_filter_has_news(void);
void syscall_filter_report(void);

/* The table's rows: blanks lie between names.  NULL: no such row.  For its test. */
const char *syscall_filter_names(size_t row);

#endif
