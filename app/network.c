#include "app/network.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "app/privileges.h"
#include "common/log.h"
#include "common/net.h"
#include "common/netwatch.h"
#include "dhcp/interface.h"

static bool on_dhcp(void *context, int fd, enum loop_event event, usec_t now);

/* -- what the DHCP side asks of us -------------------------------------------------------- */

static void watch(void *context, int fd)
{
    struct network *n = context;
    int error = loop_watch(n->loop, fd, on_dhcp, n);
    if (error != 0) {
        log_say(LOG_ERROR, "cannot watch a new interface: %s", strerror(-error));
    }
}

static void unwatch(void *context, int fd)
{
    struct network *n = context;
    loop_unwatch(n->loop, fd);
}

static void raise_raw(void *context)
{
    (void)context;
    privileges_raise_raw();
}

static void lower_raw(void *context)
{
    (void)context;
    privileges_lower_raw();
}

/* -- following ---------------------------------------------------------------------------- */

/*
 * Files are served on the configured interfaces, and to this host itself.  Without hotplug
 * the interfaces are those of the start; their addresses are followed all the same.
 */
static void set_doors(struct network *n)
{
    struct tftp_doors *doors = &n->doors;
    int error = interface_subnets(n->interfaces, n->interface_count, doors->attached,
                                  TFTP_ATTACHED_MAX, &doors->attached_count);
    if (error != 0) {
        log_say(LOG_WARNING, "cannot tell which subnets are attached now: %s",
                strerror(-error));
    } else if (doors->attached_count == TFTP_ATTACHED_MAX) {
        log_say(LOG_WARNING,
                "the interfaces have more than %d subnets: name those of the clients in "
                "\"tftp.allow\"",
                TFTP_ATTACHED_MAX - 1);
    }
    for (size_t i = 0; i < doors->count; i++) {
        doors->mtu[i] = net_mtu(doors->ifindex[i]);
    }
    tftp_service_set_doors(n->tftp, doors);
}

static void find_doors(struct network *n)
{
    n->doors.loopback = if_nametoindex("lo");
    n->doors.ifindex[0] = n->doors.loopback;
    n->doors.count = 1;
    for (size_t i = 0; i < n->interface_count; i++) {
        unsigned ifindex = if_nametoindex(n->interfaces[i].name);
        if (ifindex != 0) {
            n->doors.ifindex[n->doors.count++] = ifindex;
        }
    }
}

static void refresh(struct network *n)
{
    if (n->dhcp) {
        struct port_hooks hooks = {watch, unwatch, raise_raw, lower_raw, n};
        dhcp_service_refresh(n->dhcp, &hooks);
    }
    if (n->tftp) {
        find_doors(n);
        set_doors(n);
    }
}

void network_rest(struct loop *loop, int fd, int error)
{
    if (net_is_short(error)) {
        log_say(LOG_WARNING, "packets cannot be received now: %s", strerror(-error));
        loop_rest(loop, fd);
    }
}

static bool on_change(void *context, int fd, enum loop_event event, usec_t now)
{
    struct network *n = context;
    (void)event;
    (void)now;
    int changed = netwatch_changed(fd);
    network_rest(n->loop, fd, changed);
    if (changed == 0) {
        return true;
    }
    if (n->hotplug) {
        refresh(n);
    } else {
        set_doors(n);
    }
    return true;
}

/* A capture that fails has lost its interface, and the kernel's word may be late. */
static bool on_dhcp(void *context, int fd, enum loop_event event, usec_t now)
{
    struct network *n = context;
    (void)event;
    int error = dhcp_service_readable(n->dhcp, fd, now);
    if (error == -ENODEV && n->hotplug) {
        refresh(n);
    }
    network_rest(n->loop, fd, error);
    return error != -ENODEV;
}

/* The DHCP side tells it of its own interfaces. */
static void warn_of_absent(const struct network *n)
{
    for (size_t i = 0; i < n->interface_count; i++) {
        if (if_nametoindex(n->interfaces[i].name) == 0) {
            log_say(LOG_WARNING, "there is no interface \"%s\"%s", n->interfaces[i].name,
                    n->hotplug ? "; it is waited for" : "");
        }
    }
}

bool network_is_attached(const struct network *n, const struct endpoint *peer,
                         unsigned ifindex)
{
    struct ip6 ip;
    memcpy(ip.octet, peer->ip, sizeof ip.octet);
    return ifindex != n->doors.loopback &&
           (ip6_is_link_local(&ip) ||
            subnets_hold(n->doors.attached, n->doors.attached_count, peer));
}

/* -- start and end ------------------------------------------------------------------------ */

static int follow(struct network *n)
{
    int error = netwatch_open(&n->watch_fd);
    return error == 0 ? loop_watch(n->loop, n->watch_fd, on_change, n) : error;
}

int network_start(struct network *n, struct loop *loop, const struct snapshot *config,
                  struct dhcp_service *dhcp, struct tftp_service *tftp)
{
    int error = 0;
    *n = (struct network){.loop = loop,
                          .dhcp = dhcp,
                          .tftp = tftp,
                          .interface_count = config->interface_count,
                          .hotplug = config->hotplug,
                          .watch_fd = -1};
    memcpy(n->interfaces, config->interfaces, sizeof n->interfaces);
    if (!dhcp) {
        warn_of_absent(n);
    }
    if (dhcp) {
        int fds[DHCP_SOCKETS_MAX];
        size_t count = dhcp_service_sockets(dhcp, fds);
        for (size_t i = 0; error == 0 && i < count; i++) {
            error = loop_watch(loop, fds[i], on_dhcp, n);
        }
    }
    if (error == 0 && n->hotplug) {
        error = follow(n);
        refresh(n); /* what has changed since the interfaces were opened */
    } else if (error == 0 && tftp) {
        error = follow(n);
        find_doors(n);
        set_doors(n);
    }
    return error;
}

void network_stop(struct network *n)
{
    if (n->loop && n->watch_fd >= 0) {
        loop_unwatch(n->loop, n->watch_fd);
        (void)close(n->watch_fd);
    }
}
