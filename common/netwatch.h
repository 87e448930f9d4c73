/*
 * common/netwatch: a descriptor that becomes readable when interfaces or addresses change.
 *
 *     netwatch_open(&fd); ... readable: if (netwatch_changed(fd) != 0) read them all again
 *
 * What exactly has changed is not told: events can be lost when many come at once, so
 * whoever cares reads the present state anyway.
 *
 * Errors: 0 or -errno.  Shell: rtnetlink(7).  Needs no privileges.
 */
#ifndef COMMON_NETWATCH_H
#define COMMON_NETWATCH_H

int netwatch_open(int *fd);

/* Takes what is waiting.  1: something was; 0: nothing; -errno: it cannot be told for now. */
int netwatch_changed(int fd);

#endif
