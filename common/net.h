/*
 * common/net: UDP sockets that know which local address a datagram came to.
 *
 * A server with several addresses must answer from the one it was asked at; a transfer's
 * window should cost one system call.  Both live here, and nothing is decided here.
 *
 * Units: octets.  Ownership: descriptors are the caller's; what net_receive() hands out are
 * views into the inbox, good until its next call.
 * Errors: 0 or -errno; outputs untouched then.  Shell: sockets.
 */
#ifndef COMMON_NET_H
#define COMMON_NET_H

#include <sys/uio.h>

#include "common/netaddr.h"

#define NET_BATCH     64    /* datagrams a receive call brings at the most */
#define NET_DGRAM_MAX 2048  /* longer ones are cut, and say so */
#define NET_SEGMENTS  64    /* of one segmented send: what Linux before 6.9 takes */
#define NET_SEGMENTED 65507 /* octets of one segmented send */

enum net_family { NET_IP4, NET_IP6 };

struct net_udp {
    enum net_family family;
    struct ip4 address; /* to bind to, with NET_IP4; 0.0.0.0: every one */
    uint16_t port;      /* 0: the kernel chooses */
    bool broadcast;     /* may send to broadcast addresses */
    bool shared;        /* others may bind to the same port (SO_REUSEADDR) */
    const char
        *device; /* not NULL: hear this interface only, if it is there and we may */
    bool errors; /* report unreachable peers: net_unreachable() */
    int receive_buffer; /* octets, 0: the system's default; root gets it beyond rmem_max */
    int send_buffer;
};

/* Where a datagram came from and came in, which is also where an answer goes and leaves. */
struct net_path {
    struct endpoint peer;
    struct endpoint local; /* our address; its port is not filled in */
    unsigned ifindex;
};

struct net_dgram {
    const uint8_t *data;
    size_t len;
    struct net_path path;
    bool cut; /* was longer than NET_DGRAM_MAX */
    bool
        group; /* came to a broadcast or multicast address; path.local is the kernel's choice */
};

struct net_inbox; /* buffers of one batch, shared by all sockets of a thread */

struct net_inbox *net_inbox_new(void); /* NULL: out of memory */
void net_inbox_free(struct net_inbox *inbox);

/* Bound, non-blocking, close-on-exec, never setting DF. */
int net_udp_open(const struct net_udp *conf, int *fd);
/* From now on only what comes in by this interface; to do it again needs CAP_NET_RAW. */
int net_bind_device(int fd, const char *interface);
int net_port(int fd, uint16_t *port);

/* How many datagrams now stand in out[]; 0: none, or an error (*error = -errno). */
size_t net_receive(int fd, struct net_inbox *inbox, struct net_dgram out[NET_BATCH],
                   int *error);

/*
 * How many datagrams this socket has dropped, for want of room or with a wrong checksum, since
 * *seen was last set here; it begins as 0.
 */
uint32_t net_lost(int fd, uint32_t *seen);

/* Is this -errno a lack of memory or descriptors, which the next call would meet as well? */
bool net_is_short(int error);

/*
 * One datagram made of parts; with segment > 0 the octets leave as several datagrams of
 * `segment` octets each, the last maybe shorter (UDP_SEGMENT).  pin_interface: leave by
 * path->ifindex whatever the routing table says.
 */
int net_send(int fd, const struct net_path *path, const struct iovec *parts, size_t count,
             uint16_t segment, bool pin_interface);

/* Each pair of parts (header, body) is one datagram.  How many were taken, or -errno. */
int net_send_pairs(int fd, const struct net_path *path, const struct iovec *parts,
                   size_t pairs);

/* "Destination unreachable" by ICMP: about which peer, and who says so (without a port). */
struct net_unreachable {
    struct endpoint peer;
    struct endpoint by;
};

/* The next one (sockets opened with `errors`); other ICMP is passed over; false: no more. */
bool net_unreachable(int fd, struct net_unreachable *out);

/* The interface's MTU, 0 when it cannot be told. */
unsigned net_mtu(unsigned ifindex);

#endif
