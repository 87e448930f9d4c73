/*
 * app/unix_socket: stream sockets with a path.
 *
 * Errors: 0 or -errno; -EADDRINUSE: another process answers at this path.
 * Shell: socket(2), bind(2), connect(2).
 */
#ifndef APP_UNIX_SOCKET_H
#define APP_UNIX_SOCKET_H

#include <sys/types.h>
#include <sys/un.h>

#define UNIX_PATH_SIZE (sizeof((struct sockaddr_un *)0)->sun_path)

/*
 * Listens, not blocking, with mode 0660.  A directory that is missing is made.  Directory and
 * socket belong to user and group afterwards, so that they can remove the socket at the end.
 * A socket that a process left behind there is replaced.
 */
int unix_listen(const char *path, uid_t user, gid_t group, int *out);

/* patience_ms: how long connecting, sending and receiving may each take; 0: for ever. */
int unix_connect(const char *path, unsigned patience_ms, int *out);

#endif
