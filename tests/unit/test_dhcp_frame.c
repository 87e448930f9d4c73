#include <stdlib.h>

#include "dhcp/v6_frame.h"
#include "tests/unit/suites.h"

/* A DISCOVER's frame cut to four octets of payload, written by hand. */
static const uint8_t good[] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x52, 0x54, 0x00, 0x12, 0x34, 0x56,
    0x08, 0x00,                                                             /* */
    0x45, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x40, 0x11, 0x7a, 0xce, /* */
    0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,                         /* */
    0x00, 0x44, 0x00, 0x43, 0x00, 0x0c, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04,
};

static const struct {
    const char *name;
    size_t at; /* octet to change ... */
    uint8_t to;
    size_t len; /* ... and how much of the frame is there */
    enum frame_fault fault;
} rows[] = {
    {"as it is", 0, 0xff, sizeof good, FRAME_OK},
    {"cut in Ethernet", 0, 0xff, 13, FRAME_SHORT},
    {"cut in IP", 0, 0xff, 33, FRAME_SHORT},
    {"cut in UDP", 0, 0xff, 41, FRAME_SHORT},
    {"cut in the payload", 0, 0xff, sizeof good - 1, FRAME_SHORT},
    {"IPv6", 12, 0x86, sizeof good, FRAME_NOT_IPV4},
    {"version 6 in an IPv4 frame", 14, 0x65, sizeof good, FRAME_NOT_IPV4},
    {"header of 16 octets", 14, 0x44, sizeof good, FRAME_NOT_IPV4},
    {"total shorter than the header", 17, 19, sizeof good, FRAME_NOT_IPV4},
    {"header longer than the datagram", 14, 0x4f, sizeof good, FRAME_NOT_IPV4},
    {"more fragments", 20, 0x20, sizeof good, FRAME_FRAGMENT},
    {"a later fragment", 21, 1, sizeof good, FRAME_FRAGMENT},
    {"do not fragment is fine", 20, 0x40, sizeof good, FRAME_OK},
    {"TCP", 23, 6, sizeof good, FRAME_NOT_UDP},
    {"UDP length of 7", 39, 7, sizeof good, FRAME_BAD_LENGTH},
    {"UDP longer than IP", 39, 13, sizeof good, FRAME_BAD_LENGTH},
    {"UDP checksum is not looked at", 40, 0xbe, sizeof good, FRAME_OK},
};

START_TEST(parse_verdicts)
{
    uint8_t octets[sizeof good];
    struct frame f = {.to_port = 77};
    memcpy(octets, good, sizeof good);
    octets[rows[_i].at] = rows[_i].to;
    enum frame_fault got = frame_parse(octets, rows[_i].len, &f);
    ck_assert_msg(got == rows[_i].fault, "%s: got %s, want %s", rows[_i].name,
                  frame_fault_name(got), frame_fault_name(rows[_i].fault));
    ck_assert_msg(f.to_port == (got == FRAME_OK ? 67 : 77), "%s: port %u", rows[_i].name,
                  f.to_port);
}
END_TEST

START_TEST(a_tagged_frame_is_another_networks)
{
    uint8_t octets[sizeof good + 4];
    struct frame f;
    memcpy(octets, good, 12);
    memcpy(octets + 12, "\x81\x00\x00\x64", 4);
    memcpy(octets + 16, good + 12, sizeof good - 12);
    ck_assert_int_eq(frame_parse(octets, sizeof octets, &f), FRAME_TAGGED);
}
END_TEST

START_TEST(a_tag_of_vlan_0_is_a_priority)
{
    uint8_t octets[sizeof good + 8];
    struct frame f;
    memcpy(octets, good, 12);
    memcpy(octets + 12, "\x81\x00\xe0\x00", 4);
    memcpy(octets + 16, good + 12, sizeof good - 12);
    ck_assert_int_eq(frame_parse(octets, sizeof good + 4, &f), FRAME_OK);
    ck_assert_uint_eq(rd_left(&f.payload), 4);
    for (size_t len = 12; len < 18; len++) {
        ck_assert_int_eq(frame_parse(octets, len, &f), FRAME_SHORT);
    }
    memcpy(octets + 16, "\x81\x00\x00\x00", 4); /* one behind the other */
    memcpy(octets + 20, good + 12, sizeof good - 12);
    ck_assert_int_eq(frame_parse(octets, sizeof octets, &f), FRAME_TAGGED);
}
END_TEST

START_TEST(padding_behind_the_datagram_is_no_payload)
{
    uint8_t octets[60] = {0};
    struct frame f;
    memcpy(octets, good, sizeof good);
    ck_assert_int_eq(frame_parse(octets, sizeof octets, &f), FRAME_OK);
    ck_assert_uint_eq(rd_left(&f.payload), 4);
}
END_TEST

static uint32_t ones_sum(const uint8_t *p, size_t len, uint32_t s)
{
    for (size_t i = 0; i < len; i++) {
        s += i % 2 ? p[i] : (uint32_t)p[i] << 8;
    }
    while (s >> 16) {
        s = (s & 0xffff) + (s >> 16);
    }
    return s;
}

START_TEST(a_written_frame_has_good_checksums)
{
    uint8_t payload[301];
    uint8_t octets[400];
    struct frame back;
    size_t len = 300 + (size_t)_i; /* even and odd */
    for (size_t i = 0; i < len; i++) {
        payload[i] = (uint8_t)(i * 37);
    }
    struct frame f = {
        .to = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
        .from = {{2, 0, 0, 0, 0, 1}},
        .ip_to = IP4_BROADCAST,
        .ip_from = {{10, 77, 0, 2}},
        .to_port = 68,
        .from_port = 67,
        .payload = rd_over(payload, len),
    };
    struct wr w = wr_over(octets, sizeof octets);
    frame_write(&w, &f);
    ck_assert(wr_ok(&w));
    ck_assert_uint_eq(wr_len(&w), FRAME_OVERHEAD + len);
    ck_assert_uint_eq(ones_sum(octets + 14, 20, 0), 0xffff);
    uint32_t pseudo = ones_sum(octets + 26, 8, 17 + 8 + (uint32_t)len);
    ck_assert_uint_eq(ones_sum(octets + 34, 8 + len, pseudo), 0xffff);
    ck_assert_int_eq(frame_parse(octets, wr_len(&w), &back), FRAME_OK);
    ck_assert(mac_equal(&back.from, &f.from) && ip4_equal(back.ip_from, f.ip_from));
    ck_assert_uint_eq(back.from_port, 67);
    ck_assert_mem_eq(back.payload.p, payload, len);
}
END_TEST

START_TEST(a_frame_without_room_latches)
{
    uint8_t octets[50];
    struct wr w = wr_over(octets, sizeof octets);
    struct frame f = {.payload = rd_over(good, sizeof good)};
    frame_write(&w, &f);
    ck_assert(!wr_ok(&w));
}
END_TEST

/* -- IPv6 --------------------------------------------------------------------------------- */

/* A frame with a hop-by-hop and a destination header, written by hand. */
static const uint8_t
    good6[] =
        {
            0x33, 0x33, 0,    1,  0,    2,    0x52, 0x54, 0,  0x12, 0x34, 0x56,
            0x86, 0xdd, 0x60, 0,  0,    0,    0,    36,   0,  1, /* 36 octets follow, first hop-by-hop options */
            0xfe, 0x80, 0,    0,  0,    0,    0,    0,    0,  0,    0,    0,
            0,    0,    0,    9,  0xff, 0x02, 0,    0,    0,  0,    0,    0,
            0,    0,    0,    0,  0,    1,    0,    2,    60, 0,    1,    4,
            0,    0,    0,    0, /* then destination options of 16 octets */
            17,   1,    1,    12, 0,    0,    0,    0,    0,  0,    0,    0,
            0,    0,    0,    0,  0x02, 0x22, 0x02, 0x23, 0,  12,   0,    0,
            1,    2,    3,    4,
};

static const struct {
    const char *name;
    size_t at;
    uint8_t to;
    size_t len;
    enum frame_fault fault;
} rows6[] = {
    {"as it is", 0, 0x33, sizeof good6, FRAME_OK},
    {"cut in Ethernet", 0, 0x33, 13, FRAME_SHORT},
    {"cut in IP", 0, 0x33, 53, FRAME_SHORT},
    {"cut in an extension", 0, 0x33, 70, FRAME_SHORT},
    {"cut in the payload", 0, 0x33, sizeof good6 - 1, FRAME_SHORT},
    {"IPv4", 12, 0x08, sizeof good6, FRAME_NOT_IPV6},
    {"version 4 in an IPv6 frame", 14, 0x45, sizeof good6, FRAME_NOT_IPV6},
    {"tagged", 12, 0x81, sizeof good6, FRAME_NOT_IPV6},
    {"an extension longer than all", 63, 200, sizeof good6, FRAME_SHORT},
    {"IP shorter than the extensions", 19, 20, sizeof good6, FRAME_SHORT},
    {"a fragment", 62, 44, sizeof good6, FRAME_FRAGMENT},
    {"TCP", 62, 6, sizeof good6, FRAME_NOT_UDP},
    {"UDP longer than IP", 83, 13, sizeof good6, FRAME_BAD_LENGTH},
    {"UDP length of 7", 83, 7, sizeof good6, FRAME_BAD_LENGTH},
};

START_TEST(parse_verdicts_of_ipv6)
{
    uint8_t octets[sizeof good6];
    struct frame6 f = {.to_port = 77};
    memcpy(octets, good6, sizeof good6);
    octets[rows6[_i].at] = rows6[_i].to;
    /* of its very size, so that a sanitizer sees what reads past the end */
    uint8_t *exact = malloc(rows6[_i].len);
    memcpy(exact, octets, rows6[_i].len);
    enum frame_fault got = frame6_parse(exact, rows6[_i].len, &f);
    ck_assert_msg(got == rows6[_i].fault, "%s: got %s, want %s", rows6[_i].name,
                  frame_fault_name(got), frame_fault_name(rows6[_i].fault));
    ck_assert_uint_eq(f.to_port, got == FRAME_OK ? 547 : 77);
    free(exact);
}
END_TEST

START_TEST(a_written_ipv6_frame_has_a_good_checksum)
{
    uint8_t payload[301];
    uint8_t octets[400];
    struct frame6 back;
    size_t len = 300 + (size_t)_i;
    memset(payload, 0x5a, sizeof payload);
    struct frame6 f = {
        .to = {{2, 0, 0, 0, 0, 2}},
        .from = {{2, 0, 0, 0, 0, 1}},
        .ip_to = {{0xfe, 0x80, [15] = 2}},
        .ip_from = {{0xfd, 0x77, [15] = 1}},
        .to_port = 546,
        .from_port = 547,
        .payload = rd_over(payload, len),
    };
    struct wr w = wr_over(octets, sizeof octets);
    frame6_write(&w, &f);
    ck_assert_uint_eq(wr_len(&w), FRAME6_OVERHEAD + len);
    uint32_t pseudo = ones_sum(octets + 22, 32, 17 + 8 + (uint32_t)len);
    ck_assert_uint_eq(ones_sum(octets + 54, 8 + len, pseudo), 0xffff);
    ck_assert_int_eq(frame6_parse(octets, wr_len(&w), &back), FRAME_OK);
    ck_assert_mem_eq(&back.ip_from, &f.ip_from, sizeof f.ip_from);
    ck_assert_uint_eq(back.to_port, 546);
    ck_assert_mem_eq(back.payload.p, payload, len);
    w = wr_over(octets, FRAME6_OVERHEAD + len - 1);
    frame6_write(&w, &f);
    ck_assert(!wr_ok(&w));
}
END_TEST

Suite *suite_dhcp_frame(void)
{
    Suite *s = suite_create("dhcp/frame");
    TCase *tc = tcase_create("rows");
    tcase_add_loop_test(tc, parse_verdicts, 0, sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, a_tagged_frame_is_another_networks);
    tcase_add_test(tc, a_tag_of_vlan_0_is_a_priority);
    tcase_add_test(tc, padding_behind_the_datagram_is_no_payload);
    tcase_add_loop_test(tc, a_written_frame_has_good_checksums, 0, 2);
    tcase_add_test(tc, a_frame_without_room_latches);
    tcase_add_loop_test(tc, parse_verdicts_of_ipv6, 0, sizeof rows6 / sizeof rows6[0]);
    tcase_add_loop_test(tc, a_written_ipv6_frame_has_a_good_checksum, 0, 2);
    suite_add_tcase(s, tc);
    return s;
}
