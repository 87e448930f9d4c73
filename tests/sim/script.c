#include "tests/sim/script.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PENDING_MAX 70000 /* a window of 65535 and some */

struct script {
    struct tftp_session s;
    usec_t now;
    const char *step;
    char *complaint;
    size_t room;
    struct tftp_send pending[PENDING_MAX];
    size_t count;
    size_t taken;
};

__attribute__((format(printf, 2, 3))) static bool complain(struct script *c,
                                                           const char *format, ...)
{
    int head = snprintf(c->complaint, c->room, "step '%s': ", c->step);
    if (head > 0 && (size_t)head < c->room) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(c->complaint + head, c->room - (size_t)head, format, args);
        va_end(args);
    }
    return false;
}

static void pull(struct script *c)
{
    struct tftp_send send;
    while (tftp_session_next(&c->s, c->now, &send)) {
        if (c->count == PENDING_MAX) {
            abort();
        }
        c->pending[c->count++] = send;
    }
}

static bool nothing_pending(struct script *c)
{
    if (c->taken < c->count) {
        const struct tftp_send *p = &c->pending[c->taken];
        return complain(c, "before it the session sent %s %" PRIu64 " as well",
                        p->op == TFTP_OACK ? "OACK" : "DATA", p->number);
    }
    c->taken = 0;
    c->count = 0;
    return true;
}

static bool expect_one(struct script *c, enum tftp_op op, uint64_t number)
{
    const char *want = op == TFTP_OACK ? "OACK" : "DATA";
    if (c->taken == c->count) {
        return complain(c, "wanted %s %" PRIu64 ", got nothing", want, number);
    }
    const struct tftp_send *p = &c->pending[c->taken++];
    if (p->op != op || p->number != number) {
        return complain(c, "wanted %s %" PRIu64 ", got %s %" PRIu64, want, number,
                        p->op == TFTP_OACK ? "OACK" : "DATA", p->number);
    }
    return true;
}

static bool step_expect(struct script *c, const char *what)
{
    uint64_t from = 0;
    uint64_t to = 0;
    if (strcmp(what, "OACK") == 0) {
        return expect_one(c, TFTP_OACK, 0);
    }
    if (sscanf(what, "DATA %" SCNu64 "..%" SCNu64, &from, &to) == 2) {
        for (; from <= to; from++) {
            if (!expect_one(c, TFTP_DATA, from)) {
                return false;
            }
        }
        return true;
    }
    if (sscanf(what, "DATA %" SCNu64, &from) == 1) {
        return expect_one(c, TFTP_DATA, from);
    }
    return complain(c, "not understood");
}

static bool step_client(struct script *c, const char *what)
{
    struct tftp_packet in = {0};
    if (strcmp(what, "RRQ") == 0 || strcmp(what, "RRQ new") == 0) {
        bool same = tftp_session_again(&c->s, c->now);
        pull(c);
        return same == (strcmp(what, "RRQ") == 0) ||
               complain(c, "got %s", same ? "the same transfer" : "a new transfer");
    }
    int read = sscanf(what, "ACK %" SCNu16 " w %" SCNu8, &in.block, &in.window);
    if (read >= 1) {
        in.op = TFTP_ACK;
        in.has_window = read == 2;
    } else if (sscanf(what, "ERROR %" SCNu16, &in.error_code) == 1) {
        in.op = TFTP_ERROR;
    } else if (sscanf(what, "DATA %" SCNu16, &in.block) == 1) {
        in.op = TFTP_DATA;
    } else {
        return complain(c, "not understood");
    }
    tftp_session_input(&c->s, &in, c->now);
    pull(c);
    return true;
}

static bool step_pass(struct script *c, const char *what)
{
    uint64_t ms = 0;
    if (sscanf(what, "%" SCNu64 " ms", &ms) != 1) {
        return complain(c, "not understood");
    }
    usec_t until = c->now + ms * USEC_PER_MSEC;
    while (tftp_session_deadline(&c->s) <= until) {
        c->now = tftp_session_deadline(&c->s);
        tftp_session_timeout(&c->s, c->now);
        pull(c);
    }
    c->now = until;
    return true;
}

static bool step_wait(struct script *c, const char *what)
{
    unsigned from = 0;
    unsigned to = 0;
    if (sscanf(what, "wait %u..%u ms", &from, &to) != 2) {
        return complain(c, "not understood");
    }
    usec_t at = tftp_session_deadline(&c->s);
    if (at == USEC_NEVER) {
        return complain(c, "got no deadline");
    }
    double ms = at > c->now ? (double)(at - c->now) / 1e3 : 0;
    if (ms < from || ms > to) {
        return complain(c, "got a deadline in %.3f ms", ms);
    }
    c->now = at > c->now ? at : c->now;
    tftp_session_timeout(&c->s, c->now);
    pull(c);
    return true;
}

/* Acknowledges whole windows, the last one in part, and takes what is sent for it. */
static bool step_play(struct script *c, const char *what)
{
    uint64_t to = 0;
    if (sscanf(what, "play %" SCNu64, &to) != 1) {
        return complain(c, "not understood");
    }
    while (c->s.acked < to && c->s.state == TFTP_SENDING) {
        uint64_t number = c->s.high < to ? c->s.high : to;
        c->taken = 0;
        c->count = 0;
        c->now += 100;
        tftp_session_input(
            &c->s, &(struct tftp_packet){.op = TFTP_ACK, .block = (uint16_t)number},
            c->now);
        pull(c);
    }
    return c->s.acked == to || complain(c, "got stuck at %" PRIu64, c->s.acked);
}

static bool step_end(struct script *c, const char *what)
{
    const char *got = c->s.state == TFTP_ENDED ? tftp_end_name(c->s.end) : "open";
    return strcmp(got, what) == 0 || complain(c, "got %s", got);
}

static bool one_step(struct script *c, const char *step)
{
    c->step = step;
    if (step[0] == '<') {
        return step_expect(c, step + 2);
    }
    if (strncmp(step, "play", 4) == 0) {
        return step_play(c, step);
    }
    if (!nothing_pending(c)) {
        return false;
    }
    if (strcmp(step, "close") == 0) {
        tftp_session_close(&c->s);
        pull(c);
        return true;
    }
    if (strncmp(step, "wait", 4) == 0) {
        return step_wait(c, step);
    }
    switch (step[0]) {
    case '>':
        return step_client(c, step + 2);
    case '+':
        return step_pass(c, step + 2);
    case '=':
        return step_end(c, step + 2);
    default:
        return complain(c, "not understood");
    }
}

bool sim_script(const struct tftp_terms *terms, const char *script, char *complaint,
                size_t room)
{
    static struct script c; /* large, and only one runs at a time */
    c.now = 0;
    c.complaint = complaint;
    c.room = room;
    c.count = 0;
    c.taken = 0;
    c.step = "";
    tftp_session_init(&c.s, terms, c.now);
    pull(&c);

    char text[1024];
    if (strlen(script) >= sizeof text) {
        return complain(&c, "the script is too long");
    }
    memcpy(text, script, strlen(script) + 1);
    char *rest = text;
    for (char *step = strsep(&rest, ";"); step; step = strsep(&rest, ";")) {
        step += strspn(step, " \n");
        if (!one_step(&c, step)) {
            return false;
        }
    }
    c.step = "the end";
    return nothing_pending(&c);
}
