#include "tftp/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "tftp/disk.h"
#include "tftp/errors.h"
#include "tftp/grant.h"
#include "tftp/journal.h"
#include "tftp/unheard.h"
#include "tftp/watch.h"

#define LINGER     (2 * USEC_PER_SEC)
#define RETRY_SEND (1 * USEC_PER_MSEC)

#define WINDOWS_PER_TRANSFER 4 /* remembered, of clients and subnets */
#define STALL_SILENCES       7 /* timers in vain: some three seconds */

/*
 * Half-open transfers at once.  An honest client is half open for a round trip: 2,048 of them
 * are two thousand machines in the same moment, or 20 ms of a flood of 100,000 requests a
 * second.
 */
#define HALF_OPEN_PART  2 /* of max_transfers */
#define HALF_OPEN_LEAST 64

int tftp_engine_init(struct tftp_engine *e, size_t max_transfers,
                     const struct tftp_hooks *hooks)
{
    struct hash_seed seed;
    *e = (struct tftp_engine){
        .hooks = *hooks,
    };
    e->sender.hooks = &e->hooks;
    e->sender.octets = &e->counters.sent_octets;
    int error = scratch_open(&e->sender.scratch);
    if (error != 0) {
        return error;
    }
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        return -EIO;
    }
    size_t half_max = greater(max_transfers / HALF_OPEN_PART, HALF_OPEN_LEAST);
    e->table = tftp_table_new(max_transfers, half_max, &seed);
    e->budget = tftp_budget_new(max_transfers, &seed);
    e->windows = tftp_windows_new(max_transfers * WINDOWS_PER_TRANSFER, &seed);
    e->timer_slots = calloc(max_transfers + half_max, sizeof(struct timer *));
    timers_init(&e->timers, e->timer_slots, max_transfers + half_max);
    return e->table && e->budget && e->windows && e->timer_slots ? 0 : -ENOMEM;
}

void tftp_engine_done(struct tftp_engine *e)
{
    struct tftp_transfer *x;
    while (e->table && (x = tftp_table_any(e->table))) {
        if (x->heard) { /* another packet to a forged address is one too many */
            tftp_send_error(&e->hooks, x->fd, &x->path, TFTP_ERR_UNDEFINED,
                            "the server is stopping");
        }
        tftp_transfer_forget(e, x, 0);
    }
    tftp_table_free(e->table);
    tftp_budget_free(e->budget);
    tftp_windows_free(e->windows);
    free(e->timer_slots);
    scratch_close(&e->sender.scratch);
    *e = (struct tftp_engine){0};
}

static uint16_t port_of(int fd)
{
    uint16_t port = 0;
    (void)net_port(fd, &port);
    return port;
}

static double seconds_of(const struct tftp_transfer *x, usec_t now)
{
    return (double)(now - x->began) / (double)USEC_PER_SEC;
}

static bool came_whole(const struct tftp_transfer *x)
{
    return x->session.end == TFTP_END_DONE || x->session.end == TFTP_END_NO_FINAL_ACK;
}

static void count_end(struct tftp_counters *c, const struct tftp_transfer *x, usec_t now)
{
    const struct tftp_session *t = &x->session;
    c->ends[t->end]++;
    c->resent_blocks += t->stats.resent_blocks;
    if (came_whole(x)) {
        uint32_t ahead = t->terms.ahead > 1 ? t->ahead.now : 0;
        histogram_add(&c->durations, HISTOGRAM_DURATION, seconds_of(x, now));
        histogram_add(&c->windows, HISTOGRAM_WINDOW,
                      ahead > t->window ? ahead : t->window);
    }
}

struct tftp_report tftp_transfer_report(const struct tftp_transfer *x, usec_t now)
{
    const struct tftp_session *s = &x->session;
    uint64_t acked = s->acked * s->terms.blksize;
    return (struct tftp_report){
        .peer = x->path.peer,
        .ifindex = x->path.ifindex,
        .name = x->shown,
        .kind = x->shape.kind,
        .size = s->terms.file_size,
        .sent = acked < s->terms.file_size ? acked : s->terms.file_size,
        .block = s->terms.blksize,
        .window = s->window,
        .rtt = s->flow.srtt,
        .resent = s->stats.resent_blocks,
        .heard = s->answered,
        .last_file = x->tell_whole,
        .end = s->end,
        .now = now,
    };
}

static void tell_opened(const struct tftp_engine *e, struct tftp_transfer *x,
                        const struct tftp_opts *asked, usec_t now)
{
    if (e->hooks.opened) {
        struct tftp_report report = tftp_transfer_report(x, now);
        report.asked = asked;
        report.port = x->port;
        x->tag = e->hooks.opened(e->hooks.context, &report);
    }
}

static void tell_ended(const struct tftp_engine *e, const struct tftp_transfer *x,
                       usec_t now)
{
    if (e->hooks.ended) {
        struct tftp_report report = tftp_transfer_report(x, now);
        e->hooks.ended(e->hooks.context, x->tag, &report);
    }
}

/* Counts and logs it, gives the file back; the slot lingers. */
static void end(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    enum tftp_end how = x->session.end;
    count_end(&e->counters, x, now);
    tftp_journal_transfer(&e->hooks, x, now);
    tell_ended(e, x, now);
    if (!x->stalled || how == TFTP_END_DONE) {
        tftp_grant_told(e->windows, &x->path.peer, &x->shape, &x->session, now);
    }
    if (x->tell_whole && came_whole(x)) {
        e->hooks.whole(e->hooks.context, &x->path.peer);
    }
    free(x->octets);
    x->octets = NULL;
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
    x->dirty = false; /* it may stand in a list of those to be pumped */
    tftp_table_remove(e->table, x);
}

/* Without a word: a client that was not heard may be somebody else. */
static void displace(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    tftp_session_displace(&x->session);
    x->cold = false;
    end(e, x, now);
}

/* Ends it from our side, with a word to the client. */
static void abandon(const struct tftp_engine *e, struct tftp_transfer *x,
                    const char *message)
{
    tftp_send_error(&e->hooks, x->fd, &x->path, TFTP_ERR_UNDEFINED, message);
    tftp_session_close(&x->session);
}

void tftp_transfer_heard(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    struct tftp_transfer *other = tftp_table_is_full(e->table)
                                      ? tftp_table_gives_way(e->table, &x->path.peer, now)
                                      : NULL;
    if (other) {
        tftp_send_error(&e->hooks, other->fd, &other->path, TFTP_ERR_UNDEFINED,
                        "too many transfers, try again");
        displace(e, other, now);
    }
    tftp_unheard_answers(e, x, now);
}

/* A chunk on its way from the disk, in another thread; the transfer may end meanwhile. */
struct warming {
    struct tftp_engine *engine;
    struct endpoint peer;
    uint64_t serial;
    struct store_file *file;
    uint64_t from;
    uint8_t *octets; /* of a far file */
    int result;
};

/* What is known of a server's file is asked anew, so that a change there is noticed here. */
static int read_far(const struct warming *w)
{
    struct stamp seen;
    int error = disk_read_far(w->file, w->from, w->octets);
    return error == 0 ? stamp_take(w->file->fd, false, &seen) : error;
}

static void warm_work(void *job)
{
    struct warming *w = job;
    w->result = w->file->far ? read_far(w) : disk_warm(w->file, w->from);
}

static void take_read(const struct tftp_engine *e, struct tftp_transfer *x,
                      struct warming *w)
{
    if (w->result == -ESTALE) {
        abandon(e, x, "the file changed while it was sent");
    } else if (w->result != 0) {
        abandon(e, x, "cannot read the file");
    } else if (w->file->far) {
        tftp_sender_read(x, w->from, TAKE(w->octets));
    } else {
        tftp_sender_warmed(x, w->from);
    }
}

static void free_warming(struct warming *w)
{
    if (w) {
        store_put(w->file);
        free(w->octets);
        free(w);
    }
}

static struct warming *new_warming(struct tftp_engine *e, struct tftp_transfer *x,
                                   uint64_t from)
{
    struct warming *w = malloc(sizeof *w);
    uint8_t *octets = x->file->far ? malloc(DISK_FAR) : NULL;
    if (!w || (x->file->far && !octets)) {
        free(w);
        free(octets);
        return NULL;
    }
    *w = (struct warming){.engine = e,
                          .peer = x->path.peer,
                          .serial = x->serial,
                          .file = store_share(x->file),
                          .from = from,
                          .octets = octets};
    return w;
}

static void warm_done(void *job, usec_t now)
{
    struct warming *w = job;
    struct tftp_transfer *x = tftp_table_find(w->engine->table, &w->peer);
    if (x && x->serial == w->serial && x->cold) {
        x->cold = false;
        take_read(w->engine, x, w);
        tftp_transfer_pump(w->engine, x, now);
    }
    free_warming(w);
}

/* False: it is not waited for; it was read, or never will be. */
static bool warm_elsewhere(struct tftp_engine *e, struct tftp_transfer *x, uint64_t from)
{
    struct warming *w = new_warming(e, x, from);
    e->counters.cold_reads++;
    if (w && !e->hooks.run) { /* there is nobody else to do it */
        warm_work(w);
        take_read(e, x, w);
    } else if (w &&
               e->hooks.run(e->hooks.context, x->file->far, warm_work, warm_done, w)) {
        x->cold = true;
        return true;
    } else {
        abandon(e, x, "too much is read from the disk, try again");
    }
    free_warming(w);
    return false;
}

/* Two interfaces may share a bit; the cost is some system calls. */
static uint64_t interface_bit(const struct tftp_transfer *x)
{
    return UINT64_C(1) << x->path.ifindex % 64;
}

static enum sender_result send_due(struct tftp_engine *e, struct tftp_transfer *x,
                                   usec_t now)
{
    uint64_t cold_at;
    enum sender_result result;
    do {
        result = tftp_sender_run(&e->sender, x, now, &cold_at);
    } while (result == SENDER_COLD && !warm_elsewhere(e, x, cold_at));
    if (!x->has_begun && x->session.high > 0) {
        x->has_begun = true;
        histogram_add(&e->counters.first_data, HISTOGRAM_WAIT, seconds_of(x, now));
    }
    if (x->interface_refuses) {
        e->no_segments |= interface_bit(x);
    }
    if (result == SENDER_FILE_CHANGED) {
        abandon(e, x, "the file changed while it was sent");
    }
    return result;
}

void tftp_transfer_pump(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    x->dirty = false;
    enum sender_result result =
        x->cold && x->session.state != TFTP_ENDED ? SENDER_COLD : send_due(e, x, now);
    if (x->session.state == TFTP_ENDED) {
        x->cold = false;
        end(e, x, now);
        return;
    }
    usec_t wake = tftp_session_deadline(&x->session);
    if (result == SENDER_BLOCKED && now + RETRY_SEND < wake) {
        wake = now + RETRY_SEND;
    } else if (result == SENDER_COLD) {
        wake = now + TFTP_PATIENCE; /* the disk has its own time, but not for ever */
    }
    timers_set(&e->timers, &x->timer, wake);
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
    if (tftp_table_is_full(e->table) &&
        !tftp_table_gives_way(e->table, &path->peer, now)) {
        return NULL;
    }
    struct tftp_transfer *first = tftp_table_in_the_way(e->table);
    if (first) {
        displace(e, first, now);
    }
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
    const struct tftp_wish wish = {
        .client = wanted->path.peer,
        .asked = tftp_opts_parse(options),
        .limits = *limits,
        .file_size = wanted->file->size,
    };
    x->fd = wanted->fd;
    x->port = port_of(wanted->fd);
    x->file = wanted->file;
    x->repairs = wanted->repairs;
    x->began = now;
    x->serial = ++e->serials;
    x->no_segments = (e->no_segments & interface_bit(x)) != 0;
    x->tell_whole = wanted->tell_whole;
    memcpy(x->shown, wanted->shown, sizeof x->shown);
    struct tftp_grant grant;
    tftp_grant(e->windows, &wish, now, &grant);
    x->shape = grant.shape;
    x->agreed = grant.agreed;
    keep_names(x);
    tftp_session_init(&x->session, &grant.terms, now);
    tftp_unheard_begin(e, x, now);
    e->counters.transfers++;
    tell_opened(e, x, &wish.asked, now);
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
        if (x->cold) {
            abandon(e, x, "the disk does not answer");
        }
        tftp_session_timeout(&x->session, now);
        if (x->session.silences >= STALL_SILENCES && !x->stalled) {
            x->stalled = true; /* the client may begin anew before this one is given up */
            tftp_grant_told(e->windows, &x->path.peer, &x->shape, &x->session, now);
        }
        tftp_transfer_pump(e, x, now);
    }
}
