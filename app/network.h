/*
 * app/network: the process's side of interfaces that come and go.
 *
 *     network_start()   watches the DHCP side's descriptors and the kernel's word on
 *                       interfaces; from then on all follows by itself
 *
 * Ownership: services and loop are borrowed and must outlive it.
 * Errors: 0 or -errno.  Shell: app/loop, app/privileges, common/netwatch.
 */
#ifndef APP_NETWORK_H
#define APP_NETWORK_H

#include "app/loop.h"
#include "dhcp/service.h"
#include "tftp/service.h"

struct network {
    struct loop *loop;
    struct dhcp_service *dhcp; /* NULL: disabled */
    struct tftp_service *tftp; /* NULL: disabled */
    /* As of the start; a reload does not change them. */
    struct interface_conf interfaces[CONFIG_INTERFACES_MAX];
    size_t interface_count;
    bool hotplug;
    struct tftp_doors doors;
    int watch_fd; /* -1: nothing is followed */
};

int network_start(struct network *n, struct loop *loop, const struct snapshot *config,
                  struct dhcp_service *dhcp, struct tftp_service *tftp);
void network_stop(struct network *n);

/* Is this address on a network that one of our interfaces is on, and not this host's own? */
bool network_is_attached(const struct network *n, const struct endpoint *peer,
                         unsigned ifindex);

/* What receiving from a watched descriptor came to, 0 or -errno: said, and let rest, if it is short. */
void network_rest(struct loop *loop, int fd, int error);

#endif
