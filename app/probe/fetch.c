#include "app/probe/fetch.h"

#include <stdio.h>
#include <strings.h>

#include "common/text.h"
#include "tftp/packet.h"

#define PLAIN_BLOCK  512
#define HALF_NUMBERS 0x8000 /* of the 16-bit block numbers */
#define WAIT_FIRST   (1 * USEC_PER_SEC)
#define WAIT_MAX     (4 * USEC_PER_SEC)

/* The options of each client in its order: t timeout, s tsize, b blksize, w windowsize. */
static const struct habit {
    const char *size;  /* of the request for the size; NULL: there is none */
    const char *order; /* of the request for the file */
    uint32_t block;
    uint32_t window;
} habits[REQUEST_MANNERS] = {
    [REQUEST_EDK2] = {"sbw", "bw", 1468, 4}, [REQUEST_IPXE] = {NULL, "bsw", 1432, 0},
    [REQUEST_BIOS] = {"s", "bw", 1456, 0},   [REQUEST_UBOOT] = {NULL, "tsbw", 1468, 0},
    [REQUEST_PI] = {NULL, "sbw", 1024, 0},
};

bool fetch_asks_size_first(enum request_manner manner)
{
    return habits[manner].size != NULL;
}

static const char *order_of(const struct fetch *f)
{
    const struct habit *h = &habits[f->terms.manner];
    return f->terms.size_only ? h->size : h->order;
}

static uint32_t asked(const struct fetch *f, char what, uint32_t value)
{
    return strchr(order_of(f), what) ? value : 0;
}

static void arm(struct fetch *f, usec_t now)
{
    f->wake_at = now + f->wait;
}

static void progress(struct fetch *f, usec_t now)
{
    f->tries = 0;
    f->wait = WAIT_FIRST;
    arm(f, now);
}

static void end(struct fetch *f, enum fetch_state state, usec_t now)
{
    f->state = state;
    f->ended_at = now;
    f->wake_at = USEC_NEVER;
}

static void fail(struct fetch *f, usec_t now, const char *fault)
{
    snprintf(f->fault, sizeof f->fault, "%s", fault);
    end(f, FETCH_FAILED, now);
}

/* The same, and the server is told. */
static void refuse(struct fetch *f, usec_t now, enum tftp_error code, const char *fault)
{
    fail(f, now, fault);
    f->code = (uint16_t)code;
    f->due = true;
}

void fetch_init(struct fetch *f, const struct fetch_terms *terms, usec_t now)
{
    const struct habit *h = &habits[terms->manner];
    *f = (struct fetch){.terms = *terms,
                        .block = PLAIN_BLOCK,
                        .window = 1,
                        .due = true,
                        .wait = WAIT_FIRST,
                        .asked_at = now};
    f->asked_block = asked(f, 'b', terms->block > 0 ? terms->block : h->block);
    f->asked_window = asked(f, 'w', terms->window > 0 ? terms->window : h->window);
    f->asked_window = f->asked_window > 1 ? f->asked_window : 0;
    arm(f, now);
}

/* -- what it sends ------------------------------------------------------------------------ */

static void put_option(struct wr *w, const char *name, uint32_t value)
{
    char digits[12];
    (void)snprintf(digits, sizeof digits, "%u", value);
    wr_cstr(w, name);
    wr_cstr(w, digits);
}

static void write_request(const struct fetch *f, struct wr *w)
{
    wr_u16(w, TFTP_RRQ);
    wr_cstr(w, f->terms.file);
    wr_cstr(w, "octet");
    for (const char *at = order_of(f); *at; at++) {
        if (*at == 't') {
            put_option(w, "timeout", 5);
        } else if (*at == 's') {
            put_option(w, "tsize", 0);
        } else if (*at == 'b') {
            put_option(w, "blksize", f->asked_block);
        } else if (f->asked_window > 0) {
            put_option(w, "windowsize", f->asked_window);
        }
    }
}

size_t fetch_next(struct fetch *f, uint8_t packet[FETCH_PACKET_SIZE], usec_t now)
{
    struct wr w = wr_over(packet, FETCH_PACKET_SIZE);
    if (!f->due) {
        return 0;
    }
    f->due = false;
    if (f->state == FETCH_FAILED || (f->terms.size_only && f->state == FETCH_DONE)) {
        tftp_write_error(&w, (enum tftp_error)f->code, "User aborted the transfer");
    } else if (f->state == FETCH_ASKING) {
        write_request(f, &w);
    } else {
        wr_u16(&w, TFTP_ACK);
        wr_u16(&w, (uint16_t)f->got);
        f->sent_at = f->answer ? now : 0;
        f->answer = false;
    }
    return wr_ok(&w) ? wr_len(&w) : 0;
}

void fetch_timeout(struct fetch *f, usec_t now)
{
    if (f->state < FETCH_DONE && now >= f->asked_at + FETCH_TIME) {
        refuse(f, now, TFTP_ERR_UNDEFINED, "the file is not there after an hour");
        return;
    }
    if (now < f->wake_at) {
        return;
    }
    if (++f->tries >= FETCH_TRIES) {
        fail(f, now,
             f->state == FETCH_ASKING
                 ? "the server does not answer"
                 : "the server fell silent in the middle of the file");
        return;
    }
    f->wait = f->wait * 2 < WAIT_MAX ? f->wait * 2 : WAIT_MAX;
    f->resent++;
    f->due = true;
    f->in_window = 0;
    f->told = false;
    arm(f, now);
}

usec_t fetch_deadline(const struct fetch *f)
{
    return f->wake_at;
}

/* -- what comes --------------------------------------------------------------------------- */

static void acknowledge(struct fetch *f, bool takes_time)
{
    f->due = true;
    f->answer = takes_time;
    f->in_window = 0;
}

/* False: the server's answer does not fit what was asked. */
static bool take_option(struct fetch *f, const char *name, const char *text)
{
    uint64_t value;
    if (!text_decimal(text, &value)) {
        return false;
    }
    if (strcasecmp(name, "blksize") == 0) {
        f->block = (uint32_t)value;
        return value >= 8 && value <= f->asked_block;
    }
    if (strcasecmp(name, "windowsize") == 0) {
        f->window = (uint32_t)value;
        return value >= 1 && value <= f->asked_window;
    }
    if (strcasecmp(name, "tsize") == 0) {
        f->has_size = true;
        f->size = value;
        return strchr(order_of(f), 's') != NULL;
    }
    return strcasecmp(name, "timeout") != 0 ||
           (value == 5 && strchr(order_of(f), 't') != NULL);
}

static void on_size(struct fetch *f, usec_t now)
{
    if (!f->has_size) {
        refuse(f, now, TFTP_ERR_OPTIONS,
               "the server does not tell the size of the file (no tsize in its OACK), "
               "without which this client stops");
        return;
    }
    end(f, FETCH_DONE, now);
    f->code = TFTP_ERR_OPTIONS;
    f->due = true;
}

static void on_oack(struct fetch *f, struct rd options, usec_t now)
{
    if (f->state == FETCH_READING) {
        if (f->got == 0) { /* our ACK was lost */
            acknowledge(f, false);
        }
        return;
    }
    f->answered_at = now;
    while (rd_left(&options) > 0) {
        const char *name = rd_cstr(&options);
        const char *value = rd_cstr(&options);
        if (!rd_ok(&options) || !take_option(f, name, value)) {
            refuse(
                f, now, TFTP_ERR_OPTIONS,
                "the server agrees to options (OACK) that were not asked for like that");
            return;
        }
    }
    if (f->terms.size_only) {
        on_size(f, now);
        return;
    }
    f->state = FETCH_READING;
    acknowledge(f, true);
    progress(f, now);
}

static void finish(struct fetch *f, usec_t now)
{
    end(f, FETCH_DONE, now);
    acknowledge(f, false);
    if (f->has_size && f->size != f->octets) {
        snprintf(f->fault, sizeof f->fault,
                 "the file has %llu octets, but the server told %llu",
                 (unsigned long long)f->octets, (unsigned long long)f->size);
        f->state = FETCH_FAILED;
        f->due = false;
    }
}

static struct rd on_next(struct fetch *f, struct rd data, usec_t now)
{
    size_t len = rd_left(&data);
    if (f->sent_at > 0 && f->in_window == 0 &&
        (f->rtt == 0 || now - f->sent_at < f->rtt)) {
        f->rtt = now - f->sent_at;
    }
    f->sent_at = 0;
    f->first_at = f->first_at > 0 ? f->first_at : now;
    f->got++;
    f->octets += len;
    f->told = false;
    progress(f, now);
    if (len < f->block) {
        finish(f, now);
    } else if (f->has_size && f->octets > f->size) {
        refuse(f, now, TFTP_ERR_UNDEFINED,
               "the file goes on behind the size that was told");
    } else if (++f->in_window >= f->window) {
        acknowledge(f, true);
    }
    return data;
}

/* A block that is not the next one: is it to be said where we are? */
static void on_stray(struct fetch *f, bool ahead, bool newest)
{
    bool first = !f->told;
    f->told = true;
    if (f->window == 1 ? newest && !ahead : first || f->terms.manner == REQUEST_EDK2) {
        acknowledge(f, false);
    }
}

static struct rd on_data(struct fetch *f, const struct tftp_packet *in, usec_t now)
{
    uint16_t distance = (uint16_t)(in->block - (uint16_t)f->got); /* 1: the next one */
    if (f->terms.size_only) {
        refuse(f, now, TFTP_ERR_ILLEGAL_OP,
               "the server sends the file when it is asked for its size: it knows no "
               "options, without which this client stops");
        return rd_nothing();
    }
    if (f->state == FETCH_ASKING) { /* the server knows no options */
        f->answered_at = now;
        f->state = FETCH_READING;
    }
    f->packets++;
    if (rd_left(&in->data) > f->block) {
        refuse(f, now, TFTP_ERR_ILLEGAL_OP, "the server sends blocks larger than agreed");
        return rd_nothing();
    }
    if (distance == 1) {
        return on_next(f, in->data, now);
    }
    bool behind = distance == 0 || distance >= HALF_NUMBERS;
    f->repeated += behind;
    f->early += !behind;
    on_stray(f, !behind, distance == 0);
    return rd_nothing();
}

static void on_error(struct fetch *f, const struct tftp_packet *in, usec_t now)
{
    char text[FETCH_FAULT_SIZE - 60];
    (void)text_show(in->message.at, in->message.len, text, sizeof text);
    fail(f, now, "");
    f->error = (uint16_t)(in->error_code + 1);
    snprintf(f->fault, sizeof f->fault, "the server refuses: \"%s\" (TFTP error %u)",
             text, in->error_code);
}

struct rd fetch_input(struct fetch *f, const void *dgram, size_t len, usec_t now)
{
    struct tftp_packet in;
    if (tftp_parse(dgram, len, &in) != TFTP_OK || f->state == FETCH_FAILED) {
        return rd_nothing();
    }
    if (f->state == FETCH_DONE) { /* our last ACK was lost */
        f->due = in.op == TFTP_DATA && !f->terms.size_only;
        return rd_nothing();
    }
    if (in.op == TFTP_DATA) {
        return on_data(f, &in, now);
    }
    if (in.op == TFTP_OACK) {
        on_oack(f, in.options, now);
    } else if (in.op == TFTP_ERROR) {
        on_error(f, &in, now);
    }
    return rd_nothing();
}
