#include "tests/sim/run.h"

#include <inttypes.h>
#include <stdio.h>

#define STEPS_AT_ONE_MOMENT 1000000
#define STORM               50 /* times the file: the run is stopped */
#define COPIES_COUNTED      256
#define TIME_LIMIT          (UINT64_C(86400) * USEC_PER_SEC)

struct sim {
    const struct sim_setup *setup;
    struct sim_result *out;
    struct tftp_session s;
    struct sim_client client;
    struct sim_wire wire;
    usec_t now;
    usec_t last_sent_at;
    bool answered; /* by then */
    unsigned copies[COPIES_COUNTED];
};

const char *sim_session_fault(const struct tftp_session *s)
{
    bool ended = s->state == TFTP_ENDED;
    if (s->acked >= s->next && !ended) {
        return "acked < next";
    }
    if (s->next > s->last + 1) {
        return "next <= last + 1";
    }
    if (s->high > s->last || s->acked > s->high) {
        return "acked <= high <= last";
    }
    if (s->limit > s->last) {
        return "limit <= last";
    }
    if ((tftp_session_deadline(s) == USEC_NEVER) != ended) {
        return "a deadline exactly until the end";
    }
    if ((s->end != TFTP_END_NONE) != ended) {
        return "an end exactly at the end";
    }
    return NULL;
}

static void fail(struct sim *m, const char *rule)
{
    if (!m->out->fault) {
        m->out->fault = rule;
    }
}

static void trace(const struct sim *m, const char *way, const struct sim_packet *p,
                  bool kept)
{
    static const char *const names[] = {
        [TFTP_RRQ] = "RRQ",     [TFTP_DATA] = "DATA", [TFTP_ACK] = "ACK",
        [TFTP_ERROR] = "ERROR", [TFTP_OACK] = "OACK",
    };
    if (m->setup->trace) {
        printf("%12.6f %s %-5s %" PRIu64 "%s\n", (double)m->now / 1e6, way, names[p->op],
               p->op == TFTP_ERROR ? p->code : p->number, kept ? "" : "  (lost)");
    }
}

static void count_sent(struct sim *m, const struct tftp_send *send)
{
    struct sim_result *out = m->out;
    if (m->answered && m->now - m->last_sent_at > out->longest_quiet) {
        out->longest_quiet = m->now - m->last_sent_at;
    }
    m->answered = m->s.state == TFTP_SENDING;
    m->last_sent_at = m->now;
    if (m->s.state == TFTP_OFFERED) {
        out->sent_first++;
    }
    if (send->op != TFTP_DATA) {
        return;
    }
    out->sent_data++;
    if (out->sent_data > (uint64_t)STORM * m->s.last + 1000) {
        fail(m, "no storm");
    }
    if (send->number < COPIES_COUNTED) {
        unsigned copies = ++m->copies[send->number];
        out->copies_max = copies > out->copies_max ? copies : out->copies_max;
    }
    if (send->number < 1 || send->number > m->s.last ||
        send->offset != (send->number - 1) * m->s.terms.blksize) {
        fail(m, "number and offset of a block belong together");
    }
    if (send->len > m->s.terms.blksize ||
        send->offset + send->len > m->s.terms.file_size) {
        fail(m, "a block lies within the file");
    }
}

static void pull_session(struct sim *m)
{
    struct tftp_send send;
    unsigned burst = 0;
    uint32_t most =
        m->s.terms.msft_window ? UINT8_MAX : m->s.window + m->s.terms.ahead + 1;
    while (tftp_session_next(&m->s, m->now, &send)) {
        struct sim_packet p = {
            .op = send.op, .number = send.number, .offset = send.offset, .len = send.len};
        count_sent(m, &send);
        trace(m, "->", &p, sim_wire_post(&m->wire, SIM_TO_CLIENT, &p, m->now));
        if (++burst > most) {
            fail(m, "a burst is a window at most");
            break;
        }
    }
    const char *rule = sim_session_fault(&m->s);
    if (rule) {
        fail(m, rule);
    }
}

static void pull_client(struct sim *m)
{
    struct sim_packet p;
    while (sim_client_next(&m->client, &p)) {
        trace(m, "<-", &p, sim_wire_post(&m->wire, SIM_TO_SERVER, &p, m->now));
    }
}

static void to_server(struct sim *m, const struct sim_packet *p)
{
    if (p->op == TFTP_RRQ) {
        if (!tftp_session_again(&m->s, m->now)) {
            m->out->restarts++;
            tftp_session_init(&m->s, &m->setup->terms, m->now);
        }
        return;
    }
    m->out->acks += p->op == TFTP_ACK;
    const struct tftp_packet in = {
        .op = p->op,
        .block = (uint16_t)p->number,
        .error_code = p->code,
        .has_window = p->window > 0,
        .window = p->window,
    };
    tftp_session_input(&m->s, &in, m->now);
}

/* The next thing that happens. */
static bool step(struct sim *m)
{
    usec_t wire_at = sim_wire_next_at(&m->wire);
    usec_t server_at = tftp_session_deadline(&m->s);
    usec_t client_at = sim_client_deadline(&m->client);
    usec_t at = server_at < client_at ? server_at : client_at;
    at = wire_at < at ? wire_at : at;
    if (at == USEC_NEVER || at > TIME_LIMIT) {
        return false;
    }
    m->now = at > m->now ? at : m->now;
    if (wire_at == at) {
        struct sim_packet p;
        if (sim_wire_take(&m->wire, &p) == SIM_TO_CLIENT) {
            sim_client_arrive(&m->client, &p, m->now);
        } else {
            to_server(m, &p);
        }
    } else if (server_at == at) {
        tftp_session_timeout(&m->s, m->now);
    } else {
        sim_client_timeout(&m->client, m->now);
    }
    return true;
}

/* A client whose first packets were all lost asks again, and is served anew. */
static bool over(const struct sim *m)
{
    return m->s.state == TFTP_ENDED &&
           (m->s.end != TFTP_END_NO_ANSWER || m->client.state != SIM_ASKING ||
            m->client.heard >= m->client.deaf_from);
}

static void report(struct sim *m)
{
    struct sim_result *out = m->out;
    const struct sim_client *c = &m->client;
    out->end = m->s.end;
    out->bytes = c->bytes;
    out->blocks = c->got;
    out->needed = m->s.last;
    out->whole = c->state == SIM_WHOLE && c->bytes == m->setup->terms.file_size &&
                 c->got == m->s.last;
    out->lost = m->wire.lost[SIM_TO_CLIENT] + m->wire.lost[SIM_TO_SERVER] + c->overflowed;
    out->time = m->now;
    out->client_time = c->progress_at;
    out->longest_stall = c->longest_stall;
    out->s = m->s;
    if (c->fault) {
        fail(m, c->fault);
    }
}

void sim_run(const struct sim_setup *setup, struct sim_result *out)
{
    static struct sim m; /* large, and only one runs at a time */
    *out = (struct sim_result){0};
    m = (struct sim){.setup = setup, .out = out};
    tftp_session_init(&m.s, &setup->terms, m.now);
    sim_client_init(&m.client, setup->model, &setup->terms, setup->seed, m.now);
    m.client.deaf_from = setup->vanishes ? setup->vanish_after : UINT64_MAX;
    sim_wire_init(&m.wire, setup->link, setup->drop, setup->seed);

    usec_t moment = 0;
    unsigned steps = 0;
    pull_session(&m);
    while (!over(&m) && !out->fault) {
        if (!step(&m)) {
            fail(&m, "an end within a day");
        }
        pull_session(&m);
        pull_client(&m);
        steps = m.now == moment ? steps + 1 : 0;
        moment = m.now;
        if (steps > STEPS_AT_ONE_MOMENT) {
            fail(&m, "time goes on");
        }
    }
    report(&m);
    sim_wire_done(&m.wire);
}

double sim_traffic(const struct sim_result *r)
{
    return (double)r->sent_data / (double)r->needed;
}
