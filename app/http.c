#include "app/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/http_files.h"
#include "app/http_journal.h"
#include "app/http_name.h"
#include "app/http_socket.h"
#include "app/http_threads.h"
#include "common/log.h"
#include "common/text.h"

#define PAGES_MAX       16
#define DESCRIPTORS_FOR 2             /* a connection: its socket and a file */
#define DESCRIPTORS     UINT64_C(512) /* everything else */

struct page {
    const char *path;
    http_page answer;
    void *context;
};

struct http {
    int fd; /* listens, until http_start(); then -1 */
    struct http_conf conf;
    char name[HTTP_NAME_SIZE]; /* of this host; "": it has none */
    struct http_files *files;  /* NULL: no boot files by HTTP */
    struct tftp_hooks hooks;
    struct http_threads *threads;
    struct page pages[PAGES_MAX];
    size_t page_count;
    struct http_transfer *transfers;
    struct tftp_misses misses; /* refusals, folded for each client */
    struct http_counters counters;
    struct http_watch watch; /* all NULL: nobody cares */
};

/* -- pages -------------------------------------------------------------------------------- */

bool http_serve(struct http *h, const char *path, http_page page, void *context)
{
    if (h->page_count == PAGES_MAX) {
        return false;
    }
    h->pages[h->page_count++] = (struct page){path, page, context};
    return true;
}

/* "/api/" is the beginning of a path, "/metrics" all of it. */
static bool is_at(const char *path, const char *where)
{
    size_t len = strlen(where);
    bool prefix = len > 1 && where[len - 1] == '/';
    return prefix ? strncmp(path, where, len) == 0 : strcmp(path, where) == 0;
}

static const struct page *find_page(const struct http *h, const char *path)
{
    for (size_t i = 0; i < h->page_count; i++) {
        if (is_at(path, h->pages[i].path)) {
            return &h->pages[i];
        }
    }
    return NULL;
}

static bool is_reserved(const char *path)
{
    static const char *const paths[] = {"/", "/metrics", "/api/", "/evidence/"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (is_at(path, paths[i])) {
            return true;
        }
    }
    return false;
}

static bool may_see_pages(const struct http *h, const struct endpoint *peer)
{
    return subnets_hold(h->conf.page_from.list, h->conf.page_from.count, peer);
}

static bool calls_us(const struct http *h, const struct http_request *q)
{
    return http_name_is_ours(q->host, h->name, &h->conf.page_names);
}

/* A page that gave an open file without more gives all of it. */
static void measure_file(const struct http_request *q, struct http_answer *a)
{
    if (a->fd < 0) {
        return;
    }
    bool good = stamp_take(a->fd, false, &a->stamp) == 0 && S_ISREG(a->stamp.mode);
    if (good && a->len == 0) {
        http_answer_file(q, &a->stamp, a);
    } else if (!good) {
        http_answer_refuse(a, 500, "this is no file");
    }
}

/* What changes from one look to the next is kept nowhere, and is what it says it is. */
static void answer_page(const struct page *page, const struct http_request *q,
                        struct http_answer *out)
{
    page->answer(page->context, q, out);
    measure_file(q, out);
    http_answer_add(out, "Cache-Control", "no-store");
    http_answer_add(out, "X-Content-Type-Options", "nosniff");
    http_answer_add(out, "Cross-Origin-Resource-Policy", "same-origin");
    http_journal_page(&q->peer, q->target, out->status);
}

/* -- every request ------------------------------------------------------------------------ */

/* The answer to a request for a file is there, or waits for a disk. */
static void note_file(struct http *h, const struct http_request *q, const char *path,
                      struct http_answer *out, const struct http_transfer *begun,
                      usec_t now)
{
    if (out->status >= 400) {
        h->counters.refused++;
        if (h->watch.refused) {
            h->watch.refused(h->watch.context, &q->peer, path, out->text, now);
        }
    }
    if (!out->transfer) {
        return;
    }
    struct http_transfer *x = malloc(sizeof *x);
    out->transfer = x;
    if (!x) {
        return;
    }
    *x = *begun;
    x->began = now;
    x->next = h->transfers;
    h->transfers = x;
    x->tag = h->watch.began ? h->watch.began(h->watch.context, x) : 0;
    h->counters.active++;
}

static void answer_file(struct http *h, const struct http_request *q, const char *path,
                        struct http_answer *out, usec_t now)
{
    struct http_transfer begun;
    http_files_answer(h->files, q, path, out, &begun);
    note_file(h, q, path, out, &begun, now);
}

/* h->files stays, whatever a reload has said meanwhile. */
static void go_on(struct http *h, const struct http_request *q, struct http_answer *out,
                  usec_t now)
{
    struct http_transfer begun;
    char path[TFTP_PATH_SIZE];
    snprintf(path, sizeof path, "%s", http_files_name(out->quest));
    http_files_go_on(h->files, q, out, &begun);
    note_file(h, q, path, out, &begun, now);
}

static void choose(struct http *h, const struct http_request *q, struct http_answer *out,
                   usec_t now)
{
    char path[HTTP_PATH_SIZE];
    if (!http_answer_method(q, out)) {
        return;
    }
    if (!http_path(q, path)) {
        http_answer_refuse(out, 400, "this is no path");
        return;
    }
    const struct page *page = find_page(h, path);
    if (!page && !is_reserved(path)) {
        if (h->files && h->conf.boot_files) {
            answer_file(h, q, path, out, now);
        } else {
            http_answer_refuse(out, 404, "no boot files are served by HTTP");
        }
    } else if (!may_see_pages(h, &q->peer)) {
        http_answer_refuse(out, 403, "not for this address: see http.page_from");
    } else if (!calls_us(h, q)) {
        http_answer_refuse(out, 403, "not by this name: see http.page_names");
    } else if (page) {
        answer_page(page, q, out);
    } else {
        http_answer_refuse(out, 404, "there is nothing here");
    }
}

/* What a client is refused within a while is one line; with a full table, each. */
static void journal_refusal(struct http *h, const struct http_request *q, unsigned status,
                            usec_t now)
{
    struct tftp_miss alone = {.peer = q->peer, .count = 1};
    char target[sizeof alone.first - 8];
    text_show(q->target, strlen(q->target), target, sizeof target);
    snprintf(alone.first, sizeof alone.first, "%u %s", status, target);
    if (tftp_misses_note(&h->misses, &q->peer, alone.first, now)) {
        http_journal_misses(&h->hooks, &alone);
    }
}

static void on_ask(void *context, const struct http_request *q, struct http_answer *out,
                   usec_t now)
{
    struct http *h = context;
    if (out->quest) {
        go_on(h, q, out, now);
    } else {
        choose(h, q, out, now);
    }
    if (out->status >= 400) {
        h->counters.refusals[http_refused_of(out->status)]++;
        journal_refusal(h, q, out->status, now);
    }
}

/* -- ends --------------------------------------------------------------------------------- */

static void count_end(struct http_counters *c, const struct http_transfer *x,
                      uint64_t sent, usec_t now)
{
    bool whole = sent == x->len;
    c->active--;
    c->done += whole;
    c->aborted += !whole;
    c->sent_octets += sent;
    if (whole) {
        histogram_add(&c->durations, HISTOGRAM_DURATION,
                      (double)(now - x->began) / (double)USEC_PER_SEC);
    }
}

const struct http_counters *http_counters(struct http *h)
{
    if (h->threads) {
        http_threads_count(h->threads, h->counters.turned_away);
    }
    return &h->counters;
}

static void on_ended(void *context, void *transfer, enum http_end end, uint64_t sent,
                     usec_t now)
{
    struct http *h = context;
    struct http_transfer **at = &h->transfers;
    while (*at && *at != transfer) {
        at = &(*at)->next;
    }
    struct http_transfer *x = *at;
    if (!x) {
        return;
    }
    *at = x->next;
    x->end = end;
    count_end(&h->counters, x, sent, now);
    http_journal_transfer(&h->hooks, x, sent, now);
    if (h->watch.ended) {
        h->watch.ended(h->watch.context, x, sent, now);
    }
    if (x->tell_whole && sent == x->len) {
        http_files_whole(h->files, x);
    }
    free(x);
}

void http_tell(struct http *h, const struct http_watch *watch)
{
    h->watch = *watch;
}

void http_each(struct http *h,
               void (*see)(void *context, const struct http_transfer *x, uint64_t sent),
               void *context)
{
    for (const struct http_transfer *x = h->transfers; x; x = x->next) {
        see(context, x, http_threads_sent(h->threads, x));
    }
}

static void on_turned_away(void *context, const struct endpoint *peer,
                           enum http_turned_away why, usec_t now)
{
    static const char *const words[HTTP_TURNED_AWAY_COUNT] = {
        [HTTP_TOO_MANY] = "too many connections (http.max_connections)",
        [HTTP_TOO_MANY_OF_ONE] =
            "too many connections of one address (http.max_per_address)",
        [HTTP_TOO_SLOW] = "no whole request in time (http.timeout)",
        [HTTP_NAME_TOO_LONG] = "the name is too long",
    };
    (void)context;
    (void)now;
    http_journal_refusal(peer, words[why]);
}

usec_t http_deadline(const struct http *h)
{
    usec_t look = http_threads_deadline(h->threads);
    usec_t misses = tftp_misses_deadline(&h->misses);
    return look < misses ? look : misses;
}

void http_timeout(struct http *h, usec_t now)
{
    struct tftp_miss sum;
    http_threads_timeout(h->threads, now);
    while (tftp_misses_due(&h->misses, now, &sum)) {
        http_journal_misses(&h->hooks, &sum);
    }
}

/* -- start and end ------------------------------------------------------------------------ */

/* The usual limit is 1024 descriptors, and may be raised by whoever likes. */
static void make_room(struct http_conf *conf)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)conf->max_connections * DESCRIPTORS_FOR + DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
        return;
    }
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < wanted) {
        rlim_t rest = limit.rlim_cur > 2 * DESCRIPTORS ? limit.rlim_cur - DESCRIPTORS
                                                       : limit.rlim_cur / 2;
        conf->max_connections = (uint32_t)(rest / DESCRIPTORS_FOR);
        log_say(
            LOG_WARNING,
            "this process may open %llu files: %u HTTP connections at once instead of "
            "http.max_connections",
            (unsigned long long)limit.rlim_max, conf->max_connections);
    }
}

int http_open(const struct snapshot *config, const struct tftp_hooks *hooks,
              struct http **out, char why[HTTP_WHY_SIZE])
{
    char at[ENDPOINT_TEXT];
    struct http *h = calloc(1, sizeof *h);
    if (!h) {
        snprintf(why, HTTP_WHY_SIZE, "out of memory");
        return -ENOMEM;
    }
    h->fd = -1;
    h->conf = config->http;
    h->hooks = *hooks;
    (void)gethostname(h->name, sizeof h->name - 1);
    int error = http_prepare(h, config, &h->files);
    if (error != 0) {
        snprintf(why, HTTP_WHY_SIZE, "cannot open the boot files: %s", strerror(-error));
    } else if ((error = http_socket_listen(&h->conf.listen, &h->fd)) != 0) {
        snprintf(why, HTTP_WHY_SIZE, "cannot listen on %s (HTTP): %s%s",
                 endpoint_print(&h->conf.listen, at), strerror(-error),
                 error == -EADDRINUSE ? "; another server is there" : "");
    }
    if (error != 0) {
        http_close(h);
        return error;
    }
    *out = h;
    return 0;
}

int http_start(struct http *h, struct loop *loop)
{
    make_room(&h->conf);
    struct http_limits limits = {h->conf.max_connections, h->conf.max_per_address,
                                 h->conf.timeout};
    struct http_host host = {
        .ask = on_ask,
        .look = http_files_look,
        .forget = http_files_forget,
        .ended = on_ended,
        .turned_away = on_turned_away,
        .context = h,
    };
    int error = http_threads_start(h->fd, &limits, &host, loop, &h->threads);
    if (error == 0) {
        h->fd = -1; /* theirs now */
    }
    return error;
}

int http_prepare(struct http *h, const struct snapshot *config, struct http_files **out)
{
    *out = NULL;
    return config->http.boot_files ? http_files_open(config->tftp.root, &h->hooks, out)
                                   : 0;
}

void http_configure(struct http *h, const struct snapshot *config,
                    struct http_files *prepared)
{
    if (prepared) {
        http_files_close(h->files); /* files of running transfers stay with them */
        h->files = prepared;
    }
    h->conf = config->http; /* running transfers may still ask for h->files */
}

void http_close(struct http *h)
{
    if (!h) {
        return;
    }
    http_threads_stop(h->threads);
    http_files_close(h->files);
    if (h->fd >= 0) {
        (void)close(h->fd);
    }
    free(h);
}

bool http_has_file(struct http *h, const char *file)
{
    return h->files && http_files_has(h->files, file);
}
