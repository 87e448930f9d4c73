#include "tests/unit/suites.h"
#include "tftp/budget.h"

#define CROWD 4096

static const struct hash_seed seed = {1, 2};

static struct endpoint address(unsigned n)
{
    return endpoint_ip4((struct ip4){{10, 1, (uint8_t)(n >> 8), (uint8_t)n}}, 2000);
}

/* How many leave for this address before it is left alone, `most` at the most. */
static unsigned spend(struct tftp_budget *b, enum tftp_spending what, unsigned n,
                      bool known, unsigned most, usec_t now)
{
    struct endpoint to = address(n);
    enum tftp_trust trust = tftp_budget_trust(b, &to, known, now);
    for (unsigned count = 0; count < most; count++) {
        if (!tftp_budget_has(b, what, &to, trust, now)) {
            return count;
        }
        to.port++; /* does not count */
        tftp_budget_take(b, what, &to, trust, now);
    }
    return most;
}

/* The numbers that docs/how-it-answers.md tells. */
START_TEST(the_limits_are_those_that_are_told)
{
    static const struct {
        enum tftp_spending what;
        size_t crowd;
        struct tftp_allowance one;
        struct tftp_allowance all;
    } rows[] = {
        {TFTP_FIRST, CROWD, {2048, 100}, {8192, 10000}},
        {TFTP_REFUSAL, CROWD, {32768, 2000}, {65536, 20000}},
        {TFTP_FIRST, 1, {512, 100}, {2048, 10000}},
        {TFTP_FIRST, 100000, {50000, 100}, {200000, 10000}},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tftp_allowance one = tftp_budget_of_one(rows[i].what, rows[i].crowd);
        struct tftp_allowance all = tftp_budget_of_all(rows[i].what, rows[i].crowd);
        ck_assert_uint_eq(one.burst, rows[i].one.burst);
        ck_assert_uint_eq(one.per_second, rows[i].one.per_second);
        ck_assert_uint_eq(all.burst, rows[i].all.burst);
        ck_assert_uint_eq(all.per_second, rows[i].all.per_second);
    }
}
END_TEST

START_TEST(an_address_has_its_own_limit)
{
    for (unsigned what = 0; what < TFTP_SPENDINGS; what++) {
        struct tftp_budget *b = tftp_budget_new(CROWD, &seed);
        struct tftp_allowance one = tftp_budget_of_one(what, CROWD);
        usec_t now = USEC_PER_SEC;
        ck_assert_uint_eq(spend(b, what, 1, false, 100000, now), one.burst);
        ck_assert_uint_eq(spend(b, what, 2, false, 5, now), 5);
        now += USEC_PER_SEC;
        ck_assert_uint_eq(spend(b, what, 1, false, 100000, now), one.per_second);
        tftp_budget_free(b);
    }
}
END_TEST

START_TEST(strangers_share_one_and_others_have_their_own)
{
    struct tftp_budget *b = tftp_budget_new(CROWD, &seed);
    struct tftp_allowance all = tftp_budget_of_all(TFTP_FIRST, CROWD);
    usec_t now = USEC_PER_SEC;
    struct endpoint friend = address(60001);
    tftp_budget_answered(b, &friend, TFTP_STRANGER, 0, now);
    for (unsigned n = 0; n < all.burst; n++) {
        ck_assert_uint_eq(spend(b, TFTP_FIRST, n, false, 1, now), 1);
    }
    ck_assert_uint_eq(spend(b, TFTP_FIRST, 60000, false, 1, now), 0);
    ck_assert_uint_eq(spend(b, TFTP_FIRST, 60000, true, 1, now), 1);  /* by DHCP */
    ck_assert_uint_eq(spend(b, TFTP_FIRST, 60001, false, 1, now), 1); /* has answered */
    ck_assert_uint_eq(spend(b, TFTP_REFUSAL, 60000, false, 1, now), 1);
    now += USEC_PER_SEC / all.per_second;
    ck_assert_uint_eq(spend(b, TFTP_FIRST, 60000, false, 2, now), 1);
    tftp_budget_free(b);
}
END_TEST

START_TEST(what_is_answered_is_free)
{
    struct tftp_budget *b = tftp_budget_new(CROWD, &seed);
    struct endpoint to = address(1);
    usec_t now = USEC_PER_SEC;
    unsigned burst = tftp_budget_of_one(TFTP_FIRST, CROWD).burst;
    for (unsigned n = 0; n < 10 * burst; n++) {
        enum tftp_trust trust = tftp_budget_trust(b, &to, false, now);
        ck_assert(tftp_budget_has(b, TFTP_FIRST, &to, trust, now));
        tftp_budget_take(b, TFTP_FIRST, &to, trust, now);
        tftp_budget_take(b, TFTP_FIRST, &to, trust, now);
        tftp_budget_answered(b, &to, trust, 2, now);
    }
    ck_assert_uint_eq(spend(b, TFTP_FIRST, 1, false, 100000, now), burst);
    tftp_budget_free(b);
}
END_TEST

START_TEST(who_answered_long_ago_is_a_stranger)
{
    struct tftp_budget *b = tftp_budget_new(CROWD, &seed);
    struct endpoint at = address(1);
    usec_t now = USEC_PER_SEC;
    ck_assert_int_eq(tftp_budget_trust(b, &at, false, now), TFTP_STRANGER);
    ck_assert_int_eq(tftp_budget_trust(b, &at, true, now), TFTP_BY_DHCP);
    tftp_budget_answered(b, &at, TFTP_STRANGER, 1, now);
    at.port++;
    now += TFTP_ANSWERED_LIFE - 1;
    ck_assert_int_eq(tftp_budget_trust(b, &at, false, now), TFTP_ANSWERED);
    ck_assert_int_eq(tftp_budget_trust(b, &at, false, now + 1), TFTP_STRANGER);
    tftp_budget_free(b);
}
END_TEST

/* Forgetting an address fills its bucket, and forgets nobody who has answered. */
START_TEST(a_flood_of_addresses_starves_nobody)
{
    struct tftp_budget *b = tftp_budget_new(CROWD, &seed);
    struct endpoint friend = address(60001);
    usec_t now = USEC_PER_SEC;
    tftp_budget_answered(b, &friend, TFTP_STRANGER, 1, now);
    for (unsigned n = 0; n < 50000; n++) {
        now += 100;
        (void)spend(b, TFTP_FIRST, n, false, 1, now);
        (void)spend(b, TFTP_REFUSAL, n, false, 1, now);
    }
    ck_assert_int_eq(tftp_budget_trust(b, &friend, false, now), TFTP_ANSWERED);
    ck_assert_uint_eq(spend(b, TFTP_FIRST, 60001, false, 100, now), 100);
    ck_assert_uint_eq(spend(b, TFTP_FIRST, 60002, false, 100, now), 100);
    tftp_budget_free(b);
}
END_TEST

Suite *suite_tftp_budget(void)
{
    Suite *s = suite_create("tftp/budget");
    TCase *tc = tcase_create("limits");
    tcase_add_test(tc, the_limits_are_those_that_are_told);
    tcase_add_test(tc, an_address_has_its_own_limit);
    tcase_add_test(tc, strangers_share_one_and_others_have_their_own);
    tcase_add_test(tc, what_is_answered_is_free);
    tcase_add_test(tc, who_answered_long_ago_is_a_stranger);
    tcase_add_test(tc, a_flood_of_addresses_starves_nobody);
    suite_add_tcase(s, tc);
    return s;
}
