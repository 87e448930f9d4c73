#include "tftp/parts.h"

#include "common/minmax.h"

void tftp_parts_first(struct tftp_session *s, uint64_t behind, usec_t due)
{
    s->reached = lesser(behind + s->flow.reach, s->end_of_window);
    s->limit = lesser(behind + s->flow.pace.burst, s->reached);
    s->more_at = USEC_NEVER;
    s->part_at = due;
    s->reach_at = due;
}

void tftp_parts_next(struct tftp_session *s)
{
    usec_t due = s->more_at;
    if (s->limit == s->reached) {
        s->paused = true;
        tftp_parts_first(s, s->limit, due);
    } else {
        s->limit = lesser(s->limit + tftp_pace_part(&s->flow.pace), s->reached);
        s->more_at = USEC_NEVER;
        s->part_at = due;
    }
}

void tftp_parts_await(struct tftp_session *s, usec_t now)
{
    usec_t gap = tftp_pace_gap(&s->flow.pace);
    if (s->part_at == 0) {
        s->part_at = now;
        s->reach_at = now;
    }
    /* From when it was due: a late alarm is made up for. */
    if (gap == 0) {
        s->more_at = now + tftp_flow_part_time(&s->flow);
    } else if (s->limit == s->reached) {
        s->more_at =
            greater(s->reach_at + tftp_flow_part_time(&s->flow), s->part_at + gap);
    } else {
        s->more_at = s->part_at + gap;
    }
}

/*
 * Blocks sent ahead end with 65535.  Quirk: GRUB compares numbers without the wrap: while it
 * waits for 65535 it takes 0 for an old block and acknowledges it, and that ACK would pass
 * for one of all blocks so far.
 */
static void open_ahead(struct tftp_session *s)
{
    uint64_t before_wrap = (s->acked + 1) | UINT16_MAX;
    uint64_t end = lesser(s->acked + s->ahead.now, before_wrap);
    s->end_of_window = lesser(greater(end, s->acked + 1), s->last);
    s->reached = s->end_of_window;
    s->limit = s->end_of_window;
    s->more_at = USEC_NEVER;
}

void tftp_parts_open(struct tftp_session *s)
{
    if (s->terms.ahead > 1) {
        open_ahead(s);
    } else {
        s->end_of_window = lesser(s->acked + s->window, s->last);
        s->paused = false;
        tftp_parts_first(s, s->acked, 0);
    }
    s->next = greater(s->next, s->acked + 1);
}
