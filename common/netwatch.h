/*
 * common/netwatch: a descriptor that becomes readable when interfaces or addresses change.
 *
 *     netwatch_open(&fd); ... readable: if (netwatch_changed(fd)) read them all again
 *
 * What exactly has changed is not told: events can be lost when many come at once, so
 * whoever cares reads the present state anyway.
 *
 * Errors: 0 or -errno.  Shell: rtnetlink(7).  Needs no privileges.
 */
#ifndef COMMON_NETWATCH_H
#define COMMON_NETWATCH_H

#include <stdbool.h>

int netwatch_open(int *fd);

/* Takes everything that is waiting; false: nothing was. */
bool netwatch_changed(int fd);

#endif
