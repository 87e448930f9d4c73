/*
 * A whole TFTP transfer on the wire: a request with any options, what it is granted, and a peer
 * who may be honest, lossy, mute, hostile, or all of these in turn, on virtual time.
 *
 * The input: limits and the request, then an octet for each packet that goes out (it arrives,
 * is lost, is doubled, the peer lies), and when it is used up an honest peer on a good wire.
 *
 * Properties: what goes out parses as what it is meant to be; DATA follow the OACK's ACK alone
 * where options were agreed; every DATA is the file's part that its number says; never more blocks
 * are out than were agreed (or sent ahead), twice that after three silences; a peer who is mute from the beginning gets
 * TFTP_FIRST_SENDS packets and no more; each transfer ends, by its own deadlines, after silence
 * as long as was agreed; if the peer turned honest while the transfer ran it has the whole file; what comes from elsewhere in the protocol (RRQ, DATA, OACK) moves nothing.
 */
#include "tests/fuzz/fuzz.h"
#include "tftp/grant.h"
#include "tftp/path.h"

#define FILE_MAX   200000
#define STEPS_MAX  20000
#define TRIP       (2 * USEC_PER_MSEC)
#define PEER_RETRY (2 * USEC_PER_SEC)

struct wire {
    struct tftp_session s;
    struct tftp_terms terms;
    struct rd script;
    usec_t now;
    usec_t heard;     /* by the peer */
    uint64_t got;     /* blocks that the peer has in order */
    uint64_t octets;  /* and octets */
    uint64_t counted; /* blocks since its last ACK */
    uint64_t sends;   /* packets it was sent */
    bool agreed;      /* it has acknowledged the OACK */
    bool spoke;       /* anything at all */
    bool lied;        /* it acknowledged what it had not got, or complained */
    bool whole;
    bool was_silent; /* for three time-outs in a row */
};

static void say(struct wire *w, uint16_t block)
{
    uint8_t octets[4] = {0, TFTP_ACK, (uint8_t)(block >> 8), (uint8_t)block};
    struct tftp_packet p;
    must(tftp_parse(octets, sizeof octets, &p) == TFTP_OK && p.op == TFTP_ACK);
    w->spoke = true;
    tftp_session_input(&w->s, &p, w->now);
}

/* What a hostile peer says beside, or instead of, the truth. */
static void lie(struct wire *w, uint8_t how)
{
    uint8_t octets[64] = {0};
    struct tftp_packet p;
    size_t len = 4;
    w->spoke = true;
    switch (how % 8) {
    case 0: /* a block that never went out */
    case 1:
        octets[1] = TFTP_ACK;
        octets[2] = rd_u8(&w->script);
        octets[3] = rd_u8(&w->script);
        break;
    case 2: /* one of the neighbourhood */
        octets[1] = TFTP_ACK;
        octets[3] = (uint8_t)(w->s.acked + how / 8 % 4);
        octets[2] = (uint8_t)((w->s.acked + how / 8 % 4) >> 8);
        break;
    case 3:
        octets[1] = TFTP_ERROR;
        octets[3] = how / 8 % 9;
        len = 5;
        break;
    default: /* anything */
        len = 1 + how / 8 % sizeof octets;
        fuzz_fill(&w->script, octets, len);
        break;
    }
    if (tftp_parse(octets, len, &p) == TFTP_OK) {
        w->lied |= p.op == TFTP_ACK || p.op == TFTP_ERROR;
        tftp_session_input(&w->s, &p, w->now);
    }
}

/* -- the peer as it ought to be ---------------------------------------------------------- */

static void on_data(struct wire *w, const struct tftp_send *d)
{
    if (d->number != w->got + 1) { /* RFC 7440: what it has got is said again */
        w->counted = 0;
        say(w, (uint16_t)w->got);
        return;
    }
    w->got++;
    w->octets += d->len;
    w->whole = d->len < w->terms.blksize;
    if (++w->counted >= w->terms.window || w->whole) {
        w->counted = 0;
        say(w, (uint16_t)w->got);
    }
}

static void on_oack(struct wire *w)
{
    if (w->got == 0) {
        w->agreed = true;
        say(w, 0);
    }
}

static void arrive(struct wire *w, const struct tftp_send *out)
{
    w->heard = w->now;
    if (out->op == TFTP_OACK) {
        on_oack(w);
    } else if (w->agreed || !w->terms.oack) {
        on_data(w, out);
    }
}

/* -- what goes out ------------------------------------------------------------------------ */

static void check_data(const struct wire *w, const struct tftp_send *out)
{
    uint8_t head[TFTP_HEADER_LEN];
    struct tftp_packet p;
    struct wr wr = wr_over(head, sizeof head);
    must(w->s.answered || !w->terms.oack); /* no DATA before ACK 0 */
    must(out->number >= 1 && out->offset == (out->number - 1) * w->terms.blksize);
    must(out->offset + out->len <= w->terms.file_size && out->len <= w->terms.blksize);
    bool last = out->offset + out->len == w->terms.file_size;
    must(out->len == w->terms.blksize || last);
    tftp_write_data_header(&wr, (uint16_t)out->number);
    must(wr_ok(&wr) && tftp_parse(head, sizeof head, &p) == TFTP_OK);
    must(p.op == TFTP_DATA && p.block == (uint16_t)out->number);
}

/*
 * Out at once: no more than the window, or than is sent ahead; and once, after a third silence,
 * the window behind it (tftp/recovery).
 */
static void check_unacked(const struct wire *w)
{
    uint64_t most = w->terms.msft_window ? UINT8_MAX : w->terms.window;
    most = w->terms.ahead > most ? w->terms.ahead : most;
    must(w->s.high <= w->s.acked + 2 * most);
    must(w->was_silent || w->s.high <= w->s.acked + most);
    must(w->s.acked <= w->s.last);
}

static void deliver(struct wire *w, const struct tftp_send *out)
{
    w->sends++;
    if (out->op == TFTP_OACK) {
        must(w->terms.oack && !w->s.answered);
    } else {
        must(out->op == TFTP_DATA);
        check_data(w, out);
    }
    if (rd_left(&w->script) == 0) {
        arrive(w, out);
        return;
    }
    uint8_t fate = rd_u8(&w->script);
    if (fate < 130) {
        arrive(w, out);
    } else if (fate < 140) {
        arrive(w, out);
        arrive(w, out);
    } else if (fate < 200) {
        lie(w, rd_u8(&w->script));
    } /* else it is lost */
}

/* An honest peer asks again when it has heard nothing for a while. */
static void ask_again(struct wire *w)
{
    if (w->got > 0 || w->agreed) {
        say(w, (uint16_t)w->got);
    } else {
        w->spoke = true;
        (void)tftp_session_again(&w->s, w->now);
    }
}

static void wait(struct wire *w)
{
    usec_t due = tftp_session_deadline(&w->s);
    must((due == USEC_NEVER) == (w->s.state == TFTP_ENDED));
    must(due == USEC_NEVER || due <= w->now + w->terms.patience + TFTP_FIRST_PATIENCE);
    usec_t peer = rd_left(&w->script) > 0 ? USEC_NEVER : w->heard + PEER_RETRY;
    if (peer < due) {
        w->now = peer > w->now ? peer : w->now;
        w->heard = w->now;
        ask_again(w);
    } else if (due != USEC_NEVER) {
        w->now = due > w->now ? due : w->now;
        tftp_session_timeout(&w->s, w->now);
        w->was_silent |= w->s.silences >= 3;
    }
}

static void pull(struct wire *w)
{
    struct tftp_send out[8];
    unsigned count = 0;
    check_unacked(w);
    /* A few are under way at a time: what answers the first comes before the last has left. */
    while (count < 8 && tftp_session_next(&w->s, w->now, &out[count])) {
        check_unacked(w);
        count++;
    }
    w->now += count > 0 ? TRIP / 2 : 0;
    for (unsigned i = 0; i < count; i++) {
        deliver(w, &out[i]);
    }
    if (count == 0) {
        wait(w);
    }
}

static void check_end(const struct wire *w)
{
    must(w->s.state == TFTP_ENDED && w->s.end != TFTP_END_NONE);
    must(tftp_end_name(w->s.end)[0] != '\0');
    must(w->spoke || (w->sends <= TFTP_FIRST_SENDS && w->s.end == TFTP_END_NO_ANSWER));
    if (!w->lied && (w->s.end == TFTP_END_DONE || w->s.end == TFTP_END_NO_FINAL_ACK)) {
        must(w->s.high == w->s.last);
    }
    if (!w->lied && w->s.end == TFTP_END_DONE) {
        must(w->whole && w->octets == w->terms.file_size);
    }
}

/* -- request and grant -------------------------------------------------------------------- */

static bool ask(struct rd *in, struct tftp_windows *windows, struct tftp_grant *grant,
                uint64_t *size)
{
    char path[TFTP_PATH_SIZE];
    unsigned repairs = 0;
    struct tftp_packet request;
    *size = rd_u32(in) % FILE_MAX;
    struct tftp_wish wish = {
        .client = endpoint_ip4((struct ip4){{10, 0, 0, 7}}, 2070),
        .limits = {.max_block_size = 8 + rd_u16(in) % 1461,
                   .max_window_size = 1 + rd_u8(in) % 64,
                   .send_ahead = fuzz_bool(in) ? 1000 : 1 + rd_u8(in) % 64,
                   .msft_window = fuzz_bool(in)},
        .file_size = *size,
    };
    struct rd octets = fuzz_octets(in, 512);
    if (tftp_parse(octets.p, rd_left(&octets), &request) != TFTP_OK ||
        request.op != TFTP_RRQ) {
        return false;
    }
    (void)tftp_path_clean(request.file, path, &repairs);
    wish.asked = tftp_opts_parse(request.options);
    tftp_grant(windows, &wish, 1, grant);
    must(grant->terms.blksize >= 8 && grant->terms.window >= 1);
    must(grant->terms.window <= wish.limits.max_window_size);
    must(grant->terms.ahead <= 64 && grant->terms.patience > 0);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hash_seed seed = {1, 2};
    static struct wire w;
    struct tftp_grant grant;
    uint64_t octets;
    w = (struct wire){.script = rd_over(data, size), .now = USEC_PER_SEC};
    struct tftp_windows *windows = tftp_windows_new(16, &seed);
    must(windows != NULL);
    if (ask(&w.script, windows, &grant, &octets)) {
        unsigned steps = 0;
        bool was_honest = false;
        bool in_time = false;
        w.heard = w.now;
        w.terms = grant.terms;
        tftp_session_init(&w.s, &w.terms, w.now);
        while (w.s.state != TFTP_ENDED) {
            if (!was_honest && rd_left(&w.script) == 0) {
                was_honest = true;
                in_time = w.now < w.s.progress_at + w.terms.patience / 4;
            }
            must(++steps < STEPS_MAX + 4 * FILE_MAX / 8);
            pull(&w);
        }
        check_end(&w);
        const struct endpoint client = endpoint_ip4((struct ip4){{10, 0, 0, 7}}, 2070);
        tftp_grant_told(windows, &client, &grant.shape, &w.s, w.now);
        must(tftp_windows_count(windows) <= 16);
        must(!in_time || w.lied || w.s.end == TFTP_END_DONE);
    }
    tftp_windows_free(windows);
    return 0;
}
