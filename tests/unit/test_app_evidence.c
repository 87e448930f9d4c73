#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/evidence.h"
#include "app/evidence_store.h"
#include "dhcp/v6_frame.h"
#include "tests/unit/starve.h"
#include "tests/unit/suites.h"

static const struct hash_seed seed = {3, 9};
static struct evidence *e;
static uint8_t pcap[EVIDENCE_PCAP_MAX];

static void setup(void)
{
    e = evidence_new(8, &seed);
    ck_assert_ptr_nonnull(e);
}

static void teardown(void)
{
    evidence_free(e);
}

static struct seen_client by_mac(unsigned n)
{
    return (struct seen_client){.has_mac = true,
                                .mac = {{2, 0, 0, 0, (uint8_t)(n >> 8), (uint8_t)n}}};
}

static struct seen_client by_address(unsigned n)
{
    return (struct seen_client){
        .has_address = true,
        .address = endpoint_ip4((struct ip4){{10, 0, (uint8_t)(n >> 8), (uint8_t)n}}, 7)};
}

/* From a client to port 69 of ours; the payload begins with the number. */
static struct seen_packet packet(uint8_t octets[300], uint8_t number, size_t len)
{
    memset(octets, 0xee, 300);
    octets[0] = number;
    return (struct seen_packet){
        .from = endpoint_ip4((struct ip4){{10, 0, 0, 1}}, 1000),
        .to = endpoint_ip4((struct ip4){{10, 0, 0, 2}}, 69),
        .us = {{2, 2, 2, 2, 2, 2}},
        .head = octets,
        .head_len = len,
    };
}

static void note(const struct seen_client *who, uint8_t number, size_t len,
                 enum evidence_part part)
{
    uint8_t octets[300];
    struct seen_packet p = packet(octets, number, len);
    evidence_note(e, who, &p, part, true, number);
}

static uint32_t u32_le(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The numbers of the packets in the recording, which must be whole. */
static size_t numbers(const struct seen_client *who, uint8_t out[1000])
{
    size_t len = evidence_write(e, who, 1000 * (int64_t)USEC_PER_SEC, pcap, sizeof pcap);
    size_t count = 0;
    if (len == 0) {
        return 0;
    }
    ck_assert_uint_eq(u32_le(pcap), 0xa1b2c3d4);
    size_t at = 24;
    while (at < len) {
        struct frame f;
        uint32_t kept = u32_le(pcap + at + 8);
        uint32_t whole = u32_le(pcap + at + 12);
        ck_assert_uint_eq(u32_le(pcap + at), 1000);
        out[count] = (uint8_t)u32_le(pcap + at + 4);
        ck_assert(whole >= kept && at + 16 + kept <= len);
        if (whole == kept) {
            ck_assert_int_eq(frame_parse(pcap + at + 16, kept, &f), FRAME_OK);
            ck_assert_uint_eq(f.payload.p[0], out[count]);
        }
        count++;
        at += 16 + kept;
    }
    ck_assert_uint_eq(at, len);
    return count;
}

START_TEST(packets_come_out_in_their_order)
{
    uint8_t got[1000];
    struct seen_client who = by_mac(1);
    struct seen_client both = who;
    struct seen_client address = by_address(1);
    both.has_address = true;
    both.address = address.address;
    note(&who, 1, 100, EVIDENCE_DHCP);
    note(&address, 2, 20, EVIDENCE_FILE); /* before its machine was known */
    note(&who, 3, 100, EVIDENCE_DHCP);
    note(&who, 4, 20, EVIDENCE_FILE);
    ck_assert_uint_eq(numbers(&both, got), 4);
    ck_assert_mem_eq(got, "\1\2\3\4", 4);
    ck_assert_uint_eq(numbers(&who, got), 3);
    evidence_forget(e, &both);
    ck_assert_uint_eq(numbers(&both, got), 0);
    ck_assert_uint_eq(evidence_clients(e), 0);
}
END_TEST

START_TEST(the_headers_are_those_of_the_wire)
{
    uint8_t octets[300];
    struct frame f;
    struct seen_client who = by_mac(1);
    struct seen_packet p = packet(octets, 9, 60);
    p.body = "tail";
    p.body_len = 4;
    p.sent = true;
    evidence_note(e, &who, &p, EVIDENCE_FILE, true, 5);
    ck_assert_uint_eq(evidence_write(e, &who, 0, pcap, sizeof pcap), 24 + 16 + 106);
    ck_assert_int_eq(frame_parse(pcap + 40, 106, &f), FRAME_OK);
    ck_assert(mac_equal(&f.to, &who.mac) && mac_equal(&f.from, &p.us));
    ck_assert_uint_eq(f.from_port, 1000);
    ck_assert_mem_eq(f.payload.p + 60, "tail", 4);
    /* as frame_write() makes them, whose checksums are tested apart */
    uint8_t again[200];
    struct wr w = wr_over(again, sizeof again);
    frame_write(&w, &f);
    ck_assert_mem_eq(again, pcap + 40, 106);
}
END_TEST

START_TEST(ipv6_too)
{
    uint8_t octets[300];
    struct frame6 f;
    struct seen_client who = by_mac(1);
    struct seen_packet p = packet(octets, 9, 60);
    memset(p.from.ip, 0xfd, 16);
    memset(p.to.ip, 0xfe, 16);
    evidence_note(e, &who, &p, EVIDENCE_DHCP, true, 5);
    ck_assert_uint_eq(evidence_write(e, &who, 0, pcap, sizeof pcap), 24 + 16 + 122);
    ck_assert_int_eq(frame6_parse(pcap + 40, 122, &f), FRAME_OK);
    ck_assert_mem_eq(f.payload.p, octets, 60);
}
END_TEST

START_TEST(a_ring_keeps_the_last_ones)
{
    uint8_t got[1000];
    struct seen_client who = by_mac(1);
    note(&who, 1, 280, EVIDENCE_DHCP);
    for (unsigned i = 2; i < 250; i++) {
        note(&who, (uint8_t)i, i % 280 + 1, EVIDENCE_FILE);
    }
    size_t count = numbers(&who, got);
    ck_assert_uint_ge(count, 20);
    ck_assert_uint_eq(got[0], 1); /* files do not push out DHCP */
    for (size_t i = 1; i < count; i++) {
        ck_assert_uint_eq(got[i], 250 - count + i);
    }
}
END_TEST

START_TEST(of_large_packets_the_head_is_kept)
{
    struct seen_client who = by_mac(1);
    static uint8_t large[70000];
    struct seen_packet p = {.frame = large, .frame_len = sizeof large};
    evidence_note(e, &who, &p, EVIDENCE_DHCP, true, 5);
    size_t len = evidence_write(e, &who, 0, pcap, sizeof pcap);
    ck_assert_uint_eq(len, 24 + 16 + EVIDENCE_KEPT_MAX);
    p = (struct seen_packet){
        .head = large, .head_len = 40000, .body = large, .body_len = 40000};
    evidence_note(e, &who, &p, EVIDENCE_FILE, true, 5); /* no datagram is so large */
    ck_assert_uint_eq(evidence_write(e, &who, 0, pcap, 30), 0);
}
END_TEST

/* Its headers tell the length of the whole; no checksum is made of what is not kept. */
START_TEST(of_data_the_head_is_kept)
{
    uint8_t octets[300];
    static const uint8_t data[1468];
    bool ip6 = _i == 1;
    struct seen_client who = by_mac(1);
    struct seen_packet p = packet(octets, 9, 4);
    if (ip6) {
        memset(p.from.ip, 0xfd, 16);
        memset(p.to.ip, 0xfe, 16);
    }
    p.body = data;
    p.body_len = sizeof data;
    evidence_note(e, &who, &p, EVIDENCE_FILE, true, 5);
    size_t len = evidence_write(e, &who, 0, pcap, sizeof pcap);
    ck_assert_uint_eq(len, 24 + 16 + EVIDENCE_DATA_HEAD);
    ck_assert_uint_eq(u32_le(pcap + 24 + 12), (ip6 ? 62 : 42) + 4 + sizeof data);
    const uint8_t *ip = pcap + 40 + 14;
    const uint8_t *udp = ip + (ip6 ? 40 : 20);
    ck_assert_uint_eq((size_t)udp[4] << 8 | udp[5], 8 + 4 + sizeof data);
    ck_assert(udp[6] == 0 && udp[7] == 0);
    size_t told = (size_t)ip[ip6 ? 4 : 2] << 8 | ip[ip6 ? 5 : 3];
    ck_assert_uint_eq(told, (ip6 ? 0 : 20) + 8 + 4 + sizeof data);
    ck_assert(ip6 || frame_fold(frame_sum(0, ip, 20)) == 0);
}
END_TEST

START_TEST(strangers_do_not_push_out_who_loads)
{
    uint8_t got[1000];
    struct seen_client who = by_mac(1);
    note(&who, 1, 100, EVIDENCE_DHCP);
    note(&who, 2, 20, EVIDENCE_FILE);
    for (unsigned i = 2; i < 200; i++) {
        struct seen_client other = i % 2 ? by_mac(i) : by_address(i);
        note(&other, 3, 20, i % 2 ? EVIDENCE_DHCP : EVIDENCE_FILE);
    }
    ck_assert_uint_eq(numbers(&who, got), 2);
    ck_assert_uint_le(evidence_clients(e), 8);
}
END_TEST

START_TEST(only_who_begins_is_remembered)
{
    uint8_t got[1000];
    uint8_t octets[300];
    struct seen_client who = by_mac(1);
    const struct seen_client nobody = {.has_mac = false};
    struct seen_packet p = packet(octets, 1, 20);
    evidence_note(e, &who, &p, EVIDENCE_DHCP, false, 1);
    evidence_note(e, &nobody, &p, EVIDENCE_DHCP, true, 1);
    ck_assert_uint_eq(evidence_clients(e), 0);
    note(&who, 1, 20, EVIDENCE_DHCP);
    evidence_note(e, &who, &p, EVIDENCE_DHCP, false, 1);
    ck_assert_uint_eq(numbers(&who, got), 2);
}
END_TEST

START_TEST(memory_may_run_out)
{
    for (unsigned n = 0; n < 8; n++) {
        uint8_t octets[300];
        struct seen_client who = by_mac(1);
        struct seen_packet p = packet(octets, 1, 20);
        starve_after(n);
        struct evidence *other = evidence_new(2, &seed);
        if (other) {
            evidence_note(other, &who, &p, EVIDENCE_DHCP, true, 1);
            evidence_note(other, &who, &p, EVIDENCE_FILE, true, 1);
        }
        (void)starve_end();
        if (other) {
            evidence_note(other, &who, &p, EVIDENCE_FILE, true, 1);
            ck_assert_uint_ge(evidence_write(other, &who, 0, pcap, sizeof pcap),
                              24 + 16 + 62);
        }
        evidence_free(other);
    }
}
END_TEST

static const struct {
    const char *name;
    bool good;
} names[] = {
    {"20261130-100000-525400123456.pcap", true},
    {"20261130-100000-0a4d0064.pcap", true},
    {"20261130-100000-fd770000000000000000000000000100.pcap", true},
    {"", false},
    {"20261130-100000-525400123456", false},
    {"20261130-100000-525400123456.pcap/", false},
    {"20261130-100000-525400123456.pcap.x", false},
    {"../20261130-100000-525400123456.pcap", false},
    {"2026113-100000-525400123456.pcap", false},
    {"20261130-10000-525400123456.pcap", false},
    {"20261130-100000-52540012345G.pcap", false},
    {"20261130-100000-52/../23456.pcap", false},
    {"20261130-100000-525400.pcap", false},
    {"20261130-100000-fd7700000000000000000000000001000.pcap", false},
    {"20261130", false},
    {"20261130-", false},
    {"20261130-100000", false},
    {".new", false},
};
#define NAMES ((int)(sizeof names / sizeof names[0]))

START_TEST(names_are_checked)
{
    ck_assert_msg(evidence_name_is_good(names[_i].name) == names[_i].good, "%s",
                  names[_i].name);
}
END_TEST

/* Without a directory: bounded in number and in octets, the oldest go. */
START_TEST(memory_alone_is_bounded)
{
    struct evidence_conf limits = {
        .enabled = true, .max_files = 3, .max_octets = 1 << 20};
    struct evidence_store *s = evidence_store_new(NULL, NULL);
    char name[EVIDENCE_NAME];
    int fd;
    void *octets;
    size_t len;
    for (unsigned i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "20261130-10000%u-525400123456.pcap", i);
        ck_assert(evidence_store_put(s, name, calloc(1, 100), 60 + i, &limits));
    }
    ck_assert(
        !evidence_store_get(s, "20261130-100001-525400123456.pcap", &fd, &octets, &len));
    ck_assert(
        evidence_store_get(s, "20261130-100002-525400123456.pcap", &fd, &octets, &len));
    ck_assert(fd == -1 && len == 62);
    free(octets);
    ck_assert(!evidence_store_put(s, "20261130-110000-525400123456.pcap",
                                  calloc(1, EVIDENCE_MEMORY + 1), EVIDENCE_MEMORY + 1,
                                  &limits));
    evidence_store_free(s);
}
END_TEST

Suite *suite_app_evidence(void)
{
    Suite *s = suite_create("app/evidence");
    TCase *tc = tcase_create("evidence");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, packets_come_out_in_their_order);
    tcase_add_test(tc, the_headers_are_those_of_the_wire);
    tcase_add_test(tc, ipv6_too);
    tcase_add_test(tc, a_ring_keeps_the_last_ones);
    tcase_add_test(tc, of_large_packets_the_head_is_kept);
    tcase_add_loop_test(tc, of_data_the_head_is_kept, 0, 2);
    tcase_add_test(tc, strangers_do_not_push_out_who_loads);
    tcase_add_test(tc, only_who_begins_is_remembered);
    tcase_add_test(tc, memory_may_run_out);
    tcase_add_loop_test(tc, names_are_checked, 0, NAMES);
    tcase_add_test(tc, memory_alone_is_bounded);
    suite_add_tcase(s, tc);
    return s;
}
