/*
 * dhcp/v6_link: how DHCPv6 requests reach us and what the kernel says of IPv6 interfaces.
 *
 * Port 547 is heard on a raw socket: it gets a copy of every request, those to the multicast
 * groups and those a relay sends to this host's address, and it binds nothing.  A DHCPv6
 * server on the same host keeps the port, in either start order, and misses no packet.
 *
 * Ownership: descriptors are the caller's.
 * Errors: 0 or -errno; outputs untouched then.
 * Shell: a raw socket, getifaddrs(3).  Opening needs CAP_NET_RAW, nothing after.
 */
#ifndef DHCP_V6_LINK_H
#define DHCP_V6_LINK_H

#include "common/net.h"

#define LINK6_ADDRESSES_MAX 16

struct link6 {
    unsigned ifindex; /* 0: there is no such interface */
    struct mac mac;
    bool has_mac;
    struct ip6 address[LINK6_ADDRESSES_MAX];
    size_t address_count;
};

/* Datagrams to UDP port 547, each with its UDP header before the payload. */
int link6_open_547(int *fd);
/* One datagram from port 547 to port `to_port` of path->peer. */
int link6_send_547(int fd, const struct net_path *path, uint16_t to_port,
                   const void *payload, size_t len);

/* An interface that is not there, or has no IPv6, is no error but has nothing to tell. */
int link6_read(const char *name, struct link6 *out);

/* All DHCPv6 servers and relays of the link; being a member already is fine. */
int link6_join(int fd, unsigned ifindex);
/*
 * One that came back with its old index (from another namespace) has forgotten its members, and
 * they count as such all the same until they leave.
 */
void link6_leave(int fd, unsigned ifindex);

#endif
