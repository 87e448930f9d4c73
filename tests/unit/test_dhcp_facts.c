#include "dhcp/facts.h"
#include "tests/unit/quoted.h"
#include "tests/unit/request.h"
#include "tests/unit/suites.h"

/* Each request is decided by one host of this table, which the name of the file tells. */
static const char json[] =
    "{'interfaces': ['eth0', 'eth1'], 'tftp': {'root': '/t'}, 'profiles': {"
    "'default': {'7': 'nobody', '0': 'nobody', '41': 'nobody'},"
    "'relay': {'7': 'relay'}, 'circuit': {'7': 'circuit'}, 'user': {'7': 'user'},"
    "'arch': {'11': 'arch'}, 'vendor': {'7': 'vendor'}, 'interface': {'7': 'interface'},"
    "'pi': {'41': 'pi'}, 'both': {'7': 'both'}}, 'hosts': ["
    "{'profile': 'both', 'relay': '10.9.0.1', 'circuit_id': 'hex:0001'},"
    "{'profile': 'relay', 'relay': '10.9.0.0/16'},"
    "{'profile': 'circuit', 'circuit_id': 'port*'},"
    "{'profile': 'user', 'user_class': 'lab'},"
    "{'profile': 'arch', 'arch': 'arm64-uefi'},"
    "{'profile': 'pi', 'arch': 41},"
    "{'profile': 'vendor', 'vendor_class': 'PXEClient:Arch:00007:UNDI:003099'},"
    "{'profile': 'interface', 'interface': 'eth1'}]}";

static const char *file_for(const struct request *r, const char *interface)
{
    static struct dhcp_decision d;
    static char file[64];
    static const struct dhcp_arrival at = {67, {{0, 0, 0, 0}}, 68};
    uint8_t buf[1500];
    struct dhcp_packet pkt;
    struct snapshot *s = config_of(json);
    struct dhcp_site site = {
        .config = s, .address = {{10, 77, 0, 1}}, .interface = interface};
    ck_assert_int_eq(dhcp_parse(buf, request_bytes(r, buf), &pkt), DHCP_OK);
    (void)dhcp_decide(&site, &at, &pkt, &d);
    snprintf(file, sizeof file, "%s", d.file ? d.file : "none");
    snapshot_free(s);
    return file;
}

START_TEST(nothing_special_is_nobody)
{
    struct request r = discover(7);
    ck_assert_str_eq(file_for(&r, "eth0"), "nobody");
    ck_assert_str_eq(file_for(&r, NULL), "nobody");
}
END_TEST

START_TEST(by_relay_and_circuit)
{
    struct request r = discover(7);
    r.giaddr = (struct ip4){{10, 9, 0, 1}};
    ck_assert_str_eq(file_for(&r, "eth0"), "relay");
    request_add(&r, 82, "\x02\x01x\x01\x02\x00\x01", 7); /* remote id, then circuit id */
    ck_assert_str_eq(file_for(&r, "eth0"), "both");
    r.giaddr = (struct ip4){{10, 9, 0, 2}};
    ck_assert_str_eq(file_for(&r, "eth0"), "relay");
    r.giaddr = IP4_ANY;
    request_set(&r, 82, "\x01\x05port7", 7);
    ck_assert_str_eq(file_for(&r, "eth0"), "circuit");
    request_set(&r, 82, "\x01\x06port7", 7); /* cut short */
    ck_assert_str_eq(file_for(&r, "eth0"), "nobody");
    request_set(&r, 82, "\x01", 1);
    ck_assert_str_eq(file_for(&r, "eth0"), "nobody");
}
END_TEST

START_TEST(by_class_in_either_form)
{
    struct request r = discover(7);
    request_set(&r, 77, "lab", 3);
    ck_assert_str_eq(file_for(&r, "eth0"), "user");
    request_set(&r, 77, "\x01x\x03lab", 6);
    ck_assert_str_eq(file_for(&r, "eth0"), "user");
    request_set(&r, 77, "\x04lab2", 5);
    ck_assert_str_eq(file_for(&r, "eth0"), "nobody");
    request_without(&r, 77);
    request_set(&r, 60, "PXEClient:Arch:00007:UNDI:003099", 32);
    ck_assert_str_eq(file_for(&r, "eth0"), "vendor");
}
END_TEST

START_TEST(a_class_split_over_two_options_is_joined)
{
    struct request r = discover(7);
    request_add(&r, 77, "\x03la", 3);
    request_add(&r, 77, "b", 1);
    ck_assert_str_eq(file_for(&r, "eth0"), "user");
}
END_TEST

START_TEST(by_interface_and_architecture)
{
    struct request r = discover(7);
    ck_assert_str_eq(file_for(&r, "eth1"), "interface");
    r = discover(11);
    ck_assert_str_eq(file_for(&r, "eth1"), "arch");
    /* Its boot ROM calls itself x86 BIOS. */
    r = discover(0);
    memcpy(r.mac, "\xb8\x27\xeb\x01\x02\x03", 6);
    ck_assert_str_eq(file_for(&r, "eth0"), "pi");
    r = discover(0);
    ck_assert_str_eq(file_for(&r, "eth0"), "nobody");
}
END_TEST

Suite *suite_dhcp_facts(void)
{
    Suite *s = suite_create("dhcp/facts");
    TCase *tc = tcase_create("facts");
    tcase_add_test(tc, nothing_special_is_nobody);
    tcase_add_test(tc, by_relay_and_circuit);
    tcase_add_test(tc, by_class_in_either_form);
    tcase_add_test(tc, a_class_split_over_two_options_is_joined);
    tcase_add_test(tc, by_interface_and_architecture);
    suite_add_tcase(s, tc);
    return s;
}
