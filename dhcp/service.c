#include "dhcp/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "common/net.h"
#include "dhcp/capture.h"
#include "dhcp/interface.h"
#include "dhcp/journal.h"
#include "dhcp/sighting.h"

#define FRAMES_MAX 256 /* read at one go before others get their turn */

struct port {
    char name[16];
    struct interface_facts facts;
    struct capture *capture; /* NULL: it is gone */
};

struct dhcp_service {
    const struct snapshot *config;
    struct dhcp_hooks hooks;
    struct port ports[CONFIG_INTERFACES_MAX];
    size_t port_count;
    int pxe_fd; /* UDP port 4011 */
    struct net_inbox *inbox;
    struct dhcp_counters counters;
    struct dhcp_decision decision; /* of the request at hand: too large for the stack */
};

/* -- start and end ------------------------------------------------------------------------ */

static int open_port(struct dhcp_service *s, const struct interface_conf *conf,
                     char why[DHCP_SERVICE_WHY_SIZE])
{
    struct port *p = &s->ports[s->port_count];
    int error = interface_read(conf, &p->facts, why);
    if (error == 0) {
        error = capture_open(conf->name, &p->capture, why);
    }
    if (error == 0) {
        snprintf(p->name, sizeof p->name, "%s", conf->name);
        s->port_count++;
    }
    return error;
}

static int open_pxe_port(struct dhcp_service *s, char why[DHCP_SERVICE_WHY_SIZE])
{
    struct net_udp conf = {.family = NET_IP4, .port = DHCP_PXE_PORT, .broadcast = true};
    int error = net_udp_open(&conf, &s->pxe_fd);
    if (error != 0) {
        snprintf(why, DHCP_SERVICE_WHY_SIZE, "cannot open UDP port 4011 (PXE): %s%s",
                 strerror(-error),
                 error == -EADDRINUSE ? "; another PXE server (dnsmasq with pxe-service, "
                                        "WDS proxy?) runs on this host"
                                      : "");
    }
    return error;
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
    s->inbox = net_inbox_new();
    int error = s->inbox ? 0 : -ENOMEM;
    for (size_t i = 0; error == 0 && i < config->interface_count; i++) {
        error = open_port(s, &config->interfaces[i], why);
    }
    if (error == 0) {
        error = open_pxe_port(s, why);
    }
    if (error != 0) {
        dhcp_service_close(s);
        return error;
    }
    *out = s;
    return 0;
}

void dhcp_service_close(struct dhcp_service *s)
{
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->port_count; i++) {
        capture_close(s->ports[i].capture);
    }
    if (s->pxe_fd >= 0) {
        (void)close(s->pxe_fd);
    }
    net_inbox_free(s->inbox);
    free(s);
}

size_t dhcp_service_sockets(const struct dhcp_service *s, int fds[DHCP_SOCKETS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < s->port_count; i++) {
        fds[n++] = capture_fd(s->ports[i].capture);
    }
    fds[n++] = s->pxe_fd;
    return n;
}

void dhcp_service_configure(struct dhcp_service *s, const struct snapshot *config)
{
    s->config = config;
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

/* Parses, decides, counts and logs; true when there are replies to send. */
static bool decide(struct dhcp_service *s, const struct port *p, struct ip4 us,
                   const struct dhcp_arrival *at, struct rd payload)
{
    struct dhcp_packet pkt;
    enum dhcp_fault fault = dhcp_parse(payload.p, rd_left(&payload), &pkt);
    if (fault != DHCP_OK) {
        s->counters.bad_packets[fault]++;
        dhcp_journal_fault(p->name, at, fault);
        return false;
    }
    struct dhcp_site site = {.config = s->config,
                             .address = us,
                             .has_file = s->hooks.has_file,
                             .state = s->hooks.state,
                             .context = s->hooks.context};
    enum dhcp_verdict verdict = dhcp_decide(&site, at, &pkt, &s->decision);
    s->counters.verdicts[verdict]++;
    tell_sighting(s, at, &pkt);
    tell_seen(s, &pkt);
    dhcp_journal_decision(s->config, p->name, at, &pkt, &s->decision);
    return verdict == DHCP_ANSWERED;
}

static void count_sent(struct dhcp_service *s, const struct port *p, int error)
{
    if (error == 0) {
        s->counters.replies++;
    } else {
        s->counters.send_errors++;
        log_say(LOG_ERROR, "cannot send a DHCP reply on %s: %s", p->name,
                strerror(-error));
    }
}

/*
 * A reply to port 67's client: to everybody when it has no address, else back the way the
 * request came, which needs neither a route nor ARP.
 */
static void inject(struct dhcp_service *s, const struct port *p,
                   const struct frame *request, const struct dhcp_reply *reply)
{
    static const struct mac everybody = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    uint8_t octets[FRAME_OVERHEAD + DHCP_MAX_LEN];
    struct wr w = wr_over(octets, sizeof octets);
    struct frame answer = {
        .to = ip4_equal(reply->to, IP4_BROADCAST) ? everybody : request->from,
        .from = p->facts.mac,
        .ip_to = reply->to,
        .ip_from = p->facts.address,
        .to_port = reply->to_port,
        .from_port = reply->from_port,
        .payload = rd_over(reply->packet, reply->len),
    };
    frame_write(&w, &answer);
    count_sent(s, p, capture_send(p->capture, octets, wr_len(&w)));
}

/* A capture also sees what a bridge or a mirror port passes by on its way to others. */
static bool is_for_us(const struct port *p, const struct frame *f)
{
    bool group = f->to.octet[0] & 1;
    return group || mac_equal(&f->to, &p->facts.mac);
}

static void on_frame(struct dhcp_service *s, const struct port *p, const uint8_t *octets,
                     size_t len)
{
    struct frame f;
    enum frame_fault fault = frame_parse(octets, len, &f);
    if (fault != FRAME_OK) {
        s->counters.bad_frames[fault]++;
        return;
    }
    if (!is_for_us(p, &f)) {
        return;
    }
    struct dhcp_arrival at = {DHCP_SERVER_PORT, f.ip_from, f.from_port};
    if (decide(s, p, p->facts.address, &at, f.payload)) {
        for (unsigned i = 0; i < s->decision.reply_count; i++) {
            inject(s, p, &f, &s->decision.reply[i]);
        }
    }
}

/* Port 4011: whoever asks has an address, and the answer goes to where the request is from. */
static void on_datagram(struct dhcp_service *s, const struct port *p,
                        const struct net_dgram *d)
{
    struct dhcp_arrival at = {DHCP_PXE_PORT, endpoint_to_ip4(&d->path.peer),
                              d->path.peer.port};
    struct ip4 us = endpoint_to_ip4(&d->path.local);
    if (!decide(s, p, us, &at, rd_over(d->data, d->len))) {
        return;
    }
    const struct dhcp_reply *reply = &s->decision.reply[0];
    struct iovec part = {(void *)reply->packet, reply->len};
    count_sent(s, p, net_send(s->pxe_fd, &d->path, &part, 1, 0, true));
}

static const struct port *port_by_index(const struct dhcp_service *s, unsigned ifindex)
{
    for (size_t i = 0; i < s->port_count; i++) {
        if (s->ports[i].facts.ifindex == ifindex) {
            return &s->ports[i];
        }
    }
    return NULL;
}

static void read_pxe_port(struct dhcp_service *s)
{
    struct net_dgram d[NET_BATCH];
    int error;
    size_t n = net_receive(s->pxe_fd, s->inbox, d, &error);
    for (size_t i = 0; i < n; i++) {
        const struct port *p = port_by_index(s, d[i].path.ifindex);
        if (p && d[i].path.peer.port > 0) {
            on_datagram(s, p, &d[i]);
        }
    }
}

static bool read_capture(struct dhcp_service *s, struct port *p)
{
    const uint8_t *frame;
    size_t len;
    int status = 1;
    for (int i = 0;
         i < FRAMES_MAX && (status = capture_next(p->capture, &frame, &len)) > 0; i++) {
        on_frame(s, p, frame, len);
    }
    if (status < 0) {
        log_say(LOG_ERROR, "interface %s is gone: no more PXE clients are answered there",
                p->name);
    }
    return status >= 0;
}

bool dhcp_service_readable(struct dhcp_service *s, int fd)
{
    if (fd == s->pxe_fd) {
        read_pxe_port(s);
        return true;
    }
    for (size_t i = 0; i < s->port_count; i++) {
        if (s->ports[i].capture && capture_fd(s->ports[i].capture) == fd) {
            return read_capture(s, &s->ports[i]);
        }
    }
    return false;
}
