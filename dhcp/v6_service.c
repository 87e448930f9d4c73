#include "dhcp/v6_service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/log.h"
#include "common/netwatch.h"
#include "dhcp/frame.h"
#include "dhcp/v6_clients.h"
#include "dhcp/v6_decision.h"
#include "dhcp/v6_held.h"
#include "dhcp/v6_journal.h"
#include "dhcp/v6_link.h"
#include "dhcp/v6_sighting.h"

/*
 * Quirk: EDK2 opens the socket it awaits the REPLY on after it has sent the request to port
 * 4011, asks once, and waits 3 s: what comes at once can be lost, and with it the boot.
 */
#define PXE_REPLY_DELAY (200 * USEC_PER_MSEC)

struct port6 {
    char name[16];
    struct link6 link;
    unsigned joined; /* the interface index whose groups we are in; 0: none */
};

struct dhcp6_service {
    const struct snapshot *config;
    struct dhcp_hooks hooks;
    struct port6 ports[CONFIG_INTERFACES_MAX];
    size_t port_count;
    uint8_t duid[DHCP6_DUID_LEN];
    bool has_duid;        /* no interface with a MAC has been there so far */
    int server_fd;        /* port 547 */
    int pxe_fd;           /* port 4011 */
    uint32_t server_lost; /* as net_lost() */
    uint32_t pxe_lost;
    usec_t look;  /* when to ask what was lost; USEC_NEVER: nothing was read since */
    int watch_fd; /* of interfaces and addresses that come and go, or -1 */
    struct net_inbox *inbox;
    struct clients6 clients;
    usec_t now; /* of the event at hand */
    struct held6 held;
    uint64_t client; /* a number for whom the event at hand is of */
    struct seen_client who;
    struct seen_packet raw; /* the packet at hand */
    struct dhcp6_counters counters;
    struct dhcp6_decision decision; /* of the request at hand: too large for the stack */
};

/* -- interfaces --------------------------------------------------------------------------- */

/* An interface without IPv6 is told once, and joined when it has some. */
static void join(struct dhcp6_service *s, struct port6 *p)
{
    if (p->link.address_count == 0) {
        if (p->joined != 0) {
            link6_leave(s->server_fd, p->joined);
            link6_leave(s->pxe_fd, p->joined);
        }
        p->joined = 0;
        return;
    }
    if (p->joined == p->link.ifindex) {
        return;
    }
    int error = link6_join(s->server_fd, p->link.ifindex);
    error = error == 0 ? link6_join(s->pxe_fd, p->link.ifindex) : error;
    if (error != 0) {
        log_say(LOG_WARNING, "cannot listen for DHCPv6 on %s: %s", p->name,
                strerror(-error));
        return;
    }
    p->joined = p->link.ifindex;
}

static void refresh(struct dhcp6_service *s)
{
    for (size_t i = 0; i < s->port_count; i++) {
        struct port6 *p = &s->ports[i];
        if (link6_read(p->name, &p->link) != 0) {
            continue; /* as it was */
        }
        join(s, p);
        if (!s->has_duid && p->link.has_mac) {
            dhcp6_duid(&p->link.mac, s->duid);
            s->has_duid = true;
        }
    }
}

static const struct port6 *port6_by_index(const struct dhcp6_service *s, unsigned ifindex)
{
    for (size_t i = 0; i < s->port_count; i++) {
        if (s->ports[i].link.ifindex == ifindex) {
            return &s->ports[i];
        }
    }
    return NULL;
}

/* -- start and end ------------------------------------------------------------------------ */

static int open_sockets(struct dhcp6_service *s, char why[DHCP_SERVICE_WHY_SIZE])
{
    const struct net_udp pxe = {.family = NET_IP6, .port = DHCP_PXE_PORT};
    const char *what = "a raw socket for UDP port 547 (DHCPv6)";
    int error = link6_open_547(&s->server_fd);
    if (error == 0) {
        what = "UDP port 4011 over IPv6 (PXE)";
        error = net_udp_open(&pxe, &s->pxe_fd);
    }
    if (error == 0 && s->config->hotplug) {
        what = "a netlink socket";
        error = netwatch_open(&s->watch_fd);
    }
    if (error != 0) {
        snprintf(why, DHCP_SERVICE_WHY_SIZE, "cannot open %s: %s", what,
                 strerror(-error));
    }
    return error;
}

int dhcp6_service_open(const struct snapshot *config, const struct dhcp_hooks *hooks,
                       struct dhcp6_service **out, char why[DHCP_SERVICE_WHY_SIZE])
{
    struct dhcp6_service *s = calloc(1, sizeof *s);
    snprintf(why, DHCP_SERVICE_WHY_SIZE, "out of memory");
    if (!s) {
        return -ENOMEM;
    }
    s->config = config;
    s->hooks = *hooks;
    s->server_fd = s->pxe_fd = s->watch_fd = -1;
    s->look = USEC_NEVER;
    s->counters.lost_547.socket = "udp-547";
    s->counters.lost_4011.socket = "udp-4011-ipv6";
    held6_init(&s->held);
    s->inbox = net_inbox_new();
    int error = s->inbox ? open_sockets(s, why) : -ENOMEM;
    if (getrandom(&s->clients.seed, sizeof s->clients.seed, 0) < 0) {
        error = -errno;
    }
    if (error != 0) {
        dhcp6_service_close(s);
        return error;
    }
    for (size_t i = 0; i < config->interface_count; i++) {
        struct port6 *p = &s->ports[s->port_count++];
        snprintf(p->name, sizeof p->name, "%s", config->interfaces[i].name);
    }
    refresh(s);
    *out = s;
    return 0;
}

void dhcp6_service_close(struct dhcp6_service *s)
{
    if (!s) {
        return;
    }
    const int fds[] = {s->server_fd, s->pxe_fd, s->watch_fd};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
    }
    net_inbox_free(s->inbox);
    free(s);
}

size_t dhcp6_service_sockets(const struct dhcp6_service *s, int fds[DHCP6_SOCKETS_MAX])
{
    size_t n = 0;
    fds[n++] = s->server_fd;
    fds[n++] = s->pxe_fd;
    if (s->watch_fd >= 0) {
        fds[n++] = s->watch_fd;
    }
    return n;
}

void dhcp6_service_configure(struct dhcp6_service *s, const struct snapshot *config)
{
    s->config = config;
}

const struct dhcp6_counters *dhcp6_service_counters(const struct dhcp6_service *s)
{
    return &s->counters;
}

/* -- a request's way ---------------------------------------------------------------------- */

/* Two interfaces on one wire hear what a client multicasts; relays know what they do. */
static bool is_repeat(struct dhcp6_service *s, const struct port6 *p,
                      const struct dhcp6_arrival *at, const struct dhcp6_packet *pkt)
{
    struct rd duid;
    return s->port_count > 1 && pkt->relay_count == 0 &&
           dhcp6_find(pkt->options, DHCP6_CLIENT_ID, &duid) &&
           clients6_repeats(&s->clients, duid, pkt, at->port, p->link.ifindex, s->now);
}

static uint64_t number_of(const struct dhcp6_service *s, const struct dhcp6_arrival *at,
                          const struct dhcp6_packet *pkt)
{
    struct rd duid;
    bool has_duid = dhcp6_find(pkt->options, DHCP6_CLIENT_ID, &duid);
    return has_duid ? hash_keyed(&s->clients.seed, duid.p, rd_left(&duid))
                    : hash_keyed(&s->clients.seed, &at->from, sizeof at->from);
}

/* Whoever serves files learns which machine has which address. */
static void tell_sighting(const struct dhcp6_service *s, const struct port6 *p,
                          const struct dhcp6_arrival *at, const struct dhcp6_packet *pkt)
{
    struct ip6 ip;
    struct machine machine;
    struct endpoint where = {.port = 0};
    if (s->hooks.heard && dhcp6_sighting(pkt, at, &s->decision, &ip, &machine)) {
        memcpy(where.ip, ip.octet, sizeof where.ip);
        where.scope = ip6_is_link_local(&ip) ? p->link.ifindex : 0;
        s->hooks.heard(s->hooks.context, &where, &machine);
    }
}

static void tell_seen(const struct dhcp6_service *s)
{
    const struct dhcp_decision *d = &s->decision.gate;
    if (s->hooks.seen && s->decision.has_mac && d->client.class != PXE_NO_CLIENT) {
        s->hooks.seen(s->hooks.context, &s->decision.mac, d->has_arch, d->arch);
    }
}

static enum traffic_message message_of(const struct dhcp6_packet *pkt)
{
    switch (pkt->type) {
    case DHCP6_SOLICIT:
        return TRAFFIC_SOLICIT;
    case DHCP6_REQUEST:
        return TRAFFIC_REQUEST;
    case DHCP6_INFORMATION_REQUEST:
        return TRAFFIC_INFORMATION;
    default:
        return TRAFFIC_OTHER_MESSAGE;
    }
}

static void count_request(struct dhcp6_service *s, const struct port6 *p,
                          const struct dhcp6_packet *pkt)
{
    struct traffic *t = &s->counters.traffic[p - s->ports];
    const struct dhcp6_decision *d = &s->decision;
    traffic_count_request(t, message_of(pkt), &d->gate);
    if (d->gate.verdict == DHCP_ANSWERED) {
        t->offers[OFFER_PXE] += d->type == DHCP6_ADVERTISE; /* IPv6 knows one form */
        t->acks += d->type != DHCP6_ADVERTISE;
    }
}

static void tell_decided(const struct dhcp6_service *s, const struct port6 *p,
                         const struct dhcp6_arrival *at, const struct dhcp6_packet *pkt)
{
    struct dhcp6_event event = {p->name, at, pkt, &s->decision};
    if (s->hooks.decided6) {
        s->hooks.decided6(s->hooks.context, &event);
    }
}

static void tell_packet(struct dhcp6_service *s, const struct dhcp6_arrival *at)
{
    const struct dhcp6_decision *d = &s->decision;
    s->who =
        (struct seen_client){.has_mac = d->has_mac, .mac = d->mac, .has_address = true};
    memcpy(s->who.address.ip, at->from.octet, sizeof at->from.octet);
    if (s->hooks.packet) {
        s->hooks.packet(s->hooks.context, &s->who, &s->raw,
                        d->gate.client.class != PXE_NO_CLIENT);
    }
}

/* Parses, decides, counts and logs; true when there is a reply to send. */
static bool decide(struct dhcp6_service *s, const struct port6 *p,
                   struct dhcp6_arrival *at, struct rd payload)
{
    struct dhcp6_packet pkt;
    enum dhcp6_fault fault = dhcp6_parse(payload.p, rd_left(&payload), &pkt);
    if (fault != DHCP6_OK) {
        s->counters.bad_packets[fault]++;
        dhcp6_journal_fault(p->name, at, fault);
        return false;
    }
    if (is_repeat(s, p, at, &pkt)) {
        s->counters.dropped[DHCP_DROPPED_REPEAT]++;
        return false;
    }
    s->client = number_of(s, at, &pkt);
    if (at->port == DHCP6_SERVER_PORT) {
        held6_drop(&s->held, s->client); /* it asks again: one answer is enough */
    }
    struct dhcp6_site site = {
        .config = s->config,
        .address = p->link.address,
        .address_count = p->link.address_count,
        .has_file = s->hooks.has_file,
        .state = s->hooks.state,
        .context = s->hooks.context,
        .interface = p->name,
    };
    memcpy(site.duid, s->duid, sizeof site.duid);
    enum dhcp_verdict verdict =
        clients6_decide(&s->clients, &site, at, &pkt, s->now, &s->decision);
    s->counters.verdicts[verdict]++;
    count_request(s, p, &pkt);
    tell_sighting(s, p, at, &pkt);
    tell_seen(s);
    tell_packet(s, at);
    tell_decided(s, p, at, &pkt);
    dhcp6_journal_decision(s->config, p->name, at, &pkt, &s->decision);
    return verdict == DHCP_ANSWERED;
}

static void count_sent(struct dhcp6_service *s, unsigned ifindex, int error)
{
    if (error != 0) {
        s->counters.send_errors++;
        const struct port6 *p = port6_by_index(s, ifindex);
        log_say(LOG_ERROR, "cannot send a DHCPv6 reply on %s: %s",
                p ? p->name : "an interface that is gone", strerror(-error));
    }
}

/* From the address that was asked; when that is a group, from the one the kernel chooses. */
static struct net_path way_back(const struct net_path *in)
{
    static const struct endpoint any;
    struct net_path out = *in;
    if (in->local.ip[0] == 0xff) {
        out.local = any;
    }
    return out;
}

static struct dhcp6_arrival arrival_of(uint16_t port, const struct net_path *path,
                                       uint16_t from_port)
{
    struct dhcp6_arrival at = {.port = port, .from_port = from_port};
    memcpy(at.from.octet, path->peer.ip, sizeof at.from.octet);
    memcpy(at.to.octet, path->local.ip, sizeof at.to.octet);
    return at;
}

/* To a group's question the kernel answers as the link-local address. */
static struct endpoint our_address(const struct port6 *p, const struct net_path *back)
{
    struct endpoint us = back->local;
    static const struct endpoint any;
    for (size_t i = 0; p && i < p->link.address_count; i++) {
        if (memcmp(us.ip, any.ip, sizeof us.ip) == 0 &&
            ip6_is_link_local(&p->link.address[i])) {
            memcpy(us.ip, p->link.address[i].octet, sizeof us.ip);
        }
    }
    return us;
}

static void tell_sent(const struct dhcp6_service *s, const struct held6_way *way,
                      const void *packet, size_t len)
{
    const struct port6 *p = port6_by_index(s, way->back.ifindex);
    struct seen_packet told = {.from = our_address(p, &way->back),
                               .to = way->back.peer,
                               .sent = true,
                               .head = packet,
                               .head_len = len};
    told.from.port = way->from_port;
    if (way->from_port == DHCP6_SERVER_PORT) {
        told.to.port = way->to_port;
    }
    if (s->hooks.packet && p) {
        told.us = p->link.mac;
        s->hooks.packet(s->hooks.context, &way->who, &told, false);
    }
}

static void send_reply(struct dhcp6_service *s, const struct held6_way *way,
                       const void *packet, size_t len)
{
    struct iovec part = {(void *)packet, len};
    int error = way->from_port == DHCP6_SERVER_PORT
                    ? link6_send_547(s->server_fd, &way->back, way->to_port, packet, len)
                    : net_send(s->pxe_fd, &way->back, &part, 1, 0, true);
    tell_sent(s, way, packet, len);
    count_sent(s, way->back.ifindex, error);
}

static bool may_reach(struct dhcp6_service *s, const struct net_path *path)
{
    bool may = !s->hooks.may_reach ||
               s->hooks.may_reach(s->hooks.context, &path->peer, path->ifindex);
    s->counters.dropped[DHCP_DROPPED_UNRESOLVED] += !may;
    return may;
}

/* Whoever cannot wait goes at once. */
static void send_or_hold(struct dhcp6_service *s, const struct net_path *path,
                         uint16_t from_port, usec_t delay)
{
    const struct dhcp6_reply *reply = &s->decision.reply;
    if (!may_reach(s, path)) {
        return;
    }
    struct held6_way way = {
        .back = way_back(path),
        .from_port = from_port,
        .to_port = reply->to_port,
        .client = s->client,
        .who = s->who,
    };
    if (delay == 0 ||
        !held6_put(&s->held, &way, reply->packet, reply->len, s->now + delay)) {
        send_reply(s, &way, reply->packet, reply->len);
    }
}

static struct seen_packet raw_of(const struct dhcp6_arrival *at,
                                 const struct net_path *path, struct rd payload)
{
    struct seen_packet raw = {.from = path->peer,
                              .to = path->local,
                              .head = payload.p,
                              .head_len = rd_left(&payload)};
    raw.from.port = at->from_port;
    raw.to.port = at->port;
    return raw;
}

/* Port 547: the datagram has its UDP header before it, whose checksum alone was verified. */
static void on_solicit(struct dhcp6_service *s, const struct port6 *p,
                       const struct net_dgram *d)
{
    struct rd r = rd_over(d->data, d->len);
    struct rd payload = rd_nothing(); /* which it stays when the header's length lies */
    uint16_t from_port = 0;
    uint16_t to_port;
    (void)frame_parse_udp(&r, &from_port, &to_port, &payload);
    struct dhcp6_arrival at = arrival_of(DHCP6_SERVER_PORT, &d->path, from_port);
    s->raw = raw_of(&at, &d->path, payload);
    if (!decide(s, p, &at, payload)) {
        return;
    }
    send_or_hold(s, &d->path, DHCP6_SERVER_PORT,
                 s->decision.gate.delay_ms * USEC_PER_MSEC);
}

static void on_request(struct dhcp6_service *s, const struct port6 *p,
                       const struct net_dgram *d)
{
    struct dhcp6_arrival at = arrival_of(DHCP_PXE_PORT, &d->path, d->path.peer.port);
    s->raw = raw_of(&at, &d->path, rd_over(d->data, d->len));
    if (decide(s, p, &at, rd_over(d->data, d->len))) {
        send_or_hold(s, &d->path, DHCP_PXE_PORT, PXE_REPLY_DELAY);
    }
}

/* DHCP_DROPPED_COUNT: nothing is. */
static enum dhcp_dropped in_the_way(const struct dhcp6_service *s, const struct port6 *p,
                                    const struct net_dgram *d, int fd)
{
    if (!p) {
        return DHCP_DROPPED_OTHER_INTERFACE;
    }
    if (d->cut) {
        return DHCP_DROPPED_TOO_LONG;
    }
    if (!endpoint_may_ask(&d->path.peer, &d->path.local)) {
        return DHCP_DROPPED_NOT_A_HOST;
    }
    if (fd == s->pxe_fd && d->path.peer.port == 0) {
        return DHCP_DROPPED_PORT_0;
    }
    return s->has_duid ? DHCP_DROPPED_COUNT : DHCP_DROPPED_NO_DUID;
}

int dhcp6_service_readable(struct dhcp6_service *s, int fd, usec_t now)
{
    struct net_dgram d[NET_BATCH];
    int error;
    s->now = now;
    s->look = losses_expect(s->look, now);
    /* First, whichever is readable: a request may come right behind a new address. */
    int changed = s->watch_fd >= 0 ? netwatch_changed(s->watch_fd) : 0;
    if (changed != 0) {
        refresh(s);
    }
    if (fd == s->watch_fd) {
        return net_is_short(changed) ? changed : 0;
    }
    size_t n = net_receive(fd, s->inbox, d, &error);
    for (size_t i = 0; i < n; i++) {
        const struct port6 *p = port6_by_index(s, d[i].path.ifindex);
        enum dhcp_dropped why = in_the_way(s, p, &d[i], fd);
        if (why != DHCP_DROPPED_COUNT) {
            s->counters.dropped[why]++;
        } else if (fd == s->server_fd) {
            on_solicit(s, p, &d[i]);
        } else {
            on_request(s, p, &d[i]);
        }
    }
    return net_is_short(error) ? error : 0;
}

/* -- what was lost, and replies held back ------------------------------------------------- */

usec_t dhcp6_service_deadline(const struct dhcp6_service *s)
{
    usec_t held = held6_deadline(&s->held);
    return held < s->look ? held : s->look;
}

static void look_for_losses(struct dhcp6_service *s, usec_t now)
{
    struct dhcp6_counters *n = &s->counters;
    losses_add(&n->lost_547, net_lost(s->server_fd, &s->server_lost), now);
    losses_add(&n->lost_4011, net_lost(s->pxe_fd, &s->pxe_lost), now);
    s->look = USEC_NEVER;
}

void dhcp6_service_timeout(struct dhcp6_service *s, usec_t now)
{
    if (now >= s->look) {
        look_for_losses(s, now);
    }
    const struct held6_reply *r = held6_take(&s->held, now);
    while (r) {
        send_reply(s, &r->way, r->packet, r->len);
        r = held6_take(&s->held, now);
    }
}
