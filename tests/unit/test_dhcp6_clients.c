#include <stdlib.h>

#include "dhcp/v6_clients.h"
#include "tests/unit/suites.h"

static struct clients6 *t;

static void setup(void)
{
    t = calloc(1, sizeof *t);
    ck_assert_ptr_nonnull(t);
}

static void teardown(void)
{
    free(t);
}

static struct rd duid_of(uint32_t number, uint8_t buf[6])
{
    struct wr w = wr_over(buf, 6);
    wr_u16(&w, 4);
    wr_u32(&w, number);
    return rd_over(buf, 6);
}

static struct mac mac_of(uint32_t number)
{
    return (struct mac){
        {2, 0, 0, (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number}};
}

static bool knows(uint32_t number)
{
    uint8_t buf[6];
    struct mac got;
    struct mac want = mac_of(number);
    return clients6_find(t, duid_of(number, buf), &got) && mac_equal(&got, &want);
}

static void note(uint32_t number)
{
    uint8_t buf[6];
    struct mac mac = mac_of(number);
    clients6_note(t, duid_of(number, buf), &mac);
}

START_TEST(what_was_noted_is_found)
{
    struct mac mac = {{9}};
    ck_assert(!knows(1));
    note(1);
    ck_assert(knows(1) && !knows(2));
    ck_assert(!clients6_find(t, rd_nothing(), &mac) && mac.octet[0] == 9);
}
END_TEST

START_TEST(a_new_mac_takes_the_place_of_the_old)
{
    uint8_t buf[6];
    struct mac other = {{2, 2, 2, 2, 2, 2}};
    struct mac got;
    note(1);
    clients6_note(t, duid_of(1, buf), &other);
    ck_assert(clients6_find(t, duid_of(1, buf), &got) && mac_equal(&got, &other));
}
END_TEST

START_TEST(nearly_all_of_a_full_house_are_known)
{
    unsigned known = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        note(i);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        known += knows(i);
    }
    ck_assert_uint_gt(known, 1800);
    ck_assert(knows(1999));
}
END_TEST

START_TEST(who_is_seen_often_stays)
{
    note(7);
    for (uint32_t i = 100; i < 50000; i++) {
        note(i);
        note(7);
    }
    ck_assert(knows(7));
}
END_TEST

START_TEST(a_message_by_two_interfaces_is_one)
{
    uint8_t buf[6];
    struct rd duid = duid_of(1, buf);
    struct dhcp6_packet solicit = {.type = DHCP6_SOLICIT, .xid = 5};
    struct dhcp6_packet next = {.type = DHCP6_SOLICIT, .xid = 6};
    const usec_t start = 50 * USEC_PER_SEC;
    ck_assert(!clients6_repeats(t, duid, &solicit, 547, 2, start));
    ck_assert(clients6_repeats(t, duid, &solicit, 547, 3, start + 5));
    ck_assert(!clients6_repeats(t, duid, &solicit, 547, 2, start + USEC_PER_SEC));
    ck_assert(clients6_repeats(t, duid, &solicit, 547, 3, start + USEC_PER_SEC));
    ck_assert(!clients6_repeats(t, duid, &solicit, 4011, 3, start + USEC_PER_SEC));
    ck_assert(!clients6_repeats(t, duid, &next, 547, 3, start + USEC_PER_SEC));
    ck_assert(!clients6_repeats(t, duid, &next, 547, 2, start + 4 * USEC_PER_SEC));
    ck_assert(!clients6_repeats(t, rd_over("", 0), &next, 547, 3, start));
}
END_TEST

START_TEST(a_message_alone_tells_no_mac)
{
    uint8_t buf[6];
    struct mac got;
    struct dhcp6_packet solicit = {.type = DHCP6_SOLICIT, .xid = 5};
    ck_assert(!clients6_repeats(t, duid_of(1, buf), &solicit, 547, 2, 9));
    ck_assert(!clients6_find(t, duid_of(1, buf), &got));
    note(1);
    ck_assert(clients6_repeats(t, duid_of(1, buf), &solicit, 547, 3, 9) && knows(1));
}
END_TEST

/* One number after another, but for copies, until it came or was silent for long. */
START_TEST(tries_are_counted)
{
    static const struct {
        uint32_t xid;
        usec_t after;
        unsigned turn;
    } rows[] = {
        {1, 0, 1},
        {1, 20 * USEC_PER_MSEC, 1}, /* by another relay */
        {1, USEC_PER_SEC, 2},
        {2, 0, 3}, /* a new transaction */
        {2, 119 * USEC_PER_SEC, 4},
        {3, 120 * USEC_PER_SEC, 1},
        {3, 2 * USEC_PER_SEC, 2},
    };
    uint8_t buf[6];
    struct rd duid = duid_of(1, buf);
    usec_t now = 1000;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct dhcp6_packet in = {.type = DHCP6_SOLICIT, .xid = rows[i].xid};
        now += rows[i].after;
        ck_assert_uint_eq(clients6_turn(t, duid, &in, now), rows[i].turn);
        ck_assert_uint_eq(clients6_turn(t, duid, &in, now), rows[i].turn);
        clients6_asked(t, duid, &in, now);
    }
    clients6_came(t, duid);
    const struct dhcp6_packet in = {.type = DHCP6_SOLICIT, .xid = 3};
    ck_assert_uint_eq(clients6_turn(t, duid, &in, now), 1);
    ck_assert_uint_eq(clients6_turn(t, rd_nothing(), &in, now), 0);
}
END_TEST

Suite *suite_dhcp6_clients(void)
{
    Suite *s = suite_create("dhcp/v6_clients");
    TCase *tc = tcase_create("clients");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, what_was_noted_is_found);
    tcase_add_test(tc, a_new_mac_takes_the_place_of_the_old);
    tcase_add_test(tc, nearly_all_of_a_full_house_are_known);
    tcase_add_test(tc, who_is_seen_often_stays);
    tcase_add_test(tc, a_message_by_two_interfaces_is_one);
    tcase_add_test(tc, a_message_alone_tells_no_mac);
    tcase_add_test(tc, tries_are_counted);
    suite_add_tcase(s, tc);
    return s;
}
