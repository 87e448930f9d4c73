#include "app/http_body.h"

#include <errno.h>
#include <unistd.h>

ssize_t http_body_read(struct http_body *b, uint64_t at, void *buf, size_t room)
{
    ssize_t n;
    do {
        n = pread(b->fd, buf, room, (off_t)(b->offset + at));
    } while (n < 0 && errno == EINTR);
    if (n > 0 && stamp_holds(b->fd, false, &b->stamp)) {
        return n;
    }
    b->end = n < 0 ? HTTP_BODY_UNREADABLE : HTTP_BODY_CHANGED;
    return -1;
}
