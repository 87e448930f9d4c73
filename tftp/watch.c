#include "tftp/watch.h"

#define HEADS   2  /* blocks at the beginning of a transfer */
#define AGAIN   24 /* blocks sent again that are told, as long as the client answers */
#define ANSWERS 3  /* to each of them */

static struct seen_packet packet_of(const struct tftp_watched *w, bool sent)
{
    struct endpoint us = w->path->local;
    us.port = w->port;
    return (struct seen_packet){
        .from = sent ? us : w->path->peer,
        .to = sent ? w->path->peer : us,
        .sent = sent,
        .head = w->head,
        .head_len = w->head_len,
        .body = w->body,
        .body_len = w->body_len,
    };
}

void tftp_watch_came(const struct tftp_hooks *hooks, const struct tftp_watched *w)
{
    if (hooks->packet) {
        struct seen_packet packet = packet_of(w, false);
        hooks->packet(hooks->context, &packet);
    }
}

void tftp_watch_went(const struct tftp_hooks *hooks, const struct tftp_watched *w)
{
    if (hooks->packet) {
        struct seen_packet packet = packet_of(w, true);
        hooks->packet(hooks->context, &packet);
    }
}

bool tftp_watch_wants_in(struct tftp_transfer *x, const struct tftp_packet *pkt)
{
    const struct tftp_session *s = &x->session;
    if (pkt->op != TFTP_ACK || s->acked < HEADS || s->silences > 0 ||
        s->acked + 1 >= s->last) {
        return true;
    }
    if (x->watch_answers > 0) {
        x->watch_answers--;
        return true;
    }
    return false;
}

bool tftp_watch_may_want(const struct tftp_transfer *x, uint64_t number, bool again)
{
    const struct tftp_session *s = &x->session;
    return (again && x->watch_again < AGAIN) || number <= HEADS || s->silences > 0;
}

bool tftp_watch_wants_out(struct tftp_transfer *x, uint64_t number, bool again)
{
    const struct tftp_session *s = &x->session;
    if (again && x->watch_again < AGAIN) {
        x->watch_again++;
        x->watch_answers = ANSWERS;
        return true;
    }
    return number <= HEADS || s->silences > 0 || number == s->last;
}
