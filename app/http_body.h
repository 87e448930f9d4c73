/*
 * app/http_body: the octets of an open file on their way to a client.
 *
 * They are copied, never lent to the kernel (sendfile): what waits in a socket would change with
 * the file.  The file is looked at behind each piece, the last one included, so that a client
 * that got all it was promised got one version of it.
 *
 * Ownership: a body has its descriptor.  Errors: enum http_body_end.  Shell: pread, statx.
 */
#ifndef APP_HTTP_BODY_H
#define APP_HTTP_BODY_H

#include <stddef.h>
#include <sys/types.h>

#include "tftp/stamp.h"

#define HTTP_BODY_PIECE                                                                  \
    (64u << 10) /* octets; kept for each connection that sends a file */

enum http_body_end {
    HTTP_BODY_GOOD,
    HTTP_BODY_CHANGED,    /* written to, or cut short, since it was opened */
    HTTP_BODY_UNREADABLE, /* the disk fails */
};

struct http_body {
    int fd;
    struct stamp stamp; /* of when it was opened */
    uint64_t offset;    /* into the file, where the body begins */
    enum http_body_end end;
};

/* Octets from `at` on of the body, up to `room`: how many, or -1 and b->end says why. */
ssize_t http_body_read(struct http_body *b, uint64_t at, void *buf, size_t room);

#endif
