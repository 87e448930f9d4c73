#include "app/unix_socket.h"

#include <errno.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/give.h"

#define BACKLOG 64

static bool address_of(const char *path, struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof out->sun_path) {
        return false;
    }
    memcpy(out->sun_path, path, strlen(path) + 1);
    return true;
}

/* A socket that a process left behind goes; one where somebody answers stays. */
static int clear_way(const struct sockaddr_un *at)
{
    struct stat st;
    if (lstat(at->sun_path, &st) != 0) {
        return errno == ENOENT ? 0 : -errno;
    }
    if (!S_ISSOCK(st.st_mode)) {
        return -EEXIST;
    }
    AUTO(close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -errno;
    }
    if (connect(fd, (const struct sockaddr *)at, sizeof *at) == 0 ||
        errno != ECONNREFUSED) {
        return -EADDRINUSE;
    }
    return unlink(at->sun_path) == 0 ? 0 : -errno;
}

/* Owned by whom we are to become, so that it can remove the socket at the end. */
static void make_directory(const char *path, uid_t user, gid_t group)
{
    char copy[UNIX_PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", path);
    const char *directory = dirname(copy);
    if (mkdir(directory, 0755) == 0 && give_away(directory, S_IFDIR, user, group) != 0) {
        return; /* then only the removal at the end fails */
    }
}

static int bind_to(int fd, const struct sockaddr_un *at)
{
    mode_t before = umask(0117);
    int error = bind(fd, (const struct sockaddr *)at, sizeof *at) == 0 ? 0 : -errno;
    (void)umask(before);
    return error;
}

int unix_listen(const char *path, uid_t user, gid_t group, int *out)
{
    struct sockaddr_un at;
    if (!address_of(path, &at)) {
        return -ENAMETOOLONG;
    }
    make_directory(path, user, group);
    int error = clear_way(&at);
    if (error != 0) {
        return error;
    }
    AUTO(close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = fd >= 0 ? bind_to(fd, &at) : -errno;
    if (error == 0 && geteuid() == 0) {
        error = give_away(path, S_IFSOCK, user, group);
    }
    if (error == 0) {
        error = listen(fd, BACKLOG) == 0 ? 0 : -errno;
    }
    if (error == 0) {
        *out = take_fd(&fd);
    }
    return error;
}

int unix_connect(const char *path, unsigned patience_ms, int *out)
{
    struct sockaddr_un at;
    if (!address_of(path, &at)) {
        return -ENAMETOOLONG;
    }
    const struct timeval patience = {
        .tv_sec = patience_ms / 1000,
        .tv_usec = patience_ms % 1000 * 1000L,
    };
    AUTO(close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
        connect(fd, (const struct sockaddr *)&at, sizeof at) != 0) {
        return -errno;
    }
    *out = take_fd(&fd);
    return 0;
}
