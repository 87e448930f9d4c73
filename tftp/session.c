#include "tftp/session.h"

#include "common/minmax.h"
#include "tftp/parts.h"
#include "tftp/recovery.h"

static void finish(struct tftp_session *s, enum tftp_end how)
{
    s->state = TFTP_ENDED;
    s->end = how;
    s->offer_due = false;
    s->probe = 0;
    s->rto_at = USEC_NEVER;
    s->due_at = USEC_NEVER;
    s->more_at = USEC_NEVER;
}

/* A repeated ACK may be about a gap. */
static bool many_in_window(const struct tftp_session *s)
{
    return s->terms.window > 1 || s->terms.msft_window;
}

void tftp_session_init(struct tftp_session *s, const struct tftp_terms *terms, usec_t now)
{
    *s = (struct tftp_session){
        .terms = *terms,
        .state = TFTP_OFFERED,
        /* a final short block, maybe empty (RFC 1350 section 6) */
        .last = terms->file_size / terms->blksize + 1,
        .window = terms->window,
        .next = 1,
        .offer_due = terms->oack,
        .progress_at = now,
        .rto_at = USEC_NEVER,
        .due_at = USEC_NEVER,
        .more_at = USEC_NEVER,
    };
    tftp_flow_init(&s->flow, terms->window, terms->rto_max);
    s->terms.ahead = many_in_window(s) ? 1 : terms->ahead;
    tftp_flow_know(&s->flow, &terms->wire);
    tftp_ahead_init(&s->ahead, s->terms.ahead);
    /* Without options DATA 1 is the offer: no more goes out before the client has answered. */
    s->limit = terms->oack ? 0 : 1;
    s->reached = s->limit;
    s->end_of_window = s->limit;
}

static void progress(struct tftp_session *s, usec_t now)
{
    /* Karn: while no round trip is known, a longer rto is not forgotten at once. */
    s->flow.backoff = s->flow.measured ? 0 : s->flow.backoff / 2;
    s->silences = 0;
    s->overdues = 0;
    s->asked = 0;
    s->in_doubt = false;
    s->progress_at = now;
    s->due_at = USEC_NEVER;
    s->probe = 0;
}

static void on_whole_window(struct tftp_session *s, uint64_t number, usec_t now)
{
    if (number != s->high || s->opened_at == USEC_NEVER) {
        return;
    }
    tftp_pace_whole(&s->flow.pace, s->window);
    if (!s->paused) {
        tftp_pace_window(&s->flow.pace, now - s->opened_at, number - s->acked);
    }
}

/* All that went out has arrived, or all that was repeated of it so far. */
static void on_all(struct tftp_session *s, uint64_t number, usec_t now)
{
    if (number > s->repeated) {
        tftp_flow_trip(&s->flow, now - s->new_at);
        on_whole_window(s, number, now);
    } else if (number == s->high && s->opened_at != USEC_NEVER) {
        /* To which copy is this the answer?  As long as nothing is known, to the first. */
        tftp_flow_trip_at_least(&s->flow, now - s->opened_at);
    }
    tftp_flow_arrived(&s->flow, number - s->acked, number == s->high);
    s->acked = number;
    progress(s, now);
    if (s->acked == s->last) {
        finish(s, TFTP_END_DONE);
        return;
    }
    s->repeats = s->repeats && number < s->high;
    s->opened_at = number == s->high ? now : USEC_NEVER;
    tftp_parts_open(s);
}

/* Blocks are sent ahead of what this client knows, so it acknowledges each. */
static void on_ack_ahead(struct tftp_session *s, uint64_t number, usec_t now)
{
    if (number == s->acked) {
        if (s->high > s->acked + 1) {
            tftp_recovery_gap(s, false, now);
        }
        return;
    }
    if (s->timed > 0 && number >= s->timed) {
        if (s->timed > s->repeated) {
            tftp_flow_trip(&s->flow, now - s->timed_at);
        }
        s->timed = 0;
    }
    bool dropped = number == s->asked && number < s->high;
    bool after_silence = s->silences > 0;
    bool more_missing = s->asked > 0 && number < s->recover;
    tftp_flow_arrived(&s->flow, number - s->acked, true);
    tftp_ahead_arrived(&s->ahead, number - s->acked);
    s->acked = number;
    progress(s, now);
    if (s->acked == s->last) {
        finish(s, TFTP_END_DONE);
        return;
    }
    if (dropped && after_silence) {
        tftp_recovery_doubt(s, now);
    } else if (dropped) {
        tftp_recovery_go_back(s);
    } else {
        tftp_parts_open(s);
        if (more_missing) {
            tftp_recovery_ask(s);
        }
    }
    s->rto_at = greater(s->rto_at, now + tftp_flow_probe_time(&s->flow));
}

/* An octet that is missing leaves the window as it was; 0 would be the end of everything. */
static void take_window(struct tftp_session *s, const struct tftp_packet *in)
{
    if (s->terms.msft_window && in->has_window) {
        s->window = in->window > 0 ? in->window : 1;
        tftp_flow_resize(&s->flow, s->window);
    }
}

/* The first answer.  True: it was one. */
static bool on_first_ack(struct tftp_session *s, const struct tftp_packet *in, usec_t now)
{
    if (in->block != (s->terms.oack ? 0 : 1)) {
        return false; /* an OACK is answered by ACK 0 (RFC 2347) and nothing else */
    }
    s->state = TFTP_SENDING;
    s->answered = true;
    s->offer_due = false;
    if (s->first_sends == 1) {
        tftp_flow_first_trip(&s->flow, now - s->sent_at);
    } else {
        tftp_flow_trip_at_least(&s->flow, now - s->sent_at);
    }
    if (s->terms.oack) {
        progress(s, now);
        take_window(s, in);
        s->rto_at = USEC_NEVER;
        s->opened_at = now;
        tftp_parts_open(s);
    }
    return true;
}

static void on_ack(struct tftp_session *s, const struct tftp_packet *in, usec_t now)
{
    uint16_t step = (uint16_t)(in->block - (uint16_t)s->acked);
    bool after_silence = s->silences > 0 && s->was_quiet;
    if (step > s->high - s->acked) {
        return; /* stale, or a block that never went out */
    }
    uint64_t number = s->acked + step;
    take_window(s, in);
    if (s->terms.ahead > 1) {
        on_ack_ahead(s, number, now);
    } else if (step > 0 && (number == s->high || number == s->next - 1)) {
        on_all(s, number, now);
    } else if (step > 0) {
        s->acked += step;
        if (s->acked > s->repeated) {
            tftp_flow_trip_at_least(&s->flow, now - s->sent_at);
        }
        tftp_flow_arrived(&s->flow, step, false);
        progress(s, now);
        s->next = greater(s->next, s->acked + 1);
        tftp_recovery_gap(s, after_silence, now);
    } else if (many_in_window(s) && s->high > s->acked) {
        tftp_recovery_gap(s, after_silence, now);
    }
    s->heard_at = now;
}

static void on_error(struct tftp_session *s, uint16_t code)
{
    s->error_code = code;
    finish(s, s->acked == 0 ? TFTP_END_PROBE : TFTP_END_ABORTED);
}

void tftp_session_input(struct tftp_session *s, const struct tftp_packet *in, usec_t now)
{
    if (s->state == TFTP_ENDED) {
        return;
    }
    switch (in->op) {
    case TFTP_ACK:
        if (s->state == TFTP_SENDING || (on_first_ack(s, in, now) && !s->terms.oack)) {
            on_ack(s, in, now);
        }
        break;
    case TFTP_ERROR:
        on_error(s, in->error_code);
        break;
    default: /* not for a sender */
        break;
    }
}

static void repeat_first(struct tftp_session *s)
{
    if (s->terms.oack) {
        s->offer_due = true;
    } else {
        s->next = 1;
    }
}

bool tftp_session_again(struct tftp_session *s, usec_t now)
{
    if (s->state != TFTP_OFFERED) {
        return false;
    }
    /* Quirk: Raspberry Pi 2 boot ROM: two answers close together confuse it. */
    if (now >= s->sent_at + lesser(TFTP_RTO_FIRST, s->terms.rto_max)) {
        repeat_first(s);
    }
    return true;
}

static void on_first_timeout(struct tftp_session *s, usec_t now)
{
    if (s->first_sends < TFTP_FIRST_SENDS) {
        s->flow.backoff++;
        repeat_first(s);
    } else if (now >= s->progress_at + TFTP_FIRST_PATIENCE) {
        finish(s, TFTP_END_NO_ANSWER);
    } else {
        s->rto_at = s->progress_at + TFTP_FIRST_PATIENCE;
    }
}

static void on_silence(struct tftp_session *s, usec_t now)
{
    if (now >= s->progress_at + s->terms.patience) {
        finish(s, s->high == s->last ? TFTP_END_NO_FINAL_ACK : TFTP_END_STALLED);
        return;
    }
    tftp_recovery_silence(s, now);
}

void tftp_session_timeout(struct tftp_session *s, usec_t now)
{
    if (s->state == TFTP_ENDED) {
        return;
    }
    if (now >= s->rto_at) {
        if (s->state == TFTP_OFFERED) {
            on_first_timeout(s, now);
        } else {
            on_silence(s, now);
        }
    } else if (now >= s->more_at) {
        tftp_parts_next(s);
    } else if (now >= s->due_at) {
        tftp_recovery_overdue(s, now);
    }
}

static void sent(struct tftp_session *s, usec_t now)
{
    bool many = many_in_window(s) || s->terms.ahead > 1;
    s->sent_at = now;
    s->rto_at = now + (many && s->silences == 0 ? tftp_flow_probe_time(&s->flow)
                                                : tftp_flow_rto(&s->flow));
    if (s->state == TFTP_OFFERED) {
        s->first_sends++;
    }
}

static struct tftp_send data(const struct tftp_session *s, uint64_t number)
{
    uint64_t offset = (number - 1) * s->terms.blksize;
    uint64_t rest = s->terms.file_size - offset;
    return (struct tftp_send){
        .op = TFTP_DATA,
        .number = number,
        .offset = offset,
        .len = rest < s->terms.blksize ? (uint32_t)rest : s->terms.blksize,
    };
}

bool tftp_session_next(struct tftp_session *s, usec_t now, struct tftp_send *out)
{
    if (s->state == TFTP_ENDED) {
        return false;
    }
    if (s->offer_due) {
        s->offer_due = false;
        sent(s, now);
        *out = (struct tftp_send){.op = TFTP_OACK};
        return true;
    }
    uint64_t number = s->probe;
    s->last_probe = number;
    if (number != 0) {
        s->probe = 0;
    } else if (s->next <= s->limit) {
        number = s->next++;
    } else {
        return false;
    }
    s->stats.sent_blocks++;
    if (number <= s->high) {
        s->stats.resent_blocks++;
        s->timed = number <= s->timed ? 0 : s->timed; /* Karn */
    } else {
        s->high = number;
        s->new_at = now;
        if (s->timed == 0) {
            s->timed = number;
            s->timed_at = now;
        }
    }
    sent(s, now);
    if (number == s->limit && s->limit < s->end_of_window) {
        tftp_parts_await(s, now);
    }
    *out = data(s, number);
    return true;
}

void tftp_session_unsend(struct tftp_session *s, const struct tftp_send *first)
{
    if (s->state == TFTP_ENDED) {
        return;
    }
    if (s->state == TFTP_OFFERED) {
        s->first_sends--;
    }
    if (first->op == TFTP_OACK) {
        s->offer_due = true;
    } else if (first->number == s->last_probe || first->number >= s->next) {
        s->probe = first->number;
    } else {
        s->next = first->number;
    }
}

usec_t tftp_session_deadline(const struct tftp_session *s)
{
    return lesser(s->rto_at, lesser(s->due_at, s->more_at));
}

void tftp_session_unreachable(struct tftp_session *s)
{
    if (s->state != TFTP_ENDED) {
        finish(s, s->high == s->last ? TFTP_END_NO_FINAL_ACK : TFTP_END_UNREACHABLE);
    }
}

void tftp_session_close(struct tftp_session *s)
{
    if (s->state != TFTP_ENDED) {
        finish(s, TFTP_END_CLOSED);
    }
}

void tftp_session_displace(struct tftp_session *s)
{
    if (s->state != TFTP_ENDED) {
        finish(s, TFTP_END_DISPLACED);
    }
}
