#include "app/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"

#define PIPE_PATIENCE                                                                    \
    5000 /* milliseconds without an octet, as of `pxed check -c <(...)` */

/* 0: something can be read, or the end. */
static int wait_for(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int n;
    do {
        n = poll(&wait, 1, PIPE_PATIENCE);
    } while (n < 0 && errno == EINTR);
    return n > 0 ? 0 : n == 0 ? -ETIMEDOUT : -errno;
}

/* Some octets, 0 at the end, or -errno; of a pipe they are waited for. */
static ssize_t read_some(int fd, char *buf, size_t room)
{
    for (;;) {
        ssize_t n = read(fd, buf, room);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN)) {
            return n >= 0 ? n : -errno;
        }
        int error = errno == EAGAIN ? wait_for(fd) : 0;
        if (error != 0) {
            return error;
        }
    }
}

/* Read to the end, whatever kind of file it is (a pipe has no size beforehand). */
int read_open_file(int fd, size_t room, size_t most, char **text, size_t *len)
{
    *text = malloc(room);
    *len = 0;
    while (*text) {
        ssize_t n = read_some(fd, *text + *len, room - *len);
        if (n <= 0) {
            return (int)n;
        }
        *len += (size_t)n;
        if (*len > most) {
            return -EFBIG;
        }
        if (*len == room) {
            char *more = realloc(*text, 2 * room);
            if (!more) {
                return -ENOMEM;
            }
            *text = more;
            room *= 2;
        }
    }
    return -ENOMEM;
}

/* A pipe is read as far as it comes; what may go on for ever (a device) is not. */
static int look_at(int fd, size_t most)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return -errno;
    }
    if (S_ISREG(st.st_mode)) {
        return st.st_size > (off_t)most ? -EFBIG : 0;
    }
    return S_ISFIFO(st.st_mode) ? wait_for(fd) : S_ISDIR(st.st_mode) ? -EISDIR : -ENODEV;
}

int open_to_read(const char *path)
{
    AUTO(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int error = fd < 0 ? -errno : look_at(fd, SIZE_MAX >> 1);
    if (error == 0 && fcntl(fd, F_SETFL, 0) != 0) {
        error = -errno;
    }
    return error != 0 ? error : take_fd(&fd);
}

int read_file_at(int dir, const char *path, size_t most, char **text, size_t *len)
{
    AUTO(close)
    int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int error = fd < 0 ? -errno : look_at(fd, most);
    return error != 0 ? error : read_open_file(fd, 65536, most, text, len);
}

int read_file(const char *path, size_t most, char **text, size_t *len)
{
    return read_file_at(AT_FDCWD, path, most, text, len);
}

const char *read_fault(const char *path, int error)
{
    switch (error) {
    case -EISDIR:
        return "it is a directory";
    case -ENODEV:
        return "it is a device or a socket, not a file";
    case -ETIMEDOUT:
        return "nobody writes to this pipe";
    case -EFBIG:
        return "it is too large";
    default:
        break;
    }
    /* access(2) goes by users and modes alone. */
    return error == -EACCES && access(path, R_OK) == 0
               ? "out of this process's reach (Landlock, AppArmor); what pxed did not "
                 "read "
                 "when it started takes a restart"
               : strerror(-error);
}

char *path_beside(const char *path, const char *name)
{
    char file[PATH_MAX];
    char *out = NULL;

    if (name[0] == '/') {
        return strdup(name);
    }
    if (!realpath(path, file)) {
        return NULL;
    }
    const char *slash = strrchr(file, '/');
    int dir = slash ? (int)(slash - file) : 0;
    return asprintf(&out, "%.*s/%s", dir, file, name) < 0 ? NULL : out;
}
