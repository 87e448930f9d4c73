#include "tftp/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "config/snapshot.h"
#include "tftp/journal.h"

#define LINGER     (2 * USEC_PER_SEC)
#define RETRY_SEND (1 * USEC_PER_MSEC)

#define WINDOWS_PER_TRANSFER 4 /* remembered, of clients and subnets */
#define STALL_SILENCES       7 /* timers in vain: some three seconds */

int tftp_engine_init(struct tftp_engine *e, size_t max_transfers)
{
    struct hash_seed seed;
    *e = (struct tftp_engine){0};
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        return -EIO;
    }
    e->table = tftp_table_new(max_transfers, &seed);
    e->windows = tftp_windows_new(max_transfers * WINDOWS_PER_TRANSFER, &seed);
    e->timer_slots = calloc(max_transfers, sizeof(struct timer *));
    timers_init(&e->timers, e->timer_slots, max_transfers);
    return e->table && e->windows && e->timer_slots ? 0 : -ENOMEM;
}

void tftp_engine_done(struct tftp_engine *e)
{
    struct tftp_transfer *x;
    while (e->table && (x = tftp_table_any(e->table))) {
        tftp_send_error(x->fd, &x->path, TFTP_ERR_UNDEFINED, "the server is stopping");
        tftp_transfer_forget(e, x, 0);
    }
    tftp_table_free(e->table);
    tftp_windows_free(e->windows);
    free(e->timer_slots);
    *e = (struct tftp_engine){0};
}

void tftp_send_error(int fd, const struct net_path *path, enum tftp_error code,
                     const char *message)
{
    uint8_t packet[128];
    struct wr w = wr_over(packet, sizeof packet);
    tftp_write_error(&w, code, message);
    struct iovec part = {packet, wr_len(&w)};
    (void)net_send(fd, path, &part, 1, 0, false);
}

/* What this transfer has carried, or could not. */
static void tell_windows(struct tftp_engine *e, const struct tftp_transfer *x,
                         bool stalled, usec_t now)
{
    const struct tftp_session *t = &x->session;
    const struct tftp_carried how = {
        .granted = t->terms.ahead > 1 ? t->terms.ahead : t->terms.window,
        .blocks = t->acked,
        .resent = t->stats.resent_blocks,
        .stalled = stalled,
        .refused = t->ahead.refused,
        .wire = tftp_flow_wire(&t->flow),
    };
    if (t->state == TFTP_ENDED && t->end == TFTP_END_NO_ANSWER) {
        return; /* nothing was carried either way */
    }
    tftp_windows_tell(e->windows, &x->path.peer, &x->shape, &how, now);
}

/* Counts and logs it, gives the file back; the slot lingers. */
static void end(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    enum tftp_end how = x->session.end;
    e->counters.done += how == TFTP_END_DONE || how == TFTP_END_NO_FINAL_ACK;
    e->counters.probes += how == TFTP_END_PROBE;
    e->counters.failed += !tftp_ended_well(how);
    e->counters.resent_blocks += x->session.stats.resent_blocks;
    tftp_journal_transfer(x, now);
    if (!x->stalled || how == TFTP_END_DONE) {
        tell_windows(e, x, how == TFTP_END_STALLED, now);
    }
    store_put(x->file);
    x->file = NULL;
    tftp_table_linger(e->table, x);
    timers_set(&e->timers, &x->timer, now + LINGER);
}

void tftp_transfer_forget(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    if (!x->lingers) {
        tftp_session_close(&x->session);
        end(e, x, now);
    }
    timers_set(&e->timers, &x->timer, USEC_NEVER);
    tftp_table_remove(e->table, x);
}

void tftp_transfer_pump(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    x->dirty = false;
    enum sender_result result = tftp_sender_run(x, now, &e->counters.sent_octets);
    if (result == SENDER_FILE_CHANGED) {
        tftp_send_error(x->fd, &x->path, TFTP_ERR_UNDEFINED,
                        "the file changed while it was sent");
        tftp_session_close(&x->session);
    }
    if (x->session.state == TFTP_ENDED) {
        end(e, x, now);
        return;
    }
    usec_t wake = tftp_session_deadline(&x->session);
    if (result == SENDER_BLOCKED && now + RETRY_SEND < wake) {
        wake = now + RETRY_SEND;
    }
    timers_set(&e->timers, &x->timer, wake);
}

/* IPv4: 20 + 8 + 4 octets of headers; IPv6: 40 + 8 + 4.  A larger block would fragment. */
static struct tftp_limits fit_mtu(struct tftp_limits limits, const struct net_path *path)
{
    uint32_t headers = endpoint_is_ip4(&path->peer) ? 32 : 52;
    uint32_t mtu = net_mtu(path->ifindex);
    if (mtu > headers + 8 && mtu - headers < limits.max_block_size) {
        limits.max_block_size = mtu - headers;
    }
    return limits;
}

static uint32_t ahead_for(const struct tftp_shape *shape,
                          const struct tftp_limits *limits, uint32_t learned)
{
    if (limits->send_ahead != SEND_AHEAD_AUTO) {
        return learned > 1 ? limits->send_ahead : 1;
    }
    if (!tftp_kind_takes_ahead(shape->kind)) {
        return 1;
    }
    uint32_t most = limits->max_window_size < SEND_AHEAD_MAX ? limits->max_window_size
                                                             : SEND_AHEAD_MAX;
    return learned < most ? learned : most;
}

static struct tftp_terms terms_for(const struct tftp_opts *agreed, uint64_t size)
{
    usec_t timeout = tftp_opts_get(agreed, TFTP_TIMEOUT, UINT8_MAX) * USEC_PER_SEC;
    return (struct tftp_terms){
        .file_size = size,
        .blksize = (uint32_t)tftp_opts_get(agreed, TFTP_BLKSIZE, 512),
        .window = (uint32_t)tftp_opts_get(agreed, TFTP_WINDOWSIZE, 1),
        .msft_window = tftp_opts_has(agreed, TFTP_MSFTWINDOW),
        .oack = agreed->count > 0,
        .rto_max = timeout < TFTP_RTO_MAX ? timeout : TFTP_RTO_MAX,
        .patience = TFTP_PATIENCE,
    };
}

/* The names of the options are echoed for as long as the OACK may be repeated. */
static void keep_names(struct tftp_transfer *x)
{
    size_t used = 0;
    for (unsigned n = 0; n < x->agreed.count; n++) {
        struct tftp_text *name = &x->agreed.name[x->agreed.order[n]];
        memcpy(x->names + used, name->at, name->len); /* five known words: 39 octets */
        name->at = x->names + used;
        used += name->len;
    }
}

static struct tftp_transfer *take_slot(struct tftp_engine *e, const struct net_path *path,
                                       usec_t now)
{
    struct tftp_transfer *x = tftp_table_add(e->table, path);
    if (!x && tftp_table_oldest(e->table)) {
        tftp_transfer_forget(e, tftp_table_oldest(e->table), now);
        x = tftp_table_add(e->table, path);
    }
    return x;
}

bool tftp_transfer_begin(struct tftp_engine *e, const struct tftp_transfer *wanted,
                         struct rd options, const struct tftp_limits *limits, usec_t now)
{
    struct tftp_transfer *x = take_slot(e, &wanted->path, now);
    if (!x) {
        store_put(wanted->file);
        return false;
    }
    struct tftp_opts asked = tftp_opts_parse(options);
    struct tftp_limits fitting = fit_mtu(*limits, &wanted->path);
    x->fd = wanted->fd;
    x->file = wanted->file;
    x->repairs = wanted->repairs;
    x->began = now;
    memcpy(x->shown, wanted->shown, sizeof x->shown);
    x->shape = tftp_shape_of(&asked);
    struct tftp_wire wire;
    uint32_t learned =
        tftp_windows_ask(e->windows, &wanted->path.peer, &x->shape, now, &wire);
    uint32_t largest = learned > TFTP_WINDOW_SMALL ? learned : TFTP_WINDOW_SMALL;
    if (largest < fitting.max_window_size) {
        fitting.max_window_size = largest;
    }
    x->agreed = tftp_opts_agree(&asked, &fitting, x->file->size);
    keep_names(x);
    struct tftp_terms terms = terms_for(&x->agreed, x->file->size);
    terms.ahead = ahead_for(&x->shape, limits, learned);
    terms.wire = wire;
    tftp_session_init(&x->session, &terms, now);
    e->counters.transfers++;
    tftp_transfer_pump(e, x, now);
    return true;
}

void tftp_engine_timeout(struct tftp_engine *e, usec_t now)
{
    struct timer *due;
    while ((due = timers_due(&e->timers, now))) {
        struct tftp_transfer *x =
            (struct tftp_transfer *)((char *)due - offsetof(struct tftp_transfer, timer));
        if (x->lingers) {
            tftp_transfer_forget(e, x, now);
            continue;
        }
        tftp_session_timeout(&x->session, now);
        if (x->session.silences >= STALL_SILENCES && !x->stalled) {
            x->stalled = true; /* the client may begin anew before this one is given up */
            tell_windows(e, x, true, now);
        }
        tftp_transfer_pump(e, x, now);
    }
}
