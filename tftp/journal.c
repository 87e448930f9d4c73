#include "tftp/journal.h"

#include "tftp/path.h"

static void log_peer_end(struct log_line *l, const struct net_path *path)
{
    char peer[ENDPOINT_TEXT];
    log_text(l, "peer", endpoint_print(&path->peer, peer));
}

static void log_repairs(struct log_line *l, unsigned repairs)
{
    char names[64];
    if (repairs) {
        log_text(l, "repaired", tftp_repairs_print(repairs, names, sizeof names));
    }
}

bool tftp_ended_well(enum tftp_end end)
{
    return end == TFTP_END_DONE || end == TFTP_END_NO_FINAL_ACK || end == TFTP_END_PROBE;
}

void tftp_journal_machine(struct log_line *l, const struct tftp_hooks *hooks,
                          const struct endpoint *peer)
{
    struct mac mac;
    char text[MAC_TEXT];
    if (hooks->machine && hooks->machine(hooks->context, peer, &mac)) {
        log_text(l, "mac", mac_print(&mac, text));
    }
}

/* One line for all of a flood. */
static void log_displaced(const struct tftp_transfer *x)
{
    struct log_line l;
    log_begin(&l, LOG_WARNING, "tftp failed");
    log_text(&l, "end", tftp_end_name(x->session.end));
    log_varying(&l);
    log_peer_end(&l, &x->path);
    log_text(&l, "file", x->shown);
    log_end(&l);
}

void tftp_journal_transfer(const struct tftp_hooks *hooks, const struct tftp_transfer *x,
                           usec_t now)
{
    const struct tftp_session *t = &x->session;
    if (t->end == TFTP_END_DISPLACED) {
        log_displaced(x);
        return;
    }
    enum log_level level = t->end == TFTP_END_PROBE  ? LOG_DEBUG
                           : tftp_ended_well(t->end) ? LOG_INFO
                                                     : LOG_WARNING;
    struct log_line l;
    log_begin(&l, level, tftp_ended_well(t->end) ? "tftp done" : "tftp failed");
    if (t->end == TFTP_END_NO_ANSWER) {
        log_limit(&l, LOG_OF_NOTHING);
    }
    log_peer_end(&l, &x->path);
    log_text(&l, "file", x->shown);
    log_repairs(&l, x->repairs);
    log_number(&l, "size", t->terms.file_size);
    log_number(&l, "block", t->terms.blksize);
    log_number(&l, "window", t->window);
    if (t->terms.ahead > 1) {
        log_number(&l, "ahead", t->ahead.now);
    }
    log_text(&l, "client", tftp_kind_name(x->shape.kind));
    log_decimal(&l, "seconds", (double)(now - x->began) / (double)USEC_PER_SEC, 3);
    log_decimal(&l, "rtt_ms", (double)t->flow.srtt / (double)USEC_PER_MSEC, 2);
    log_number(&l, "resent", t->stats.resent_blocks);
    if (t->end != TFTP_END_DONE) {
        log_text(&l, "end", tftp_end_name(t->end));
    }
    if (!tftp_ended_well(t->end)) {
        log_number(&l, "acked_blocks", t->acked);
    }
    tftp_journal_machine(&l, hooks, &x->path.peer);
    log_end(&l);
}

void tftp_journal_refusal(const struct tftp_hooks *hooks, const struct net_path *path,
                          struct tftp_text name, const char *why)
{
    char peer[ENDPOINT_TEXT];
    struct log_line l;
    log_begin(&l, LOG_INFO, "tftp refused");
    log_limit(&l, LOG_OF_NOTHING);
    log_text(&l, "peer", endpoint_print_ip(&path->peer, peer));
    log_peer(&l, "file", name.at, name.len);
    log_text(&l, "reason", why);
    tftp_journal_machine(&l, hooks, &path->peer);
    log_varying(&l);
    log_number(&l, "port", path->peer.port);
    log_end(&l);
}

void tftp_journal_ignored(const struct net_path *path, enum tftp_ignored why)
{
    char peer[ENDPOINT_TEXT];
    struct log_line l;
    log_begin(&l,
              why == TFTP_SERVER_PORT || why == TFTP_OTHER_INTERFACE ? LOG_INFO
                                                                     : LOG_WARNING,
              "tftp silent");
    log_text(&l, "reason", tftp_ignored_name(why));
    log_varying(&l); /* a sender may be forged, and another one each time */
    log_text(&l, "peer", endpoint_print_ip(&path->peer, peer));
    log_number(&l, "port", path->peer.port);
    log_end(&l);
}

void tftp_journal_misses(const struct tftp_hooks *hooks, const struct tftp_miss *sum)
{
    char peer[ENDPOINT_TEXT];
    struct log_line l;
    log_begin(&l, LOG_INFO, "tftp refused");
    log_text(&l, "peer", endpoint_print_ip(&sum->peer, peer));
    if (sum->count == 1) {
        log_text(&l, "file", sum->first);
    } else {
        log_number(&l, "files", sum->count);
        log_text(&l, "first", sum->first);
        log_text(&l, "last", sum->last);
    }
    log_text(&l, "reason", "file not found");
    tftp_journal_machine(&l, hooks, &sum->peer);
    log_end(&l);
}
