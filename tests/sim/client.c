#include "tests/sim/client.h"

#include <stdlib.h>

#define VARIES_OCTETS (512 * 1024) /* a window that is let grow; as in matrix.c */

void sim_client_init(struct sim_client *c, const struct sim_model *model,
                     const struct tftp_terms *terms, uint64_t seed, usec_t now)
{
    *c = (struct sim_client){
        .model = model,
        /* RFC 2347: what the OACK does not name is not agreed. */
        .window = terms->oack && model->window > 0 ? terms->window : 1,
        .blksize = terms->blksize,
        .nacked = model->no_nack_for_first ? 0 : SIM_NO_BLOCK,
        .deaf_from = UINT64_MAX,
        .progress_at = now,
        .wake_at = now + model->retry,
        .retry = model->retry,
        .random = {seed},
    };
}

static void say(struct sim_client *c, const struct sim_packet *p, usec_t now)
{
    if (c->outbox_count == SIM_OUTBOX) {
        abort();
    }
    c->outbox[(c->outbox_head + c->outbox_count++) % SIM_OUTBOX] = *p;
    if (!c->model->timer_on_progress) {
        c->wake_at = now + c->retry;
    }
}

static void ack(struct sim_client *c, uint64_t number, usec_t now)
{
    uint8_t window = c->model->varies ? (uint8_t)c->window : 0;
    c->last_ack = number;
    say(c, &(struct sim_packet){.op = TFTP_ACK, .number = number, .window = window}, now);
}

/* Acknowledge what there is; a new window begins behind it. */
static void ack_got(struct sim_client *c, usec_t now)
{
    c->base = c->got;
    ack(c, c->got, now);
}

static void ack_got_once(struct sim_client *c, usec_t now)
{
    if (c->nacked != c->got) {
        c->nacked = c->got;
        ack_got(c, now);
    }
}

static void progress(struct sim_client *c, usec_t now)
{
    usec_t stall = now - c->progress_at;
    c->longest_stall = stall > c->longest_stall ? stall : c->longest_stall;
    c->progress_at = now;
    c->tries = 0;
    c->retry = c->model->retry;
    c->wake_at = now + c->retry;
}

static void accept_block(struct sim_client *c, uint32_t len, usec_t now)
{
    c->got++;
    c->bytes += len;
    c->state = len < c->blksize ? SIM_WHOLE : SIM_READING;
    progress(c, now);
}

/* Distance from the block that is due, by the 16 bits that are on the wire. */
static int distance(const struct sim_client *c, uint64_t number)
{
    uint16_t wire = (uint16_t)number;
    uint16_t due = (uint16_t)(c->got + 1);
    return c->model->numbers_do_not_wrap ? wire - due : (int16_t)(wire - due);
}

/* Blocks that came early follow at once. */
static void accept_kept(struct sim_client *c, usec_t now)
{
    while (c->state == SIM_READING && c->kept[(c->got + 1) % SIM_KEPT]) {
        c->kept[(c->got + 1) % SIM_KEPT] = false;
        accept_block(c, c->kept_len[(c->got + 1) % SIM_KEPT], now);
    }
}

/* A little more after each window without a loss, much less after a loss. */
static void vary(struct sim_client *c, bool clean)
{
    if (c->model->varies) {
        uint32_t next = clean ? c->window + 1 : c->window / 4;
        next = next * c->blksize > VARIES_OCTETS ? c->window : next;
        c->window = next < 1 ? 1 : next > 64 ? 64 : next;
    }
}

static void on_due_block(struct sim_client *c, const struct sim_packet *p, usec_t now)
{
    accept_block(c, p->len, now);
    accept_kept(c, now);
    if (c->state == SIM_WHOLE || c->model->acks_every_block ||
        c->got - c->base >= c->window) {
        vary(c, true);
        ack_got(c, now);
    }
}

static void on_later_block(struct sim_client *c, const struct sim_packet *p, int ahead,
                           usec_t now)
{
    bool mute = c->model->no_nack_over_32767 && (uint16_t)(c->got + 1) >= 0x8000;
    switch (c->model->on_gap) {
    case SIM_GAP_SILENT:
        break;
    case SIM_GAP_ACK_EACH:
        ack_got(c, now);
        break;
    case SIM_GAP_ACK_ONCE:
        if (!mute) {
            if (c->nacked != c->got) {
                vary(c, false);
            }
            ack_got_once(c, now);
        }
        break;
    case SIM_GAP_KEEP:
    case SIM_GAP_KEEP_ACK:
        if (ahead < SIM_KEPT) {
            c->kept[(c->got + 1 + (uint64_t)ahead) % SIM_KEPT] = true;
            c->kept_len[(c->got + 1 + (uint64_t)ahead) % SIM_KEPT] = p->len;
        }
        if (c->model->on_gap == SIM_GAP_KEEP_ACK) {
            ack_got(c, now);
        }
        break;
    }
}

static void on_old_block(struct sim_client *c, const struct sim_packet *p, usec_t now)
{
    switch (c->model->on_old) {
    case SIM_OLD_SILENT:
        break;
    case SIM_OLD_ACK_LAST:
        ack_got(c, now);
        break;
    case SIM_OLD_ACK_ONCE:
        ack_got_once(c, now);
        break;
    case SIM_OLD_ECHO:
        ack(c, p->number, now);
        break;
    }
}

static void on_data(struct sim_client *c, const struct sim_packet *p, usec_t now)
{
    if (c->state == SIM_ASKING && c->model->needs_oack) {
        return;
    }
    int ahead = distance(c, p->number);
    if (ahead > 0) {
        on_later_block(c, p, ahead, now);
    } else if (ahead < 0) {
        on_old_block(c, p, now);
    } else if (p->number != c->got + 1 || p->offset != c->bytes) {
        c->fault = "a block with the number that was due, but with other octets";
    } else {
        on_due_block(c, p, now);
    }
}

static void on_oack(struct sim_client *c, usec_t now)
{
    if (c->model->refuses) {
        c->state = SIM_GAVE_UP;
        say(c, &(struct sim_packet){.op = TFTP_ERROR, .code = TFTP_ERR_OPTIONS}, now);
    } else if (c->state == SIM_ASKING || c->state == SIM_AGREED) {
        c->state = SIM_AGREED;
        ack(c, 0, now);
    }
}

static void lie(struct sim_client *c, usec_t now)
{
    uint64_t near = sim_random_below(&c->random, 3 * (uint64_t)c->window + 4);
    uint64_t number = sim_random_permille(&c->random, 500) ? c->got + near
                                                           : sim_random_next(&c->random);
    if (sim_random_permille(&c->random, 300)) {
        say(c, &(struct sim_packet){.op = TFTP_ACK, .number = number}, now);
    }
}

static void handle(struct sim_client *c, const struct sim_packet *p, usec_t now)
{
    bool over = c->state == SIM_GAVE_UP || (c->state == SIM_WHOLE && !c->model->lingers);
    if (over || c->heard++ >= c->deaf_from) {
        return;
    }
    if (p->op == TFTP_OACK) {
        on_oack(c, now);
    } else {
        on_data(c, p, now);
    }
    if (c->model->lies) {
        lie(c, now);
    }
}

static void begin_service(struct sim_client *c, usec_t now)
{
    const struct sim_packet *p = &c->inbox[c->inbox_head];
    c->served_at = now + c->model->packet_cost;
    if (p->op == TFTP_DATA && distance(c, p->number) == 0) {
        c->served_at += c->model->block_cost;
        if (c->model->pause_every > 0 && (c->got + 1) % c->model->pause_every == 0) {
            c->served_at += c->model->pause;
        }
    }
}

/* Works off every packet that is done with by now. */
static void serve(struct sim_client *c, usec_t now)
{
    while (c->inbox_count > 0 && c->served_at <= now) {
        handle(c, &c->inbox[c->inbox_head], now);
        c->inbox_head = (c->inbox_head + 1) % SIM_INBOX;
        c->inbox_count--;
        if (c->inbox_count > 0) {
            begin_service(c, now);
        }
    }
}

void sim_client_arrive(struct sim_client *c, const struct sim_packet *p, usec_t now)
{
    unsigned room = c->model->ring > 0 ? c->model->ring : SIM_INBOX;
    if (c->inbox_count >= room) {
        c->overflowed++;
        c->deaf_from = c->model->wedges ? c->heard : c->deaf_from;
        return;
    }
    c->inbox[(c->inbox_head + c->inbox_count++) % SIM_INBOX] = *p;
    if (c->inbox_count == 1) {
        begin_service(c, now);
    }
    serve(c, now);
}

static void on_retry(struct sim_client *c, usec_t now)
{
    const struct sim_model *m = c->model;
    if (c->tries++ >= m->retries) {
        c->state = SIM_GAVE_UP;
        return;
    }
    c->retry = c->retry * m->retry_growth / 100;
    c->retry = c->retry < m->retry_max ? c->retry : m->retry_max;
    c->wake_at = now + c->retry;
    if (c->state == SIM_ASKING) {
        say(c, &(struct sim_packet){.op = TFTP_RRQ}, now);
        return;
    }
    if (m->timer_recounts) {
        c->base = c->got;
    }
    ack(c, m->repeats_last_ack ? c->last_ack : c->got, now);
}

static bool timer_runs(const struct sim_client *c)
{
    return c->state < SIM_WHOLE && c->heard < c->deaf_from;
}

void sim_client_timeout(struct sim_client *c, usec_t now)
{
    serve(c, now);
    if (timer_runs(c) && now >= c->wake_at) {
        on_retry(c, now);
    }
}

usec_t sim_client_deadline(const struct sim_client *c)
{
    usec_t wake = timer_runs(c) ? c->wake_at : USEC_NEVER;
    usec_t served = c->inbox_count > 0 ? c->served_at : USEC_NEVER;
    return wake < served ? wake : served;
}

bool sim_client_next(struct sim_client *c, struct sim_packet *out)
{
    if (c->outbox_count == 0) {
        return false;
    }
    *out = c->outbox[c->outbox_head];
    c->outbox_head = (c->outbox_head + 1) % SIM_OUTBOX;
    c->outbox_count--;
    return true;
}
