/*
 * common/losses: packets that came, and that the kernel dropped as nobody had taken those
 * before them in time.
 *
 *     losses_expect()   something was read: within a second it is asked what was lost
 *     losses_add()      so many more were: counts and logs them
 *
 * Whoever reads a socket asks seldom, as every question is a system call, and only after it
 * has read: where packets are lost there are always some to be read as well.
 *
 * Ownership: names are views.  Shell: common/log.
 */
#ifndef COMMON_LOSSES_H
#define COMMON_LOSSES_H

#include "common/clock.h"

struct losses {
    const char *socket;    /* "udp-69" and the like, or "capture" */
    const char *interface; /* NULL: of all */
    uint64_t count;
    usec_t last; /* when that was noticed; 0: never */
};

#define LOSSES_SPAN USEC_PER_SEC

/* Takes the deadline that is set, USEC_NEVER: none is, and gives the one that is now. */
static inline usec_t losses_expect(usec_t due, usec_t now)
{
    return due < now + LOSSES_SPAN ? due : now + LOSSES_SPAN;
}

void losses_add(struct losses *l, uint32_t more, usec_t now);

#endif
