#include "dhcp/identity.h"
#include "tests/unit/suites.h"

static const struct {
    const char *name;
    const char *to;
    const char *us; /* NULL: other people's */
} rows[] = {
    {"everybody", "255.255.255.255", "10.77.0.7"},
    {"the offered address", "10.77.0.7", "10.77.0.7"},
    {"the first address", "10.77.0.1", "10.77.0.1"},
    {"an address of another subnet", "10.66.0.1", "10.66.0.1"},
    {"broadcast of the first subnet", "10.77.0.255", "10.77.0.7"},
    {"broadcast of a wide subnet", "10.67.255.255", "10.77.0.7"},
    {"inside the wide subnet", "10.66.0.255", NULL},
    {"a neighbour", "10.77.0.8", NULL},
    {"a server behind us", "192.0.2.1", NULL},
    {"nobody", "0.0.0.0", NULL},
    {"a group", "224.0.0.1", NULL},
    {"the other end of a /31", "192.168.0.1", NULL},
    {"a /32 is no broadcast of its own", "192.168.5.5", "192.168.5.5"},
    {"all ones of a /30", "192.168.9.3", "10.77.0.7"},
};

static struct ip4 ip(const char *text)
{
    struct ip4 out = IP4_ANY;
    ck_assert(ip4_parse(text, &out));
    return out;
}

START_TEST(a_destination_means_one_of_our_addresses_or_none)
{
    struct identity id = {.offered = ip("10.77.0.7")};
    struct ip4 us = IP4_ANY;
    char text[IP4_TEXT];
    identity_add(&id, ip("10.77.0.1"), ip("255.255.255.0"));
    identity_add(&id, ip("10.77.0.7"), ip("255.255.255.0"));
    identity_add(&id, ip("10.66.0.1"), ip("255.254.0.0"));
    identity_add(&id, ip("192.168.0.0"), ip("255.255.255.254"));
    identity_add(&id, ip("192.168.5.5"), ip("255.255.255.255"));
    identity_add(&id, ip("192.168.9.1"), ip("255.255.255.252"));
    bool all_of_a_subnet = rows[_i].us && strcmp(rows[_i].us, rows[_i].to) != 0 &&
                           strcmp(rows[_i].to, "255.255.255.255") != 0;
    ck_assert_msg(identity_is_broadcast(&id, ip(rows[_i].to)) == all_of_a_subnet, "%s",
                  rows[_i].name);
    bool ours = identity_answers(&id, ip(rows[_i].to), &us);
    ck_assert_msg(ours == (rows[_i].us != NULL), "%s: %s", rows[_i].name,
                  ours ? "taken" : "left");
    ck_assert_msg(ip4_equal(us, rows[_i].us ? ip(rows[_i].us) : IP4_ANY),
                  "%s: answered as %s", rows[_i].name, ip4_print(us, text));
}
END_TEST

static const struct {
    struct ip4 ip;
    struct ip4 mask;
    bool of_containers;
} container_rows[] = {
    {{{172, 17, 0, 2}}, {{255, 255, 0, 0}}, true},
    {{{172, 31, 0, 2}}, {{255, 255, 0, 0}}, true},
    {{{10, 88, 0, 2}}, {{255, 255, 0, 0}}, true},
    {{{172, 32, 0, 2}}, {{255, 255, 0, 0}}, false},
    {{{172, 17, 0, 2}}, {{255, 255, 255, 0}}, false},
    {{{10, 77, 0, 2}}, {{255, 255, 0, 0}}, false},
};

START_TEST(b32_addresses_of_container_engines_are_known)
{
    struct identity id = {.offered = container_rows[_i].ip};
    identity_add(&id, container_rows[_i].ip, container_rows[_i].mask);
    ck_assert_int_eq(identity_is_of_containers(&id), container_rows[_i].of_containers);
}
END_TEST

START_TEST(without_an_address_nothing_is_answered)
{
    struct identity id = {.count = 0};
    struct ip4 us = IP4_ANY;
    ck_assert(!identity_answers(&id, IP4_BROADCAST, &us));
    ck_assert(!identity_answers(&id, IP4_ANY, &us));
    identity_add(&id, ip("10.77.0.1"), ip("255.255.255.0"));
    ck_assert(!identity_answers(&id, IP4_BROADCAST, &us));
}
END_TEST

START_TEST(more_addresses_than_the_limit_are_left_out)
{
    struct identity id = {.offered = ip("10.0.0.0")};
    struct ip4 us = IP4_ANY;
    for (unsigned i = 0; i <= IDENTITY_ADDRESSES_MAX; i++) {
        identity_add(&id, (struct ip4){{10, 0, 0, (uint8_t)i}}, ip("255.255.255.255"));
    }
    ck_assert_uint_eq(id.count, IDENTITY_ADDRESSES_MAX);
    ck_assert(
        identity_answers(&id, (struct ip4){{10, 0, 0, IDENTITY_ADDRESSES_MAX - 1}}, &us));
    ck_assert(
        !identity_answers(&id, (struct ip4){{10, 0, 0, IDENTITY_ADDRESSES_MAX}}, &us));
}
END_TEST

Suite *suite_dhcp_identity(void)
{
    Suite *s = suite_create("dhcp/identity");
    TCase *tc = tcase_create("identity");
    tcase_add_loop_test(tc, a_destination_means_one_of_our_addresses_or_none, 0,
                        sizeof rows / sizeof rows[0]);
    tcase_add_loop_test(tc, b32_addresses_of_container_engines_are_known, 0,
                        sizeof container_rows / sizeof container_rows[0]);
    tcase_add_test(tc, without_an_address_nothing_is_answered);
    tcase_add_test(tc, more_addresses_than_the_limit_are_left_out);
    suite_add_tcase(s, tc);
    return s;
}
