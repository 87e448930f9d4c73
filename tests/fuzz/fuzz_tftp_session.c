/*
 * One transfer as a state machine, without packets: any order of ACKs, other packets, waits, and
 * a kernel that refuses to send.
 *
 * The input is a script: terms first, then events.
 *
 * Properties: what tftp/session.h and tftp/state.h promise between two events; a block that
 * is given out is the file's part of that number; what the kernel did not take is given again;
 * an address that never answers gets TFTP_FIRST_SENDS packets for each time it asks, no more;
 * nothing moves a transfer that has ended.
 */
#include "tests/fuzz/fuzz.h"
#include "tftp/session.h"

/* What tftp/session.h promises between two events. */
static void check_state(const struct tftp_session *s)
{
    bool ended = s->state == TFTP_ENDED;
    must(s->acked <= s->high && s->high <= s->last);
    must((ended || s->acked < s->next) && s->next <= s->last + 1);
    must(s->limit <= s->end_of_window && s->end_of_window <= s->last);
    must(ended == (s->end != TFTP_END_NONE));
    must(ended == (tftp_session_deadline(s) == USEC_NEVER));
    must(s->flow.reach >= 1 && s->flow.reach <= s->window);
    must(s->limit <= s->reached && s->reached <= s->end_of_window);
}

static void check_send(const struct tftp_session *s, const struct tftp_send *out)
{
    if (out->op == TFTP_OACK) {
        must(s->terms.oack);
        return;
    }
    must(out->op == TFTP_DATA && out->number >= 1 && out->number <= s->last);
    must(out->offset == (out->number - 1) * s->terms.blksize);
    must(out->len <= s->terms.blksize && out->offset + out->len <= s->terms.file_size);
    must((out->len < s->terms.blksize) == (out->number == s->last));
}

/* Takes all there is; the kernel refuses one of them, the first time. */
static void pull(struct tftp_session *s, usec_t now, unsigned refused)
{
    struct tftp_send out;
    unsigned burst = 0;
    unsigned most =
        s->terms.msft_window ? UINT8_MAX + s->terms.window : s->window + s->terms.ahead;
    while (tftp_session_next(s, now, &out)) {
        check_send(s, &out);
        must(++burst <= most + 2U);
        if (burst == refused) {
            struct tftp_send again;
            tftp_session_unsend(s, &out);
            must(tftp_session_next(s, now, &again));
            must(again.op == out.op && again.number == out.number &&
                 again.offset == out.offset && again.len == out.len);
        }
    }
}

static void event(struct tftp_session *s, struct rd *script, usec_t *now,
                  unsigned *requests)
{
    uint8_t what = rd_u8(script);
    struct tftp_packet in = {
        .op = TFTP_ACK, .has_window = what % 3 > 0, .window = (uint8_t)(what * 7)};
    if (what < 60) {
        *now += (usec_t)what * what * 50;
        tftp_session_timeout(s, *now);
    } else if (what < 110) {
        /* On time, as a timer would do it. */
        usec_t at = tftp_session_deadline(s);
        *now = at != USEC_NEVER && at > *now ? at : *now;
        tftp_session_timeout(s, *now);
    } else if (what < 200) {
        /* An ACK in the neighbourhood: the honest one and those beside it. */
        in.block = (uint16_t)(s->high + 2 - what % 8);
        tftp_session_input(s, &in, *now);
    } else if (what < 240) {
        in.block = (uint16_t)(s->acked + what % 4);
        tftp_session_input(s, &in, *now);
    } else if (what < 250) {
        in.block = rd_u16(script);
        tftp_session_input(s, &in, *now);
    } else if (what < 252) {
        *requests += tftp_session_again(s, *now);
    } else if (what == 252) {
        in.op = TFTP_DATA;
        tftp_session_input(s, &in, *now);
    } else if (what == 253) {
        in.op = TFTP_ERROR;
        tftp_session_input(s, &in, *now);
    } else if (what == 254) {
        tftp_session_unreachable(s);
    } else {
        tftp_session_close(s);
    }
}

/* Nothing moves a transfer that has ended. */
static void check_final(struct tftp_session *s, usec_t now)
{
    const struct tftp_session before = *s;
    struct tftp_send out;
    tftp_session_input(s, &(struct tftp_packet){.op = TFTP_ACK, .block = 0}, now);
    tftp_session_timeout(s, now + USEC_PER_SEC);
    tftp_session_close(s);
    must(!tftp_session_next(s, now, &out));
    must(!tftp_session_again(s, now));
    must(s->end == before.end && s->state == before.state && s->acked == before.acked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd script = rd_over(data, size);
    uint32_t far = rd_u8(&script);
    struct tftp_terms terms = {
        .file_size = rd_u32(&script) % 3000000,
        .blksize = 8 + rd_u16(&script) % 1500,
        .window = 1 + rd_u16(&script) % 128,
        .ahead = far & 2 ? far / 4 : 0,
        .oack = far & 1,
        .msft_window = far % 8 == 5,
        .rto_max = TFTP_RTO_MAX,
        .patience = TFTP_PATIENCE,
    };
    if (far > 250) {
        terms.file_size += UINT64_C(1) << 40; /* numbers beyond 32 bits */
    }
    struct tftp_session s;
    usec_t now = 1000;
    unsigned requests = 1;
    tftp_session_init(&s, &terms, now);
    pull(&s, now, 0);
    check_state(&s);
    while (rd_left(&script) > 0) {
        event(&s, &script, &now, &requests);
        pull(&s, now, rd_u8(&script) % 32);
        check_state(&s);
        /* So often, and once more for each time it asks, does a mute address hear us. */
        must(s.first_sends < TFTP_FIRST_SENDS + requests);
        if (s.state == TFTP_ENDED) {
            check_final(&s, now);
        }
    }
    return 0;
}
