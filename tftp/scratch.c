#include "tftp/scratch.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"

int scratch_open(struct scratch *s)
{
    *s = (struct scratch){.fd = -1};
    AUTO(close) int fd = memfd_create("pxed-scratch", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, SCRATCH_SIZE) != 0) {
        return -errno;
    }
    void *at = mmap(NULL, SCRATCH_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        return -errno;
    }
    s->at = at;
    s->fd = take_fd(&fd);
    return 0;
}

void scratch_close(struct scratch *s)
{
    if (s->at) {
        (void)munmap((void *)s->at, SCRATCH_SIZE);
        (void)close(s->fd);
    }
    *s = (struct scratch){.fd = -1};
}

int scratch_copy(const struct scratch *s, const void *octets, size_t len)
{
    return pwrite(s->fd, octets, len, 0) == (ssize_t)len ? 0 : -EFAULT;
}
