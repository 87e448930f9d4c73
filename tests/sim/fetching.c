/*
 * The client of `pxed probe` (app/probe/fetch) against the server's session, over wires that
 * lose, double and reorder: every file arrives whole, octet for octet.
 */
#include <inttypes.h>
#include <stdio.h>

#include "app/probe/fetch.h"
#include "tests/sim/run.h"
#include "tests/sim/suites.h"
#include "tftp/options.h"

#define SEEDS      60
#define TIME_LIMIT (UINT64_C(3600) * USEC_PER_SEC)

/* What stands in the file at this place. */
static uint8_t octet_at(uint64_t offset)
{
    return (uint8_t)(offset * 7 + offset / 251);
}

struct fetching {
    struct fetch client;
    struct tftp_session server;
    struct sim_wire wire;
    uint64_t size;
    uint64_t taken; /* octets that were handed out */
    usec_t now;
};

static void take(struct fetching *t, struct rd data)
{
    bool good = true;
    while (rd_left(&data) > 0) {
        good &= rd_u8(&data) == octet_at(t->taken++);
    }
    ck_assert(good);
}

static void to_client(struct fetching *t, const struct sim_packet *p)
{
    static uint8_t dgram[TFTP_HEADER_LEN + 65464];
    struct wr w = wr_over(dgram, sizeof dgram);
    if (p->op == TFTP_OACK) {
        char digits[24];
        wr_u16(&w, TFTP_OACK);
        wr_cstr(&w, "blksize");
        snprintf(digits, sizeof digits, "%u", t->server.terms.blksize);
        wr_cstr(&w, digits);
        if (t->server.terms.window > 1) {
            wr_cstr(&w, "windowsize");
            snprintf(digits, sizeof digits, "%u", t->server.terms.window);
            wr_cstr(&w, digits);
        }
    } else {
        tftp_write_data_header(&w, (uint16_t)p->number);
        for (uint32_t i = 0; i < p->len; i++) {
            wr_u8(&w, octet_at(p->offset + i));
        }
    }
    take(t, fetch_input(&t->client, dgram, wr_len(&w), t->now));
}

static void to_server(struct fetching *t, const struct sim_packet *p)
{
    const struct tftp_packet in = {.op = p->op, .block = (uint16_t)p->number};
    if (p->op == TFTP_RRQ) {
        if (!tftp_session_again(&t->server, t->now)) {
            const struct tftp_terms terms = t->server.terms;
            tftp_session_init(&t->server, &terms, t->now);
        }
        return;
    }
    tftp_session_input(&t->server, &in, t->now);
}

static void pull(struct fetching *t)
{
    struct tftp_send send;
    uint8_t dgram[FETCH_PACKET_SIZE];
    while (tftp_session_next(&t->server, t->now, &send)) {
        struct sim_packet p = {send.op, send.number, send.offset, send.len, 0, 0};
        (void)sim_wire_post(&t->wire, SIM_TO_CLIENT, &p, t->now);
    }
    for (size_t len; (len = fetch_next(&t->client, dgram, t->now)) > 0;) {
        struct tftp_packet in = {.op = TFTP_ERROR};
        ck_assert_int_eq(tftp_parse(dgram, len, &in), TFTP_OK);
        struct sim_packet p = {.op = in.op, .number = in.block};
        (void)sim_wire_post(&t->wire, SIM_TO_SERVER, &p, t->now);
    }
}

static bool step(struct fetching *t)
{
    usec_t at = sim_wire_next_at(&t->wire);
    usec_t server_at = tftp_session_deadline(&t->server);
    usec_t client_at = fetch_deadline(&t->client);
    usec_t next = at < server_at ? at : server_at;
    next = client_at < next ? client_at : next;
    if (next == USEC_NEVER || next > TIME_LIMIT) {
        return false;
    }
    t->now = next > t->now ? next : t->now;
    if (at == next) {
        struct sim_packet p;
        if (sim_wire_take(&t->wire, &p) == SIM_TO_CLIENT) {
            to_client(t, &p);
        } else {
            to_server(t, &p);
        }
    } else if (server_at == next) {
        tftp_session_timeout(&t->server, t->now);
    } else {
        fetch_timeout(&t->client, t->now);
    }
    return true;
}

/* clang-format off */
static const struct {
    const char *name;
    enum request_manner manner;
    uint32_t window;
    uint64_t size;
    uint32_t block;
    struct sim_link link;
} rows[] = {
    {"clean, lock-step",     REQUEST_IPXE,  1,  100000, 1468, {.delay = 200}},
    {"clean, window 4",      REQUEST_EDK2,  4,  100000, 1468, {.delay = 200}},
    {"empty file",           REQUEST_EDK2,  4,       0, 1468, {.delay = 200}},
    {"whole blocks",         REQUEST_EDK2,  4, 1468 * 8, 1468, {.delay = 200}},
    {"over 65535 blocks",    REQUEST_UBOOT, 16, 8 * 66000 + 5, 8, {.delay = 50}},
    {"loss, lock-step",      REQUEST_BIOS,  1,   60000, 1468, {.delay = 200, .loss = 50}},
    {"loss, EDK2",           REQUEST_EDK2,  4,  200000, 1468, {.delay = 200, .loss = 50}},
    {"loss, window 16",      REQUEST_UBOOT, 16, 200000, 1468, {.delay = 200, .loss = 50}},
    {"doubled and late",     REQUEST_EDK2, 16,  200000, 1468, {.delay = 200, .doubled = 50,
                                                         .late = 50, .held_max = 3000}},
    {"everything at once",   REQUEST_UBOOT, 64, 300000, 1468, {.delay = 500, .loss = 20,
                                                         .doubled = 20, .late = 20,
                                                         .held_max = 2000}},
};
/* clang-format on */

static void run(struct fetching *t, int row, uint64_t seed)
{
    const struct sim_link link[SIM_SIDES] = {rows[row].link, rows[row].link};
    const struct fetch_terms terms = {.manner = rows[row].manner,
                                      .file = "boot.img",
                                      .window = rows[row].window,
                                      .block = rows[row].block};
    const struct tftp_terms server = {.file_size = rows[row].size,
                                      .blksize = rows[row].block,
                                      .window = rows[row].window,
                                      .oack = true,
                                      .rto_max = TFTP_RTO_MAX,
                                      .patience = TFTP_PATIENCE};
    *t = (struct fetching){.size = rows[row].size, .now = 1};
    sim_wire_init(&t->wire, link, NULL, seed);
    fetch_init(&t->client, &terms, t->now);
    (void)fetch_next(&t->client, (uint8_t[FETCH_PACKET_SIZE]){0}, t->now); /* arrived */
    tftp_session_init(&t->server, &server, t->now);
    pull(t);
    while (t->client.state < FETCH_DONE && step(t)) {
        pull(t);
    }
    sim_wire_done(&t->wire);
}

START_TEST(files_arrive_whole)
{
    static struct fetching t;
    uint64_t seeds = rows[_i].block < 1468 ? 1 : SEEDS;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        run(&t, _i, seed);
        ck_assert_msg(t.client.state == FETCH_DONE, "%s, seed %" PRIu64 ": %s",
                      rows[_i].name, seed, t.client.fault);
        ck_assert_uint_eq(t.taken, rows[_i].size);
        ck_assert_uint_eq(t.client.octets, rows[_i].size);
        bool clean = rows[_i].link.loss + rows[_i].link.doubled + rows[_i].link.late == 0;
        if (clean) {
            ck_assert_uint_eq(t.client.repeated + t.client.early + t.client.resent, 0);
            ck_assert_uint_eq(t.client.packets, t.server.last);
            ck_assert_uint_eq(t.client.rtt, 2 * rows[_i].link.delay);
        }
    }
}
END_TEST

/* -- packet by packet --------------------------------------------------------------------- */

static struct fetch begun(enum request_manner manner, bool size_only)
{
    struct fetch f;
    const struct fetch_terms terms = {manner, "a.efi", 0, 0, size_only};
    fetch_init(&f, &terms, 1);
    return f;
}

/* The next packet, with NULs as blanks and the opcode left out. */
static const char *sent(struct fetch *f)
{
    static char text[FETCH_PACKET_SIZE + 1];
    uint8_t dgram[FETCH_PACKET_SIZE];
    size_t len = fetch_next(f, dgram, 2);
    ck_assert_uint_ge(len, 4);
    for (size_t i = 2; i < len; i++) {
        text[i - 2] = dgram[i] ? (char)dgram[i] : ' ';
    }
    text[len - 2] = '\0';
    return text;
}

START_TEST(requests_are_those_of_the_clients)
{
    struct fetch f = begun(REQUEST_EDK2, true);
    ck_assert_str_eq(sent(&f), "a.efi octet tsize 0 blksize 1468 windowsize 4 ");
    f = begun(REQUEST_EDK2, false);
    ck_assert_str_eq(sent(&f), "a.efi octet blksize 1468 windowsize 4 ");
    f = begun(REQUEST_IPXE, false);
    ck_assert_str_eq(sent(&f), "a.efi octet blksize 1432 tsize 0 ");
    f = begun(REQUEST_UBOOT, false);
    ck_assert_str_eq(sent(&f), "a.efi octet timeout 5 tsize 0 blksize 1468 ");
    ck_assert(fetch_asks_size_first(REQUEST_BIOS) &&
              !fetch_asks_size_first(REQUEST_IPXE));
}
END_TEST

#define INPUT(f, octets) fetch_input(f, octets, sizeof(octets) - 1, 3)

START_TEST(a_size_is_told_and_the_transfer_ended)
{
    struct fetch f = begun(REQUEST_EDK2, true);
    (void)sent(&f);
    (void)INPUT(&f, "\0\6tsize\0"
                    "123\0blksize\0"
                    "1468\0windowsize\0"
                    "4\0");
    ck_assert_int_eq(f.state, FETCH_DONE);
    ck_assert_uint_eq(f.size, 123);
    uint8_t dgram[FETCH_PACKET_SIZE];
    ck_assert_uint_gt(fetch_next(&f, dgram, 3), 4);
    ck_assert(dgram[1] == TFTP_ERROR && dgram[3] == TFTP_ERR_OPTIONS);
    ck_assert_uint_eq(fetch_next(&f, dgram, 3), 0);
    ck_assert_uint_eq(fetch_deadline(&f), USEC_NEVER);
}
END_TEST

/* clang-format off */
static const struct {
    const char *packet;
    size_t len;
    bool size_only;
    const char *fault;
} faults[] = {
#define PACKET(s) (s), sizeof(s) - 1
    {PACKET("\0\5\0\1file not found\0"), false, "the server refuses: \"file not found\" (TFTP error 1)"},
    {PACKET("\0\5\0\2\033[1m\0"), false, "the server refuses: \"\\x1b[1m\" (TFTP error 2)"},
    {PACKET("\0\6blksize\0""1469\0"), false, "not asked for"},
    {PACKET("\0\6blksize\0""7\0"), false, "not asked for"},
    {PACKET("\0\6blksize\0""1e3\0"), false, "not asked for"},
    {PACKET("\0\6windowsize\0""5\0"), false, "not asked for"},
    {PACKET("\0\6windowsize\0""0\0"), false, "not asked for"},
    {PACKET("\0\6tsize\0""9\0"), false, "not asked for"},
    {PACKET("\0\6timeout\0""5\0"), false, "not asked for"},
    {PACKET("\0\6blksize\0""1468"), false, "not asked for"},
    {PACKET("\0\6blksize\0""1468\0"), true, "no tsize"},
    {PACKET("\0\3\0\1abc"), true, "asked for its size"},
};
/* clang-format on */

START_TEST(servers_that_break_the_rules)
{
    struct fetch f = begun(REQUEST_EDK2, faults[_i].size_only);
    (void)sent(&f);
    (void)fetch_input(&f, faults[_i].packet, faults[_i].len, 3);
    ck_assert_int_eq(f.state, FETCH_FAILED);
    ck_assert_msg(strstr(f.fault, faults[_i].fault) != NULL, "%s", f.fault);
    ck_assert_uint_eq(fetch_deadline(&f), USEC_NEVER);
}
END_TEST

START_TEST(blocks_larger_than_agreed)
{
    uint8_t dgram[4 + 513] = {0, TFTP_DATA, 0, 1};
    struct fetch f = begun(REQUEST_EDK2, false);
    (void)sent(&f);
    struct rd data = fetch_input(&f, dgram, sizeof dgram, 3);
    ck_assert_uint_eq(rd_left(&data), 0);
    ck_assert_int_eq(f.state, FETCH_FAILED);
}
END_TEST

START_TEST(a_size_that_was_not_true)
{
    struct fetch f = begun(REQUEST_IPXE, false);
    (void)sent(&f);
    (void)INPUT(&f, "\0\6tsize\0"
                    "9\0");
    (void)INPUT(&f, "\0\3\0\1abc");
    ck_assert_int_eq(f.state, FETCH_FAILED);
    ck_assert_str_eq(f.fault, "the file has 3 octets, but the server told 9");
}
END_TEST

START_TEST(a_mute_server_is_given_up)
{
    struct fetch f = begun(REQUEST_EDK2, false);
    unsigned requests = 0;
    uint8_t dgram[FETCH_PACKET_SIZE];
    while (fetch_deadline(&f) != USEC_NEVER) {
        requests += fetch_next(&f, dgram, fetch_deadline(&f)) > 0;
        fetch_timeout(&f, fetch_deadline(&f));
    }
    ck_assert_uint_eq(requests, FETCH_TRIES);
    ck_assert_str_eq(f.fault, "the server does not answer");
    ck_assert_uint_lt(f.ended_at, 20 * USEC_PER_SEC);
}
END_TEST

/* Block after block, one each second, as long as the client takes them. */
static uint64_t drip(struct fetch *f)
{
    uint8_t dgram[FETCH_PACKET_SIZE];
    uint8_t block[4 + 512] = {0, TFTP_DATA};
    usec_t now = 3;
    for (uint64_t n = 1; f->state < FETCH_DONE; n++) {
        (void)fetch_next(f, dgram, now);
        now += USEC_PER_SEC - 1;
        block[2] = (uint8_t)(n >> 8);
        block[3] = (uint8_t)n;
        (void)fetch_input(f, block, sizeof block, now);
        fetch_timeout(f, now);
    }
    return f->got;
}

START_TEST(a_file_without_end_is_given_up)
{
    struct fetch f = begun(REQUEST_IPXE, false);
    (void)sent(&f);
    ck_assert_uint_eq(drip(&f), FETCH_TIME / USEC_PER_SEC + 1);
    ck_assert_str_eq(f.fault, "the file is not there after an hour");
    ck_assert_str_eq(sent(&f) + 2, "User aborted the transfer ");
}
END_TEST

START_TEST(a_file_ends_where_it_was_told_to)
{
    struct fetch f = begun(REQUEST_IPXE, false);
    (void)sent(&f);
    (void)INPUT(&f, "\0\6tsize\0"
                    "1024\0");
    ck_assert_uint_eq(drip(&f), 3);
    ck_assert_str_eq(f.fault, "the file goes on behind the size that was told");
    ck_assert_uint_eq(fetch_deadline(&f), USEC_NEVER);
}
END_TEST

TCase *sim_fetching(void)
{
    TCase *tc = tcase_create("fetching");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, files_arrive_whole, 0, sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, requests_are_those_of_the_clients);
    tcase_add_test(tc, a_size_is_told_and_the_transfer_ended);
    tcase_add_loop_test(tc, servers_that_break_the_rules, 0,
                        sizeof faults / sizeof faults[0]);
    tcase_add_test(tc, blocks_larger_than_agreed);
    tcase_add_test(tc, a_size_that_was_not_true);
    tcase_add_test(tc, a_file_without_end_is_given_up);
    tcase_add_test(tc, a_file_ends_where_it_was_told_to);
    tcase_add_test(tc, a_mute_server_is_given_up);
    return tc;
}
