#include <stdlib.h>

#include "tests/unit/request.h"
#include "tests/unit/suites.h"

#define BYTES(s) (s), sizeof(s) - 1

/* A packet of a good fixed part and these options. */
static size_t packet_with(const char *options, size_t len, uint8_t *buf)
{
    struct request none = {.hlen = 6};
    (void)request_bytes(&none, buf);
    memset(buf + DHCP_HEADER_LEN, 0, 1500 - DHCP_HEADER_LEN);
    memcpy(buf + DHCP_HEADER_LEN, options, len);
    return DHCP_HEADER_LEN + len;
}

static const struct {
    const char *name;
    const char *options;
    size_t len;
    enum dhcp_fault fault;
} rows[] = {
    {"a DISCOVER", BYTES("\x35\1\1\xff"), DHCP_OK},
    {"no END", BYTES("\x35\1\1"), DHCP_OK},
    {"pads between", BYTES("\0\0\x35\1\1\0\0\x3c\1X\xff"), DHCP_OK},
    {"nothing", BYTES(""), DHCP_NO_TYPE},
    {"END only", BYTES("\xff"), DHCP_NO_TYPE},
    {"type behind END", BYTES("\xff\x35\1\1"), DHCP_NO_TYPE},
    {"option past the end", BYTES("\x35\1\1\x3c\x20PXE"), DHCP_BAD_OPTIONS},
    {"code without length", BYTES("\x35\1\1\x3c"), DHCP_BAD_OPTIONS},
    {"type of two octets", BYTES("\x35\2\1\1\xff"), DHCP_BAD_LENGTH},
    {"type of none", BYTES("\x35\0\xff"), DHCP_BAD_LENGTH},
    {"server id of three", BYTES("\x35\1\1\x36\3\1\1\1\xff"), DHCP_BAD_LENGTH},
    {"zero-length class", BYTES("\x35\1\1\x3c\0\xff"), DHCP_OK},
};

START_TEST(parse_verdicts)
{
    uint8_t buf[1500];
    struct dhcp_packet pkt = {.xid = 77};
    size_t len = packet_with(rows[_i].options, rows[_i].len, buf);
    enum dhcp_fault got = dhcp_parse(buf, len, &pkt);
    ck_assert_msg(got == rows[_i].fault, "%s: got %s, want %s", rows[_i].name,
                  dhcp_fault_name(got), dhcp_fault_name(rows[_i].fault));
    ck_assert_msg(got == DHCP_OK || pkt.xid == 77, "%s: wrote *out on failure",
                  rows[_i].name);
}
END_TEST

START_TEST(the_fixed_part_is_checked)
{
    uint8_t buf[1500];
    struct dhcp_packet pkt;
    size_t len = packet_with(BYTES("\x35\1\1\xff"), buf);
    ck_assert_int_eq(dhcp_parse(buf, DHCP_HEADER_LEN - 1, &pkt), DHCP_TRUNCATED);
    ck_assert_int_eq(dhcp_parse(buf, 0, &pkt), DHCP_TRUNCATED);
    buf[0] = 3;
    ck_assert_int_eq(dhcp_parse(buf, len, &pkt), DHCP_BAD_OP);
    buf[0] = 1;
    buf[2] = 17;
    ck_assert_int_eq(dhcp_parse(buf, len, &pkt), DHCP_BAD_HLEN);
    buf[2] = 16;
    ck_assert_int_eq(dhcp_parse(buf, len, &pkt), DHCP_OK);
    buf[236] = 0;
    ck_assert_int_eq(dhcp_parse(buf, len, &pkt), DHCP_NO_COOKIE);
}
END_TEST

START_TEST(a_split_option_is_joined)
{
    uint8_t buf[1500];
    uint8_t joined[DHCP_OPTION_MAX];
    struct dhcp_packet pkt;
    struct rd value;
    size_t len = packet_with(BYTES("\x35\1\1\x3c\3PXE\x61\2\0\1\x3c\6Client\xff"), buf);
    ck_assert_int_eq(dhcp_parse(buf, len, &pkt), DHCP_OK);
    ck_assert(dhcp_find(&pkt, DHCP_VENDOR_CLASS, joined, &value));
    ck_assert_uint_eq(rd_left(&value), 9);
    ck_assert_mem_eq(value.p, "PXEClient", 9);
}
END_TEST

START_TEST(overloaded_fields_are_read_file_first)
{
    uint8_t buf[1500];
    uint8_t joined[DHCP_OPTION_MAX];
    struct dhcp_packet pkt;
    struct rd value;
    size_t len = packet_with(BYTES("\x34\1\3\xff"), buf);
    memcpy(buf + 108, "\x35\1\1\x3c\3PXE\xff", 9); /* file */
    memcpy(buf + 44, "\x3c\6Client\xff", 9);       /* sname */
    ck_assert_int_eq(dhcp_parse(buf, len, &pkt), DHCP_OK);
    ck_assert_int_eq(pkt.type, DHCP_DISCOVER);
    ck_assert(dhcp_find(&pkt, DHCP_VENDOR_CLASS, joined, &value));
    ck_assert_mem_eq(value.p, "PXEClient", 9);
}
END_TEST

START_TEST(an_option_that_is_not_there_leaves_out_alone)
{
    uint8_t buf[1500];
    uint8_t joined[DHCP_OPTION_MAX];
    struct dhcp_packet pkt;
    struct rd value = rd_over(buf, 3);
    size_t len = packet_with(BYTES("\x35\1\1\xff"), buf);
    ck_assert_int_eq(dhcp_parse(buf, len, &pkt), DHCP_OK);
    ck_assert(!dhcp_find(&pkt, DHCP_VENDOR_CLASS, joined, &value));
    ck_assert_uint_eq(rd_left(&value), 3);
}
END_TEST

/* Random octets behind a good header: parsed or refused, never read past their end. */
START_TEST(random_options_are_parsed_or_refused)
{
    unsigned seed = (unsigned)_i + 1;
    for (int n = 0; n < 2000; n++) {
        size_t len = DHCP_HEADER_LEN + (size_t)(rand_r(&seed) % 64);
        uint8_t *buf = malloc(1500);
        (void)packet_with("", 0, buf);
        uint8_t *exact = malloc(len);
        memcpy(exact, buf, len);
        for (size_t i = DHCP_HEADER_LEN; i < len; i++) {
            exact[i] = (uint8_t)(rand_r(&seed) % 4 ? rand_r(&seed) % 8 : rand_r(&seed));
        }
        struct dhcp_packet pkt;
        uint8_t joined[DHCP_OPTION_MAX];
        struct rd value;
        if (dhcp_parse(exact, len, &pkt) == DHCP_OK) {
            for (unsigned code = 1; code < 255; code++) {
                (void)dhcp_find(&pkt, (enum dhcp_code)code, joined, &value);
            }
        }
        free(exact);
        free(buf);
    }
}
END_TEST

START_TEST(an_option_that_is_too_long_latches_the_writer)
{
    static const uint8_t value[256];
    uint8_t buf[600];
    struct wr w = wr_over(buf, sizeof buf);
    dhcp_option_write(&w, DHCP_BOOT_FILE, value, 255);
    ck_assert(wr_ok(&w) && wr_len(&w) == 257 && buf[1] == 255);
    dhcp_option_write(&w, DHCP_BOOT_FILE, value, 256);
    ck_assert(!wr_ok(&w) && wr_len(&w) == 257);
}
END_TEST

Suite *suite_dhcp_packet(void)
{
    Suite *s = suite_create("dhcp/packet, dhcp/options");
    TCase *tc = tcase_create("rows");
    tcase_add_loop_test(tc, parse_verdicts, 0, sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, the_fixed_part_is_checked);
    tcase_add_test(tc, a_split_option_is_joined);
    tcase_add_test(tc, overloaded_fields_are_read_file_first);
    tcase_add_test(tc, an_option_that_is_not_there_leaves_out_alone);
    tcase_add_loop_test(tc, random_options_are_parsed_or_refused, 0, 5);
    tcase_add_test(tc, an_option_that_is_too_long_latches_the_writer);
    suite_add_tcase(s, tc);
    return s;
}
