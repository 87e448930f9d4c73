#include "tftp/stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/hash.h"

#define STEP                                                                             \
    (10 * (int64_t)USEC_PER_MSEC) /* of a file system's clock: a jiffy at 100 Hz */

static int64_t nanoseconds(const struct statx_timestamp *t)
{
    return t->tv_sec * NSEC_PER_SEC + t->tv_nsec;
}

static uint64_t name_of(int fd)
{
    static const struct hash_seed seed; /* compared with itself alone: nobody gains */
    char link[40];
    char path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof path);
    return len > 0 ? hash_keyed(&seed, path, (size_t)len) : 0;
}

int stamp_take(int fd, bool now, struct stamp *out)
{
    struct statx st;
    int flags = AT_EMPTY_PATH | (now ? AT_STATX_DONT_SYNC : AT_STATX_SYNC_AS_STAT);
    unsigned wanted = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID |
                      STATX_MTIME | STATX_CTIME | STATX_INO | STATX_SIZE;
    if (statx(fd, "", flags, wanted, &st) != 0) {
        return -errno;
    }
    *out = (struct stamp){
        .device = makedev(st.stx_dev_major, st.stx_dev_minor),
        .inode = st.stx_ino,
        .size = st.stx_size,
        .written = nanoseconds(&st.stx_mtime),
        .changed = nanoseconds(&st.stx_ctime),
        .links = st.stx_nlink,
        .mode = st.stx_mode,
        .owner = st.stx_uid,
        .group = st.stx_gid,
        .name = name_of(fd),
    };
    return 0;
}

/* Did something else than writing happen to it, which explains another ctime? */
static bool is_otherwise(const struct stamp *a, const struct stamp *b)
{
    return a->links != b->links || a->mode != b->mode || a->owner != b->owner ||
           a->group != b->group || a->name != b->name;
}

bool stamp_same(const struct stamp *a, const struct stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->written == b->written && (a->changed == b->changed || is_otherwise(a, b));
}

bool stamp_holds(int fd, bool now, struct stamp *s)
{
    struct stamp found = {0};
    if (stamp_take(fd, now, &found) != 0 || !stamp_same(&found, s)) {
        return false;
    }
    *s = found;
    return true;
}

bool stamp_is_fresh(const struct stamp *s)
{
    int64_t age = clock_wall() - s->changed / 1000;
    return age > -STEP && age < STEP;
}
