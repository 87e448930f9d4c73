#include "dhcp/ports.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "common/net.h"
#include "dhcp/reply.h"

static const struct port_hooks no_hooks;

/* -- opening and closing ------------------------------------------------------------------ */

static void shut(struct capture **c, const struct port_hooks *hooks)
{
    if (*c && hooks->unwatch) {
        hooks->unwatch(hooks->context, capture_fd(*c));
    }
    capture_close(*c);
    *c = NULL;
}

static void shut_captures(struct port *p, const struct port_hooks *hooks)
{
    shut(&p->capture, hooks);
    shut(&p->outgoing, hooks);
    p->broken = false;
}

/* Without the second one all goes on, but conflicts on this host are not seen. */
static int open_captures(struct port *p, const struct port_hooks *hooks)
{
    char unused[CAPTURE_WHY_SIZE];
    if (hooks->raise) {
        hooks->raise(hooks->context);
    }
    int error = capture_open(p->conf.name, CAPTURE_INCOMING, &p->capture, p->why);
    if (error == 0) {
        (void)capture_open(p->conf.name, CAPTURE_OUTGOING, &p->outgoing, unused);
    }
    if (hooks->lower) {
        hooks->lower(hooks->context);
    }
    int fds[PORT_FDS_MAX];
    size_t count = error == 0 && hooks->watch ? port_fds(p, fds) : 0;
    for (size_t i = 0; i < count; i++) {
        hooks->watch(hooks->context, fds[i]);
    }
    return error;
}

/*
 * Bound to 255.255.255.255 it gets a copy of every broadcast and nothing else, so another
 * server loses nothing by it.
 */
static int open_udp(struct interface_conf of, int *fd, char why[PORT_WHY_SIZE])
{
    struct net_udp conf = {.family = NET_IP4,
                           .address = IP4_BROADCAST,
                           .port = DHCP_SERVER_PORT,
                           .broadcast = true,
                           .shared = true,
                           .receive_buffer = 1 << 20,
                           .device = of.name};
    int error = net_udp_open(&conf, fd);
    if (error == -EADDRINUSE) {
        snprintf(why, PORT_WHY_SIZE,
                 "cannot share UDP port 67 on %s: another DHCP server on this host holds "
                 "it for itself (dnsmasq does without --bind-interfaces); \"listen\": "
                 "\"capture\" works beside it",
                 of.name);
    } else if (error == -EACCES || error == -EPERM) {
        snprintf(why, PORT_WHY_SIZE,
                 "cannot open UDP port 67: ports below 1024 need CAP_NET_BIND_SERVICE: "
                 "start as root, or with AmbientCapabilities=CAP_NET_BIND_SERVICE "
                 "(systemd), --cap-add=NET_BIND_SERVICE (container)");
    } else if (error != 0) {
        snprintf(why, PORT_WHY_SIZE, "cannot open UDP port 67: %s", strerror(-error));
    }
    return error;
}

/* The socket stays when its interface is made anew, but must be told the new index. */
static void bind_udp(struct port *p, const struct port_hooks *hooks)
{
    if (p->udp_ifindex == p->facts.ifindex) {
        return;
    }
    if (hooks->raise) {
        hooks->raise(hooks->context);
    }
    int error = net_bind_device(p->udp_fd, p->conf.name);
    if (hooks->lower) {
        hooks->lower(hooks->context);
    }
    bool was_bound = p->udp_ifindex != 0;
    p->udp_ifindex = p->facts.ifindex;
    if (error != 0 && was_bound) {
        log_say(LOG_ERROR, "cannot listen on the new interface %s: %s", p->conf.name,
                strerror(-error));
    }
}

/* -- what is there now -------------------------------------------------------------------- */

/* Reads the interface, closes what has lost it, opens what is missing; 0: it is served. */
static int update(struct port *p, const struct port_hooks *hooks)
{
    struct interface_facts facts = {0};
    int error = interface_read(&p->conf, &facts, p->why);
    if (error != 0 && error != -ENODEV) {
        return error; /* that tells nothing of the interface, so all stays as it is */
    }
    p->facts = facts;
    if (p->capture && (p->broken || !capture_is_on(p->capture, facts.ifindex))) {
        shut_captures(p, hooks);
    }
    if (error == 0) {
        error = interface_ready(&p->conf, &facts, p->why);
    }
    if (error == 0 && p->conf.listen == LISTEN_UDP) {
        bind_udp(p, hooks);
    } else if (error == 0 && !p->capture) {
        error = open_captures(p, hooks);
    }
    p->waits = error;
    return error;
}

static void warn_of_master(const struct port *p)
{
    char master[16];
    if (interface_master(p->conf.name, master)) {
        log_say(LOG_WARNING,
                "interface %s is a port of %s, which takes what comes in there: name %s "
                "under \"interfaces\" instead",
                p->conf.name, master, master);
    }
}

/* B32: the most frequent reason why a container of ours sees no client. */
static void warn_of_container_network(const struct port *p)
{
    char ip[IP4_TEXT];
    if (identity_is_of_containers(&p->facts.identity) &&
        interface_is_an_end(p->conf.name)) {
        log_say(
            LOG_WARNING,
            "interface %s with %s looks like a container engine's own bridge, which no "
            "DHCP broadcast crosses: run the container on the host's network, or on "
            "macvlan",
            p->conf.name, ip4_print(p->facts.identity.offered, ip));
    }
}

static void tell(const struct port *p)
{
    struct log_line l;
    char ip[IP4_TEXT];
    char mac[MAC_TEXT];
    if (p->waits != 0) {
        log_news(LOG_WARNING, "%s; it is waited for", p->why);
        return;
    }
    log_begin(&l, LOG_INFO, "interface serves");
    l.news = true;
    log_text(&l, "interface", p->conf.name);
    log_text(&l, "address", ip4_print(p->facts.identity.offered, ip));
    log_text(&l, "mac", mac_print(&p->facts.mac, mac));
    log_text(&l, "listen", p->conf.listen == LISTEN_UDP ? "udp" : "capture");
    log_end(&l);
    warn_of_master(p);
    warn_of_container_network(p);
}

static bool is_news(const struct port *before, const struct port *now)
{
    return before->waits != now->waits || before->facts.ifindex != now->facts.ifindex ||
           !mac_equal(&before->facts.mac, &now->facts.mac) ||
           !ip4_equal(before->facts.identity.offered, now->facts.identity.offered);
}

void ports_refresh(struct ports *ports, const struct port_hooks *hooks)
{
    for (size_t i = 0; i < ports->count; i++) {
        struct port *p = &ports->list[i];
        struct port before = *p;
        (void)update(p, hooks);
        if (is_news(&before, p)) {
            tell(p);
        }
    }
}

/* -- start and end ------------------------------------------------------------------------ */

static bool will_pass(int error)
{
    return error == -ENODEV || error == -ENETDOWN || error == -EADDRNOTAVAIL;
}

static int open_port(struct port *p, bool hotplug)
{
    int error = p->conf.listen == LISTEN_UDP ? open_udp(p->conf, &p->udp_fd, p->why)
                                             : capture_permitted(p->why);
    if (error != 0) {
        return error;
    }
    error = update(p, &no_hooks);
    if (error != 0 && !(hotplug && will_pass(error))) {
        return error;
    }
    tell(p);
    return 0;
}

int ports_open(struct ports *ports, const struct snapshot *config,
               char why[PORT_WHY_SIZE])
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < config->interface_count; i++) {
        struct port *p = &ports->list[ports->count++];
        *p = (struct port){.conf = config->interfaces[i], .udp_fd = -1};
        error = open_port(p, config->hotplug);
        if (error != 0) {
            snprintf(why, PORT_WHY_SIZE, "%s", p->why);
        }
    }
    return error;
}

void ports_close(struct ports *ports)
{
    for (size_t i = 0; i < ports->count; i++) {
        struct port *p = &ports->list[i];
        shut_captures(p, &no_hooks);
        if (p->udp_fd >= 0) {
            (void)close(p->udp_fd);
        }
    }
    ports->count = 0;
}

int ports_open_pxe(int *fd, char why[PORT_WHY_SIZE])
{
    struct net_udp conf = {.family = NET_IP4, .port = DHCP_PXE_PORT};
    int error = net_udp_open(&conf, fd);
    if (error != 0) {
        snprintf(why, PORT_WHY_SIZE, "cannot open UDP port 4011 (PXE): %s%s",
                 strerror(-error),
                 error == -EADDRINUSE ? "; another PXE server (dnsmasq with pxe-service, "
                                        "WDS proxy?) runs on this host"
                                      : "");
    }
    return error;
}

/* -- finding one -------------------------------------------------------------------------- */

size_t port_fds(const struct port *p, int fds[PORT_FDS_MAX])
{
    size_t n = 0;
    if (p->capture) {
        fds[n++] = capture_fd(p->capture);
    }
    if (p->outgoing) {
        fds[n++] = capture_fd(p->outgoing);
    }
    if (p->udp_fd >= 0) {
        fds[n++] = p->udp_fd;
    }
    return n;
}

uint32_t port_lost(struct port *p)
{
    uint32_t lost = p->capture ? capture_lost(p->capture) : 0;
    lost += p->outgoing ? capture_lost(p->outgoing) : 0;
    return lost + (p->udp_fd >= 0 ? net_lost(p->udp_fd, &p->udp_lost) : 0);
}

struct port *port_by_index(struct ports *ports, unsigned ifindex)
{
    for (size_t i = 0; i < ports->count; i++) {
        struct port *p = &ports->list[i];
        if (p->waits == 0 && p->facts.ifindex == ifindex) {
            return p;
        }
    }
    return NULL;
}

struct port *port_by_fd(struct ports *ports, int fd)
{
    for (size_t i = 0; i < ports->count; i++) {
        int fds[PORT_FDS_MAX];
        size_t count = port_fds(&ports->list[i], fds);
        for (size_t j = 0; j < count; j++) {
            if (fds[j] == fd) {
                return &ports->list[i];
            }
        }
    }
    return NULL;
}
