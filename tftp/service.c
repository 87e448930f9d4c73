#include "tftp/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tftp/errors.h"
#include "tftp/journal.h"
#include "tftp/requests.h"
#include "tftp/watch.h"

#define RECEIVE_BUFFER                                                                   \
    (4 << 20) /* 1000 requests at once fit; the default holds some 100 */
#define SEND_BUFFER   (4 << 20)
#define BATCHES_MAX   4   /* receive calls before others get their turn */
#define ERRORS_MAX    256 /* likewise; anybody can forge them */
#define URGENT_SIZE   (1 << 20)
#define URGENT_BLOCKS 16

/* Families x (port 69 + data ports). */
#define SOCKETS_MAX (2 * (1 + 64))

struct tftp_service {
    struct tftp_engine engine;
    struct net_inbox *inbox;
    int fds[SOCKETS_MAX];
    enum net_family family[SOCKETS_MAX];
    uint32_t lost[SOCKETS_MAX]; /* as net_lost() */
    usec_t look; /* when to ask what was lost; USEC_NEVER: nothing was read since */
    size_t listen_count; /* fds[0..listen_count): port 69 */
    size_t fd_count;     /* the rest carry data; none in single-port mode */
    struct tftp_requests requests;
};

/* -- start and end ------------------------------------------------------------------------ */

static int open_socket(struct tftp_service *s, enum net_family family, uint16_t port)
{
    struct net_udp conf = {
        .family = family,
        .port = port,
        .errors = true,
        .receive_buffer = RECEIVE_BUFFER,
        .send_buffer = SEND_BUFFER,
    };
    int error = net_udp_open(&conf, &s->fds[s->fd_count]);
    if (error == 0) {
        s->family[s->fd_count++] = family;
    }
    return error;
}

/* A port in both families; a kernel without IPv6 serves IPv4 alone. */
static int open_port(struct tftp_service *s, uint16_t port)
{
    int error = open_socket(s, NET_IP4, port);
    if (error == 0) {
        error = open_socket(s, NET_IP6, port);
        error = error == -EAFNOSUPPORT || error == -EADDRNOTAVAIL ? 0 : error;
    }
    return error;
}

static int open_sockets(struct tftp_service *s, const struct tftp_conf *conf,
                        const char **what)
{
    *what = "UDP port 69 (TFTP)";
    int error = open_port(s, TFTP_PORT);
    s->listen_count = s->fd_count;
    if (error != 0 || conf->single_port) {
        return error;
    }
    *what = "the TFTP data ports";
    for (unsigned port = conf->data_port_first; error == 0; port++) {
        error = open_port(s, (uint16_t)port);
        if (port >= conf->data_port_last) {
            break;
        }
    }
    return error;
}

static void set_limits(struct tftp_service *s, const struct tftp_conf *conf)
{
    s->requests.limits = (struct tftp_limits){
        .max_block_size = conf->max_block_size,
        .max_window_size = conf->max_window_size,
        .send_ahead = conf->send_ahead,
        .msft_window = conf->msft_window,
    };
    s->requests.allow = conf->allow;
    tftp_windows_set_first(s->engine.windows, conf->first_window_size);
}

int tftp_service_open(const struct snapshot *config, const struct tftp_hooks *hooks,
                      struct tftp_service **out, const char **what)
{
    struct tftp_service *s = calloc(1, sizeof *s);
    *what = "memory for transfers";
    if (!s) {
        return -ENOMEM;
    }
    tftp_requests_init(&s->requests, &s->engine);
    s->look = USEC_NEVER;
    int error = tftp_engine_init(&s->engine, config->tftp.max_transfers, hooks);
    if (error == 0) {
        set_limits(s, &config->tftp);
    }
    s->inbox = net_inbox_new();
    if (error == 0 && !s->inbox) {
        error = -ENOMEM;
    }
    if (error == 0) {
        *what = "the TFTP root";
        error = store_open(config->tftp.root, &s->engine.hooks, &s->requests.store);
    }
    if (error == 0) {
        error = open_sockets(s, &config->tftp, what);
    }
    if (error != 0) {
        tftp_service_close(s);
        return error;
    }
    s->engine.counters.lost_requests.socket = "udp-69";
    s->engine.counters.lost_data.socket = "tftp-data";
    *out = s;
    return 0;
}

/* Of clients that have missed nothing more for a while; USEC_NEVER: of all. */
static void tell_misses(struct tftp_service *s, usec_t now)
{
    struct tftp_miss sum;
    while (tftp_misses_due(&s->requests.misses, now, &sum)) {
        tftp_journal_misses(&s->engine.hooks, &sum);
    }
}

void tftp_service_close(struct tftp_service *s)
{
    if (!s) {
        return;
    }
    tftp_engine_done(&s->engine);
    tell_misses(s, USEC_NEVER);
    for (size_t i = 0; i < s->fd_count; i++) {
        (void)close(s->fds[i]);
    }
    store_close(s->requests.store);
    net_inbox_free(s->inbox);
    free(s);
}

size_t tftp_service_sockets(const struct tftp_service *s, const int **fds)
{
    *fds = s->fds;
    return s->fd_count;
}

void tftp_service_set_doors(struct tftp_service *s, const struct tftp_doors *doors)
{
    s->requests.doors = *doors;
}

int tftp_service_configure(struct tftp_service *s, const struct snapshot *config)
{
    struct store *store;
    int error = store_open(config->tftp.root, &s->engine.hooks, &store);
    if (error == 0) {
        store_close(s->requests.store); /* files of running transfers stay with them */
        s->requests.store = store;
        set_limits(s, &config->tftp);
    }
    return error;
}

bool tftp_service_has_file(struct tftp_service *s, const char *file)
{
    char path[TFTP_PATH_SIZE];
    unsigned repairs = 0;
    struct tftp_text name = {file, strlen(file)};
    return tftp_path_clean(name, path, &repairs) == TFTP_PATH_OK &&
           store_has(s->requests.store, path);
}

const struct tftp_counters *tftp_service_counters(const struct tftp_service *s)
{
    return &s->engine.counters;
}

void tftp_service_each(const struct tftp_service *s,
                       void (*see)(void *context, uint64_t tag,
                                   const struct tftp_report *report),
                       void *context, usec_t now)
{
    const struct tftp_transfer *x = NULL;
    while ((x = tftp_table_next(s->engine.table, x)) != NULL) {
        struct tftp_report report = tftp_transfer_report(x, now);
        see(context, x->tag, &report);
    }
}

size_t tftp_service_running(const struct tftp_service *s)
{
    return tftp_table_running(s->engine.table);
}

size_t tftp_service_half_open(const struct tftp_service *s)
{
    return tftp_table_half_open(s->engine.table);
}

const struct tftp_windows *tftp_service_windows(const struct tftp_service *s)
{
    return s->engine.windows;
}

void tftp_service_forget_windows(struct tftp_service *s)
{
    tftp_windows_reset(s->engine.windows);
}

/* -- port 69 ------------------------------------------------------------------------------ */

/* The requests of one client go to one socket, those of many spread over all. */
static int data_socket(const struct tftp_service *s, int request_fd,
                       const struct net_path *path)
{
    enum net_family family = endpoint_is_ip4(&path->peer) ? NET_IP4 : NET_IP6;
    size_t data = s->fd_count - s->listen_count;
    for (size_t i = 0; i < data; i++) {
        size_t at = s->listen_count + (path->peer.port + i) % data;
        if (s->family[at] == family) {
            return s->fds[at];
        }
    }
    return request_fd; /* single-port mode */
}

#define REQUEST_MIN 4 /* less is noise */

static bool looks_like_request(const struct net_dgram *d)
{
    return d->len >= REQUEST_MIN && d->data[0] == 0 &&
           (d->data[1] == TFTP_RRQ || d->data[1] == TFTP_WRQ);
}

static void tell_packet(const struct tftp_service *s, const struct net_dgram *d,
                        uint16_t port)
{
    struct tftp_watched told = {&d->path, port, d->data, d->len, NULL, 0};
    tftp_watch_came(&s->engine.hooks, &told);
}

static void on_port_69(struct tftp_service *s, int fd, const struct net_dgram *d,
                       usec_t now)
{
    if (!looks_like_request(d)) { /* never an answer to an ERROR */
        s->engine.counters.ignored[TFTP_NOT_REQUEST]++;
        return;
    }
    if (!tftp_admitted(&s->requests, d, now)) {
        return;
    }
    tell_packet(s, d, TFTP_PORT);
    tftp_request(&s->requests, fd, data_socket(s, fd, &d->path), d, now);
}

/* -- data ports --------------------------------------------------------------------------- */

/* The transfer that is to be pumped because of it, once for all its packets; or NULL. */
static struct tftp_transfer *on_packet(struct tftp_service *s, int fd,
                                       const struct net_dgram *d, usec_t now)
{
    struct tftp_packet pkt;
    if (tftp_parse(d->data, d->len, &pkt) != TFTP_OK) {
        s->engine.counters.ignored[TFTP_MALFORMED]++;
        return NULL;
    }
    struct tftp_transfer *x = tftp_table_find(s->engine.table, &d->path.peer);
    if (!x || x->fd != fd) {
        s->engine.counters.ignored[TFTP_UNKNOWN_TRANSFER]++;
        if (pkt.op != TFTP_ERROR && tftp_admitted(&s->requests, d, now)) {
            (void)tftp_answer_error(&s->engine, fd, &d->path, TFTP_ERR_UNKNOWN_TID,
                                    "unknown transfer", now);
        }
        return NULL;
    }
    if (x->lingers) {
        return NULL;
    }
    if (tftp_watch_wants_in(x, &pkt)) {
        tell_packet(s, d, x->port);
    }
    tftp_session_input(&x->session, &pkt, now);
    if (!x->heard && x->session.state != TFTP_OFFERED) {
        tftp_transfer_heard(&s->engine, x, now);
    }
    bool first = !x->dirty;
    x->dirty = true;
    return first ? x : NULL;
}

/* In single-port mode what is no request, and comes from a known client, is a transfer's. */
static struct tftp_transfer *on_datagram(struct tftp_service *s, int fd, bool listens,
                                         const struct net_dgram *d, usec_t now)
{
    bool single = s->fd_count == s->listen_count;
    bool known = single && tftp_table_find(s->engine.table, &d->path.peer);
    if (listens && (looks_like_request(d) || !known)) {
        on_port_69(s, fd, d, now);
        return NULL;
    }
    return on_packet(s, fd, d, now);
}

/*
 * The client itself, or this host that looked for it in vain.  Of anybody else, who needs only
 * guess the client's port, it is no more than a hint (RFC 1122 section 4.2.3.9): patience ends
 * what is really over.
 */
static bool is_believed(const struct tftp_transfer *x, const struct net_unreachable *told)
{
    return endpoint_same_ip(&told->by, &x->path.peer) ||
           endpoint_same_ip(&told->by, &x->path.local);
}

void tftp_service_unreachable(struct tftp_service *s, int fd, usec_t now)
{
    struct net_unreachable told;
    for (int i = 0; i < ERRORS_MAX && net_unreachable(fd, &told); i++) {
        struct tftp_transfer *x = tftp_table_find(s->engine.table, &told.peer);
        if (x && !x->lingers && x->fd == fd && is_believed(x, &told)) {
            tftp_session_unreachable(&x->session);
            tftp_transfer_pump(&s->engine, x, now);
        }
    }
}

/* A small file, or the beginning of any: what a machine waits for before it does anything. */
static bool is_urgent(const struct tftp_transfer *x)
{
    return x->session.terms.file_size <= URGENT_SIZE || x->session.acked <= URGENT_BLOCKS;
}

/*
 * Each client that sent something gets one turn, however many ACKs stood in the queue; those
 * that wait for little go first, so that a small file is not stuck behind big images.  One
 * that was forgotten meanwhile is no longer dirty.
 */
static void pump_dirty(struct tftp_service *s, struct tftp_transfer *const *dirty,
                       size_t n, usec_t now)
{
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < n; i++) {
            struct tftp_transfer *x = dirty[i];
            if (x->dirty && !x->lingers && (turn > 0 || is_urgent(x))) {
                tftp_transfer_pump(&s->engine, x, now);
            }
        }
    }
}

static bool is_listening(const struct tftp_service *s, int fd)
{
    for (size_t i = 0; i < s->listen_count; i++) {
        if (s->fds[i] == fd) {
            return true;
        }
    }
    return false;
}

int tftp_service_readable(struct tftp_service *s, int fd, usec_t now)
{
    struct net_dgram d[NET_BATCH];
    struct tftp_transfer *dirty[NET_BATCH];
    bool listens = is_listening(s, fd);
    size_t n = NET_BATCH;
    int error = 0;
    s->look = losses_expect(s->look, now);
    for (int batch = 0; batch < BATCHES_MAX && n == NET_BATCH; batch++) {
        size_t count = 0;
        n = net_receive(fd, s->inbox, d, &error);
        for (size_t i = 0; i < n; i++) {
            dirty[count] = on_datagram(s, fd, listens, &d[i], now);
            count += dirty[count] != NULL;
        }
        pump_dirty(s, dirty, count, now);
    }
    return net_is_short(error) ? error : 0;
}

usec_t tftp_service_deadline(const struct tftp_service *s)
{
    usec_t transfers = timers_next(&s->engine.timers);
    usec_t misses = tftp_misses_deadline(&s->requests.misses);
    usec_t requests = tftp_requests_deadline(&s->requests);
    usec_t first = transfers < misses ? transfers : misses;
    first = requests < first ? requests : first;
    return s->look < first ? s->look : first;
}

static void look_for_losses(struct tftp_service *s, usec_t now)
{
    struct tftp_counters *n = &s->engine.counters;
    for (size_t i = 0; i < s->fd_count; i++) {
        losses_add(i < s->listen_count ? &n->lost_requests : &n->lost_data,
                   net_lost(s->fds[i], &s->lost[i]), now);
    }
    s->look = USEC_NEVER;
}

void tftp_service_timeout(struct tftp_service *s, usec_t now)
{
    if (now >= s->look) {
        look_for_losses(s, now);
    }
    tftp_engine_timeout(&s->engine, now);
    tftp_requests_timeout(&s->requests, now);
    tell_misses(s, now);
}
