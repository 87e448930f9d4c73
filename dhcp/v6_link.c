#include "dhcp/v6_link.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/bytes.h"
#include "common/cleanup.h"
#include "dhcp/v6_packet.h"

#define UDP_HEADER_LEN      8
#define UDP_CHECKSUM_OFFSET 6

/* ff02::1:2 and ff05::1:3 (RFC 8415 section 7.1): clients ask the one, relays either. */
static const struct ip6 groups[] = {
    {{0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2}},
    {{0xff, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3}},
};

/* -- port 547 ----------------------------------------------------------------------------- */

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* Of all UDP the host gets, the kernel hands us what goes to port 547. */
static bool filter_547(int fd)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 2), /* destination port */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, DHCP6_SERVER_PORT, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

int link6_open_547(int *fd)
{
    AUTO(close)
    int s = socket(AF_INET6, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
    /* With its offset told, the kernel computes and verifies the checksum. */
    if (s < 0 || !filter_547(s) || !set(s, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1) ||
        !set(s, IPPROTO_IPV6, IPV6_CHECKSUM, UDP_CHECKSUM_OFFSET)) {
        return -errno;
    }
    *fd = take_fd(&s);
    return 0;
}

int link6_send_547(int fd, const struct net_path *path, uint16_t to_port,
                   const void *payload, size_t len)
{
    uint8_t header[UDP_HEADER_LEN];
    struct wr w = wr_over(header, sizeof header);
    wr_u16(&w, DHCP6_SERVER_PORT);
    wr_u16(&w, to_port);
    wr_u16(&w, (uint16_t)(UDP_HEADER_LEN + len));
    wr_u16(&w, 0);
    const struct iovec parts[] = {{header, sizeof header}, {(void *)payload, len}};
    struct net_path raw = *path;
    raw.peer.port = 0; /* a raw socket takes a protocol number there */
    return net_send(fd, &raw, parts, 2, 0, true);
}

static int set_group(int fd, int option, unsigned ifindex, size_t group)
{
    struct ipv6_mreq request = {.ipv6mr_interface = ifindex};
    memcpy(&request.ipv6mr_multiaddr, groups[group].octet, sizeof groups[group].octet);
    return setsockopt(fd, IPPROTO_IPV6, option, &request, sizeof request) == 0 ? 0
                                                                               : -errno;
}

int link6_join(int fd, unsigned ifindex)
{
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        int error = set_group(fd, IPV6_JOIN_GROUP, ifindex, i);
        if (error != 0 && error != -EADDRINUSE) {
            return error;
        }
    }
    return 0;
}

void link6_leave(int fd, unsigned ifindex)
{
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        (void)set_group(fd, IPV6_LEAVE_GROUP, ifindex, i);
    }
}

/* -- interfaces --------------------------------------------------------------------------- */

static void take_mac(const struct sockaddr *address, struct link6 *out)
{
    struct sockaddr_ll link;
    memcpy(&link, address, sizeof link);
    if (link.sll_halen == sizeof out->mac.octet) {
        memcpy(out->mac.octet, link.sll_addr, sizeof out->mac.octet);
        out->has_mac = true;
    }
}

static void take_address(const struct sockaddr *address, struct link6 *out)
{
    struct sockaddr_in6 in6;
    memcpy(&in6, address, sizeof in6);
    if (out->address_count < LINK6_ADDRESSES_MAX) {
        memcpy(out->address[out->address_count++].octet, &in6.sin6_addr,
               sizeof in6.sin6_addr);
    }
}

int link6_read(const char *name, struct link6 *out)
{
    struct link6 link = {.ifindex = if_nametoindex(name)};
    struct ifaddrs *list;
    if (getifaddrs(&list) != 0) {
        return -errno;
    }
    for (const struct ifaddrs *a = list; a; a = a->ifa_next) {
        if (!a->ifa_addr || strcmp(a->ifa_name, name) != 0) {
            continue;
        }
        if (a->ifa_addr->sa_family == AF_PACKET) {
            take_mac(a->ifa_addr, &link);
        } else if (a->ifa_addr->sa_family == AF_INET6) {
            take_address(a->ifa_addr, &link);
        }
    }
    freeifaddrs(list);
    *out = link;
    return 0;
}
