#include "tests/bench/crowd.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/chance.h"

#define PACKETS      64 /* of one receive call */
#define RECEIVES     4  /* calls before another client gets its turn */
#define PACKET_SIZE  65536
#define EVENTS       256
#define STARTS       64        /* clients before the sockets are looked at */
#define LATE_MAX     (1 << 18) /* ACKs on their way, a power of two */
#define PROGRESS_GAP (200 * USEC_PER_MSEC)
#define SPARE_FILES  16

struct crowd_inbox {
    struct mmsghdr headers[PACKETS];
    struct iovec parts[PACKETS];
    struct sockaddr_storage peers[PACKETS];
    uint8_t data[PACKETS][PACKET_SIZE];
};

struct ack {
    uint16_t block;
    uint8_t window; /* the fifth octet of a client whose windows vary; 0: it has none */
};

struct late_ack {
    struct crowd_member *member;
    usec_t due;
    struct ack ack;
};

struct crowd_acks {
    struct late_ack ring[LATE_MAX];
    uint32_t first;
    uint32_t count;
};

static bool is_lost(struct crowd_member *m, double share)
{
    bool lost = share > 0 && chance(&m->random, share);
    m->crowd->lost += lost;
    return lost;
}

/* -- who was heard when ------------------------------------------------------------------- */

static void unlink_member(struct crowd_member *m)
{
    if (m->older) {
        m->older->newer = m->newer;
        m->newer->older = m->older;
        m->older = m->newer = NULL;
    }
}

static void heard_now(struct crowd_member *m)
{
    struct crowd_member *head = &m->crowd->oldest;
    unlink_member(m);
    m->heard = m->crowd->now;
    m->older = head->older;
    m->newer = head;
    head->older->newer = m;
    head->older = m;
}

/* -- sending ------------------------------------------------------------------------------ */

/* A packet the kernel refuses is a lost one. */
static void send_packet(struct crowd_member *m, const void *packet, size_t len)
{
    const struct crowd_conf *conf = &m->crowd->conf;
    const struct sockaddr *to = m->connected ? NULL : (const void *)&conf->server;
    (void)sendto(m->fd, packet, len, MSG_DONTWAIT, to, to ? conf->server_len : 0);
}

static void send_request(struct crowd_member *m)
{
    uint8_t packet[1024];
    size_t len = client_request(&m->client, packet, sizeof packet);
    send_packet(m, packet, len);
    heard_now(m);
}

static void close_member(struct crowd_member *m)
{
    if (m->fd >= 0 && m->waiting == 0) {
        (void)close(m->fd);
        m->fd = -1;
        m->crowd->open--;
    }
}

static void settle(struct crowd_member *m)
{
    struct crowd *crowd = m->crowd;
    if (m->ended == 0) {
        m->ended = crowd->now;
        crowd->ok += m->client.state == CLIENT_DONE;
        crowd->failed += m->client.state == CLIENT_FAILED;
        unlink_member(m);
    }
    close_member(m);
}

static struct ack ack_of(const struct crowd_member *m)
{
    const struct client *c = &m->client;
    return (struct ack){(uint16_t)c->block, c->varies ? (uint8_t)c->window : 0};
}

static void send_ack(struct crowd_member *m, struct ack ack)
{
    const uint8_t packet[5] = {0, 4, (uint8_t)(ack.block >> 8), (uint8_t)ack.block,
                               ack.window};
    m->crowd->acks++;
    if (!is_lost(m, m->crowd->conf.ack_loss)) {
        send_packet(m, packet, ack.window ? 5 : 4);
    }
}

static void acknowledge(struct crowd_member *m)
{
    struct crowd *crowd = m->crowd;
    struct crowd_acks *late = crowd->late;
    if (crowd->conf.round_trip == 0 || late->count == LATE_MAX) {
        send_ack(m, ack_of(m));
        return;
    }
    late->ring[(late->first + late->count) % LATE_MAX] =
        (struct late_ack){m, crowd->now + crowd->conf.round_trip, ack_of(m)};
    late->count++;
    m->waiting++;
}

static void send_late_acks(struct crowd *crowd)
{
    struct crowd_acks *late = crowd->late;
    while (late->count > 0 && late->ring[late->first].due <= crowd->now) {
        const struct late_ack *ack = &late->ring[late->first];
        struct crowd_member *m = ack->member;
        late->first = (late->first + 1) % LATE_MAX;
        late->count--;
        m->waiting--;
        send_ack(m, ack->ack);
        if (m->ended) {
            close_member(m);
        }
    }
}

/* -- receiving ---------------------------------------------------------------------------- */

static bool is_data(const uint8_t *packet, size_t len)
{
    return len >= 4 && packet[1] == 3;
}

static void on_packet(struct crowd_member *m, size_t i)
{
    struct crowd *crowd = m->crowd;
    struct crowd_inbox *in = crowd->inbox;
    size_t len = in->headers[i].msg_len;
    uint64_t block = m->client.block;
    if (m->ended || (is_data(in->data[i], len) && is_lost(m, crowd->conf.data_loss))) {
        return;
    }
    if (!m->connected) { /* the first to answer is the server from now on */
        m->connected = connect(m->fd, (void *)&in->peers[i],
                               in->headers[i].msg_hdr.msg_namelen) == 0;
    }
    bool answer = client_input(&m->client, in->data[i], len);
    if (answer) {
        acknowledge(m);
    }
    if (m->client.state == CLIENT_DONE || m->client.state == CLIENT_FAILED) {
        settle(m);
    } else if (m->client.block != block || block == 0) {
        m->tries = 0;
        heard_now(m);
    }
}

static int receive(struct crowd_member *m)
{
    struct crowd_inbox *in = m->crowd->inbox;
    for (size_t i = 0; i < PACKETS; i++) {
        in->headers[i].msg_hdr.msg_name = m->connected ? NULL : &in->peers[i];
        in->headers[i].msg_hdr.msg_namelen = m->connected ? 0 : sizeof in->peers[i];
    }
    return recvmmsg(m->fd, in->headers, PACKETS, MSG_DONTWAIT, NULL);
}

static void on_readable(struct crowd_member *m)
{
    int n = PACKETS;
    for (int calls = 0; calls < RECEIVES && n == PACKETS && m->fd >= 0; calls++) {
        n = receive(m);
        for (int i = 0; i < n; i++) {
            on_packet(m, (size_t)i);
        }
    }
}

/* -- time --------------------------------------------------------------------------------- */

static void repeat(struct crowd_member *m)
{
    m->crowd->retries++;
    if (++m->tries > m->crowd->conf.tries) {
        client_fail(&m->client,
                    m->client.state == CLIENT_ASKING ? "no answer" : "stalled");
        settle(m);
    } else if (m->client.state == CLIENT_ASKING) {
        send_request(m);
    } else {
        client_restart(&m->client);
        heard_now(m);
        send_ack(m, ack_of(m));
    }
}

static void repeat_all_due(struct crowd *crowd)
{
    struct crowd_member *m = crowd->oldest.newer;
    while (m != &crowd->oldest && m->heard + crowd->conf.retry <= crowd->now) {
        repeat(m);
        m = crowd->oldest.newer;
    }
}

static usec_t next_event(const struct crowd *crowd)
{
    const struct crowd_conf *conf = &crowd->conf;
    usec_t at = crowd->began + conf->limit;
    const usec_t others[] = {
        crowd->started < conf->clients ? crowd->began + crowd->started * conf->apart : at,
        crowd->late->count > 0 ? crowd->late->ring[crowd->late->first].due : at,
        crowd->oldest.newer != &crowd->oldest ? crowd->oldest.newer->heard + conf->retry
                                              : at,
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        at = others[i] < at ? others[i] : at;
    }
    return at;
}

static void show_progress(struct crowd *crowd, usec_t *shown)
{
    if (crowd->conf.progress && crowd->now >= *shown + PROGRESS_GAP) {
        double seconds = (double)(crowd->now - crowd->began) / 1e6;
        *shown = crowd->now;
        (void)fprintf(stderr, "\r%6.1f s  %zu of %zu clients  %8.1f MB  %7.1f MB/s ",
                      seconds, crowd->ok, crowd->conf.clients,
                      (double)crowd->plan->octets / 1e6,
                      (double)crowd->plan->octets / 1e6 / seconds);
    }
}

/* -- the run ------------------------------------------------------------------------------ */

static int bind_member(const struct crowd_member *m, size_t index)
{
    const struct crowd_conf *conf = &m->crowd->conf;
    if (conf->first_address == 0) {
        return 0;
    }
    uint32_t address = conf->first_address + (uint32_t)(index % conf->address_count);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(address)}};
    return bind(m->fd, (void *)&a, sizeof a) == 0 ? 0 : -errno;
}

static int start(struct crowd *crowd)
{
    const struct crowd_conf *conf = &crowd->conf;
    size_t index = crowd->started++;
    struct crowd_member *m = &crowd->members[index];
    int octets = conf->receive_buffer;
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = m}};
    *m = (struct crowd_member){.crowd = crowd, .began = crowd->now};
    m->random = chance_seed(conf->seed << 32 | index);
    client_init(&m->client, crowd->plan);
    m->fd = socket(conf->server.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (m->fd < 0) {
        return -errno;
    }
    crowd->open++;
    if (octets > 0) {
        (void)setsockopt(m->fd, SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets);
    }
    int error = bind_member(m, index);
    if (error == 0 && epoll_ctl(crowd->epoll_fd, EPOLL_CTL_ADD, m->fd, &event) != 0) {
        error = -errno;
    }
    if (error == 0) {
        send_request(m);
    }
    return error;
}

static int start_due(struct crowd *crowd)
{
    int error = 0;
    for (int i = 0; i < STARTS && error == 0; i++) {
        if (crowd->started == crowd->conf.clients ||
            crowd->now < crowd->began + crowd->started * crowd->conf.apart) {
            break;
        }
        error = start(crowd);
    }
    return error;
}

static int wait_and_read(struct crowd *crowd)
{
    struct epoll_event events[EVENTS];
    usec_t at = next_event(crowd);
    usec_t left = at > crowd->now ? at - crowd->now : 0;
    struct timespec ts = {(time_t)(left / USEC_PER_SEC),
                          (long)(left % USEC_PER_SEC) * 1000};
    int n = epoll_pwait2(crowd->epoll_fd, events, EVENTS, &ts, NULL);
    crowd->now = clock_now();
    for (int i = 0; i < n; i++) {
        on_readable(events[i].data.ptr);
    }
    return n >= 0 || errno == EINTR ? 0 : -errno;
}

int crowd_run(struct crowd *crowd)
{
    usec_t shown = 0;
    int error = 0;
    crowd->began = crowd->now = clock_now();
    while (error == 0 && crowd->now < crowd->began + crowd->conf.limit &&
           (crowd->started < crowd->conf.clients || crowd->open > 0)) {
        error = start_due(crowd);
        if (error == 0) {
            error = wait_and_read(crowd);
        }
        crowd->now = clock_now();
        send_late_acks(crowd);
        repeat_all_due(crowd);
        show_progress(crowd, &shown);
    }
    return error;
}

static void arm_inbox(struct crowd_inbox *in)
{
    for (size_t i = 0; i < PACKETS; i++) {
        in->parts[i] = (struct iovec){in->data[i], PACKET_SIZE};
        in->headers[i].msg_hdr.msg_iov = &in->parts[i];
        in->headers[i].msg_hdr.msg_iovlen = 1;
    }
}

int crowd_open(const struct crowd_conf *conf, struct client_plan *plan, struct crowd *out)
{
    struct rlimit files = {conf->clients + SPARE_FILES, conf->clients + SPARE_FILES};
    struct rlimit now;
    *out = (struct crowd){.conf = *conf, .plan = plan};
    if (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur < files.rlim_cur) {
        files.rlim_max = now.rlim_max > files.rlim_max ? now.rlim_max : files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files); /* socket() will tell */
    }
    out->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    out->members = calloc(conf->clients, sizeof *out->members);
    out->inbox = calloc(1, sizeof *out->inbox);
    out->late = calloc(1, sizeof *out->late);
    out->oldest.older = out->oldest.newer = &out->oldest;
    if (out->epoll_fd < 0 || !out->members || !out->inbox || !out->late) {
        int error = out->epoll_fd < 0 ? -errno : -ENOMEM;
        crowd_close(out);
        return error;
    }
    arm_inbox(out->inbox);
    return 0;
}

void crowd_close(struct crowd *crowd)
{
    for (size_t i = 0; crowd->members && i < crowd->started; i++) {
        client_done(&crowd->members[i].client);
        crowd->members[i].waiting = 0;
        close_member(&crowd->members[i]);
    }
    if (crowd->epoll_fd >= 0) {
        (void)close(crowd->epoll_fd);
    }
    free(crowd->members);
    free(crowd->inbox);
    free(crowd->late);
}
