/*
 * bench-http: many HTTP clients in one thread, for tests/bench/http.py.
 *
 *     bench-http ADDRESS PORT PATH CLIENTS SECONDS [PROBE]
 *
 * SECONDS 0: each client fetches PATH once, over a connection of its own.  Else each fetches
 * it over and over, over one connection, for so long.  PROBE: one client more, which asks for
 * this small file every ten milliseconds and notes how long the first octet takes.
 *
 * Bodies are counted, not looked at (recv with MSG_TRUNC), so that the server is what is
 * measured.  Prints one JSON object.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HEAD_MAX    4096
#define SAMPLES_MAX 1000000
#define PROBE_USEC  10000
#define PATIENCE    60 /* seconds */
#define CHUNK       (1u << 20)

struct client {
    int fd;
    bool probes;
    bool busy; /* has asked */
    bool seen; /* the first octet of the answer */
    uint64_t asked;
    uint64_t left; /* octets of the body */
    size_t head_len;
    char head[HEAD_MAX];
};

struct samples {
    size_t count;
    uint32_t usec[SAMPLES_MAX];
};

static struct sockaddr_in server;
static uint64_t octets;
static unsigned long requests;
static unsigned failed;
static unsigned done;
static struct samples first;  /* octets of those that fetch */
static struct samples probed; /* of the one that probes */
static struct samples whole;

static uint64_t now_usec(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void note(struct samples *s, uint64_t usec)
{
    if (s->count < SAMPLES_MAX) {
        s->usec[s->count++] = usec < UINT32_MAX ? (uint32_t)usec : UINT32_MAX;
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void print_samples(const char *name, struct samples *s)
{
    qsort(s->usec, s->count, sizeof *s->usec, compare);
    uint32_t none = 0;
    const uint32_t *at = s->count ? s->usec : &none;
    size_t last = s->count ? s->count - 1 : 0;
    printf(", \"%s\": {\"count\": %zu, \"p50\": %u, \"p99\": %u, \"max\": %u}", name,
           s->count, at[last / 2], at[last * 99 / 100], at[last]);
}

static bool start(struct client *c, int epoll)
{
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0 ||
        (connect(c->fd, (const struct sockaddr *)&server, sizeof server) != 0 &&
         errno != EINPROGRESS)) {
        return false;
    }
    int on = 1;
    (void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event e = {.events = EPOLLIN | EPOLLOUT, .data.ptr = c};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &e) == 0;
}

static bool ask(struct client *c, const char *path)
{
    char text[512];
    int len = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: bench\r\n\r\n", path);
    c->busy = true;
    c->seen = false;
    c->head_len = 0;
    c->asked = now_usec();
    return send(c->fd, text, (size_t)len, MSG_NOSIGNAL) == len;
}

/* 1: go on, 0: wait, -1: it is over with it. */
static int read_head(struct client *c)
{
    ssize_t n = recv(c->fd, c->head + c->head_len, sizeof c->head - 1 - c->head_len, 0);
    if (n <= 0) {
        return n < 0 && errno == EAGAIN ? 0 : -1;
    }
    if (!c->seen) {
        c->seen = true;
        note(c->probes ? &probed : &first, now_usec() - c->asked);
    }
    c->head_len += (size_t)n;
    c->head[c->head_len] = '\0';
    const char *end = strstr(c->head, "\r\n\r\n");
    if (!end) {
        return c->head_len + 1 < sizeof c->head ? 0 : -1;
    }
    const char *len = strcasestr(c->head, "content-length:");
    if (!len || strncmp(c->head + 8, " 200", 4) != 0) {
        return -1;
    }
    uint64_t have = c->head_len - (size_t)(end + 4 - c->head);
    uint64_t size = strtoull(len + 15, NULL, 10);
    octets += have;
    c->left = size - have;
    c->head_len = HEAD_MAX; /* there */
    return 1;
}

static int read_body(struct client *c)
{
    while (c->left > 0) {
        ssize_t n = recv(c->fd, NULL, c->left < CHUNK ? c->left : CHUNK, MSG_TRUNC);
        if (n <= 0) {
            return n < 0 && errno == EAGAIN ? 0 : -1;
        }
        c->left -= (uint64_t)n;
        octets += (uint64_t)n;
    }
    requests++;
    note(&whole, now_usec() - c->asked);
    return 1;
}

/* 1: it has come whole. */
static int step(struct client *c)
{
    int result = c->head_len == HEAD_MAX ? 1 : read_head(c);
    return result == 1 ? read_body(c) : result;
}

static void finish(struct client *c, bool good)
{
    (void)close(c->fd);
    c->fd = -1;
    failed += !good;
    done++;
}

static void on_event(struct client *c, int epoll, const char *path, uint64_t until)
{
    if (!c->busy) {
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
        if (epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &e) != 0 || !ask(c, path)) {
            finish(c, false);
        }
        return;
    }
    int result = step(c);
    if (result > 0 && c->probes) {
        c->busy = false;
        struct epoll_event e = {.data.ptr = c}; /* until the next probe */
        (void)epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &e);
    } else if (result > 0 && now_usec() >= until) {
        finish(c, true);
    } else if (result < 0 || (result > 0 && !ask(c, path))) {
        finish(c, false);
    }
}

static void probe(struct client *c, int epoll, const char *path)
{
    if (c->fd >= 0 && !c->busy && now_usec() >= c->asked + PROBE_USEC) {
        on_event(c, epoll, path, UINT64_MAX);
    }
}

static void run(struct client *clients, unsigned count, const char *path,
                unsigned seconds, const char *probe_path)
{
    struct epoll_event events[256];
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    uint64_t begun = now_usec();
    uint64_t until = begun + (uint64_t)seconds * 1000000;
    for (unsigned i = 0; i < count + (probe_path != NULL); i++) {
        clients[i].probes = i == count;
        if (!start(&clients[i], epoll)) {
            finish(&clients[i], false);
        }
    }
    uint64_t end = until + PATIENCE * UINT64_C(1000000);
    while (done < count && now_usec() < end) {
        int n = epoll_wait(epoll, events, 256, probe_path ? 5 : 1000);
        for (int i = 0; i < n; i++) {
            struct client *c = events[i].data.ptr;
            if (c->fd >= 0) {
                on_event(c, epoll, c->probes ? probe_path : path, until);
            }
        }
        if (probe_path) {
            probe(&clients[count], epoll, probe_path);
        }
    }
    failed += count - (done < count ? done : count);
    double took = (double)(now_usec() - begun) / 1e6;
    printf("{\"octets\": %llu, \"seconds\": %.6f, \"requests\": %lu, \"failed\": %u",
           (unsigned long long)octets, took, requests, failed);
}

int main(int argc, char **argv)
{
    if (argc != 6 && argc != 7) {
        fprintf(stderr, "usage: bench-http ADDRESS PORT PATH CLIENTS SECONDS [PROBE]\n");
        return 2;
    }
    unsigned count = (unsigned)strtoul(argv[4], NULL, 10);
    struct rlimit files = {count + 100, count + 100};
    (void)setrlimit(RLIMIT_NOFILE, &files);
    server.sin_family = AF_INET;
    server.sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10));
    struct client *clients = calloc(count + 1, sizeof *clients);
    if (inet_pton(AF_INET, argv[1], &server.sin_addr) != 1 || !clients) {
        free(clients);
        fprintf(stderr, "bench-http: no such address, or no memory\n");
        return 1;
    }
    run(clients, count, argv[3], (unsigned)strtoul(argv[5], NULL, 10),
        argc == 7 ? argv[6] : NULL);
    print_samples("first", &first);
    print_samples("whole", &whole);
    print_samples("probe", &probed);
    printf("}\n");
    free(clients);
    return 0;
}
