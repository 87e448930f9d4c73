/*
 * bench-wire: a link between two interfaces, with delay, rate, a short queue and loss.
 *
 *     bench-wire --a xa --b xb --rate 1000 --queue 16 --delay 100 --limit 60
 *
 * Kernels without netem have it too: it takes frames off one interface and puts them on the
 * other.  Each direction is a transmitter with a tail-drop queue, then the delay; times count
 * from the kernel's stamp on a frame, so a late wake-up does not make a burst of it.  The far
 * ends must not offload checksums or segmentation: a link carries whole frames.
 *
 * Ends on SIGTERM or when its time is over, and prints one JSON object a direction.
 */
#include <errno.h>
#include <getopt.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/chance.h"

#define SLOTS       16384 /* frames of one direction on their way, a power of two */
#define FRAME_SIZE  2048
#define BATCH       64
#define SOCKET_ROOM (32 << 20)
#define OVERHEAD    24 /* preamble, checksum and gap: octets of rate, not of a frame */
#define WIRE_MIN    84 /* what the shortest frame takes */
#define WAIT_MAX    INT64_C(500000000)
#define NS          INT64_C(1000000000)

struct frame {
    int64_t leaves;  /* the transmitter has sent its last octet */
    int64_t arrives; /* leaves plus the delay */
    unsigned len;
    uint8_t octets[FRAME_SIZE];
};

struct direction {
    int from;
    int to;
    double loss;
    struct frame *ring;
    uint64_t head;    /* next to arrive */
    uint64_t waiting; /* first that has not left the transmitter */
    uint64_t tail;
    int64_t free_at; /* the transmitter is busy until then */
    uint64_t lost;
    uint64_t dropped; /* by the queue */
    uint64_t refused; /* too long, or the emulator itself is too slow */
    uint64_t out;
    int64_t latest; /* how late a frame was delivered at the worst */
};

struct wire {
    int64_t delay;   /* ns */
    double ns_octet; /* 0: as fast as it goes */
    uint64_t queue;  /* frames, 0: no limit */
    uint64_t random;
    struct direction way[2];
};

static volatile sig_atomic_t stopped;

static void on_stop(int number)
{
    (void)number;
    stopped = 1;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return ts.tv_sec * NS + ts.tv_nsec;
}

/* -- into the queue ----------------------------------------------------------------------- */

static bool admit(struct wire *w, struct direction *d, unsigned len, int64_t now)
{
    while (d->waiting < d->tail && d->ring[d->waiting % SLOTS].leaves <= now) {
        d->waiting++;
    }
    if (d->loss > 0 && chance(&w->random, d->loss)) {
        d->lost++;
        return false;
    }
    /* one frame is being sent, the others wait */
    if (w->queue > 0 && d->tail - d->waiting > w->queue) {
        d->dropped++;
        return false;
    }
    if (len > FRAME_SIZE || d->tail - d->head == SLOTS) {
        d->refused++;
        return false;
    }
    return true;
}

static void enqueue(struct wire *w, struct direction *d, const uint8_t *octets,
                    unsigned len, int64_t now)
{
    if (!admit(w, d, len, now)) {
        return;
    }
    struct frame *f = &d->ring[d->tail++ % SLOTS];
    unsigned length = len + OVERHEAD < WIRE_MIN ? WIRE_MIN : len + OVERHEAD;
    int64_t start = d->free_at > now ? d->free_at : now;
    f->leaves = d->free_at = start + (int64_t)(length * w->ns_octet);
    f->arrives = f->leaves + w->delay;
    f->len = len;
    memcpy(f->octets, octets, len);
}

/* When the kernel got the frame, on the monotonic clock. */
static int64_t stamp_of(struct msghdr *m, int64_t now, int64_t real_ahead)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec ts;
            memcpy(&ts, CMSG_DATA(c), sizeof ts);
            int64_t at = ts.tv_sec * NS + ts.tv_nsec - real_ahead;
            return at < now ? at : now;
        }
    }
    return now;
}

/* True: there may be more. */
static bool take(struct wire *w, struct direction *d)
{
    static uint8_t data[BATCH][FRAME_SIZE];
    static struct iovec parts[BATCH];
    static struct mmsghdr headers[BATCH];
    static union {
        struct cmsghdr header; /* for its alignment */
        uint8_t octets[CMSG_SPACE(sizeof(struct timespec))];
    } control[BATCH];
    for (int i = 0; i < BATCH; i++) {
        parts[i] = (struct iovec){data[i], FRAME_SIZE};
        headers[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i],
                                             .msg_iovlen = 1,
                                             .msg_control = &control[i],
                                             .msg_controllen = sizeof control[i]};
    }
    int n = recvmmsg(d->from, headers, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    int64_t real_ahead = clock_ns(CLOCK_REALTIME) - now;
    for (int i = 0; i < n; i++) {
        enqueue(w, d, data[i], headers[i].msg_len,
                stamp_of(&headers[i].msg_hdr, now, real_ahead));
    }
    return n == BATCH;
}

/* -- out of it ---------------------------------------------------------------------------- */

static unsigned gather(struct direction *d, struct mmsghdr *headers, struct iovec *parts)
{
    unsigned n = 0;
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    while (n < BATCH && d->head + n < d->tail) {
        struct frame *f = &d->ring[(d->head + n) % SLOTS];
        if (f->arrives > now) {
            break;
        }
        d->latest = now - f->arrives > d->latest ? now - f->arrives : d->latest;
        parts[n] = (struct iovec){f->octets, f->len};
        headers[n].msg_hdr = (struct msghdr){.msg_iov = &parts[n], .msg_iovlen = 1};
        n++;
    }
    return n;
}

/* True: there may be more. */
static bool deliver(struct direction *d)
{
    struct iovec parts[BATCH];
    struct mmsghdr headers[BATCH];
    unsigned n = gather(d, headers, parts);
    for (unsigned done = 0; done < n;) {
        int sent = sendmmsg(d->to, headers + done, n - done, 0);
        d->out += sent > 0 ? (unsigned)sent : 0;
        d->refused += sent <= 0;
        done += sent > 0 ? (unsigned)sent : 1;
    }
    d->head += n;
    d->waiting = d->waiting < d->head ? d->head : d->waiting;
    return n == BATCH;
}

static void wait_for_work(const struct wire *w)
{
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    int64_t left = WAIT_MAX;
    struct pollfd fds[2];
    for (int i = 0; i < 2; i++) {
        const struct direction *d = &w->way[i];
        fds[i] = (struct pollfd){.fd = d->from, .events = POLLIN};
        if (d->head < d->tail && d->ring[d->head % SLOTS].arrives - now < left) {
            left = d->ring[d->head % SLOTS].arrives - now;
        }
    }
    left = left > 0 ? left : 0;
    struct timespec ts = {left / NS, left % NS};
    (void)ppoll(fds, 2, &ts, NULL);
}

static void run(struct wire *w, int64_t limit)
{
    int64_t end = clock_ns(CLOCK_MONOTONIC) + limit;
    while (!stopped && clock_ns(CLOCK_MONOTONIC) < end) {
        bool more = false;
        for (int i = 0; i < 2; i++) {
            more = take(w, &w->way[i]) || more;
            more = deliver(&w->way[i]) || more;
        }
        if (!more) {
            wait_for_work(w);
        }
    }
}

/* -- start and end ------------------------------------------------------------------------ */

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* A raw socket that sees what comes in on an interface. */
static int open_end(const char *name)
{
    struct sockaddr_ll at = {.sll_family = AF_PACKET,
                             .sll_protocol = htons(ETH_P_ALL),
                             .sll_ifindex = (int)if_nametoindex(name)};
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && at.sll_ifindex != 0 &&
              set(fd, SOL_SOCKET, SO_RCVBUFFORCE, SOCKET_ROOM) &&
              set(fd, SOL_SOCKET, SO_SNDBUFFORCE, SOCKET_ROOM) &&
              set(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1) &&
              set(fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1) &&
              set(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1) &&
              bind(fd, (void *)&at, sizeof at) == 0;
    if (!ok) {
        (void)fprintf(stderr, "bench-wire: %s: %s\n", name, strerror(errno));
        return -1;
    }
    return fd;
}

static void print_direction(const char *name, const struct direction *d)
{
    struct tpacket_stats stats = {0};
    socklen_t len = sizeof stats;
    (void)getsockopt(d->from, SOL_PACKET, PACKET_STATISTICS, &stats, &len);
    printf("{\"way\": \"%s\", \"in\": %u, \"out\": %lu, \"lost\": %lu, \"dropped\": %lu, "
           "\"refused\": %lu, \"latest_us\": %.0f}\n",
           name, stats.tp_packets, d->out, d->lost, d->dropped,
           d->refused + stats.tp_drops, (double)d->latest / 1e3);
}

static const struct option long_options[] = {
    {"a", required_argument, NULL, 'a'},         {"b", required_argument, NULL, 'b'},
    {"delay", required_argument, NULL, 'd'},     {"rate", required_argument, NULL, 'r'},
    {"queue", required_argument, NULL, 'q'},     {"loss", required_argument, NULL, 'l'},
    {"loss-back", required_argument, NULL, 'm'}, {"seed", required_argument, NULL, 'S'},
    {"limit", required_argument, NULL, 'x'},     {NULL, 0, NULL, 0},
};

static const char usage[] =
    "usage: bench-wire --a INTERFACE --b INTERFACE [options]\n"
    "  --delay USEC   one way (0)\n"
    "  --rate MBIT    a second (0: no limit)\n"
    "  --queue N      frames that may wait for the transmitter (0: no limit)\n"
    "  --loss P       from a to b, 0..1 (0); --loss-back P: from b to a\n"
    "  --seed N       of the losses (1)\n"
    "  --limit SEC    of the run (600)\n";

static bool read_options(struct wire *w, const char **names, int64_t *limit, int argc,
                         char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        double value = optarg ? strtod(optarg, NULL) : 0;
        switch (option) {
        case 'a':
        case 'b':
            names[option - 'a'] = optarg;
            break;
        case 'd':
            w->delay = (int64_t)(value * 1e3);
            break;
        case 'r':
            w->ns_octet = value > 0 ? 8e3 / value : 0;
            break;
        case 'q':
            w->queue = (uint64_t)value;
            break;
        case 'l':
        case 'm':
            w->way[option - 'l'].loss = value;
            break;
        case 'S':
            w->random = chance_seed((uint64_t)value);
            break;
        case 'x':
            *limit = (int64_t)(value * 1e9);
            break;
        default:
            return false;
        }
    }
    return names[0] && names[1] && optind == argc;
}

int main(int argc, char **argv)
{
    static struct wire w;
    const char *names[2] = {NULL, NULL};
    int64_t limit = 600 * NS;
    w.random = chance_seed(1);
    if (!read_options(&w, names, &limit, argc, argv)) {
        (void)fputs(usage, stderr);
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        int fd = open_end(names[i]);
        w.way[i].from = w.way[1 - i].to = fd;
        w.way[i].ring = calloc(SLOTS, sizeof(struct frame));
        if (fd < 0 || !w.way[i].ring) {
            return 1;
        }
    }
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    struct sigaction stop = {.sa_handler = on_stop};
    (void)sigaction(SIGTERM, &stop, NULL);
    (void)sigaction(SIGINT, &stop, NULL);
    printf("ready\n");
    (void)fflush(stdout);
    run(&w, limit);
    print_direction("a>b", &w.way[0]);
    print_direction("b>a", &w.way[1]);
    return 0;
}
