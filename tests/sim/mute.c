/*
 * What a peer gets that never answers, whatever was asked for in its name: the first packet,
 * three times, and of the file one block at the most.
 */
#include <stdio.h>
#include <string.h>

#include "tests/sim/suites.h"
#include "tftp/grant.h"

static const struct hash_seed seed = {3, 4};
static struct tftp_limits limits = {.max_block_size = 65464,
                                    .max_window_size = 65535,
                                    .send_ahead = 64,
                                    .msft_window = true};

/* What a request of these options is granted: "blksize=1468 windowsize=64". */
static struct tftp_terms grant_of(const char *options, usec_t now, bool *oack)
{
    char text[200];
    struct tftp_windows *windows = tftp_windows_new(16, &seed);
    struct tftp_grant grant;
    struct tftp_wish wish = {.client = endpoint_ip4((struct ip4){{10, 0, 0, 1}}, 2000),
                             .limits = limits,
                             .file_size = 10000000};
    snprintf(text, sizeof text, "%s", options);
    for (char *at = text; *at; at++) {
        *at = *at == ' ' || *at == '=' ? '\0' : *at;
    }
    size_t len = options[0] ? strlen(options) + 1 : 0;
    wish.asked = tftp_opts_parse(rd_over((const uint8_t *)text, len));
    tftp_grant(windows, &wish, now, &grant);
    tftp_windows_free(windows);
    *oack = grant.terms.oack;
    return grant.terms;
}

struct got {
    unsigned packets;
    unsigned data;
    uint64_t block; /* the highest */
};

static void pull(struct tftp_session *s, usec_t now, struct got *got)
{
    struct tftp_send out;
    while (tftp_session_next(s, now, &out)) {
        got->packets++;
        got->data += out.op == TFTP_DATA;
        got->block =
            out.op == TFTP_DATA && out.number > got->block ? out.number : got->block;
    }
}

/* What somebody else's packets to that port may be; none is the answer that is awaited. */
static void stray(struct tftp_session *s, unsigned n, bool oack, usec_t now)
{
    const struct tftp_packet packets[] = {
        {.op = TFTP_ACK, .block = oack ? 1 : 0},
        {.op = TFTP_ACK, .block = 2},
        {.op = TFTP_ACK, .block = 64},
        {.op = TFTP_ACK, .block = 65535},
        {.op = TFTP_ACK, .block = 16, .has_window = true, .window = 255},
        {.op = TFTP_DATA, .block = 1},
        {.op = TFTP_OACK},
        {.op = TFTP_RRQ},
        {.op = TFTP_WRQ},
    };
    tftp_session_input(s, &packets[n % (sizeof packets / sizeof packets[0])], now);
}

static void play(const struct tftp_terms *terms, unsigned requests, struct got *got)
{
    struct tftp_session s;
    usec_t now = USEC_PER_SEC;
    *got = (struct got){.packets = 0};
    tftp_session_init(&s, terms, now);
    pull(&s, now, got);
    for (unsigned n = 0; s.state != TFTP_ENDED; n++) {
        usec_t next = now + 700 * USEC_PER_MSEC;
        stray(&s, n, terms->oack, now);
        pull(&s, now, got);
        if (n > 0 && n < requests) {
            ck_assert(tftp_session_again(&s, now));
            pull(&s, now, got);
        }
        while (tftp_session_deadline(&s) <= next) {
            now = tftp_session_deadline(&s);
            tftp_session_timeout(&s, now);
            pull(&s, now, got);
        }
        now = next;
        ck_assert_uint_lt(n, 100);
    }
    ck_assert_int_eq(s.end, TFTP_END_NO_ANSWER);
}

static const struct {
    const char *options;
    bool oack;
} rows[] = {
    {"", false},
    {"blksize=1468", true},
    {"windowsize=64", true},
    {"windowsize=65535 blksize=65464", true},
    {"blksize=1468 windowsize=64 tsize=0 timeout=1", true},
    {"timeout=255", true},
    {"tsize=0", true},
    {"blksize=1432 tsize=0", true}, /* iPXE: gets blocks ahead */
    {"windowsize=8 msftwindow=31416 blksize=1456", true},
    {"msftwindow=31416", false},
    {"multicast=", false}, /* RFC 2090: neither granted nor served */
    {"blksize=7 windowsize=0 timeout=0", false},
    {"windowsize=0x40", false},
    {"send_ahead=64 burst=9", false},
};

START_TEST(a_mute_peer_gets_three_packets_and_one_block)
{
    bool oack;
    struct got got;
    const struct tftp_terms terms = grant_of(rows[_i].options, 0, &oack);
    ck_assert_msg(oack == rows[_i].oack, "\"%s\": OACK", rows[_i].options);
    ck_assert_msg(oack || (terms.window == 1 && terms.blksize == 512),
                  "\"%s\": without options a block of 512, and one", rows[_i].options);
    play(&terms, 1, &got);
    ck_assert_uint_eq(got.packets, TFTP_FIRST_SENDS);
    ck_assert_uint_eq(got.data, oack ? 0 : TFTP_FIRST_SENDS);
    ck_assert_uint_le(got.block, 1);
}
END_TEST

/* Asked again and again from one port: one packet more for each request at the most. */
START_TEST(a_repeated_request_brings_one_packet_at_most)
{
    for (unsigned requests = 2; requests < 14; requests++) {
        bool oack;
        struct got got;
        const struct tftp_terms terms = grant_of(rows[_i].options, 0, &oack);
        play(&terms, requests, &got);
        ck_assert_uint_le(got.packets, TFTP_FIRST_SENDS + requests - 1);
        ck_assert_uint_eq(got.data, oack ? 0 : got.packets);
        ck_assert_uint_le(got.block, 1);
    }
}
END_TEST

TCase *sim_mute(void)
{
    TCase *tc = tcase_create("mute");
    tcase_add_loop_test(tc, a_mute_peer_gets_three_packets_and_one_block, 0,
                        (int)(sizeof rows / sizeof rows[0]));
    tcase_add_loop_test(tc, a_repeated_request_brings_one_packet_at_most, 0,
                        (int)(sizeof rows / sizeof rows[0]));
    return tc;
}
