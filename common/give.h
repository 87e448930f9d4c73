/*
 * common/give: a socket or a directory that root has just made becomes another user's.
 *
 * It may lie in a directory that is that user's already.  Whoever is at work there puts a link
 * in its place at the right moment, and chown(2) would give away what the link leads to.
 *
 * Errors: 0 or -errno; -EEXIST: something else is there by now.  Shell: files.
 */
#ifndef COMMON_GIVE_H
#define COMMON_GIVE_H

#include <sys/types.h>

/* kind: S_IFSOCK or S_IFDIR. */
int give_away(const char *path, mode_t kind, uid_t user, gid_t group);

#endif
