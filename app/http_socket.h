/*
 * app/http_socket: TCP sockets, and what the kernel tells of them.
 * Errors: 0 or -errno.  Shell: sockets.
 */
#ifndef APP_HTTP_SOCKET_H
#define APP_HTTP_SOCKET_H

#include <sys/socket.h>

#include "common/netaddr.h"

/*
 * Bound, listening, non-blocking; ours to close.  The address :: means all addresses of both
 * families.
 */
int http_socket_listen(const struct endpoint *at, int *fd);

struct endpoint http_socket_endpoint(const struct sockaddr *address);
struct endpoint http_socket_own(int fd);
struct endpoint http_socket_peer(int fd);
/* Was it reset before anybody looked at it? */
bool http_socket_is_gone(int fd);
/* Where the connection's first packet came in; 0: not known. */
unsigned http_socket_interface(int fd);

/* Octets that the peer has acknowledged since the connection began. */
uint64_t http_socket_acknowledged(int fd);
/*
 * Waits, seconds at the most, until the peer has acknowledged all that was sent.  False: not
 * in time, or it will not any more.
 */
bool http_socket_delivered(int fd);

#endif
