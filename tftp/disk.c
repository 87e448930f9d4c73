#include "tftp/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PROBE_STEP (64u << 10) /* the kernel reads ahead at least that much */

static size_t part_len(const struct store_file *file, uint64_t from, uint64_t most)
{
    uint64_t left = from < file->size ? file->size - from : 0;
    return left < most ? (size_t)left : (size_t)most;
}

static size_t chunk_len(const struct store_file *file, uint64_t from)
{
    return part_len(file, from, DISK_CHUNK);
}

/* Then nothing is ever cold, although these cannot tell. */
static bool has_no_disk(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 &&
           (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

static bool is_in_memory(int fd, uint64_t at)
{
    uint8_t octet;
    struct iovec part = {&octet, 1};
    return preadv2(fd, &part, 1, (off_t)at, RWF_NOWAIT) == 1;
}

bool disk_is_warm(const struct store_file *file, uint64_t from)
{
    size_t len = chunk_len(file, from);
    if (file->fd < 0 || len == 0) {
        return true;
    }
    for (size_t at = 0; at < len; at += PROBE_STEP) {
        if (!is_in_memory(file->fd, from + at)) {
            return errno == EOPNOTSUPP && has_no_disk(file->fd);
        }
    }
    return is_in_memory(file->fd, from + len - 1);
}

void disk_hint(const struct store_file *file, uint64_t from)
{
    if (file->fd >= 0 && from < file->size) {
        (void)posix_fadvise(file->fd, (off_t)from, (off_t)DISK_CHUNK,
                            POSIX_FADV_WILLNEED);
    }
}

int disk_warm(const struct store_file *file, uint64_t from)
{
    uint8_t buf[16 << 10];
    size_t len = chunk_len(file, from);
    for (size_t done = 0; done < len;) {
        size_t want = len - done < sizeof buf ? len - done : sizeof buf;
        ssize_t n = pread(file->fd, buf, want, (off_t)(from + done));
        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        if (n == 0) {
            return 0; /* cut short: noticed when it is sent */
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

size_t disk_far_len(const struct store_file *file, uint64_t from)
{
    return part_len(file, from, DISK_FAR);
}

int disk_read_far(const struct store_file *file, uint64_t from, uint8_t *buf)
{
    size_t len = disk_far_len(file, from);
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(file->fd, buf + done, len - done, (off_t)(from + done));
        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        if (n == 0) {
            return -ESTALE;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}
