#include "common/net.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

/* Room for the packet information of either family, and a segment size. */
#define CONTROL_LEN                                                                      \
    (CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(uint16_t)))

union address {
    struct sockaddr any;
    struct sockaddr_in ip4;
    struct sockaddr_in6 ip6;
};

union control {
    struct cmsghdr header; /* for its alignment */
    uint8_t octets[CONTROL_LEN];
};

struct net_inbox {
    struct mmsghdr headers[NET_BATCH];
    struct iovec parts[NET_BATCH];
    union address peers[NET_BATCH];
    union control controls[NET_BATCH];
    uint8_t data[NET_BATCH][NET_DGRAM_MAX];
};

/* Makes the first n places ready for a receive call. */
static void arm_inbox(struct net_inbox *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        in->parts[i] = (struct iovec){in->data[i], NET_DGRAM_MAX};
        in->headers[i].msg_hdr = (struct msghdr){
            .msg_name = &in->peers[i],
            .msg_namelen = sizeof in->peers[i],
            .msg_iov = &in->parts[i],
            .msg_iovlen = 1,
            .msg_control = &in->controls[i],
            .msg_controllen = sizeof in->controls[i],
        };
    }
}

struct net_inbox *net_inbox_new(void)
{
    struct net_inbox *in = calloc(1, sizeof *in);
    if (in) {
        arm_inbox(in, NET_BATCH);
    }
    return in;
}

void net_inbox_free(struct net_inbox *inbox)
{
    free(inbox);
}

/* -- addresses ---------------------------------------------------------------------------- */

static socklen_t to_sockaddr(const struct endpoint *e, union address *out)
{
    memset(out, 0, sizeof *out);
    if (endpoint_is_ip4(e)) {
        struct ip4 ip = endpoint_to_ip4(e);
        out->ip4.sin_family = AF_INET;
        out->ip4.sin_port = htons(e->port);
        memcpy(&out->ip4.sin_addr, ip.octet, sizeof ip.octet);
        return sizeof out->ip4;
    }
    out->ip6.sin6_family = AF_INET6;
    out->ip6.sin6_port = htons(e->port);
    out->ip6.sin6_scope_id = e->scope;
    memcpy(&out->ip6.sin6_addr, e->ip, sizeof e->ip);
    return sizeof out->ip6;
}

static struct endpoint from_ip4(struct in_addr addr, uint16_t port)
{
    struct ip4 ip;
    memcpy(ip.octet, &addr, sizeof ip.octet);
    return endpoint_ip4(ip, port);
}

static struct endpoint from_ip6(const struct in6_addr *addr, uint32_t scope,
                                uint16_t port)
{
    struct endpoint e = {.port = port};
    memcpy(e.ip, addr, sizeof e.ip);
    e.scope = IN6_IS_ADDR_LINKLOCAL(addr) ? scope : 0;
    return e;
}

static struct endpoint from_sockaddr(const union address *a)
{
    if (a->any.sa_family == AF_INET6) {
        return from_ip6(&a->ip6.sin6_addr, a->ip6.sin6_scope_id, ntohs(a->ip6.sin6_port));
    }
    return from_ip4(a->ip4.sin_addr, ntohs(a->ip4.sin_port));
}

/* -- opening ------------------------------------------------------------------------------ */

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* The privileged form goes past the system's limit; without the right the plain one does. */
static void set_buffer(int fd, int forced, int plain, int octets)
{
    if (octets > 0 && !set(fd, SOL_SOCKET, forced, octets)) {
        (void)set(fd, SOL_SOCKET, plain, octets);
    }
}

int net_bind_device(int fd, const char *interface)
{
    socklen_t len = (socklen_t)strlen(interface);
    return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface, len) == 0 ? 0 : -errno;
}

static bool set_options(int fd, const struct net_udp *conf)
{
    bool ok;
    if (conf->family == NET_IP4) {
        ok = set(fd, IPPROTO_IP, IP_PKTINFO, 1) &&
             set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DONT) &&
             (!conf->errors || set(fd, IPPROTO_IP, IP_RECVERR, 1));
    } else {
        ok = set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1) &&
             set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1) &&
             set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DONT) &&
             (!conf->errors || set(fd, IPPROTO_IPV6, IPV6_RECVERR, 1));
    }
    if (conf->broadcast) {
        ok = ok && set(fd, SOL_SOCKET, SO_BROADCAST, 1);
    }
    if (conf->shared) {
        ok = ok && set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    }
    if (conf->device) {
        (void)net_bind_device(fd, conf->device);
    }
    set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, conf->receive_buffer);
    set_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, conf->send_buffer);
    return ok;
}

int net_udp_open(const struct net_udp *conf, int *fd)
{
    int domain = conf->family == NET_IP4 ? AF_INET : AF_INET6;
    AUTO(close) int s = socket(domain, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0 || !set_options(s, conf)) {
        return -errno;
    }
    struct endpoint own = conf->family == NET_IP4
                              ? endpoint_ip4(conf->address, conf->port)
                              : (struct endpoint){.port = conf->port};
    union address a;
    socklen_t len = to_sockaddr(&own, &a);
    if (bind(s, &a.any, len) != 0) {
        return -errno;
    }
    *fd = take_fd(&s);
    return 0;
}

int net_port(int fd, uint16_t *port)
{
    union address a = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t len = sizeof a;
    if (getsockname(fd, &a.any, &len) != 0) {
        return -errno;
    }
    *port = from_sockaddr(&a).port;
    return 0;
}

unsigned net_mtu(unsigned ifindex)
{
    struct ifreq req;
    AUTO(close) int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    memset(&req, 0, sizeof req);
    if (s < 0 || !if_indextoname(ifindex, req.ifr_name) ||
        ioctl(s, SIOCGIFMTU, &req) != 0) {
        return 0;
    }
    return (unsigned)req.ifr_mtu;
}

/* -- receiving ---------------------------------------------------------------------------- */

static void read_control(struct msghdr *m, struct net_dgram *out)
{
    struct net_path *path = &out->path;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(c), sizeof info);
            /* ipi_spec_dst is our own address even when the datagram was a broadcast */
            path->local = from_ip4(info.ipi_spec_dst, 0);
            path->ifindex = (unsigned)info.ipi_ifindex;
            out->group = info.ipi_addr.s_addr != info.ipi_spec_dst.s_addr;
        } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo info;
            memcpy(&info, CMSG_DATA(c), sizeof info);
            path->local = from_ip6(&info.ipi6_addr, info.ipi6_ifindex, 0);
            path->ifindex = info.ipi6_ifindex;
            out->group = IN6_IS_ADDR_MULTICAST(&info.ipi6_addr);
        }
    }
}

/*
 * With `errors` on, an ICMP error about any peer, and of any kind, fails the next call once,
 * whomever it is for; nothing has left or come then, and the call is made again.
 */
static bool is_another_peers(int error)
{
    static const int set_by_icmp[] = {
        ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENONET,
        ENOPROTOOPT,  EOPNOTSUPP,   EMSGSIZE,    EPROTO,    EACCES,
    };
    bool found = error == EINTR;
    for (size_t i = 0; i < sizeof set_by_icmp / sizeof set_by_icmp[0]; i++) {
        found = found || error == set_by_icmp[i];
    }
    return found;
}

#define TRIES 4

static int receive(int fd, struct net_inbox *inbox)
{
    int n = -1;
    for (int tries = 0; tries < TRIES; tries++) {
        n = recvmmsg(fd, inbox->headers, NET_BATCH, MSG_DONTWAIT, NULL);
        if (n >= 0 || !is_another_peers(errno)) {
            break;
        }
    }
    return n;
}

size_t net_receive(int fd, struct net_inbox *inbox, struct net_dgram out[NET_BATCH],
                   int *error)
{
    int n = receive(fd, inbox);
    *error = n < 0 ? -errno : 0;
    for (int i = 0; i < n; i++) {
        struct msghdr *m = &inbox->headers[i].msg_hdr;
        out[i] = (struct net_dgram){
            .path = {.peer = from_sockaddr(&inbox->peers[i])},
            .data = inbox->data[i],
            .len = inbox->headers[i].msg_len,
            .cut = m->msg_flags & MSG_TRUNC,
        };
        read_control(m, &out[i]);
    }
    size_t count = n > 0 ? (size_t)n : 0;
    arm_inbox(inbox, count);
    return count;
}

uint32_t net_lost(int fd, uint32_t *seen)
{
    uint32_t memory[SK_MEMINFO_VARS] = {0};
    socklen_t len = sizeof memory;
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &len) != 0) {
        return 0;
    }
    uint32_t more = memory[SK_MEMINFO_DROPS] - *seen;
    *seen = memory[SK_MEMINFO_DROPS];
    return more;
}

bool net_is_short(int error)
{
    return error == -ENOMEM || error == -ENOBUFS || error == -EMFILE || error == -ENFILE;
}

/* A packet that is too big is the kernel's to split, and a lost fragment is a lost packet. */
static bool is_unreachable(const struct sock_extended_err *e)
{
    if (e->ee_origin == SO_EE_ORIGIN_ICMP) {
        return e->ee_type == ICMP_DEST_UNREACH && e->ee_code != ICMP_FRAG_NEEDED;
    }
    return e->ee_origin == SO_EE_ORIGIN_ICMP6 && e->ee_type == ICMP6_DST_UNREACH;
}

static bool read_error(struct msghdr *m, struct net_unreachable *out)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        struct {
            struct sock_extended_err error;
            union address offender;
        } told = {.offender = {.any = {.sa_family = AF_UNSPEC}}};
        bool ip4 = c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR;
        bool ip6 = c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR;
        if (ip4 || ip6) {
            size_t len = c->cmsg_len - CMSG_LEN(0);
            memcpy(&told, CMSG_DATA(c), len < sizeof told ? len : sizeof told);
            out->by = from_sockaddr(&told.offender);
            out->by.port = 0;
            return is_unreachable(&told.error);
        }
    }
    return false;
}

bool net_unreachable(int fd, struct net_unreachable *out)
{
    union address a;
    uint8_t octet;
    union {
        struct cmsghdr header; /* for its alignment */
        uint8_t octets[256];
    } control;
    struct iovec part = {&octet, 1};
    struct net_unreachable told;
    struct msghdr m;
    do {
        a = (union address){.any = {.sa_family = AF_UNSPEC}};
        m = (struct msghdr){
            .msg_name = &a,
            .msg_namelen = sizeof a,
            .msg_iov = &part,
            .msg_iovlen = 1,
            .msg_control = &control,
            .msg_controllen = sizeof control,
        };
        if (recvmsg(fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
            return false;
        }
    } while (!read_error(&m, &told));
    told.peer = from_sockaddr(&a);
    *out = told;
    return true;
}

/* -- sending ------------------------------------------------------------------------------ */

static void put_control(struct msghdr *m, struct cmsghdr **at, int level, int type,
                        const void *value, size_t len)
{
    struct cmsghdr *c = *at;
    c->cmsg_level = level;
    c->cmsg_type = type;
    c->cmsg_len = CMSG_LEN(len);
    memcpy(CMSG_DATA(c), value, len);
    m->msg_controllen += CMSG_SPACE(len);
    *at = (struct cmsghdr *)((uint8_t *)c + CMSG_SPACE(len));
}

/* From which address, by which interface, and in segments of which size. */
static void write_control(struct msghdr *m, union control *control,
                          const struct net_path *path, uint16_t segment, bool pin)
{
    struct cmsghdr *at = &control->header;
    memset(control, 0, sizeof *control);
    m->msg_control = control;
    m->msg_controllen = 0;
    if (endpoint_is_ip4(&path->peer)) {
        struct in_pktinfo info = {.ipi_ifindex = pin ? (int)path->ifindex : 0};
        struct ip4 local = endpoint_to_ip4(&path->local);
        memcpy(&info.ipi_spec_dst, local.octet, sizeof local.octet);
        put_control(m, &at, IPPROTO_IP, IP_PKTINFO, &info, sizeof info);
    } else {
        bool scoped = pin || path->peer.scope != 0;
        struct in6_pktinfo info = {.ipi6_ifindex = scoped ? path->ifindex : 0};
        memcpy(&info.ipi6_addr, path->local.ip, sizeof path->local.ip);
        put_control(m, &at, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof info);
    }
    if (segment > 0) {
        put_control(m, &at, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment);
    }
}

int net_send(int fd, const struct net_path *path, const struct iovec *parts, size_t count,
             uint16_t segment, bool pin_interface)
{
    union address to;
    union control control;
    struct msghdr m = {
        .msg_name = &to,
        .msg_namelen = to_sockaddr(&path->peer, &to),
        .msg_iov = (struct iovec *)parts, /* the kernel does not write to it */
        .msg_iovlen = count,
    };
    write_control(&m, &control, path, segment, pin_interface);
    int error = 0;
    for (int tries = 0; tries < TRIES; tries++) {
        if (sendmsg(fd, &m, MSG_DONTWAIT) >= 0) {
            return 0;
        }
        error = errno;
        if (!is_another_peers(error)) {
            break;
        }
    }
    return -error;
}

int net_send_pairs(int fd, const struct net_path *path, const struct iovec *parts,
                   size_t pairs)
{
    union address to;
    union control control;
    struct mmsghdr headers[NET_SEGMENTS];
    struct msghdr m = {.msg_name = &to, .msg_namelen = to_sockaddr(&path->peer, &to)};
    write_control(&m, &control, path, 0, false);
    pairs = pairs < NET_SEGMENTS ? pairs : NET_SEGMENTS;
    for (size_t i = 0; i < pairs; i++) {
        m.msg_iov = (struct iovec *)&parts[2 * i];
        m.msg_iovlen = 2;
        headers[i] = (struct mmsghdr){.msg_hdr = m};
    }
    int error = 0;
    for (int tries = 0; tries < TRIES; tries++) {
        int n = sendmmsg(fd, headers, (unsigned)pairs, MSG_DONTWAIT);
        if (n >= 0) {
            return n;
        }
        error = errno;
        if (!is_another_peers(error)) {
            break;
        }
    }
    return -error;
}
