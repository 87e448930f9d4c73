#include "dhcp/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/log.h"
#include "common/net.h"
#include "dhcp/journal.h"
#include "dhcp/lookout.h"
#include "dhcp/pending.h"
#include "dhcp/repeats.h"
#include "dhcp/send.h"
#include "dhcp/sighting.h"
#include "dhcp/watch.h"

#define TFTP_PORT  69
#define FRAMES_MAX 256 /* read at one go before others get their turn */

struct dhcp_service {
    const struct snapshot *config;
    struct dhcp_hooks hooks;
    struct ports ports;
    int pxe_fd;        /* UDP port 4011 */
    uint32_t pxe_lost; /* as net_lost() */
    usec_t look;       /* when to ask what was lost; USEC_NEVER: nothing was read since */
    struct net_inbox *inbox;
    struct dhcp_counters counters;
    struct dhcp_decision decision; /* of the request at hand: too large for the stack */
    struct radar radar;
    struct ladder ladder;
    struct repeats repeats;
    struct pending pending;
    struct seen_packet raw; /* the packet at hand */
    usec_t now;             /* of the event at hand, or the last one */
};

/* -- start and end ------------------------------------------------------------------------ */

static bool draw_seeds(struct dhcp_service *s)
{
    size_t len = sizeof s->ladder.seed;
    return getrandom(&s->ladder.seed, len, 0) == (ssize_t)len &&
           getrandom(&s->repeats.seed, len, 0) == (ssize_t)len;
}

static void name_losses(struct dhcp_service *s)
{
    struct dhcp_counters *n = &s->counters;
    n->lost_4011.socket = "udp-4011";
    for (size_t i = 0; i < s->ports.count; i++) {
        const struct interface_conf *conf = &s->ports.list[i].conf;
        n->lost[i].socket = conf->listen == LISTEN_UDP ? "udp-67" : "capture";
        n->lost[i].interface = conf->name;
    }
}

int dhcp_service_open(const struct snapshot *config, const struct dhcp_hooks *hooks,
                      struct dhcp_service **out, char why[DHCP_SERVICE_WHY_SIZE])
{
    struct dhcp_service *s = calloc(1, sizeof *s);
    snprintf(why, DHCP_SERVICE_WHY_SIZE, "out of memory");
    if (!s) {
        return -ENOMEM;
    }
    s->config = config;
    s->hooks = *hooks;
    s->pxe_fd = -1;
    s->look = USEC_NEVER;
    s->inbox = net_inbox_new();
    int error = s->inbox && draw_seeds(s) ? ports_open(&s->ports, config, why) : -ENOMEM;
    if (error == 0) {
        error = ports_open_pxe(&s->pxe_fd, why);
    }
    if (error != 0) {
        dhcp_service_close(s);
        return error;
    }
    name_losses(s);
    *out = s;
    return 0;
}

void dhcp_service_close(struct dhcp_service *s)
{
    if (!s) {
        return;
    }
    ports_close(&s->ports);
    if (s->pxe_fd >= 0) {
        (void)close(s->pxe_fd);
    }
    net_inbox_free(s->inbox);
    free(s);
}

size_t dhcp_service_sockets(const struct dhcp_service *s, int fds[DHCP_SOCKETS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < s->ports.count; i++) {
        n += port_fds(&s->ports.list[i], &fds[n]);
    }
    fds[n++] = s->pxe_fd;
    return n;
}

void dhcp_service_configure(struct dhcp_service *s, const struct snapshot *config)
{
    s->config = config;
}

void dhcp_service_refresh(struct dhcp_service *s, const struct port_hooks *hooks)
{
    ports_refresh(&s->ports, hooks);
}

const struct ports *dhcp_service_ports(const struct dhcp_service *s)
{
    return &s->ports;
}

const struct radar *dhcp_service_radar(const struct dhcp_service *s)
{
    return &s->radar;
}

const struct dhcp_counters *dhcp_service_counters(const struct dhcp_service *s)
{
    return &s->counters;
}

/* -- a request's way ---------------------------------------------------------------------- */

/* Whoever serves files learns which machine has which address. */
static void tell_sighting(const struct dhcp_service *s, const struct dhcp_arrival *at,
                          const struct dhcp_packet *pkt)
{
    struct ip4 ip;
    struct machine machine;
    if (s->hooks.heard && dhcp_sighting(pkt, at, &s->decision.client, &ip, &machine)) {
        struct endpoint where = endpoint_ip4(ip, 0);
        s->hooks.heard(s->hooks.context, &where, &machine);
    }
}

static void tell_seen(const struct dhcp_service *s, const struct dhcp_packet *pkt)
{
    struct mac mac;
    const struct dhcp_decision *d = &s->decision;
    if (s->hooks.seen && pkt->op == BOOTREQUEST && d->client.class != PXE_NO_CLIENT &&
        dhcp_mac(pkt, &mac)) {
        s->hooks.seen(s->hooks.context, &mac, d->has_arch, d->arch);
    }
}

static void tell_decided(const struct dhcp_service *s, const struct port *p,
                         struct ip4 us, const struct dhcp_arrival *at,
                         const struct dhcp_packet *in)
{
    struct dhcp_event event = {.interface = p->conf.name,
                               .us = us,
                               .deaf = p->udp_fd >= 0,
                               .at = at,
                               .packet = in,
                               .decision = &s->decision};
    if (s->hooks.decided) {
        s->hooks.decided(s->hooks.context, &event);
    }
}

/* Ours come back by a second interface. */
static void tell_offered(const struct dhcp_service *s, const struct radar_reply *reply)
{
    struct mac client;
    struct radar_offer offer;
    if (s->hooks.offered && dhcp_mac(reply->packet, &client) &&
        radar_read_offer(reply, &offer) && !offer.ours) {
        s->hooks.offered(s->hooks.context, &client, &offer);
    }
}

static void tell_elsewhere(const struct dhcp_service *s, const struct port *p,
                           const struct frame *f)
{
    struct ip4 us;
    if (s->hooks.elsewhere && !identity_answers(&p->facts.identity, f->ip_to, &us) &&
        radar_is_elsewhere(&s->radar, &f->from, f->ip_to)) {
        dhcp_watch_passing(&s->hooks, &f->from, &s->raw);
        s->hooks.elsewhere(s->hooks.context, &f->from, f->ip_to, f->to_port, f->payload);
    }
}

static bool parse(struct dhcp_service *s, const struct port *p,
                  const struct dhcp_arrival *at, struct rd payload,
                  struct dhcp_packet *out)
{
    enum dhcp_fault fault = dhcp_parse(payload.p, rd_left(&payload), out);
    if (fault != DHCP_OK) {
        s->counters.bad_packets[fault]++;
        dhcp_journal_fault(p->conf.name, at, fault);
    }
    return fault == DHCP_OK;
}

static void count_request(struct dhcp_service *s, const struct port *p,
                          const struct dhcp_packet *in)
{
    struct traffic *t = &s->counters.traffic[p - s->ports.list];
    const struct dhcp_decision *d = &s->decision;
    traffic_count_request(t,
                          in->type == DHCP_DISCOVER  ? TRAFFIC_DISCOVER
                          : in->type == DHCP_REQUEST ? TRAFFIC_REQUEST
                                                     : TRAFFIC_OTHER_MESSAGE,
                          d);
    if (d->verdict == DHCP_ANSWERED) {
        t->offers[d->form] += d->type == DHCP_OFFER;
        t->acks += d->type != DHCP_OFFER;
    }
}

/* Decides, counts and logs; true when there are replies to send. */
static bool decide(struct dhcp_service *s, const struct port *p, struct ip4 us,
                   const struct dhcp_arrival *at, const struct dhcp_packet *in)
{
    struct dhcp_site site = {.config = s->config,
                             .address = us,
                             .has_file = s->hooks.has_file,
                             .state = s->hooks.state,
                             .context = s->hooks.context,
                             .interface = p->conf.name};
    struct dhcp_decision *d = &s->decision;
    enum dhcp_verdict verdict = ladder_decide(&s->ladder, &site, at, in, s->now, d);
    s->counters.verdicts[verdict]++;
    count_request(s, p, in);
    tell_sighting(s, at, in);
    tell_seen(s, in);
    dhcp_watch_message(&s->hooks, in, &s->raw, d->client.class != PXE_NO_CLIENT);
    tell_decided(s, p, us, at, in);
    dhcp_journal_decision(s->config, p->conf.name, at, in, d);
    return verdict == DHCP_ANSWERED;
}

static void count_sent(struct dhcp_service *s, const struct port *p, int error)
{
    if (error != 0) {
        s->counters.send_errors++;
        log_say(LOG_ERROR, "cannot send a DHCP reply on %s: %s", p->conf.name,
                strerror(-error));
    }
}

/* -- port 67 ------------------------------------------------------------------------------ */

/*
 * A capture also sees what a bridge or a mirror port passes by on its way to others, and
 * what this host forwards as a router.
 */
static bool is_for_us(const struct port *p, const struct frame *f, struct ip4 *us)
{
    bool group = f->to.octet[0] & 1;
    return (group || mac_equal(&f->to, &p->facts.mac)) &&
           identity_answers(&p->facts.identity, f->ip_to, us);
}

static void send_reply(struct dhcp_service *s, const struct port *p,
                       const struct way *way, const uint8_t *chaddr,
                       const struct dhcp_reply *reply)
{
    const struct dhcp_watch_reply told = {chaddr, way->us, p->facts.mac, reply};
    dhcp_watch_reply(&s->hooks, &told);
    count_sent(s, p, dhcp_send(p, way, reply));
}

/* The replies of the decision, now or when their delay is over. */
static void send_replies(struct dhcp_service *s, const struct port *p,
                         const struct way *way, const struct dhcp_packet *in)
{
    const struct dhcp_decision *d = &s->decision;
    if (d->delay_ms > 0) {
        struct pending_offer where = {.due = s->now + d->delay_ms * USEC_PER_MSEC,
                                      .interface = (size_t)(p - s->ports.list),
                                      .to = way->asker,
                                      .from = way->us};
        s->counters.dropped[DHCP_DROPPED_CROWDED] +=
            !pending_put(&s->pending, in, d, &where);
        return;
    }
    for (unsigned i = 0; i < d->reply_count; i++) {
        send_reply(s, p, way, in->chaddr, &d->reply[i]);
    }
}

/* A DISCOVER, or a REQUEST that has come to port 67. */
static void on_request(struct dhcp_service *s, const struct port *p,
                       const struct way *way, const struct dhcp_arrival *at,
                       const struct dhcp_packet *in)
{
    if (s->ports.count > 1 &&
        repeats_heard(&s->repeats, in, (size_t)(p - s->ports.list), s->now)) {
        s->counters.dropped[DHCP_DROPPED_REPEAT]++;
        return;
    }
    if (in->type == DHCP_DISCOVER) {
        pending_drop(&s->pending, in);
    }
    bool answered = decide(s, p, way->us, at, in);
    lookout_request(&s->radar, in, &s->decision);
    if (answered) {
        send_replies(s, p, way, in);
    }
}

static bool is_reply(struct rd payload)
{
    return rd_u8(&payload) == BOOTREPLY;
}

static void on_frame(struct dhcp_service *s, const struct port *p, enum capture_kind kind,
                     const uint8_t *octets, size_t len)
{
    struct frame f;
    struct dhcp_packet in;
    enum frame_fault fault = frame_parse(octets, len, &f);
    if (fault != FRAME_OK) {
        s->counters.bad_frames[fault]++;
        return;
    }
    struct dhcp_arrival at = {DHCP_SERVER_PORT, f.ip_from, f.from_port};
    struct way way = {.asker = f.from};
    s->raw = (struct seen_packet){.frame = octets, .frame_len = len};
    if (f.to_port == TFTP_PORT) {
        lookout_read_request(&s->radar, p, &f, s->now);
        tell_elsewhere(s, p, &f);
    } else if (f.to_port == DHCP_PXE_PORT) {
        tell_elsewhere(s, p, &f);
    } else if (is_reply(f.payload)) {
        if (parse(s, p, &at, f.payload, &in)) {
            struct radar_reply reply = {&in, f.from, f.ip_from, &p->facts.identity};
            lookout_reply(&s->radar, p, &reply, s->now);
            dhcp_watch_message(&s->hooks, &in, &s->raw, false);
            tell_offered(s, &reply);
        }
    } else if (kind == CAPTURE_INCOMING && is_for_us(p, &f, &way.us) &&
               parse(s, p, &at, f.payload, &in)) {
        on_request(s, p, &way, &at, &in);
    }
}

/* A broadcast that came by a socket. */
static void on_broadcast(struct dhcp_service *s, const struct port *p,
                         const struct net_dgram *d)
{
    struct dhcp_packet in;
    struct dhcp_arrival at = {DHCP_SERVER_PORT, endpoint_to_ip4(&d->path.peer),
                              d->path.peer.port};
    struct way way = {.us = p->facts.identity.offered};
    s->raw = dhcp_watch_datagram(d, DHCP_SERVER_PORT);
    if (parse(s, p, &at, rd_over(d->data, d->len), &in)) {
        on_request(s, p, &way, &at, &in);
    }
}

/* -- port 4011 ---------------------------------------------------------------------------- */

static bool may_reach(struct dhcp_service *s, const struct net_path *path)
{
    bool may = !s->hooks.may_reach ||
               s->hooks.may_reach(s->hooks.context, &path->peer, path->ifindex);
    s->counters.dropped[DHCP_DROPPED_UNRESOLVED] += !may;
    return may;
}

/* Whoever asks has an address, and the answer goes to where the request is from. */
static void on_datagram(struct dhcp_service *s, const struct port *p,
                        const struct net_dgram *d)
{
    struct dhcp_packet in;
    struct net_path path = d->path;
    struct dhcp_arrival at = {DHCP_PXE_PORT, endpoint_to_ip4(&path.peer), path.peer.port};
    if (d->group) { /* all were asked: as whom the interface is configured */
        path.local = endpoint_ip4(p->facts.identity.offered, 0);
    }
    struct ip4 us = endpoint_to_ip4(&path.local);
    s->raw = dhcp_watch_datagram(d, DHCP_PXE_PORT);
    if (parse(s, p, &at, rd_over(d->data, d->len), &in) && decide(s, p, us, &at, &in) &&
        may_reach(s, &path)) {
        const struct dhcp_reply *reply = &s->decision.reply[0];
        struct iovec part = {(void *)reply->packet, reply->len};
        const struct dhcp_watch_reply told = {in.chaddr, us, p->facts.mac, reply};
        dhcp_watch_reply(&s->hooks, &told);
        count_sent(s, p, net_send(s->pxe_fd, &path, &part, 1, 0, true));
    }
}

/* -- what has something to read ----------------------------------------------------------- */

/* DHCP_DROPPED_COUNT: nothing is. */
static enum dhcp_dropped in_the_way(const struct port *p, const struct net_path *path)
{
    if (!p) {
        return DHCP_DROPPED_OTHER_INTERFACE;
    }
    if (path->peer.port == 0) {
        return DHCP_DROPPED_PORT_0;
    }
    bool may = endpoint_may_ask(&path->peer, &path->local) &&
               !identity_is_broadcast(&p->facts.identity, endpoint_to_ip4(&path->peer));
    return may ? DHCP_DROPPED_COUNT : DHCP_DROPPED_NOT_A_HOST;
}

static int read_pxe_port(struct dhcp_service *s)
{
    struct net_dgram d[NET_BATCH];
    int error;
    size_t n = net_receive(s->pxe_fd, s->inbox, d, &error);
    for (size_t i = 0; i < n; i++) {
        const struct port *p = port_by_index(&s->ports, d[i].path.ifindex);
        enum dhcp_dropped why = in_the_way(p, &d[i].path);
        if (why != DHCP_DROPPED_COUNT) {
            s->counters.dropped[why]++;
            continue;
        }
        on_datagram(s, p, &d[i]);
    }
    return net_is_short(error) ? error : 0;
}

static int read_udp(struct dhcp_service *s, const struct port *p)
{
    struct net_dgram d[NET_BATCH];
    int error;
    size_t n = net_receive(p->udp_fd, s->inbox, d, &error);
    for (size_t i = 0; i < n; i++) {
        /* Where the kernel does not let us bind to the interface, all of them are heard. */
        if (p->waits == 0 && d[i].path.ifindex == p->facts.ifindex) {
            on_broadcast(s, p, &d[i]);
        }
    }
    return net_is_short(error) ? error : 0;
}

static int read_capture(struct dhcp_service *s, struct port *p, enum capture_kind kind)
{
    struct capture *c = kind == CAPTURE_OUTGOING ? p->outgoing : p->capture;
    const uint8_t *frame;
    size_t len;
    int status = 1;
    for (int i = 0; i < FRAMES_MAX && (status = capture_next(c, &frame, &len)) > 0; i++) {
        on_frame(s, p, kind, frame, len);
    }
    if (status >= 0 || net_is_short(status)) {
        return status < 0 ? status : 0;
    }
    p->broken = true;
    if (kind == CAPTURE_INCOMING && !s->config->hotplug) {
        log_say(LOG_ERROR, "interface %s is gone: no more PXE clients are answered there",
                p->conf.name);
    }
    return -ENODEV;
}

usec_t dhcp_service_deadline(const struct dhcp_service *s)
{
    usec_t offers = pending_deadline(&s->pending);
    return offers < s->look ? offers : s->look;
}

static void look_for_losses(struct dhcp_service *s)
{
    struct dhcp_counters *n = &s->counters;
    for (size_t i = 0; i < s->ports.count; i++) {
        losses_add(&n->lost[i], port_lost(&s->ports.list[i]), s->now);
    }
    losses_add(&n->lost_4011, net_lost(s->pxe_fd, &s->pxe_lost), s->now);
    s->look = USEC_NEVER;
}

void dhcp_service_timeout(struct dhcp_service *s, usec_t now)
{
    const struct pending_offer *offer;
    s->now = now;
    if (now >= s->look) {
        look_for_losses(s);
    }
    while ((offer = pending_take(&s->pending, now)) != NULL) {
        const struct port *p = &s->ports.list[offer->interface];
        struct way way = {offer->to, offer->from};
        for (unsigned i = 0; p->waits == 0 && i < offer->reply_count; i++) {
            send_reply(s, p, &way, offer->chaddr, &offer->reply[i]);
        }
    }
}

void dhcp_service_reached(struct dhcp_service *s, const struct mac *mac)
{
    ladder_loads(&s->ladder, mac, s->now);
}

const struct ladder *dhcp_service_ladder(const struct dhcp_service *s)
{
    return &s->ladder;
}

void dhcp_service_forget_forms(struct dhcp_service *s)
{
    ladder_forget(&s->ladder);
}

int dhcp_service_readable(struct dhcp_service *s, int fd, usec_t now)
{
    s->now = now;
    s->look = losses_expect(s->look, now);
    struct port *p = port_by_fd(&s->ports, fd);
    if (fd == s->pxe_fd) {
        return read_pxe_port(s);
    }
    if (p && p->udp_fd == fd) {
        return read_udp(s, p);
    }
    bool outgoing = p && p->outgoing && capture_fd(p->outgoing) == fd;
    return p ? read_capture(s, p, outgoing ? CAPTURE_OUTGOING : CAPTURE_INCOMING)
             : -ENODEV;
}
