#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "app/probe/download.h"
#include "common/cleanup.h"
#include "common/net.h"

#define TFTP_PORT      69
#define RECEIVE_BUFFER (4 << 20)
#define DGRAM_MAX      65536
#define DGRAMS_MAX     1024 /* taken before the time is looked at */

struct transfer {
    const struct download_terms *terms;
    struct fetch fetch;
    struct net_path path; /* to the server: port 69 until it has answered */
    bool answered;
    int fd;
    struct sink *sink;
    uint8_t dgram[DGRAM_MAX];
};

static void fault(struct transfer *t, const char *what, int error)
{
    snprintf(t->fetch.fault, sizeof t->fetch.fault, "%s: %s", what, strerror(error));
    t->fetch.state = FETCH_FAILED;
}

static void send_due(struct transfer *t)
{
    uint8_t packet[FETCH_PACKET_SIZE];
    for (size_t len; (len = fetch_next(&t->fetch, packet, clock_now())) > 0;) {
        const struct iovec part = {packet, len};
        int error = net_send(t->fd, &t->path, &part, 1, 0, false);
        if (error == -ENETUNREACH || error == -EHOSTUNREACH || error == -EPERM) {
            fault(t, "the server cannot be reached", -error);
        }
    }
}

/* Whoever answers first is the server; datagrams of others are not looked at. */
static bool is_server(struct transfer *t, const struct sockaddr_in *from)
{
    struct ip4 ip;
    memcpy(ip.octet, &from->sin_addr, sizeof ip.octet);
    struct endpoint peer = endpoint_ip4(ip, ntohs(from->sin_port));
    if (!ip4_equal(ip, t->terms->server) ||
        (t->answered && !endpoint_equal(&peer, &t->path.peer))) {
        return false;
    }
    t->path.peer = peer;
    t->answered = true;
    return true;
}

static void receive_all(struct transfer *t)
{
    for (int i = 0; t->fetch.state < FETCH_DONE && i < DGRAMS_MAX; i++) {
        struct sockaddr_in from = {0};
        socklen_t from_len = sizeof from;
        ssize_t n = recvfrom(t->fd, t->dgram, sizeof t->dgram, 0,
                             (struct sockaddr *)&from, &from_len);
        if (n < 0) {
            return;
        }
        if (is_server(t, &from)) {
            struct rd data = fetch_input(&t->fetch, t->dgram, (size_t)n, clock_now());
            sink_add(t->sink, data.p, rd_left(&data));
            if (t->fetch.due) {
                send_due(t);
            }
        }
        if (t->fetch.octets > DOWNLOAD_MAX) {
            fault(t, "the file does not end", EFBIG);
        }
    }
}

static void wait_for(const struct transfer *t)
{
    usec_t now = clock_now();
    usec_t until = fetch_deadline(&t->fetch);
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    if (now < until) {
        (void)poll(&p, 1, (int)((until - now) / USEC_PER_MSEC) + 1);
    }
}

static int open_socket(const struct download_terms *terms, int *fd)
{
    const struct net_udp conf = {
        .family = NET_IP4,
        .address = terms->local,
        .device = terms->interface,
        .receive_buffer = RECEIVE_BUFFER,
    };
    return net_udp_open(&conf, fd);
}

/* One request, to its end. */
static void run(struct transfer *t, bool size_only)
{
    struct fetch_terms terms = t->terms->fetch;
    AUTO(close) int fd = -1;
    terms.size_only = size_only;
    fetch_init(&t->fetch, &terms, clock_now());
    t->answered = false;
    t->path = (struct net_path){.peer = endpoint_ip4(t->terms->server, TFTP_PORT)};
    int error = open_socket(t->terms, &fd);
    if (error != 0) {
        fault(t, "no socket can be opened", -error);
        return;
    }
    t->fd = fd;
    while (t->fetch.state < FETCH_DONE) {
        send_due(t);
        wait_for(t);
        receive_all(t);
        fetch_timeout(&t->fetch, clock_now());
    }
    send_due(t);
}

static void report(const struct transfer *t, struct download *out)
{
    const struct fetch *f = &t->fetch;
    out->done = f->state == FETCH_DONE;
    out->not_found = f->error == 2; /* 1 + "file not found" */
    snprintf(out->fault, sizeof out->fault, "%s", f->fault);
    out->took = f->ended_at - f->asked_at;
    out->first_byte = f->first_at > 0 ? f->first_at - f->asked_at : 0;
    out->rtt = f->rtt;
    out->block = f->block;
    out->window = f->window;
    out->repeated = f->repeated;
    out->early = f->early;
    out->resent += f->resent;
    out->has_size |= f->has_size;
    out->size = f->has_size ? f->size : out->size;
}

/* The size first, if this client asks for it. */
static void load(struct transfer *t, struct download *out)
{
    const struct download_terms *terms = t->terms;
    sink_begin(t->sink, terms->terminal, terms->fetch.file, 0);
    if (fetch_asks_size_first(terms->fetch.manner)) {
        run(t, true);
        report(t, out);
        if (!out->done) {
            return;
        }
        sink_begin(t->sink, terms->terminal, terms->fetch.file, out->size);
    }
    run(t, false);
    report(t, out);
    sink_end(t->sink, out);
    if (out->done && out->has_size && out->size != out->octets) {
        out->done = false;
        snprintf(out->fault, sizeof out->fault,
                 "the file has %llu octets, but the server told %llu",
                 (unsigned long long)out->octets, (unsigned long long)out->size);
    }
}

void download_tftp(const struct download_terms *terms, struct download *out)
{
    struct transfer *t = calloc(1, sizeof *t);
    struct sink *sink = calloc(1, sizeof *sink);
    *out = (struct download){0};
    if (t && sink) {
        t->terms = terms;
        t->sink = sink;
        load(t, out);
    } else {
        snprintf(out->fault, sizeof out->fault, "out of memory");
    }
    free(sink);
    free(t);
}
