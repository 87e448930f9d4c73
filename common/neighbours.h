/*
 * common/neighbours: the hardware address behind an IP address, as the kernel knows it.
 *
 *     neighbours_open(&fd); ... neighbours_ask(fd, ifindex, &address, &mac)
 *
 * Asks for one entry of the neighbour table (RTM_GETNEIGH, Linux 5.0).  The kernel answers
 * within the call that asks, so nothing is waited for.  Who sends to us has asked for our
 * hardware address before, by ARP or neighbour discovery, and that makes an entry; one who
 * comes through a router has none.
 *
 * Errors: 0 or -errno.
 * Shell: rtnetlink(7).  Needs no privileges.
 */
#ifndef COMMON_NEIGHBOURS_H
#define COMMON_NEIGHBOURS_H

#include "common/netaddr.h"

int neighbours_open(int *fd);

enum neighbour {
    NEIGHBOUR_KNOWN,
    NEIGHBOUR_ABSENT, /* it has no place in the table: what is sent there takes one */
    NEIGHBOUR_UNTOLD, /* it is being searched for, or has none, or the kernel did not say */
};

/* NEIGHBOUR_KNOWN, and *out is set; else it is untouched. */
enum neighbour neighbours_ask(int fd, unsigned ifindex, const struct endpoint *address,
                              struct mac *out);

#endif
