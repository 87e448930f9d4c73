#include "app/probe/exchange.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "app/terminal.h"
#include "common/cleanup.h"
#include "common/net.h"
#include "dhcp/frame.h"
#include "dhcp/reply.h"

#define ASK_TIME     (3 * USEC_PER_SEC) /* on port 4011 */
#define ASK_AGAIN    (1 * USEC_PER_SEC)
#define LEASE_TIME   (3 * USEC_PER_SEC)
#define DGRAM_MAX    2048
#define FRAME_MAX    (REQUEST_SIZE + FRAME_OVERHEAD)
#define OFFERS_AGAIN (4 * USEC_PER_SEC) /* EDK2's first interval */

/* -- opening ------------------------------------------------------------------------------ */

static int read_interface(struct exchange *x, char why[EXCHANGE_WHY_SIZE])
{
    struct interface_conf conf = {.listen = LISTEN_CAPTURE};
    struct interface_facts facts;
    snprintf(conf.name, sizeof conf.name, "%s", x->interface);
    int error = interface_read(&conf, &facts, why);
    if (error == 0) {
        error = interface_ready(&conf, &facts, why);
    }
    if (error != 0 && error != -EADDRNOTAVAIL) {
        return error;
    }
    x->card = facts.mac;
    x->address = facts.identity.offered;
    return 0;
}

int exchange_open(struct exchange *x, const char *interface,
                  const struct request_terms *terms, char why[EXCHANGE_WHY_SIZE])
{
    *x = (struct exchange){.interface = interface, .terms = *terms};
    x->terms.type = DHCP_DISCOVER;
    if (getrandom(&x->terms.xid, sizeof x->terms.xid, 0) < 0) {
        snprintf(why, EXCHANGE_WHY_SIZE, "the kernel gives no random numbers");
        return -EIO;
    }
    int error = read_interface(x, why);
    return error == 0 ? capture_open(interface, CAPTURE_ANSWERS, &x->capture, why)
                      : error;
}

void exchange_close(struct exchange *x)
{
    capture_close(x->capture);
    x->capture = NULL;
}

/* -- frames ------------------------------------------------------------------------------- */

static int send_frame(struct exchange *x, const struct request_terms *terms)
{
    uint8_t request[REQUEST_SIZE];
    uint8_t octets[FRAME_MAX];
    struct wr w = wr_over(octets, sizeof octets);
    const struct frame frame = {
        .to = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
        .from = x->card,
        .ip_to = IP4_BROADCAST,
        .to_port = DHCP_SERVER_PORT,
        .from_port = DHCP_CLIENT_PORT,
        .payload = rd_over(request, request_write(terms, request)),
    };
    frame_write(&w, &frame);
    return capture_send(x->capture, octets, wr_len(&w));
}

static bool is_ours(const struct exchange *x, const struct dhcp_packet *in, uint32_t xid)
{
    struct mac mac;
    return in->op == BOOTREPLY && in->xid == xid && dhcp_mac(in, &mac) &&
           mac_equal(&mac, &x->terms.mac);
}

/* The next answer to this transaction that is waiting; false: none is, or it is too late. */
static bool next_answer(struct exchange *x, uint32_t xid, usec_t until,
                        struct answer *out)
{
    const uint8_t *octets;
    size_t len;
    /* Whoever floods the wire does not hold us up for longer. */
    while (clock_now() < until && capture_next(x->capture, &octets, &len) == 1) {
        struct frame frame;
        struct dhcp_packet in;
        if (frame_parse(octets, len, &frame) != FRAME_OK) {
            continue;
        }
        enum dhcp_fault fault = dhcp_parse(frame.payload.p, rd_left(&frame.payload), &in);
        if (fault != DHCP_OK) {
            x->unread++;
        } else if (is_ours(x, &in, xid)) {
            memset(out, 0, sizeof *out);
            out->mac = frame.from;
            out->from = frame.ip_from;
            out->from_port = frame.from_port;
            answer_read(&in, out);
            return true;
        }
    }
    return false;
}

static void wait_for(int fd, usec_t until)
{
    usec_t now = clock_now();
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (now < until) {
        (void)poll(&p, 1, (int)((until - now) / USEC_PER_MSEC) + 1);
    }
}

static void keep(struct choice_facts *facts, const struct answer *a)
{
    for (size_t i = 0; i < facts->count; i++) {
        if (answer_same(&facts->answer[i], a)) {
            facts->answer[i].count++;
            return;
        }
    }
    if (facts->count < ANSWERS_MAX) {
        facts->answer[facts->count] = *a;
        facts->answer[facts->count++].count = 1;
    }
}

/* -- offers ------------------------------------------------------------------------------- */

/* `secs` as this client fills it in: iPXE counts its tries there. */
static uint16_t secs_of(const struct exchange *x, usec_t passed)
{
    return x->terms.manner == REQUEST_IPXE ? (uint16_t)((x->sent + 1) << 2)
                                           : (uint16_t)(passed / USEC_PER_SEC);
}

int exchange_offers(struct exchange *x, usec_t patience, struct choice_facts *facts,
                    char why[EXCHANGE_WHY_SIZE])
{
    usec_t began = clock_now();
    usec_t sent_at = 0;
    usec_t again = OFFERS_AGAIN;
    for (usec_t now = began; now < began + patience; now = clock_now()) {
        struct answer a;
        if (sent_at == 0 || now >= sent_at + again) {
            again = sent_at == 0 ? again : again * 2;
            x->terms.secs = secs_of(x, now - began);
            int error = send_frame(x, &x->terms);
            if (error != 0) {
                snprintf(why, EXCHANGE_WHY_SIZE, "nothing can be sent on %s",
                         x->interface);
                return error;
            }
            sent_at = now;
            x->sent++;
        }
        usec_t end = began + patience;
        usec_t until = sent_at + again < end ? sent_at + again : end;
        wait_for(capture_fd(x->capture), until);
        while (next_answer(x, x->terms.xid, until, &a)) {
            a.after = clock_now() - sent_at;
            keep(facts, &a);
        }
    }
    return 0;
}

/* -- port 4011 ---------------------------------------------------------------------------- */

/* From the port the client has; when that is taken here, from another: servers answer to it. */
static int open_question(const struct exchange *x, int *fd)
{
    struct net_udp conf = {
        .family = NET_IP4,
        .address = x->address,
        .port = x->terms.manner == REQUEST_IPXE ? DHCP_CLIENT_PORT : DHCP_PXE_PORT,
        .device = x->interface,
    };
    int error = net_udp_open(&conf, fd);
    if (error == -EADDRINUSE || error == -EACCES) {
        conf.port = 0;
        error = net_udp_open(&conf, fd);
    }
    return error;
}

static struct request_terms question_terms(struct exchange *x,
                                           const struct choice_question *question)
{
    struct request_terms terms = x->terms;
    terms.type = DHCP_REQUEST;
    terms.at_4011 = true;
    terms.client = x->address;
    terms.has_item = question->has_item;
    terms.item = question->item;
    if (terms.manner == REQUEST_IPXE) {
        terms.server = question->server;
        terms.secs = 15;
    } else if (getrandom(&terms.xid, sizeof terms.xid, 0) < 0) {
        terms.xid++;
    }
    return terms;
}

static void take_replies(struct exchange *x, int fd, struct net_inbox *inbox,
                         const struct request_terms *terms, struct answer *out)
{
    struct net_dgram dgram[NET_BATCH];
    int error;
    size_t count = net_receive(fd, inbox, dgram, &error);
    for (size_t i = 0; i < count && out->type == 0; i++) {
        struct dhcp_packet in;
        if (dhcp_parse(dgram[i].data, dgram[i].len, &in) != DHCP_OK) {
            x->unread++;
        } else if (is_ours(x, &in, terms->xid)) {
            out->from = endpoint_to_ip4(&dgram[i].path.peer);
            out->from_port = dgram[i].path.peer.port;
            answer_read(&in, out);
        }
    }
}

static int put_question(struct exchange *x, int fd, const struct request_terms *terms,
                        struct answer *out)
{
    uint8_t request[REQUEST_SIZE];
    struct net_inbox *inbox = net_inbox_new();
    const struct net_path path = {.peer = endpoint_ip4(out->asked, DHCP_PXE_PORT)};
    const struct iovec part = {request, request_write(terms, request)};
    usec_t began = clock_now();
    usec_t sent_at = 0;
    int error = inbox ? 0 : -ENOMEM;
    for (usec_t now = began; error == 0 && out->type == 0 && now < began + ASK_TIME;
         now = clock_now()) {
        if (sent_at == 0 || now >= sent_at + ASK_AGAIN) {
            error = net_send(fd, &path, &part, 1, 0, false);
            sent_at = now;
        }
        wait_for(fd, sent_at + ASK_AGAIN);
        take_replies(x, fd, inbox, terms, out);
        out->after = clock_now() - sent_at;
    }
    net_inbox_free(inbox);
    return error;
}

int exchange_ask(struct exchange *x, const struct choice_question *question,
                 struct choice_facts *facts, char why[EXCHANGE_WHY_SIZE])
{
    char ip[IP4_TEXT];
    AUTO(close) int fd = -1;
    struct answer a;
    memset(&a, 0, sizeof a);
    a.at_4011 = true;
    a.asked = question->server;
    if (ip4_is_any(x->address)) {
        snprintf(
            why, EXCHANGE_WHY_SIZE,
            "%s would have to be asked on port 4011, but %s has no IPv4 address here",
            ip4_print(question->server, ip), x->interface);
        return -EADDRNOTAVAIL;
    }
    const struct request_terms terms = question_terms(x, question);
    int error = open_question(x, &fd);
    if (error == 0) {
        error = put_question(x, fd, &terms, &a);
    }
    if (error != 0) {
        snprintf(why, EXCHANGE_WHY_SIZE, "%s cannot be asked on port 4011: %s",
                 ip4_print(question->server, ip), strerror(-error));
        return error;
    }
    if (facts->asked_count < CHOICE_ASKED) {
        facts->asked[facts->asked_count++] = *question;
    }
    if (a.type != 0) {
        keep(facts, &a);
    }
    return 0;
}

/* -- the lease ---------------------------------------------------------------------------- */

enum dhcp_message exchange_lease(struct exchange *x, const struct answer *offer,
                                 struct answer *reply)
{
    struct request_terms terms = x->terms;
    usec_t began = clock_now();
    terms.type = DHCP_REQUEST;
    terms.server = offer->server;
    terms.wanted = offer->address;
    if (send_frame(x, &terms) != 0) {
        return 0;
    }
    while (clock_now() < began + LEASE_TIME) {
        wait_for(capture_fd(x->capture), began + LEASE_TIME);
        while (next_answer(x, terms.xid, began + LEASE_TIME, reply)) {
            if (reply->type != DHCP_ACK && reply->type != DHCP_NAK) {
                continue;
            }
            reply->after = clock_now() - began;
            terms.type = DHCP_RELEASE; /* of a machine that does not exist */
            terms.client = reply->address;
            terms.wanted = IP4_ANY;
            if (reply->type == DHCP_ACK) {
                (void)send_frame(x, &terms);
            }
            return reply->type;
        }
    }
    return 0;
}
