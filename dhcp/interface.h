/*
 * dhcp/interface: what the kernel says of a network interface.
 *
 * Errors: 0 or -errno, with the reason in words.  Shell: getifaddrs(3), sysfs.
 */
#ifndef DHCP_INTERFACE_H
#define DHCP_INTERFACE_H

#include "config/snapshot.h"
#include "dhcp/identity.h"

struct interface_facts {
    unsigned ifindex; /* 0: there is no such interface */
    struct mac mac;
    bool ethernet;
    bool up;
    struct identity identity; /* its addresses, then the host's others */
};

#define INTERFACE_WHY_SIZE 256

/* -ENODEV: no such interface, and the words name those that there are. */
int interface_read(const struct interface_conf *conf, struct interface_facts *out,
                   char why[INTERFACE_WHY_SIZE]);

/*
 * What is in the way of serving there: -ENETDOWN; -EADDRNOTAVAIL: no IPv4 address, or not
 * the one that is configured; -EOPNOTSUPP: not Ethernet, which will not pass.
 */
int interface_ready(const struct interface_conf *conf,
                    const struct interface_facts *facts, char why[INTERFACE_WHY_SIZE]);

/* The subnets of these interfaces, of both families; those beyond `room` are left out. */
int interface_subnets(const struct interface_conf *list, size_t count, struct subnet *out,
                      size_t room, size_t *found);

/* The bridge or bond this interface is a port of; false: none. */
bool interface_master(const char *name, char out[16]);

/* Neither hardware nor a bridge: the end of a veth pair, as containers have it, or the like. */
bool interface_is_an_end(const char *name);

#endif
