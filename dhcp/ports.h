/*
 * dhcp/ports: the interfaces on which requests to port 67 are heard, as they come and go.
 *
 *     ports_open()      while privileges last
 *     ports_refresh()   when the kernel says that something changed: whatever can be served
 *                       now is opened, what is gone is closed, addresses are read anew
 *
 * A capture belongs to an interface's index and is opened when there is one; a UDP socket
 * needs port 67, so it is opened at start and kept.
 *
 * Ownership: ports own their captures and sockets.
 * Errors: 0 or -errno with the reason in words; later changes go to the log.
 * Shell: dhcp/capture, dhcp/interface, common/net, common/log.
 */
#ifndef DHCP_PORTS_H
#define DHCP_PORTS_H

#include "dhcp/capture.h"
#include "dhcp/interface.h"

#define PORT_WHY_SIZE 320

struct port {
    struct interface_conf conf;
    struct interface_facts facts; /* all zero: there is no such interface */
    int waits;                    /* 0: it serves; else -errno, and what is waited for: */
    char why[PORT_WHY_SIZE];
    struct capture *capture;  /* NULL: not open, or the port listens by UDP */
    struct capture *outgoing; /* beside it: what servers on this host say; may be NULL */
    bool broken;              /* a capture has failed: ports_refresh() opens a new one */
    int udp_fd;               /* -1: the port captures */
    unsigned udp_ifindex;     /* the interface the socket is bound to, 0: none */
    uint32_t udp_lost;        /* as net_lost() */
};

struct ports {
    struct port list[CONFIG_INTERFACES_MAX];
    size_t count;
};

/* What the process lends; NULL members are fine. */
struct port_hooks {
    /* A new descriptor is to be watched; one is to be let go of before it is closed. */
    void (*watch)(void *context, int fd);
    void (*unwatch)(void *context, int fd);
    /* Around the calls that need CAP_NET_RAW. */
    void (*raise)(void *context);
    void (*lower)(void *context);
    void *context;
};

/*
 * With config->hotplug an interface that is not there, is down or has no address is waited
 * for; without it that is an error, like everything else that will not pass by itself.
 */
int ports_open(struct ports *ports, const struct snapshot *config,
               char why[PORT_WHY_SIZE]);
void ports_refresh(struct ports *ports, const struct port_hooks *hooks);
void ports_close(struct ports *ports);

/* Port 4011, of all interfaces together. */
int ports_open_pxe(int *fd, char why[PORT_WHY_SIZE]);

#define PORT_FDS_MAX 2

/* What is to be watched at the moment. */
size_t port_fds(const struct port *p, int fds[PORT_FDS_MAX]);
/* How many packets were lost before they could be read, since it was last asked. */
uint32_t port_lost(struct port *p);
/* NULL: none that serves. */
struct port *port_by_index(struct ports *ports, unsigned ifindex);
struct port *port_by_fd(struct ports *ports, int fd);

#endif
