#include "tftp/requests.h"

#include <string.h>

#include "common/minmax.h"
#include "common/text.h"
#include "config/snapshot.h"
#include "tftp/errors.h"
#include "tftp/journal.h"
#include "tftp/unheard.h"

static void turn_away(const struct tftp_requests *s, const struct net_dgram *d,
                      enum tftp_ignored why, usec_t now)
{
    const struct tftp_hooks *hooks = &s->engine->hooks;
    struct tftp_packet pkt;
    struct mac mac;
    char shown[TFTP_PATH_SIZE];
    if (hooks->turned_away && hooks->machine &&
        hooks->machine(hooks->context, &d->path.peer, &mac) &&
        tftp_parse(d->data, d->len, &pkt) == TFTP_OK && pkt.op == TFTP_RRQ) {
        text_show(pkt.file.at, pkt.file.len, shown, sizeof shown);
        hooks->turned_away(hooks->context, &d->path.peer, shown, why, now);
    }
}

bool tftp_admitted(struct tftp_requests *s, const struct net_dgram *d, usec_t now)
{
    enum tftp_ignored why = tftp_admit(&s->doors, &s->allow, &d->path);
    if (why == TFTP_ADMITTED) {
        return true;
    }
    s->engine->counters.ignored[why]++;
    tftp_journal_ignored(&d->path, why);
    if (why == TFTP_NOT_ALLOWED) {
        turn_away(s, d, why, now);
    }
    return false;
}

static void tell_refused(const struct tftp_requests *s, const struct net_path *path,
                         const char *shown, const char *why, usec_t now)
{
    const struct tftp_hooks *hooks = &s->engine->hooks;
    if (hooks->refused) {
        hooks->refused(hooks->context, &path->peer, path->ifindex, shown, why, now);
    }
}

static void refuse(struct tftp_requests *s, int fd, const struct tftp_transfer *wanted,
                   struct tftp_text name, enum tftp_refused why, usec_t now)
{
    const struct tftp_refusal *r = tftp_refusal(why);
    if (!tftp_answer_error(s->engine, fd, &wanted->path, r->code, r->message, now)) {
        return;
    }
    s->engine->counters.refused[why]++;
    tftp_journal_refusal(&s->engine->hooks, &wanted->path, name, r->message);
    tell_refused(s, &wanted->path, wanted->shown, r->message, now);
}

/* Names that are not there are many clients' habit; the log folds them. */
static void refuse_missing(struct tftp_requests *s, int fd,
                           const struct tftp_transfer *wanted, struct tftp_text name,
                           const char *why, usec_t now)
{
    const char *message = why[0] ? why : tftp_refusal(TFTP_NO_FILE)->message;
    if (!tftp_answer_error(s->engine, fd, &wanted->path, TFTP_ERR_NOT_FOUND, message,
                           now)) {
        return;
    }
    s->engine->counters.refused[TFTP_NO_FILE]++;
    if (why[0] || tftp_misses_note(&s->misses, &wanted->path.peer, wanted->shown, now)) {
        tftp_journal_refusal(&s->engine->hooks, &wanted->path, name, message);
    }
    tell_refused(s, &wanted->path, wanted->shown, message, now);
}

static enum tftp_refused refused_by_store(enum store_fault fault)
{
    static const enum tftp_refused why[STORE_FAULT_COUNT] = {
        [STORE_NOT_FOUND] = TFTP_NO_FILE, [STORE_NOT_REGULAR] = TFTP_NOT_REGULAR,
        [STORE_DENIED] = TFTP_NO_ACCESS,  [STORE_TOO_LARGE] = TFTP_TOO_LARGE,
        [STORE_TROUBLE] = TFTP_TROUBLE,
    };
    return why[fault];
}

static enum tftp_refused refused_by_path(enum tftp_path_fault fault)
{
    static const enum tftp_refused why[] = {
        [TFTP_PATH_EMPTY] = TFTP_NOT_REGULAR,
        [TFTP_PATH_OUTSIDE] = TFTP_NO_ACCESS,
        [TFTP_PATH_LONG] = TFTP_NAME_TOO_LONG,
    };
    return why[fault];
}

/* False: the client had answered already, and starts over. */
static bool again(struct tftp_engine *e, struct tftp_transfer *x, usec_t now)
{
    unsigned before = x->session.first_sends;
    if (!tftp_unheard_may_repeat(e, x, now)) {
        e->counters.ignored[TFTP_TOO_MANY]++;
        return true;
    }
    if (!tftp_session_again(&x->session, now)) {
        return false;
    }
    tftp_transfer_pump(e, x, now);
    if (before >= TFTP_FIRST_SENDS && x->session.first_sends > before) {
        tftp_unheard_pay(e, x, now);
    }
    return true;
}

/* True: the request belongs to a transfer that is under way. */
static bool continues(struct tftp_requests *s, const struct net_path *path,
                      const char *shown, usec_t now)
{
    struct tftp_transfer *x = tftp_table_find(s->engine->table, &path->peer);
    if (!x) {
        return false;
    }
    bool same = strcmp(shown, x->shown) == 0;
    if (!x->lingers && same && again(s->engine, x, now)) {
        return true;
    }
    tftp_transfer_forget(s->engine, x, now); /* the client has started over */
    return false;
}

/* Those of the configuration, less what this client's host says and its network carries. */
static struct tftp_limits limits_of(const struct tftp_requests *s,
                                    const struct tftp_client *client,
                                    const struct net_path *path)
{
    struct tftp_limits l = s->limits;
    l.max_block_size =
        (uint32_t)lesser(l.max_block_size, tftp_block_most(&s->doors, path));
    if (client->max_block_size > 0 && client->max_block_size < l.max_block_size) {
        l.max_block_size = client->max_block_size;
    }
    if (client->max_window_size > 0 && client->max_window_size < l.max_window_size) {
        l.max_window_size = client->max_window_size;
    }
    if (client->send_ahead != SEND_AHEAD_UNSAID) {
        l.send_ahead = client->send_ahead;
    }
    if (client->knows_msft_window) {
        l.msft_window = client->msft_window;
    }
    return l;
}

/* -- the file ----------------------------------------------------------------------------- */

static void begin(struct tftp_requests *s, struct tftp_asked *a, usec_t now)
{
    const struct tftp_hooks *hooks = &s->engine->hooks;
    struct tftp_transfer *wanted = &a->wanted;
    wanted->tell_whole =
        hooks->began && hooks->began(hooks->context, &wanted->path.peer, a->quest.name);
    if (!tftp_transfer_begin(s->engine, wanted, a->options, &a->limits, now)) {
        refuse(s, a->fd, wanted, a->name, TFTP_CROWDED, now);
    }
}

static void settle(struct tftp_requests *s, struct tftp_asked *a, enum store_fault fault,
                   const struct tftp_found *found, usec_t now)
{
    if (fault == STORE_OK && found->octets) {
        fault = store_text(found->octets, found->len, a->mode, &a->wanted.file);
    } else if (fault == STORE_OK) {
        fault = a->made ? STORE_OK : store_make(&found->file, a->mode, &a->made);
        a->wanted.file = fault == STORE_OK ? store_lend(s->store, a->made) : NULL;
    }
    if (fault == STORE_OK) {
        a->wanted.repairs |= found->repairs;
        begin(s, a, now);
    } else if (fault == STORE_NOT_FOUND) {
        refuse_missing(s, a->fd, &a->wanted, a->name, found->why, now);
    } else {
        refuse(s, a->fd, &a->wanted, a->name, refused_by_store(fault), now);
    }
}

/* What a disk was waited for has come, or nobody wants it any more. */
static void settle_late(void *context, struct tftp_asked *a, enum store_fault fault,
                        const struct tftp_found *found, usec_t now)
{
    struct tftp_requests *s = context;
    if (found) {
        settle(s, a, fault, found, now);
    } else if (a->made) {
        store_put(store_lend(s->store, a->made));
    }
}

void tftp_requests_init(struct tftp_requests *s, struct tftp_engine *engine)
{
    s->engine = engine;
    s->waiting = (struct tftp_waiting){
        .hooks = &engine->hooks, .settle = settle_late, .context = s};
}

usec_t tftp_requests_deadline(const struct tftp_requests *s)
{
    return tftp_waiting_deadline(&s->waiting);
}

void tftp_requests_timeout(struct tftp_requests *s, usec_t now)
{
    const struct tftp_asked *a;
    while ((a = tftp_waiting_due(&s->waiting, now)) != NULL) {
        refuse(s, a->fd, &a->wanted, a->name, TFTP_DISK_SILENT, now);
    }
}

static void look_for(struct tftp_requests *s, struct tftp_asked *a,
                     const struct net_dgram *d, usec_t now)
{
    struct tftp_quest *q = &a->quest;
    const struct tftp_hooks *hooks = &s->engine->hooks;
    struct tftp_found found;
    enum store_fault fault = tftp_find(q, store_root(s->store), hooks, &found);
    while (fault == STORE_WAITS && !hooks->run) {
        tftp_find_long(q); /* there is nobody else to do it */
        fault = tftp_find_on(q, hooks, &found);
    }
    if (fault == STORE_WAITS) {
        if (tftp_waiting_add(&s->waiting, a, d, now)) {
            return;
        }
        tftp_quest_done(q);
        fault = STORE_TROUBLE;
    }
    settle(s, a, fault, &found, now);
}

/* -- requests ----------------------------------------------------------------------------- */

static void on_read_request(struct tftp_requests *s, int fd, int data_fd,
                            const struct net_dgram *d, const struct tftp_packet *pkt,
                            usec_t now)
{
    const struct net_path *path = &d->path;
    struct tftp_asked a = {.fd = fd,
                           .wanted = {.path = *path, .fd = data_fd},
                           .mode = pkt->mode,
                           .name = pkt->file,
                           .options = pkt->options,
                           .quest = {.peer = path->peer,
                                     .local = path->local,
                                     .patient = pkt->mode == TFTP_NETASCII}};
    text_show(pkt->file.at, pkt->file.len, a.wanted.shown, sizeof a.wanted.shown);
    if (continues(s, path, a.wanted.shown, now) ||
        tftp_waiting_has(&s->waiting, &path->peer, a.wanted.shown) ||
        tftp_unheard_is_too_many(s->engine, path, now)) {
        return;
    }
    struct tftp_client client = {0};
    if (s->engine->hooks.who) {
        s->engine->hooks.who(s->engine->hooks.context, &path->peer, path->ifindex,
                             &client);
    }
    if (client.denied) {
        refuse(s, fd, &a.wanted, pkt->file, TFTP_NO_ACCESS, now);
        return;
    }
    enum tftp_path_fault unclean =
        tftp_path_clean(pkt->file, a.quest.name, &a.wanted.repairs);
    if (unclean != TFTP_PATH_OK) {
        refuse(s, fd, &a.wanted, pkt->file, refused_by_path(unclean), now);
        return;
    }
    a.limits = limits_of(s, &client, path);
    look_for(s, &a, d, now);
}

void tftp_request(struct tftp_requests *s, int fd, int data_fd, const struct net_dgram *d,
                  usec_t now)
{
    struct tftp_packet pkt;
    struct tftp_transfer unwanted = {.path = d->path};
    s->engine->counters.requests++;
    enum tftp_fault fault = tftp_parse(d->data, d->len, &pkt);
    if (fault != TFTP_OK) {
        struct tftp_text unknown = {"", 0};
        refuse(s, fd, &unwanted, unknown, tftp_refused_packet(fault), now);
    } else if (pkt.op == TFTP_WRQ) {
        text_show(pkt.file.at, pkt.file.len, unwanted.shown, sizeof unwanted.shown);
        refuse(s, fd, &unwanted, pkt.file, TFTP_READ_ONLY, now);
    } else {
        on_read_request(s, fd, data_fd, d, &pkt, now);
    }
}
