#include "tftp/session.h"

#define BACKOFF_MAX 16
#define OVERDUE_QUIET                                                                    \
    (100 * (usec_t)1)    /* no ACK for this long before a window is repeated */
#define OVERDUE_MARGIN 8 /* eighths of srtt over the round trip: 1/8 */

static usec_t min_time(usec_t a, usec_t b)
{
    return a < b ? a : b;
}

static usec_t max_time(usec_t a, usec_t b)
{
    return a > b ? a : b;
}

/* RFC 6298 section 2, with our own clamp; doubled for each expiry in a row. */
static usec_t rto(const struct tftp_session *s)
{
    usec_t base = s->srtt ? s->srtt + 4 * s->rttvar : TFTP_RTO_FIRST;
    base = min_time(max_time(base, TFTP_RTO_MIN), s->terms.rto_max);
    return min_time(base << (s->backoff < BACKOFF_MAX ? s->backoff : BACKOFF_MAX),
                    max_time(s->terms.rto_max, base));
}

static void sample(struct tftp_session *s, usec_t rtt)
{
    rtt = rtt > 0 ? rtt : 1;
    if (s->srtt == 0) {
        s->srtt = rtt;
        s->rttvar = rtt / 2;
        return;
    }
    usec_t off = rtt > s->srtt ? rtt - s->srtt : s->srtt - rtt;
    s->rttvar = (3 * s->rttvar + off) / 4;
    s->srtt = (7 * s->srtt + rtt) / 8;
    s->srtt = s->srtt > 0 ? s->srtt : 1;
}

static void finish(struct tftp_session *s, enum tftp_end how)
{
    s->state = TFTP_ENDED;
    s->end = how;
    s->offer_due = false;
    s->probe = 0;
    s->rto_at = USEC_NEVER;
    s->due_at = USEC_NEVER;
}

/* A window begins behind the last acknowledged block. */
static void open_window(struct tftp_session *s)
{
    uint64_t end = s->acked + s->terms.window;
    s->limit = end < s->last ? end : s->last;
    if (s->next <= s->acked) {
        s->next = s->acked + 1;
    }
}

/* Give the window out again from the first block that is missing. */
static void rewind_window(struct tftp_session *s)
{
    s->next = s->acked + 1;
    s->probe = 0;
    s->clean = false;
    s->repeats = true;
    s->due_at = USEC_NEVER;
    open_window(s);
}

void tftp_session_init(struct tftp_session *s, const struct tftp_terms *terms, usec_t now)
{
    *s = (struct tftp_session){
        .terms = *terms,
        .state = TFTP_OFFERED,
        /* a final short block, maybe empty (RFC 1350 section 6) */
        .last = terms->file_size / terms->blksize + 1,
        .next = 1,
        .offer_due = terms->oack,
        .clean = true,
        .progress_at = now,
        .rto_at = USEC_NEVER,
        .due_at = USEC_NEVER,
    };
    /* Without options DATA 1 is the offer: no more goes out before the client has answered. */
    s->limit = terms->oack ? 0 : 1;
}

static void progress(struct tftp_session *s, usec_t now)
{
    s->backoff = 0;
    s->progress_at = now;
    s->due_at = USEC_NEVER;
    s->probe = 0;
}

static void on_end_of_window(struct tftp_session *s, usec_t now)
{
    if (s->clean) {
        sample(s, now - s->sent_at);
    }
    s->acked = s->high;
    progress(s, now);
    s->clean = true;
    s->repeats = false;
    if (s->acked == s->last) {
        finish(s, TFTP_END_DONE);
        return;
    }
    open_window(s);
}

/* The overdue rule: see session.h. */
static void on_gap(struct tftp_session *s, usec_t now)
{
    usec_t round_trip = s->srtt + s->srtt / OVERDUE_MARGIN;
    s->due_at = max_time(s->sent_at + round_trip, now + OVERDUE_QUIET);
}

static void on_ack(struct tftp_session *s, uint16_t wire, usec_t now)
{
    uint16_t step = (uint16_t)(wire - (uint16_t)s->acked);
    if (s->state == TFTP_OFFERED) {
        if (s->terms.oack && wire != 0) {
            return; /* the answer to an OACK is ACK 0 (RFC 2347) and nothing else */
        }
        if (!s->terms.oack && step != 1) {
            return;
        }
        s->state = TFTP_SENDING;
        s->clean = s->clean && s->first_sends == 1;
        if (s->terms.oack) {
            if (s->clean) {
                sample(s, now - s->sent_at);
            }
            progress(s, now);
            s->offer_due = false;
            s->clean = true;
            s->rto_at = USEC_NEVER;
            open_window(s);
            return;
        }
    }
    if (step > s->high - s->acked) {
        return; /* stale, or a block that never went out */
    }
    if (step > 0 && step == s->high - s->acked) {
        on_end_of_window(s, now);
        return;
    }
    if (step > 0) {
        s->acked += step;
        progress(s, now);
        s->next = max_time(s->next, s->acked + 1);
        s->clean = false;
        on_gap(s, now);
    } else if (s->terms.window > 1 && s->high > s->acked) {
        on_gap(s, now);
    }
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
        on_ack(s, in->block, now);
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
    s->clean = false;
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
    if (now >= s->sent_at + min_time(TFTP_RTO_FIRST, s->terms.rto_max)) {
        repeat_first(s);
    }
    return true;
}

static void on_first_timeout(struct tftp_session *s, usec_t now)
{
    if (s->first_sends < TFTP_FIRST_SENDS) {
        s->backoff++;
        repeat_first(s);
    } else if (now >= s->progress_at + TFTP_FIRST_PATIENCE) {
        finish(s, TFTP_END_NO_ANSWER);
    } else {
        s->rto_at = s->progress_at + TFTP_FIRST_PATIENCE;
    }
}

/*
 * What to give out when nothing was heard.  First the tail alone: when only it (or only the
 * ACK) was lost the client is whole again, and otherwise it says what it has.  Then the
 * window.  Then what follows it, once.  A client that stays silent after that gets single
 * blocks from both ends: enough to make any client speak, too little to flood a dead one.
 */
static void speak_again(struct tftp_session *s)
{
    switch (s->backoff) {
    case 2:
    case 4:
        rewind_window(s);
        break;
    case 3:
        /*
         * Quirk: U-Boot whose gap ACK was lost counts its window from there and wants more
         * than ours holds; GRUB whose ACK 65535 was lost ignores 65535 for ever while it
         * waits for 0.  The blocks behind the window wake both.
         */
        if (s->high < s->last) {
            s->next = s->high + 1;
            s->limit = s->high + s->terms.window;
            s->limit = s->limit < s->last ? s->limit : s->last;
            break;
        }
        /* fall through */
    default:
        s->probe = s->backoff % 2 ? s->high : s->acked + 1;
        break;
    }
}

static void on_silence(struct tftp_session *s, usec_t now)
{
    if (now >= s->progress_at + s->terms.patience) {
        finish(s, s->high == s->last ? TFTP_END_NO_FINAL_ACK : TFTP_END_STALLED);
        return;
    }
    s->stats.timeouts++;
    s->backoff++;
    s->clean = false;
    s->due_at = USEC_NEVER;
    speak_again(s);
    s->rto_at = now + rto(s);
}

/*
 * A window that holds repeats may have been acknowledged early because of them: the client
 * has all, but counts its window from that ACK (EDK2).  To repeat it would go on like that
 * for the rest of the file, so its last block asks first.
 */
static void on_overdue(struct tftp_session *s)
{
    s->stats.overdue++;
    s->due_at = USEC_NEVER;
    if (s->repeats) {
        s->repeats = false;
        s->clean = false;
        s->probe = s->high;
    } else {
        rewind_window(s);
    }
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
    } else if (now >= s->due_at) {
        on_overdue(s);
    }
}

static void sent(struct tftp_session *s, usec_t now)
{
    s->sent_at = now;
    s->rto_at = now + rto(s);
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
    } else {
        s->high = number;
    }
    sent(s, now);
    *out = data(s, number);
    return true;
}

void tftp_session_unsend(struct tftp_session *s, const struct tftp_send *first)
{
    if (s->state == TFTP_ENDED) {
        return;
    }
    if (first->op == TFTP_OACK) {
        s->offer_due = true;
    } else if (first->number < s->next) {
        s->next = first->number;
    }
    s->clean = false;
}

usec_t tftp_session_deadline(const struct tftp_session *s)
{
    return min_time(s->rto_at, s->due_at);
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

const char *tftp_end_name(enum tftp_end end)
{
    static const char *const names[TFTP_END_COUNT] = {
        [TFTP_END_NONE] = "none",
        [TFTP_END_DONE] = "done",
        [TFTP_END_NO_FINAL_ACK] = "no-final-ack",
        [TFTP_END_PROBE] = "probe",
        [TFTP_END_ABORTED] = "aborted",
        [TFTP_END_NO_ANSWER] = "no-answer",
        [TFTP_END_STALLED] = "stalled",
        [TFTP_END_UNREACHABLE] = "unreachable",
        [TFTP_END_CLOSED] = "closed",
    };
    return names[end];
}
