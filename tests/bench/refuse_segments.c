/*
 * refuse-segments.so: a kernel that does not segment UDP, for a program that is preloaded
 * with it.
 *
 * Linux before 6.x answers EIO to UDP_SEGMENT on interfaces without checksum offload; newer
 * ones do the work in software, so the fallback could not be measured on them otherwise.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

static bool asks_segments(const struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c;
         c = CMSG_NXTHDR((struct msghdr *)m, c)) {
        if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_SEGMENT) {
            return true;
        }
    }
    return false;
}

/* The C library's function of this name. */
static void find_real(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    static ssize_t (*real)(int, const struct msghdr *, int);
    if (!real) {
        find_real("sendmsg", &real);
    }
    if (asks_segments(message)) {
        errno = EIO;
        return -1;
    }
    return real(fd, message, flags);
}

int sendmmsg(int fd, struct mmsghdr *vmessages, unsigned vlen, int flags)
{
    static int (*real)(int, struct mmsghdr *, unsigned, int);
    if (!real) {
        find_real("sendmmsg", &real);
    }
    for (unsigned i = 0; i < vlen; i++) {
        if (asks_segments(&vmessages[i].msg_hdr)) {
            errno = EIO;
            return i > 0 ? real(fd, vmessages, i, flags) : -1;
        }
    }
    return real(fd, vmessages, vlen, flags);
}
