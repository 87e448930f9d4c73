#include "tests/bench/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "common/text.h"
#include "tftp/packet.h"

#define BLKSIZE_PLAIN 512
#define HALF_NUMBERS  0x8000 /* of the 16-bit block numbers */
#define MSFT_ASKED    31416
#define MSFT_GRANTED  27182
#define VARYING_MAX   255 /* the octet holds no more */

static const char *const kind_names[CLIENT_KINDS] = {
    [CLIENT_PLAIN] = "plain", [CLIENT_LOCKSTEP] = "lockstep", [CLIENT_EDK2] = "edk2",
    [CLIENT_IPXE] = "ipxe",   [CLIENT_BOOTMGR] = "bootmgr",
};

const char *client_kind_name(enum client_kind kind)
{
    return kind_names[kind];
}

bool client_kind_parse(const char *name, enum client_kind *out)
{
    for (enum client_kind kind = 0; kind < CLIENT_KINDS; kind++) {
        if (strcmp(name, kind_names[kind]) == 0) {
            *out = kind;
            return true;
        }
    }
    return false;
}

void client_init(struct client *c, struct client_plan *plan)
{
    *c = (struct client){.plan = plan, .blksize = BLKSIZE_PLAIN, .window = 1};
}

void client_done(struct client *c)
{
    free(c->early);
    c->early = NULL;
}

void client_fail(struct client *c, const char *fault)
{
    c->state = CLIENT_FAILED;
    (void)snprintf(c->plan->fault, CLIENT_FAULT_SIZE, "%s", fault);
}

/* -- the request -------------------------------------------------------------------------- */

static void put_option(struct wr *w, const char *name, uint32_t value)
{
    char digits[12];
    (void)snprintf(digits, sizeof digits, "%u", value);
    wr_cstr(w, name);
    wr_cstr(w, digits);
}

static bool asks_window(const struct client_plan *plan)
{
    return plan->window > 1 && plan->kind != CLIENT_LOCKSTEP && plan->kind != CLIENT_IPXE;
}

size_t client_request(const struct client *c, uint8_t *packet, size_t room)
{
    const struct client_plan *plan = c->plan;
    struct wr w = wr_over(packet, room);
    wr_u16(&w, TFTP_RRQ);
    wr_cstr(&w, plan->file);
    wr_cstr(&w, "octet");
    /* iPXE asks for the block size first; a server may tell clients apart by that. */
    bool late = plan->kind == CLIENT_IPXE;
    if (plan->tsize && !late) {
        put_option(&w, "tsize", 0);
    }
    if (plan->blksize != BLKSIZE_PLAIN) {
        put_option(&w, "blksize", plan->blksize);
    }
    if (plan->tsize && late) {
        put_option(&w, "tsize", 0);
    }
    if (asks_window(plan)) {
        put_option(&w, "windowsize", plan->window);
    }
    if (plan->kind == CLIENT_BOOTMGR) {
        put_option(&w, "msftwindow", MSFT_ASKED);
    }
    for (unsigned i = 0; i < plan->option_count; i++) {
        const char *value = strchr(plan->options[i], '=') + 1;
        wr_put(&w, plan->options[i], (size_t)(value - plan->options[i]) - 1);
        wr_u8(&w, 0);
        wr_cstr(&w, value);
    }
    return wr_ok(&w) ? wr_len(&w) : 0;
}

/* -- the transfer ------------------------------------------------------------------------- */

static void begin(struct client *c)
{
    c->state = CLIENT_READING;
    c->last = c->plan->size / c->blksize + 1;
    c->plan->agreed_blksize = c->blksize;
    c->plan->agreed_window = c->window;
    if (c->plan->kind == CLIENT_IPXE) {
        c->early = calloc(c->last / 8 + 1, 1);
        if (!c->early) {
            client_fail(c, "no memory");
        }
    }
}

/* An answer that is too large, or that nobody asked for, is the server's mistake. */
static bool take_option(struct client *c, const char *name, const char *text)
{
    uint64_t value = strtoull(text, NULL, 10);
    if (strcasecmp(name, "blksize") == 0) {
        c->blksize = (uint32_t)value;
        return value >= 8 && value <= c->plan->blksize;
    }
    if (strcasecmp(name, "windowsize") == 0) {
        c->window = (uint32_t)value;
        return asks_window(c->plan) && value >= 1 && value <= c->plan->window;
    }
    if (strcasecmp(name, "msftwindow") == 0) {
        c->varies = true;
        return c->plan->kind == CLIENT_BOOTMGR && value == MSFT_GRANTED;
    }
    if (strcasecmp(name, "tsize") == 0) {
        return c->plan->tsize && value == c->plan->size;
    }
    return true;
}

static bool on_oack(struct client *c, struct rd options)
{
    if (c->state == CLIENT_READING) {
        return c->block == 0; /* our ACK was lost */
    }
    while (rd_left(&options) > 0) {
        const char *name = rd_cstr(&options);
        const char *value = rd_cstr(&options);
        if (!rd_ok(&options) || !take_option(c, name, value)) {
            client_fail(c, "an OACK that does not fit the request");
            return false;
        }
    }
    begin(c);
    return c->state == CLIENT_READING;
}

/* Compares; false: the client has failed. */
static bool check(struct client *c, uint64_t number, struct rd data)
{
    const struct client_plan *plan = c->plan;
    uint64_t at = (number - 1) * c->blksize;
    uint64_t left = number < c->last ? c->blksize : plan->size - at;
    size_t len = rd_left(&data);
    if (number <= c->last && len == left && memcmp(data.p, plan->data + at, len) == 0) {
        return true;
    }
    c->plan->corrupted++;
    client_fail(c, "not the file's octets");
    return false;
}

/* How the window goes on, where the client says so. */
static void vary(struct client *c, bool lost)
{
    struct client_plan *plan = c->plan;
    if (!c->varies) {
        return;
    }
    c->window = lost                      ? c->window / 4
                : c->window < VARYING_MAX ? c->window + 1
                                          : VARYING_MAX;
    c->window = c->window > 0 ? c->window : 1;
    plan->agreed_window =
        c->window > plan->agreed_window ? c->window : plan->agreed_window;
}

/* Moves over a block that is there. */
static void advance(struct client *c, size_t len)
{
    c->block++;
    c->plan->octets += len;
    c->told = false;
    if (c->block == c->last) {
        c->state = CLIENT_DONE;
    }
}

static bool on_next(struct client *c, struct rd data)
{
    if (!check(c, c->block + 1, data)) {
        return false;
    }
    advance(c, rd_left(&data));
    c->in_window++;
    if (c->in_window < c->window && c->state != CLIENT_DONE) {
        return false;
    }
    c->in_window = 0;
    vary(c, false);
    return true;
}

/* What an unexpected block brings about; ahead: it lies behind a gap. */
static bool on_stray(struct client *c, bool ahead, bool newest)
{
    enum client_kind kind = c->plan->kind;
    bool first = !c->told;
    c->told = true;
    if (kind == CLIENT_LOCKSTEP || (c->window == 1 && kind == CLIENT_PLAIN)) {
        return !ahead && newest; /* our ACK was lost */
    }
    if (kind == CLIENT_EDK2 || first) {
        c->in_window = 0;
        vary(c, true);
        return true;
    }
    return false;
}

/* iPXE: early blocks are kept, and each block is answered. */
static bool on_block_ipxe(struct client *c, uint64_t number, struct rd data)
{
    uint8_t bit = (uint8_t)(1 << number % 8);
    if (number > c->last || !check(c, number, data)) {
        return false;
    }
    c->early[number / 8] |= bit;
    while (c->block < c->last && c->early[(c->block + 1) / 8] & 1 << (c->block + 1) % 8) {
        bool is_last = c->block + 1 == c->last;
        advance(c, is_last ? c->plan->size % c->blksize : c->blksize);
    }
    return true;
}

static bool on_data(struct client *c, uint16_t wire, struct rd data)
{
    struct client_plan *plan = c->plan;
    if (c->state == CLIENT_ASKING) {
        begin(c); /* a server that knows no options */
    }
    plan->data_count++;
    uint16_t distance = (uint16_t)(wire - (uint16_t)c->block); /* 1: the next one */
    bool behind = distance == 0 || distance >= HALF_NUMBERS;
    bool ahead = !behind && distance > 1;
    plan->duplicates += behind;
    plan->early += ahead;
    plan->gaps += ahead && !c->told;
    if (plan->kind == CLIENT_IPXE && !behind) {
        c->told = ahead;
        return on_block_ipxe(c, c->block + distance, data);
    }
    if (distance == 1) {
        return on_next(c, data);
    }
    return plan->kind == CLIENT_IPXE || on_stray(c, ahead, distance == 0);
}

static void on_error(struct client *c, struct rd message)
{
    char text[CLIENT_FAULT_SIZE - 8];
    text_show((const char *)message.p, rd_left(&message), text, sizeof text);
    client_fail(c, text);
}

bool client_input(struct client *c, const uint8_t *packet, size_t len)
{
    struct rd r = rd_over(packet, len);
    uint16_t op = rd_u16(&r);
    if (c->state == CLIENT_DONE || c->state == CLIENT_FAILED || !rd_ok(&r)) {
        return false;
    }
    if (op == TFTP_OACK) {
        return on_oack(c, r);
    }
    uint16_t number = rd_u16(&r);
    if (!rd_ok(&r)) {
        return false;
    }
    if (op == TFTP_DATA) {
        return on_data(c, number, r);
    }
    if (op == TFTP_ERROR) {
        on_error(c, r);
    }
    return false;
}

void client_restart(struct client *c)
{
    c->in_window = 0;
    c->told = false;
}
