#include "common/netwatch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"

#define MESSAGES_MAX 4096 /* before others get their turn */

int netwatch_open(int *fd)
{
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
    };
    AUTO(close)
    int s = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (s < 0 || bind(s, (const struct sockaddr *)&address, sizeof address) != 0) {
        return -errno;
    }
    *fd = take_fd(&s);
    return 0;
}

int netwatch_changed(int fd)
{
    uint8_t message[8]; /* not looked at, so it may be cut */
    int changed = 0;
    for (unsigned i = 0; i < MESSAGES_MAX; i++) {
        ssize_t n = recv(fd, message, sizeof message, MSG_DONTWAIT);
        if (n < 0 && errno != EINTR && errno != ENOBUFS) {
            return errno == EAGAIN ? changed : -errno;
        }
        if (n >= 0 || errno == ENOBUFS) {
            changed = 1; /* ENOBUFS: some were lost, which is a change as well */
        }
    }
    return changed;
}
