#include "app/http_socket.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "common/cleanup.h"

#define BACKLOG      1024
#define DELIVERED_MS 5000 /* how long the last octets may be on their way */
#define CLOSED       7    /* TCP_CLOSE of <netinet/tcp.h>, which <linux/tcp.h> excludes */

/* -- listening ---------------------------------------------------------------------------- */

static int bind_to(int fd, const struct endpoint *at, sa_family_t family)
{
    if (family == AF_INET) {
        struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(at->port)};
        struct ip4 ip = endpoint_to_ip4(at);
        if (endpoint_is_ip4(at)) {
            memcpy(&in.sin_addr, ip.octet, sizeof ip.octet);
        }
        return bind(fd, (const struct sockaddr *)&in, sizeof in);
    }
    struct sockaddr_in6 in = {.sin6_family = AF_INET6, .sin6_port = htons(at->port)};
    memcpy(&in.sin6_addr, at->ip, sizeof at->ip);
    return bind(fd, (const struct sockaddr *)&in, sizeof in);
}

/* IPV6_RECVPKTINFO and IP_PKTINFO: each connection knows where its first packet came in. */
static int open_listener(const struct endpoint *at, sa_family_t family, int *out)
{
    static const int on = 1;
    static const int off = 0;
    AUTO(close) int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) {
        return -errno;
    }
    if (family == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    }
    (void)setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    if (bind_to(fd, at, family) != 0 || listen(fd, BACKLOG) != 0) {
        return -errno;
    }
    *out = take_fd(&fd);
    return 0;
}

/* All addresses: one socket of both families; a kernel without IPv6 serves IPv4 alone. */
int http_socket_listen(const struct endpoint *at, int *fd)
{
    static const uint8_t any[16];
    bool all = memcmp(at->ip, any, sizeof any) == 0;
    int error = open_listener(at, endpoint_is_ip4(at) ? AF_INET : AF_INET6, fd);
    return all && (error == -EAFNOSUPPORT || error == -EADDRNOTAVAIL)
               ? open_listener(at, AF_INET, fd)
               : error;
}

/* -- ends --------------------------------------------------------------------------------- */

struct endpoint http_socket_endpoint(const struct sockaddr *address)
{
    struct endpoint e = {.port = 0};
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        struct ip4 ip;
        memcpy(&in, address, sizeof in);
        memcpy(ip.octet, &in.sin_addr, sizeof ip.octet);
        return endpoint_ip4(ip, ntohs(in.sin_port));
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, address, sizeof in);
        memcpy(e.ip, &in.sin6_addr, sizeof e.ip);
        e.scope = in.sin6_scope_id;
        e.port = ntohs(in.sin6_port);
    }
    return e;
}

struct endpoint http_socket_own(int fd)
{
    struct sockaddr_storage a = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof a;
    (void)getsockname(fd, (struct sockaddr *)&a, &len);
    return http_socket_endpoint((const struct sockaddr *)&a);
}

struct endpoint http_socket_peer(int fd)
{
    struct sockaddr_storage a = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof a;
    (void)getpeername(fd, (struct sockaddr *)&a, &len);
    return http_socket_endpoint((const struct sockaddr *)&a);
}

bool http_socket_is_gone(int fd)
{
    struct sockaddr_storage a;
    socklen_t len = sizeof a;
    return getpeername(fd, (struct sockaddr *)&a, &len) != 0 && errno == ENOTCONN;
}

unsigned http_socket_interface(int fd)
{
    union {
        struct cmsghdr head;
        char octets[256];
    } control;
    socklen_t len = sizeof control;
    struct msghdr m = {.msg_control = &control};
    if (getsockopt(fd, IPPROTO_IPV6, IPV6_2292PKTOPTIONS, &control, &len) != 0) {
        len = sizeof control;
        if (getsockopt(fd, IPPROTO_IP, IP_PKTOPTIONS, &control, &len) != 0) {
            return 0;
        }
    }
    m.msg_controllen = len;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
        if (c->cmsg_level == IPPROTO_IPV6) {
            struct in6_pktinfo info;
            memcpy(&info, CMSG_DATA(c), sizeof info);
            return info.ipi6_ifindex;
        }
        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(c), sizeof info);
            return (unsigned)info.ipi_ifindex;
        }
    }
    return 0;
}

/* -- what was acknowledged ---------------------------------------------------------------- */

uint64_t http_socket_acknowledged(int fd)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0) {
        return 0;
    }
    return info.tcpi_bytes_acked;
}

bool http_socket_delivered(int fd)
{
    static const struct timespec pause = {.tv_nsec = 2000000};
    for (int i = 0; i < DELIVERED_MS / 2; i++) {
        int left = 0;
        struct tcp_info info = {0};
        socklen_t len = sizeof info;
        if (ioctl(fd, SIOCOUTQ, &left) != 0) {
            return false;
        }
        if (left == 0) {
            return true;
        }
        if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
            info.tcpi_state == CLOSED) {
            return false;
        }
        (void)nanosleep(&pause, NULL);
    }
    return false;
}
