#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/http.h"
#include "common/log.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

/*
 * A real server and clients in threads of their own, all at once: what SAN=thread looks at.
 * Claims are made in the main thread only, which is also the server's main loop.
 */

#define CLIENTS   12
#define ROUNDS    30
#define FILE_SIZE (3u << 20)

struct server {
    char root[32];
    uint16_t port;
    struct loop *loop;
    struct http *http;
    struct snapshot *config;
    struct loop_bell *end;
    /* Of the main loop. */
    unsigned pages;
    unsigned begun;
    unsigned whole;
    unsigned wanted_end; /* stop when so many transfers have begun; 0: never */
    /* Of the clients. */
    atomic_uint good;
    atomic_uint bad;
    atomic_uint running;
};

/* -- the server --------------------------------------------------------------------------- */

static void on_page(void *context, const struct http_request *q, struct http_answer *out)
{
    struct server *s = context;
    char text[32] = "?";
    (void)http_query(q, "say", text, sizeof text);
    s->pages++;
    out->type = "text/plain";
    out->octets = strdup(text);
    out->len = strlen(text);
}

static void on_file_page(void *context, const struct http_request *q,
                         struct http_answer *out)
{
    struct server *s = context;
    char path[64];
    (void)q;
    snprintf(path, sizeof path, "%s/file", s->root);
    out->fd = open(path, O_RDONLY | O_CLOEXEC);
}

static bool on_began(void *context, const struct endpoint *peer, const char *name)
{
    struct server *s = context;
    (void)peer;
    (void)name;
    s->begun++;
    if (s->begun == s->wanted_end) {
        loop_stop(s->loop);
    }
    return true;
}

static void on_whole(void *context, const struct endpoint *peer)
{
    struct server *s = context;
    (void)peer;
    s->whole++;
}

static usec_t deadline(void *context)
{
    const struct server *s = context;
    return http_deadline(s->http);
}

static void on_deadline(void *context, usec_t now)
{
    const struct server *s = context;
    http_timeout(s->http, now);
}

static void on_all_ended(void *context, usec_t now)
{
    struct server *s = context;
    (void)now;
    if (atomic_load(&s->running) == 0) {
        loop_stop(s->loop);
    }
}

static void write_file(const struct server *s)
{
    char path[64];
    char *octets = malloc(FILE_SIZE);
    for (size_t i = 0; i < FILE_SIZE; i++) {
        octets[i] = (char)(i % 251);
    }
    snprintf(path, sizeof path, "%s/file", s->root);
    FILE *to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    ck_assert_uint_eq(fwrite(octets, 1, FILE_SIZE, to), FILE_SIZE);
    ck_assert_int_eq(fclose(to), 0);
    free(octets);
}

/* On whichever port is free. */
static void open_server(struct server *s, const char *settings)
{
    struct faults faults = {0};
    struct tftp_hooks hooks = {.began = on_began, .whole = on_whole, .context = s};
    char why[HTTP_WHY_SIZE] = "";
    int error = -EADDRINUSE;
    log_set_level(LOG_ERROR);
    memset(s, 0, sizeof *s);
    snprintf(s->root, sizeof s->root, "/tmp/pxed-http-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(s->root));
    write_file(s);
    for (unsigned i = 0; error == -EADDRINUSE && i < 50; i++) {
        char text[512];
        snapshot_free(s->config);
        s->port = (uint16_t)(20000 + (unsigned)(getpid() + 37 * (int)i) % 10000);
        snprintf(text, sizeof text,
                 "{\"interfaces\":[\"lo\"],\"tftp\":{\"root\":\"%s\"},\"profiles\":{},"
                 "\"http\":{\"listen\":\"127.0.0.1:%u\",\"boot_files\":true%s}}",
                 s->root, s->port, settings);
        s->config = config_of(text);
        error = http_open(s->config, &hooks, &s->http, why);
    }
    ck_assert_msg(error == 0, "%s", why);
    faults_done(&faults);
    ck_assert_int_eq(loop_new(&s->loop), 0);
    ck_assert_int_eq(loop_on_bell(s->loop, on_all_ended, s, &s->end), 0);
    ck_assert(http_serve(s->http, "/metrics", on_page, s));
    ck_assert(http_serve(s->http, "/api/", on_page, s));
    ck_assert(http_serve(s->http, "/evidence/", on_file_page, s));
    loop_set_deadline(s->loop, deadline, on_deadline, s);
    ck_assert_int_eq(http_start(s->http, s->loop), 0);
}

static void close_server(struct server *s)
{
    char path[64];
    http_close(s->http);
    loop_free(s->loop);
    snapshot_free(s->config);
    snprintf(path, sizeof path, "%s/file", s->root);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(s->root), 0);
}

/* -- clients ------------------------------------------------------------------------------ */

static int connect_to(const struct server *s)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(s->port)};
    struct timeval patience = {.tv_sec = 20};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static bool ask(int fd, const char *method, const char *path)
{
    char text[256];
    int len = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
                       method, path);
    return send(fd, text, (size_t)len, MSG_NOSIGNAL) == len;
}

/* Reads an answer to its end and says how many octets its body had; -1: it broke off. */
static long read_answer(int fd, bool head, char *first, size_t size)
{
    static _Thread_local char buf[64 << 10];
    size_t used = 0;
    char *end = NULL;
    while (!end && used + 1 < sizeof buf) {
        ssize_t n = recv(fd, buf + used, sizeof buf - 1 - used, 0);
        if (n <= 0) {
            return -1;
        }
        used += (size_t)n;
        buf[used] = '\0';
        end = memmem(buf, used, "\r\n\r\n", 4);
    }
    const char *len = end ? strcasestr(buf, "content-length:") : NULL;
    if (!len) {
        return -1;
    }
    unsigned long want = head ? 0 : strtoul(len + 15, NULL, 10);
    size_t have = used - (size_t)(end + 4 - buf);
    snprintf(first, size, "%.*s", (int)(have < size ? have : size - 1), end + 4);
    while (have < want) {
        ssize_t n = recv(fd, buf, sizeof buf, 0);
        if (n <= 0) {
            return -1;
        }
        have += (size_t)n;
    }
    return (long)have;
}

static void count(struct server *s, bool good)
{
    atomic_fetch_add(good ? &s->good : &s->bad, 1);
}

/* One of each, over a connection that stays. */
static void use_all(struct server *s, int fd, unsigned number)
{
    char path[64];
    char said[32];
    char want[16];
    snprintf(want, sizeof want, "%u", number);
    snprintf(path, sizeof path, "/api/x?say=%u", number);
    count(s, ask(fd, "GET", path) &&
                 read_answer(fd, false, said, sizeof said) == (long)strlen(want) &&
                 strcmp(said, want) == 0);
    count(s, ask(fd, "GET", "/file") &&
                 read_answer(fd, false, said, sizeof said) == (long)FILE_SIZE);
    count(s, ask(fd, "HEAD", "/file") && read_answer(fd, true, said, sizeof said) == 0);
    count(s, ask(fd, "GET", "/evidence/1") &&
                 read_answer(fd, false, said, sizeof said) == (long)FILE_SIZE);
    count(s, ask(fd, "GET", "/none") && read_answer(fd, false, said, sizeof said) > 0);
}

/* Comes, and goes in the middle of something. */
static void break_off(struct server *s, unsigned number)
{
    static const struct linger at_once = {.l_onoff = 1};
    char buf[1000];
    int fd = connect_to(s);
    if (fd < 0) {
        count(s, false);
        return;
    }
    if (number % 3 == 0) {
        (void)send(fd, "GET /fi", 7, MSG_NOSIGNAL);
    } else if (number % 3 == 1) {
        (void)ask(fd, "GET", "/file");
        (void)recv(fd, buf, sizeof buf, 0);
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    (void)close(fd);
}

static void *client(void *context)
{
    struct server *s = context;
    for (unsigned i = 0; i < ROUNDS; i++) {
        int fd = connect_to(s);
        if (fd < 0) {
            count(s, false);
            continue;
        }
        use_all(s, fd, i);
        (void)close(fd);
        break_off(s, i);
    }
    if (atomic_fetch_sub(&s->running, 1) == 1) {
        loop_ring(s->end);
    }
    return NULL;
}

START_TEST(many_clients_at_once)
{
    struct server s;
    pthread_t threads[CLIENTS];
    open_server(&s, "");
    atomic_store(&s.running, CLIENTS);
    for (unsigned i = 0; i < CLIENTS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, client, &s), 0);
    }
    loop_run(s.loop);
    for (unsigned i = 0; i < CLIENTS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    close_server(&s);
    ck_assert_uint_eq(atomic_load(&s.bad), 0);
    ck_assert_uint_eq(atomic_load(&s.good), CLIENTS * ROUNDS * 5);
    ck_assert_uint_eq(s.pages, CLIENTS * ROUNDS);
    ck_assert_uint_ge(s.begun, CLIENTS * ROUNDS);
    ck_assert_uint_ge(s.whole, CLIENTS * ROUNDS);
}
END_TEST

/* Asks for a file and takes only some of it. */
static void *slow_client(void *context)
{
    struct server *s = context;
    char buf[1000];
    int fd = connect_to(s);
    if (fd >= 0 && ask(fd, "GET", "/file")) {
        while (recv(fd, buf, sizeof buf, 0) > 0) {
            (void)usleep(1000);
        }
        count(s, true);
        (void)close(fd);
    }
    return NULL;
}

START_TEST(it_ends_under_way)
{
    struct server s;
    pthread_t threads[CLIENTS];
    open_server(&s, "");
    s.wanted_end = CLIENTS;
    for (unsigned i = 0; i < CLIENTS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, slow_client, &s), 0);
    }
    loop_run(s.loop);
    close_server(&s);
    for (unsigned i = 0; i < CLIENTS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(s.begun, CLIENTS);
    ck_assert_uint_eq(atomic_load(&s.good), CLIENTS);
}
END_TEST

START_TEST(pages_are_for_those_named)
{
    struct server s;
    pthread_t thread;
    open_server(&s, ",\"page_from\":[\"127.0.0.2\"]");
    atomic_store(&s.running, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, client, &s), 0);
    loop_run(s.loop);
    (void)pthread_join(thread, NULL);
    close_server(&s);
    ck_assert_uint_eq(s.pages, 0);
    ck_assert_uint_eq(atomic_load(&s.bad), 2 * ROUNDS); /* /api/ and /evidence/: 403 */
    ck_assert_uint_eq(atomic_load(&s.good), 3 * ROUNDS);
}
END_TEST

START_TEST(a_taken_port_is_told)
{
    struct server s;
    struct http *second = NULL;
    struct tftp_hooks hooks = {0};
    char why[HTTP_WHY_SIZE];
    char want[HTTP_WHY_SIZE];
    open_server(&s, "");
    ck_assert_int_eq(http_open(s.config, &hooks, &second, why), -EADDRINUSE);
    snprintf(
        want, sizeof want,
        "cannot listen on 127.0.0.1:%u (HTTP): Address already in use; another server "
        "is there",
        s.port);
    ck_assert_str_eq(why, want);
    ck_assert_ptr_null(second);
    close_server(&s);
}
END_TEST

Suite *suite_app_http(void)
{
    Suite *s = suite_create("app/http, http_threads");
    TCase *tc = tcase_create("http");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, many_clients_at_once);
    tcase_add_test(tc, it_ends_under_way);
    tcase_add_test(tc, pages_are_for_those_named);
    tcase_add_test(tc, a_taken_port_is_told);
    suite_add_tcase(s, tc);
    return s;
}
