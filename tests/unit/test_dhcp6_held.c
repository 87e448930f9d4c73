#include <stdlib.h>

#include "dhcp/v6_held.h"
#include "tests/unit/suites.h"

static struct held6 *h;
static const struct net_path back = {.ifindex = 3};

static void setup(void)
{
    h = calloc(1, sizeof *h);
    ck_assert_ptr_nonnull(h);
}

static void teardown(void)
{
    free(h);
}

static bool put(uint8_t octet, usec_t due)
{
    return held6_put(h, &back, &octet, 1, due);
}

START_TEST(each_waits_until_it_is_due)
{
    ck_assert(held6_deadline(h) == USEC_NEVER && !held6_take(h, 1000));
    ck_assert(put(1, 100) && put(2, 150));
    ck_assert_uint_eq(held6_deadline(h), 100);
    ck_assert_ptr_null(held6_take(h, 99));
    const struct held6_reply *r = held6_take(h, 120);
    ck_assert(r && r->len == 1 && r->packet[0] == 1 && r->back.ifindex == 3);
    ck_assert_ptr_null(held6_take(h, 120));
    ck_assert_uint_eq(held6_deadline(h), 150);
    r = held6_take(h, 150);
    ck_assert(r && r->packet[0] == 2);
    ck_assert(held6_deadline(h) == USEC_NEVER);
}
END_TEST

START_TEST(a_full_ring_takes_no_more_and_then_goes_round)
{
    for (unsigned i = 0; i < HELD6_MAX; i++) {
        ck_assert(put((uint8_t)i, i));
    }
    ck_assert(!put(0, HELD6_MAX));
    ck_assert_ptr_nonnull(held6_take(h, HELD6_MAX));
    ck_assert(put(77, HELD6_MAX));
    for (unsigned i = 1; i <= HELD6_MAX; i++) {
        const struct held6_reply *r = held6_take(h, HELD6_MAX);
        ck_assert(r && r->packet[0] == (i < HELD6_MAX ? (uint8_t)i : 77));
    }
    ck_assert_ptr_null(held6_take(h, HELD6_MAX));
}
END_TEST

START_TEST(what_is_too_long_is_not_kept)
{
    static const uint8_t octets[DHCP6_MAX_LEN + 1];
    ck_assert(!held6_put(h, &back, octets, sizeof octets, 1));
    ck_assert(held6_put(h, &back, octets, sizeof octets - 1, 1));
}
END_TEST

Suite *suite_dhcp6_held(void)
{
    Suite *s = suite_create("dhcp/v6_held");
    TCase *tc = tcase_create("held");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, each_waits_until_it_is_due);
    tcase_add_test(tc, a_full_ring_takes_no_more_and_then_goes_round);
    tcase_add_test(tc, what_is_too_long_is_not_kept);
    suite_add_tcase(s, tc);
    return s;
}
