#include <stdlib.h>

#include "dhcp/v6_held.h"
#include "tests/unit/suites.h"

static struct held6 *h;
static const struct held6_way way = {.back = {.ifindex = 3}, .client = 7};

static void setup(void)
{
    h = calloc(1, sizeof *h);
    ck_assert_ptr_nonnull(h);
    held6_init(h);
}

static void teardown(void)
{
    free(h);
}

static bool put(uint8_t octet, usec_t due)
{
    return held6_put(h, &way, &octet, 1, due);
}

START_TEST(each_waits_until_it_is_due)
{
    ck_assert(held6_deadline(h) == USEC_NEVER && !held6_take(h, 1000));
    ck_assert(put(1, 100) && put(2, 150));
    ck_assert_uint_eq(held6_deadline(h), 100);
    ck_assert_ptr_null(held6_take(h, 99));
    const struct held6_reply *r = held6_take(h, 120);
    ck_assert(r && r->len == 1 && r->packet[0] == 1 && r->way.back.ifindex == 3);
    ck_assert_ptr_null(held6_take(h, 120));
    ck_assert_uint_eq(held6_deadline(h), 150);
    r = held6_take(h, 150);
    ck_assert(r && r->packet[0] == 2);
    ck_assert(held6_deadline(h) == USEC_NEVER);
}
END_TEST

START_TEST(a_full_table_takes_no_more)
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

START_TEST(the_earliest_goes_first_whenever_it_came)
{
    static const usec_t due[] = {300, 100, 200};
    for (unsigned i = 0; i < 3; i++) {
        ck_assert(put((uint8_t)i, due[i]));
    }
    ck_assert_uint_eq(held6_deadline(h), 100);
    ck_assert_uint_eq(held6_take(h, 1000)->packet[0], 1);
    ck_assert_uint_eq(held6_take(h, 1000)->packet[0], 2);
    ck_assert_uint_eq(held6_take(h, 1000)->packet[0], 0);
}
END_TEST

/* Others' stay, and there is room again. */
START_TEST(one_who_asks_again_loses_what_waited)
{
    const struct held6_way other = {.client = 8};
    for (unsigned i = 0; i < HELD6_MAX; i++) {
        const struct held6_way *whose = i % 4 == 1 ? &other : &way;
        ck_assert(held6_put(h, whose, &(uint8_t){0}, 1, (i * 7919) % HELD6_MAX));
    }
    held6_drop(h, 7);
    unsigned left = 0;
    usec_t before = 0;
    for (const struct held6_reply *r; (r = held6_take(h, HELD6_MAX)); left++) {
        ck_assert_uint_eq(r->way.client, 8);
        ck_assert_uint_ge(r->timer.due, before);
        before = r->timer.due;
    }
    ck_assert_uint_eq(left, HELD6_MAX / 4);
    held6_drop(h, 7);
    for (unsigned i = 0; i < HELD6_MAX; i++) {
        ck_assert(put(0, 5));
    }
    ck_assert(!put(0, 5));
}
END_TEST

START_TEST(what_is_too_long_is_not_kept)
{
    static const uint8_t octets[DHCP6_MAX_LEN + 1];
    ck_assert(!held6_put(h, &way, octets, sizeof octets, 1));
    ck_assert(held6_put(h, &way, octets, sizeof octets - 1, 1));
}
END_TEST

Suite *suite_dhcp6_held(void)
{
    Suite *s = suite_create("dhcp/v6_held");
    TCase *tc = tcase_create("held");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, each_waits_until_it_is_due);
    tcase_add_test(tc, a_full_table_takes_no_more);
    tcase_add_test(tc, the_earliest_goes_first_whenever_it_came);
    tcase_add_test(tc, one_who_asks_again_loses_what_waited);
    tcase_add_test(tc, what_is_too_long_is_not_kept);
    suite_add_tcase(s, tc);
    return s;
}
