/*
 * dhcp/interface: what the kernel says of a network interface.
 *
 * Errors: 0 or -errno, with the reason in words.  Shell: getifaddrs(3).
 */
#ifndef DHCP_INTERFACE_H
#define DHCP_INTERFACE_H

#include "config/snapshot.h"

struct interface_facts {
    unsigned ifindex;
    struct mac mac;
    struct ip4 address; /* the configured one if set, else the interface's first */
};

#define INTERFACE_WHY_SIZE 256

/*
 * -ENODEV: no such interface; -EADDRNOTAVAIL: it has no IPv4 address, or not the one that
 * is configured.
 */
int interface_read(const struct interface_conf *conf, struct interface_facts *out,
                   char why[INTERFACE_WHY_SIZE]);

#endif
