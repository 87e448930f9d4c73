#include "app/host_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "common/cleanup.h"

int host_store_open(const char *dir)
{
    if (mkdir(dir, 0755) != 0 && errno != EEXIST) {
        return -errno;
    }
    AUTO(close) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX) != 0) {
        return -errno;
    }
    return take_fd(&fd);
}

static bool write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        text += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

int host_store_put(int dir, const char *name, const char *text, size_t len)
{
    char other[300];
    struct stat st;
    mode_t mode = fstatat(dir, name, &st, 0) == 0 ? st.st_mode & 0777 : 0644;
    /* The lock is ours, so whatever has this name was left behind by a crash. */
    if (snprintf(other, sizeof other, ".%s.new", name) >= (int)sizeof other) {
        return -ENAMETOOLONG;
    }
    (void)unlinkat(dir, other, 0);
    AUTO(close)
    int fd = openat(dir, other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return -errno;
    }
    if (!write_all(fd, text, len) || fchmod(fd, mode) != 0 || fsync(fd) != 0 ||
        renameat(dir, other, dir, name) != 0) {
        int error = -errno;
        (void)unlinkat(dir, other, 0);
        return error;
    }
    return fsync(dir) == 0 ? 0 : -errno;
}

int host_store_remove(int dir, const char *name)
{
    return unlinkat(dir, name, 0) == 0 && fsync(dir) == 0 ? 0 : -errno;
}
