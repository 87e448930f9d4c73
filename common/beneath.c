#include "common/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"

#define ALWAYS  (O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
#define BENEATH (RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)
#define OPEN_TRIES                                                                       \
    5 /* EAGAIN: a rename raced the kernel's check; EINTR: a disk elsewhere */
#define LINKS_MAX 40

/* What opens a path only, without the file, takes no other flag. */
static int all_flags(int flags)
{
    return flags | (flags & O_PATH ? O_CLOEXEC : ALWAYS);
}

/* Takes the first name off *rest, which is cut up; NULL: none is left. */
static char *next_name(char **rest)
{
    char *name;
    do {
        name = strsep(rest, "/");
    } while (name && (name[0] == '\0' || strcmp(name, ".") == 0));
    return name;
}

/* What a link says, with what was to follow it, in place of the path.  0 or -errno. */
static int follow(int link, unsigned *links, char path[PATH_MAX], char **rest)
{
    char target[PATH_MAX];
    char whole[PATH_MAX];
    if (++*links > LINKS_MAX) {
        return -ELOOP;
    }
    ssize_t len = readlinkat(link, "", target, sizeof target - 1);
    if (len < 0) {
        return -errno;
    }
    target[len] = '\0';
    if (target[0] == '/') {
        return -EXDEV;
    }
    int n = snprintf(whole, sizeof whole, "%s%s%s", target, *rest ? "/" : "",
                     *rest ? *rest : "");
    if (n < 0 || (size_t)n >= sizeof whole) {
        return -ENAMETOOLONG;
    }
    memcpy(path, whole, (size_t)n + 1);
    *rest = path;
    return 0;
}

static bool is_link(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
}

/* -errno for what openat() gave. */
static int result(int fd)
{
    return fd >= 0 ? fd : -errno;
}

int open_beneath_by_steps(int root, const char *path, int flags)
{
    char names[PATH_MAX];
    if (path[0] == '/') {
        return -EXDEV;
    }
    if (strlen(path) >= sizeof names) {
        return -ENAMETOOLONG;
    }
    memcpy(names, path, strlen(path) + 1);
    AUTO(close) int at = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    unsigned links = 0;
    char *rest = names;
    for (char *name; at >= 0 && (name = next_name(&rest));) {
        if (strcmp(name, "..") == 0) {
            return -EXDEV;
        }
        AUTO(close) int fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0) {
            return -errno;
        }
        if (is_link(fd)) {
            int error = follow(fd, &links, names, &rest);
            if (error != 0) {
                return error;
            }
        } else if (!rest) {
            return result(openat(at, name, all_flags(flags) | O_NOFOLLOW));
        } else {
            (void)close(at);
            at = take_fd(&fd);
        }
    }
    return at < 0 ? -errno : result(openat(at, ".", all_flags(flags)));
}

static int open_resolved(int root, const char *path, int flags, uint64_t resolve)
{
    struct open_how how = {.flags = (uint64_t)all_flags(flags), .resolve = resolve};
    bool cached = (resolve & RESOLVE_CACHED) != 0; /* its EAGAIN is an answer */
    long fd = -1;
    for (int tries = 0; fd < 0 && tries < OPEN_TRIES; tries++) {
        fd = syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd < 0 && errno != EINTR && (cached || errno != EAGAIN)) {
            break;
        }
    }
    return fd >= 0 ? (int)fd : -errno;
}

/* A kernel without openat2, or one that is told to refuse it. */
static bool is_unknown(int error)
{
    return error == -ENOSYS || error == -EPERM;
}

int open_beneath(int root, const char *path, int flags)
{
    int fd = open_resolved(root, path, flags, BENEATH);
    return is_unknown(fd) ? open_beneath_by_steps(root, path, flags) : fd;
}

int open_beneath_here(int root, const char *path, int flags)
{
    int fd = open_resolved(root, path, flags, BENEATH | RESOLVE_NO_XDEV);
    return is_unknown(fd) ? open_beneath_by_steps(root, path, flags) : fd;
}

int open_beneath_now(int root, const char *path, int flags)
{
    int fd = open_resolved(root, path, flags, BENEATH | RESOLVE_NO_XDEV | RESOLVE_CACHED);
    /* Linux before 5.12 knows no RESOLVE_CACHED. */
    return fd == -EINVAL || is_unknown(fd) ? open_beneath_here(root, path, flags) : fd;
}

DIR *names_of(int fd)
{
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0) {
        (void)close(fd);
    }
    return d;
}
