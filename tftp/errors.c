#include "tftp/errors.h"

#include "tftp/journal.h"
#include "tftp/unheard.h"
#include "tftp/watch.h"

void tftp_send_error(const struct tftp_hooks *hooks, int fd, const struct net_path *path,
                     enum tftp_error code, const char *message)
{
    uint8_t packet[128];
    struct wr w = wr_over(packet, sizeof packet);
    tftp_write_error(&w, code, message);
    struct iovec part = {packet, wr_len(&w)};
    (void)net_send(fd, path, &part, 1, 0, false);
    if (hooks->packet) {
        uint16_t port = 0;
        (void)net_port(fd, &port);
        struct tftp_watched told = {path, port, packet, wr_len(&w), NULL, 0};
        tftp_watch_went(hooks, &told);
    }
}

bool tftp_answer_error(struct tftp_engine *e, int fd, const struct net_path *path,
                       enum tftp_error code, const char *message, usec_t now)
{
    enum tftp_trust trust = tftp_unheard_trust(e, &path->peer, now);
    if (!tftp_budget_has(e->budget, TFTP_REFUSAL, &path->peer, trust, now) ||
        !tftp_unheard_may_reach(e, path, trust)) {
        e->counters.ignored[TFTP_ERROR_WITHHELD]++;
        tftp_journal_ignored(path, TFTP_ERROR_WITHHELD);
        return false;
    }
    tftp_budget_take(e->budget, TFTP_REFUSAL, &path->peer, trust, now);
    tftp_send_error(&e->hooks, fd, path, code, message);
    return true;
}
