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
    suite_add_tcase(s, tc);
    return s;
}
