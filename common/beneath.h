/*
 * common/beneath: opens what lies beneath a directory, and nothing else, whatever the path and
 * the links on its way say.
 *
 * The kernel sees to that by openat2.  Where that call is not to be had (Linux before 5.6,
 * RestrictSUIDSGID= of a systemd unit, an old container engine's filter) the path is walked
 * name by name; then a link may only lead on, not up ("..") or to an absolute path.
 *
 * Ownership: the descriptor is the caller's.
 * Errors: -errno; -EXDEV: the way leads out, -ELOOP: too many links.  Shell: files.
 */
#ifndef COMMON_BENEATH_H
#define COMMON_BENEATH_H

#include <dirent.h>

/*
 * Opens a relative path ("." is the root itself).  flags: O_RDONLY, with O_DIRECTORY, or O_PATH;
 * waits for no FIFO, never becomes the terminal, closed on exec.
 */
int open_beneath(int root, const char *path, int flags);

/* The same within the root's own file system; -EXDEV as well when it lies in another. */
int open_beneath_here(int root, const char *path, int flags);

/* And with what the kernel has in memory; -EAGAIN: that does not do. */
int open_beneath_now(int root, const char *path, int flags);

/* The same without openat2. */
int open_beneath_by_steps(int root, const char *path, int flags);

/* To read the names of a directory.  Takes fd over, which may be -1 or less; NULL: none. */
DIR *names_of(int fd);

#endif
