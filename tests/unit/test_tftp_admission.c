#include <string.h>

#include "tests/unit/suites.h"
#include "tftp/admission.h"

#define LO   1
#define ETH0 2
#define ETH9 9

static struct endpoint ip4(const char *text, uint16_t port)
{
    struct ip4 ip;
    ck_assert(ip4_parse(text, &ip));
    return endpoint_ip4(ip, port);
}

static struct subnet subnet4(const char *text, unsigned bits)
{
    struct endpoint e = ip4(text, 0);
    struct subnet s = {.bits = (uint8_t)(96 + bits)};
    memcpy(s.ip, e.ip, sizeof s.ip);
    return s;
}

/* eth0 has 10.0.5.1/24 and fd00:5::1/64; fd00:5::7 and fe80::7 below are two clients. */
static struct tftp_doors doors(void)
{
    return (struct tftp_doors){
        .ifindex = {LO, ETH0},
        .count = 2,
        .loopback = LO,
        .attached = {subnet4("10.0.5.0", 24), {{0xfd, 0, 0, 5}, 64}},
        .attached_count = 2,
    };
}

static const struct endpoint v6_near = {{0xfd, 0, 0, 5, [15] = 7}, 0, 2000};
static const struct endpoint v6_far = {{0xfd, 0, 0, 6, [15] = 7}, 0, 2000};
static const struct endpoint v6_link = {{0xfe, 0x80, [15] = 7}, ETH0, 2000};

static enum tftp_ignored judge(const struct tftp_allow *allow,
                               const struct endpoint *from, unsigned ifindex)
{
    const struct tftp_doors d = doors();
    const struct net_path path = {
        .peer = *from,
        .local = endpoint_is_ip4(from)
                     ? endpoint_ip4((struct ip4){{10, 0, 5, 1}}, 0)
                     : (struct endpoint){{0xfd, 0, 0, 5, [15] = 1}, 0, 0},
        .ifindex = ifindex,
    };
    return tftp_admit(&d, allow, &path);
}

static const struct tftp_allow attached = {.attached = true};

static const struct {
    const char *from;
    uint16_t port;
    unsigned ifindex;
    enum tftp_ignored why;
} rows[] = {
    {"10.0.5.7", 2070, ETH0, TFTP_ADMITTED},
    {"10.0.5.254", 1, ETH0, TFTP_ADMITTED},
    {"10.0.5.255", 1, ETH0, TFTP_NOT_A_HOST},
    {"0.0.0.0", 2070, ETH0, TFTP_NOT_A_HOST},
    {"224.0.0.1", 2070, ETH0, TFTP_NOT_A_HOST},
    {"255.255.255.255", 2070, LO, TFTP_NOT_A_HOST},
    {"10.0.6.7", 2070, ETH0, TFTP_NOT_ALLOWED},
    {"10.0.4.255", 2070, ETH0, TFTP_NOT_ALLOWED},
    {"192.0.2.1", 2070, ETH0, TFTP_NOT_ALLOWED},
    {"127.0.0.1", 2070, ETH0, TFTP_NOT_ALLOWED}, /* nobody is that over a wire */
    {"127.0.0.1", 2070, LO, TFTP_ADMITTED},
    {"192.0.2.1", 2070, LO, TFTP_ADMITTED}, /* an address of this host's */
    {"10.0.5.7", 2070, ETH9, TFTP_OTHER_INTERFACE},
    {"10.0.5.7", 0, ETH0, TFTP_SERVER_PORT},
    {"10.0.5.7", 66, ETH0, TFTP_ADMITTED},
    {"10.0.5.7", 67, ETH0, TFTP_SERVER_PORT},
    {"10.0.5.7", 68, ETH0, TFTP_ADMITTED},
    {"10.0.5.7", 69, ETH0, TFTP_SERVER_PORT},
    {"10.0.5.7", 4011, ETH0, TFTP_SERVER_PORT},
    {"127.0.0.1", 69, LO, TFTP_SERVER_PORT},
};

START_TEST(attached_subnets_may_ask)
{
    struct endpoint from = ip4(rows[_i].from, rows[_i].port);
    ck_assert_str_eq(tftp_ignored_name(judge(&attached, &from, rows[_i].ifindex)),
                     tftp_ignored_name(rows[_i].why));
}
END_TEST

START_TEST(attached_ipv6_may_ask)
{
    ck_assert_int_eq(judge(&attached, &v6_near, ETH0), TFTP_ADMITTED);
    ck_assert_int_eq(judge(&attached, &v6_link, ETH0), TFTP_ADMITTED);
    ck_assert_int_eq(judge(&attached, &v6_far, ETH0), TFTP_NOT_ALLOWED);
}
END_TEST

START_TEST(who_is_named_may_ask_beside_or_instead)
{
    struct tftp_allow both = {
        .attached = true,
        .subnets = {.list = {subnet4("10.9.0.0", 16)}, .count = 1},
    };
    struct tftp_allow far_only = both;
    struct endpoint near = ip4("10.0.5.7", 2070);
    struct endpoint far = ip4("10.9.1.1", 2070);
    far_only.attached = false;
    ck_assert_int_eq(judge(&both, &near, ETH0), TFTP_ADMITTED);
    ck_assert_int_eq(judge(&both, &far, ETH0), TFTP_ADMITTED);
    ck_assert_int_eq(judge(&far_only, &far, ETH0), TFTP_ADMITTED);
    ck_assert_int_eq(judge(&far_only, &near, ETH0), TFTP_NOT_ALLOWED);
    ck_assert_int_eq(judge(&far_only, &v6_link, ETH0), TFTP_NOT_ALLOWED);
    ck_assert_int_eq(judge(&far_only, &far, ETH9), TFTP_OTHER_INTERFACE);
    far.port = 69;
    ck_assert_int_eq(judge(&both, &far, ETH0), TFTP_SERVER_PORT);
}
END_TEST

START_TEST(everybody_of_a_family_is_not_the_other)
{
    const struct tftp_allow all4 = {
        .subnets = {.list = {subnet4("0.0.0.0", 0)}, .count = 1}};
    const struct tftp_allow all6 = {.subnets = {.list = {{.bits = 0}}, .count = 1}};
    struct endpoint far = ip4("192.0.2.1", 2070);
    ck_assert_int_eq(judge(&all4, &far, ETH0), TFTP_ADMITTED);
    ck_assert_int_eq(judge(&all4, &v6_far, ETH0), TFTP_NOT_ALLOWED);
    ck_assert_int_eq(judge(&all6, &v6_far, ETH0), TFTP_ADMITTED);
    ck_assert_int_eq(judge(&all6, &far, ETH0), TFTP_NOT_ALLOWED);
}
END_TEST

START_TEST(blocks_fit_the_network_of_the_door)
{
    struct tftp_doors d = doors();
    struct net_path path = {.peer = ip4("10.0.5.7", 2070), .ifindex = ETH0};
    d.mtu[0] = 65536;
    d.mtu[1] = 1500;
    ck_assert_uint_eq(tftp_block_most(&d, &path), 1468);
    path.peer = v6_near;
    ck_assert_uint_eq(tftp_block_most(&d, &path), 1448);
    path.ifindex = LO;
    ck_assert_uint_eq(tftp_block_most(&d, &path), 65484);
    path.ifindex = ETH9;
    ck_assert_uint_eq(tftp_block_most(&d, &path), UINT32_MAX);
    path.ifindex = ETH0;
    d.mtu[1] = 0;
    ck_assert_uint_eq(tftp_block_most(&d, &path), UINT32_MAX);
    d.mtu[1] = 60; /* no packet of ours would fit */
    ck_assert_uint_eq(tftp_block_most(&d, &path), UINT32_MAX);
}
END_TEST

START_TEST(every_reason_has_a_name)
{
    for (unsigned why = 0; why < TFTP_IGNORED_COUNT; why++) {
        const char *name = tftp_ignored_name(why);
        ck_assert_ptr_nonnull(name);
        for (unsigned other = 0; other < why; other++) {
            ck_assert_str_ne(name, tftp_ignored_name(other));
        }
    }
}
END_TEST

Suite *suite_tftp_admission(void)
{
    Suite *s = suite_create("tftp/admission");
    TCase *tc = tcase_create("who");
    tcase_add_loop_test(tc, attached_subnets_may_ask, 0,
                        (int)(sizeof rows / sizeof rows[0]));
    tcase_add_test(tc, attached_ipv6_may_ask);
    tcase_add_test(tc, who_is_named_may_ask_beside_or_instead);
    tcase_add_test(tc, everybody_of_a_family_is_not_the_other);
    tcase_add_test(tc, blocks_fit_the_network_of_the_door);
    tcase_add_test(tc, every_reason_has_a_name);
    suite_add_tcase(s, tc);
    return s;
}
