#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/probe/download.h"
#include "app/probe/http_head.h"
#include "common/net.h"

#define QUIET_MAX   (10 * USEC_PER_SEC) /* without an octet */
#define BUFFER_SIZE (256 << 10)

/* A connection, and what came last. */
struct talk {
    struct http_url url;
    int fd;
    char *buffer;
    size_t len;
    char *fault;  /* DOWNLOAD_FAULT_SIZE */
    usec_t until; /* all of it */
};

static bool fail(const struct talk *t, const char *what)
{
    snprintf(t->fault, DOWNLOAD_FAULT_SIZE, "%s", what);
    return false;
}

static bool fail_with(const struct talk *t, const char *what, int error)
{
    snprintf(t->fault, DOWNLOAD_FAULT_SIZE, "%s: %s", what, strerror(error));
    return false;
}

static bool wait_for(const struct talk *t, short events)
{
    struct pollfd p = {.fd = t->fd, .events = events};
    usec_t now = clock_now();
    usec_t left = t->until > now ? t->until - now : 0;
    usec_t wait = left < QUIET_MAX ? left : QUIET_MAX;
    return poll(&p, 1, (int)(wait / USEC_PER_MSEC)) > 0 && left > 0;
}

static bool connect_to(struct talk *t, const struct addrinfo *to, const char *interface)
{
    int error = 0;
    socklen_t len = sizeof error;
    t->fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (t->fd < 0) {
        return fail_with(t, "no socket can be opened", errno);
    }
    (void)net_bind_device(t->fd, interface); /* without the right to: by the routes */
    if (connect(t->fd, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS) {
        return fail_with(t, "the server cannot be reached", errno);
    }
    if (!wait_for(t, POLLOUT)) {
        return fail(t, "the server does not answer");
    }
    if (getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0) {
        return fail_with(t, "the server cannot be reached", error);
    }
    return true;
}

static bool open_talk(struct talk *t, const char *interface)
{
    static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int status = getaddrinfo(t->url.host, t->url.port, &hints, &found);
    if (status != 0) {
        return fail(t, gai_strerror(status));
    }
    bool good = connect_to(t, found, interface);
    freeaddrinfo(found);
    return good;
}

static bool send_request(const struct talk *t, const char *method, bool last)
{
    char text[1024];
    bool bracket = strchr(t->url.host, ':') != NULL;
    int len =
        snprintf(text, sizeof text,
                 "%s %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nAccept: */*\r\n"
                 "User-Agent: UefiHttpBoot/1.0\r\n%s\r\n",
                 method, t->url.path, bracket ? "[" : "", t->url.host, bracket ? "]" : "",
                 t->url.port, last ? "Connection: close\r\n" : "");
    ssize_t n = send(t->fd, text, (size_t)len, MSG_NOSIGNAL);
    return n == len || fail_with(t, "the server hangs up", n < 0 ? errno : EPIPE);
}

/* More of what it sends; 0: the end, -1: a fault. */
static ssize_t receive(struct talk *t)
{
    if (!wait_for(t, POLLIN)) {
        (void)fail(t, clock_now() < t->until ? "the server fell silent"
                                             : "the file is not there after an hour");
        return -1;
    }
    ssize_t n = recv(t->fd, t->buffer + t->len, BUFFER_SIZE - t->len, 0);
    if (n < 0) {
        (void)fail_with(t, "the server hangs up", errno);
    }
    return n;
}

static bool read_head(struct talk *t, struct http_head *out)
{
    enum http_read state;
    t->len = 0;
    do {
        ssize_t n = t->len < BUFFER_SIZE ? receive(t) : 0;
        if (n <= 0) {
            return n == 0 ? fail(t, "the server's answer has no end") : false;
        }
        t->len += (size_t)n;
        state = http_head_read(t->buffer, t->len, out);
    } while (state == HTTP_MORE);
    if (state == HTTP_BROKEN) {
        return fail(t, "the server does not speak HTTP/1.1");
    }
    if (out->status != 200) {
        snprintf(t->fault, DOWNLOAD_FAULT_SIZE, "the server answers with status %u",
                 out->status);
        return false;
    }
    if (out->chunked || !out->has_length) {
        return fail(t, "the server does not tell the size of the file (Content-Length)");
    }
    return true;
}

static bool read_body(struct talk *t, const struct http_head *head, struct sink *sink)
{
    size_t have = t->len - head->len;
    sink_add(sink, t->buffer + head->len, have < head->length ? have : head->length);
    while (sink->octets < head->length && sink->octets < DOWNLOAD_MAX) {
        t->len = 0;
        ssize_t n = receive(t);
        if (n <= 0) {
            return n == 0 ? fail(t, "the server ends in the middle of the file") : false;
        }
        uint64_t left = head->length - sink->octets;
        sink_add(sink, t->buffer, (uint64_t)n < left ? (size_t)n : left);
    }
    return sink->octets == head->length || fail(t, "the file does not end");
}

/* As UEFI does: the head alone first, for the size, then the file. */
static bool get(struct talk *t, const struct download_terms *terms, const char *url,
                struct sink *sink, struct download *out)
{
    struct http_head head;
    usec_t began = clock_now();
    if (!open_talk(t, terms->interface) || !send_request(t, "HEAD", false) ||
        !read_head(t, &head)) {
        out->not_found = strstr(out->fault, "404") != NULL;
        return false;
    }
    out->has_size = true;
    out->size = head.length;
    out->rtt = clock_now() - began;
    sink_begin(sink, terms->terminal, url, head.length);
    began = clock_now();
    if (!send_request(t, "GET", true) || !read_head(t, &head)) {
        return false;
    }
    out->first_byte = clock_now() - began;
    bool good = read_body(t, &head, sink);
    out->took = clock_now() - began;
    sink_end(sink, out);
    if (good && out->size != out->octets) {
        return fail(t, "HEAD and GET tell different sizes");
    }
    return good;
}

void download_http(const struct download_terms *terms, const char *url,
                   struct download *out)
{
    char *buffer = malloc(BUFFER_SIZE);
    struct sink *sink = calloc(1, sizeof *sink);
    *out = (struct download){0};
    struct talk t = {.fd = -1,
                     .buffer = buffer,
                     .fault = out->fault,
                     .until = clock_now() + DOWNLOAD_TIME};
    if (!buffer || !sink) {
        (void)fail(&t, "out of memory");
    } else if (!http_url_read(url, &t.url)) {
        (void)fail(&t, strncmp(url, "https:", 6) == 0
                           ? "https is not spoken here: nothing was loaded"
                           : "this is no URL that could be loaded here");
    } else {
        out->done = get(&t, terms, url, sink, out);
    }
    if (t.fd >= 0) {
        (void)close(t.fd);
    }
    free(sink);
    free(buffer);
}
