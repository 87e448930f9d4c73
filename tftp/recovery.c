#include "tftp/recovery.h"

#include "common/minmax.h"
#include "tftp/parts.h"

#define OVERDUE_QUIET UINT64_C(100) /* no ACK for this long before a repeat */

/* Losses among what was out ahead at the same time are one. */
static void lost(struct tftp_session *s)
{
    tftp_flow_lost(&s->flow);
    if (s->acked >= s->recover) {
        tftp_ahead_lost(&s->ahead);
        s->recover = s->high;
    }
}

/* The window again, from the first block that is missing. */
static void rewind_window(struct tftp_session *s)
{
    s->next = s->acked + 1;
    s->probe = 0;
    s->repeats = true;
    s->repeated = s->high;
    s->opened_at = USEC_NEVER;
    s->due_at = USEC_NEVER;
    tftp_parts_open(s);
}

void tftp_recovery_go_back(struct tftp_session *s)
{
    rewind_window(s);
}

void tftp_recovery_doubt(struct tftp_session *s, usec_t now)
{
    s->in_doubt = true;
    s->next = greater(s->next, s->acked + 1);
    s->due_at = now + tftp_flow_late(&s->flow, 0);
}

static void repeat_one(struct tftp_session *s, uint64_t number)
{
    s->probe = number;
    s->repeated = greater(s->repeated, number);
}

/* The overdue rule: see session.h. */
void tftp_recovery_gap(struct tftp_session *s, bool after_silence, usec_t now)
{
    s->more_at = USEC_NEVER;
    if (after_silence && s->overdues == 0) {
        s->due_at = now + OVERDUE_QUIET; /* nothing is on its way any more */
        return;
    }
    usec_t quiet = greater(OVERDUE_QUIET, s->flow.measured ? 0 : now - s->heard_at);
    s->due_at = greater(s->sent_at + tftp_flow_late(&s->flow, s->overdues), now + quiet);
}

void tftp_recovery_ask(struct tftp_session *s)
{
    s->asked = s->acked + 1;
    repeat_one(s, s->asked);
}

/*
 * What to give out when nothing was heard.  First the tail alone: when only it (or only the
 * ACK) was lost the client is whole again, and otherwise it says what it has.  Then the
 * window.  Then what follows it, once.  A client that stays silent after that gets single
 * blocks from both ends: enough to make any client speak, too little to flood a dead one.
 */
static void speak_again(struct tftp_session *s)
{
    if (s->silences == 1 && s->terms.ahead > 1) {
        tftp_recovery_ask(s);
    } else if (s->silences == 2 || s->silences == 4) {
        tftp_flow_lost(&s->flow);
        rewind_window(s);
    } else if (s->silences == 3 && s->high < s->last && s->high <= s->acked + s->window) {
        /*
         * Quirk: U-Boot whose gap ACK was lost counts its window from there and wants more
         * than ours holds; GRUB whose ACK 65535 was lost ignores 65535 for ever while it
         * waits for 0.  The blocks behind the window wake both; those of a second window
         * would wake nobody.
         */
        s->next = s->high + 1;
        s->end_of_window = lesser(s->high + s->window, s->last);
        tftp_parts_first(s, s->high, 0);
    } else {
        repeat_one(s, s->silences % 2 ? s->high : s->acked + 1);
    }
}

void tftp_recovery_silence(struct tftp_session *s, usec_t now)
{
    /* Echoes of old blocks still come in: the wire is slow, and the overdue rule at work. */
    s->was_quiet = s->heard_at <= s->sent_at;
    if (s->due_at != USEC_NEVER && s->heard_at + tftp_flow_rto(&s->flow) > now) {
        s->rto_at = s->heard_at + tftp_flow_rto(&s->flow);
        return;
    }
    s->stats.timeouts++;
    s->silences++;
    s->flow.backoff++;
    s->due_at = USEC_NEVER;
    s->more_at = USEC_NEVER;
    speak_again(s);
    s->rto_at = now + tftp_flow_rto(&s->flow);
}

void tftp_recovery_overdue(struct tftp_session *s, usec_t now)
{
    s->stats.overdue++;
    s->overdues++;
    s->due_at = USEC_NEVER;
    if (s->in_doubt) {
        s->in_doubt = false;
        lost(s);
        rewind_window(s);
        return;
    }
    if (s->terms.ahead > 1 && s->overdues == 1) {
        lost(s);
    }
    if (s->repeats || s->terms.ahead > 1) {
        /* Asks first: see session.h. */
        s->repeats = false;
        tftp_recovery_ask(s);
        s->due_at = now + tftp_flow_late(&s->flow, s->overdues);
        return;
    }
    bool has_first = s->asked == s->acked + 1;
    tftp_flow_lost(&s->flow);
    rewind_window(s);
    if (has_first && s->next < s->end_of_window) {
        s->next++;
    }
    s->asked = 0;
}
