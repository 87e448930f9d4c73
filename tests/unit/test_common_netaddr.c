#include <string.h>

#include "common/netaddr.h"
#include "tests/unit/suites.h"

static const struct {
    const char *text;
    bool good;
} mac_rows[] = {
    {"52:54:00:12:34:56", true},
    {"52-54-00-12-34-56", true},
    {"AA:bb:Cc:00:00:01", true},
    {"52:54:00:12:34", false},
    {"52:54:00:12:34:56:78", false},
    {"52:54:00:12:34:5", false},
    {"52:54:00:12:34:5g", false},
    {"525400123456", false},
    {"", false},
    {"52:54:00:12:34:56 ", false},
};

START_TEST(mac_reads_whole_addresses_only)
{
    struct mac mac = {{1, 2, 3, 4, 5, 6}};
    bool got = mac_parse(mac_rows[_i].text, &mac);
    ck_assert_msg(got == mac_rows[_i].good, "\"%s\": got %d", mac_rows[_i].text, got);
    if (!got) {
        ck_assert_msg(mac.octet[0] == 1, "\"%s\": wrote *out on failure",
                      mac_rows[_i].text);
    }
}
END_TEST

static const struct {
    const char *text;
    bool good;
} ip4_rows[] = {
    {"10.77.0.1", true},         {"0.0.0.0", true},   {"255.255.255.255", true},
    {"256.0.0.1", false},        {"10.77.0", false},  {"10.77.0.1.2", false},
    {"10.77.0.01", false},       {"10.77..1", false}, {" 10.77.0.1", false},
    {"10.77.0.1x", false},       {"", false},         {"1e1.0.0.1", false},
    {"9999999999.0.0.1", false},
};

START_TEST(ip4_reads_four_decimal_numbers)
{
    struct ip4 ip;
    char text[IP4_TEXT];
    bool got = ip4_parse(ip4_rows[_i].text, &ip);
    ck_assert_msg(got == ip4_rows[_i].good, "\"%s\": got %d", ip4_rows[_i].text, got);
    if (got) {
        ck_assert_str_eq(ip4_print(ip, text), ip4_rows[_i].text);
    }
}
END_TEST

static const struct {
    const uint8_t ip[16];
    uint32_t scope;
    const char *text;
} endpoint_rows[] = {
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 7}, 0, "10.0.0.7:2071"},
    {{0xfe, 0x80, [15] = 1}, 3, "[fe80::1%3]:2071"},
    {{0xfd, 0x77, [15] = 2}, 0, "[fd77::2]:2071"},
    {{0}, 0, "[::]:2071"},
    {{[15] = 1}, 0, "[::1]:2071"},
    {{0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
     0,
     "[2001:db8:0:1:1:1:1:1]:2071"},
    {{0x20, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}, 0, "[2001:0:0:1::1]:2071"},
    {{0x20, 1, 0xd, 0xb8, [13] = 0}, 0, "[2001:db8::]:2071"},
};

START_TEST(endpoint_prints_as_rfc_5952_asks)
{
    struct endpoint e = {.scope = endpoint_rows[_i].scope, .port = 2071};
    char text[ENDPOINT_TEXT];
    memcpy(e.ip, endpoint_rows[_i].ip, sizeof e.ip);
    ck_assert_str_eq(endpoint_print(&e, text), endpoint_rows[_i].text);
}
END_TEST

START_TEST(endpoint_keeps_an_ip4_address)
{
    struct ip4 ip = {{10, 77, 0, 2}};
    struct endpoint e = endpoint_ip4(ip, 69);
    ck_assert(endpoint_is_ip4(&e));
    ck_assert(ip4_equal(endpoint_to_ip4(&e), ip));
    ck_assert_uint_eq(e.port, 69);
}
END_TEST

static const struct {
    const char *name;
    uint8_t ip[16];
    bool by_ip6;
    bool may;
} asker_rows[] = {
    {"IPv4", {[10] = 0xff, 0xff, 10, 0, 0, 7}, false, true},
    {"IPv4 by IPv6", {[10] = 0xff, 0xff, 10, 0, 0, 7}, true, false},
    {"0.0.0.0", {[10] = 0xff, 0xff, 0, 0, 0, 0}, false, false},
    {"0.0.0.9", {[10] = 0xff, 0xff, 0, 0, 0, 9}, false, false},
    {"127.0.0.1", {[10] = 0xff, 0xff, 127, 0, 0, 1}, false, true},
    {"223.255.255.255", {[10] = 0xff, 0xff, 223, 255, 255, 255}, false, true},
    {"224.0.0.0", {[10] = 0xff, 0xff, 224, 0, 0, 0}, false, false},
    {"255.255.255.255", {[10] = 0xff, 0xff, 255, 255, 255, 255}, false, false},
    {"IPv6", {0xfd, 0x77, [15] = 9}, true, true},
    {"IPv6 by IPv4", {0xfd, 0x77, [15] = 9}, false, false},
    {"::", {0}, true, false},
    {"::1", {[15] = 1}, true, true},
    {"ff02::1", {0xff, 2, [15] = 1}, true, false},
};

START_TEST(who_has_an_address_may_ask)
{
    const struct endpoint ip6 = {.ip = {0xfd, 0x77, [15] = 1}};
    const struct endpoint ip4 = endpoint_ip4((struct ip4){{10, 77, 0, 1}}, 69);
    struct endpoint from = {.port = 2071};
    memcpy(from.ip, asker_rows[_i].ip, sizeof from.ip);
    ck_assert_msg(endpoint_may_ask(&from, asker_rows[_i].by_ip6 ? &ip6 : &ip4) ==
                      asker_rows[_i].may,
                  "%s", asker_rows[_i].name);
}
END_TEST

static const struct {
    struct ip4 ip;
    uint8_t bits;
    bool broadcast;
} broadcast_rows[] = {
    {{{10, 77, 0, 255}}, 24, true},  {{{10, 77, 0, 0}}, 24, false},
    {{{10, 77, 0, 254}}, 24, false}, {{{10, 77, 0, 1}}, 24, false},
    {{{10, 77, 1, 255}}, 24, false}, /* of another subnet */
    {{{10, 77, 0, 255}}, 16, false}, {{{10, 77, 255, 255}}, 16, true},
    {{{10, 77, 0, 63}}, 26, true},   {{{10, 77, 0, 64}}, 26, false},
    {{{10, 77, 0, 3}}, 30, true},    {{{10, 77, 0, 1}}, 31, false},
    {{{10, 77, 0, 0}}, 32, false},   {{{255, 255, 255, 255}}, 0, true},
};

START_TEST(the_last_address_of_a_subnet_is_all_its_hosts)
{
    struct endpoint in = endpoint_ip4(
        broadcast_rows[_i].bits == 0 ? IP4_ANY : (struct ip4){{10, 77, 0, 0}}, 0);
    struct endpoint e = endpoint_ip4(broadcast_rows[_i].ip, 2071);
    struct subnet s = {.bits = (uint8_t)(96 + broadcast_rows[_i].bits)};
    memcpy(s.ip, in.ip, sizeof s.ip);
    ck_assert(subnet_is_broadcast(&s, &e) == broadcast_rows[_i].broadcast);
}
END_TEST

START_TEST(no_ip6_subnet_has_a_broadcast_address)
{
    const struct subnet s = {{0xfd, 0x77}, 64};
    const struct endpoint first = {.ip = {0xfd, 0x77}};
    const struct endpoint last = {
        .ip = {0xfd, 0x77, [8] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    ck_assert(!subnet_is_broadcast(&s, &first));
    ck_assert(!subnet_is_broadcast(&s, &last));
}
END_TEST

Suite *suite_common_netaddr(void)
{
    Suite *s = suite_create("common/netaddr");
    TCase *tc = tcase_create("rows");
    tcase_add_loop_test(tc, mac_reads_whole_addresses_only, 0,
                        sizeof mac_rows / sizeof mac_rows[0]);
    tcase_add_loop_test(tc, ip4_reads_four_decimal_numbers, 0,
                        sizeof ip4_rows / sizeof ip4_rows[0]);
    tcase_add_loop_test(tc, endpoint_prints_as_rfc_5952_asks, 0,
                        sizeof endpoint_rows / sizeof endpoint_rows[0]);
    tcase_add_test(tc, endpoint_keeps_an_ip4_address);
    tcase_add_loop_test(tc, who_has_an_address_may_ask, 0,
                        sizeof asker_rows / sizeof asker_rows[0]);
    tcase_add_loop_test(tc, the_last_address_of_a_subnet_is_all_its_hosts, 0,
                        sizeof broadcast_rows / sizeof broadcast_rows[0]);
    tcase_add_test(tc, no_ip6_subnet_has_a_broadcast_address);
    suite_add_tcase(s, tc);
    return s;
}
