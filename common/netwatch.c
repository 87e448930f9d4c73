#include "common/netwatch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"

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

bool netwatch_changed(int fd)
{
    uint8_t message[8]; /* not looked at, so it may be cut */
    bool changed = false;
    ssize_t n;
    /* ENOBUFS: some were lost, which is a change as well. */
    while ((n = recv(fd, message, sizeof message, MSG_DONTWAIT)) >= 0 ||
           errno == ENOBUFS || errno == EINTR) {
        changed = changed || n >= 0 || errno == ENOBUFS;
    }
    return changed;
}
