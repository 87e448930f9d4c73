#include "common/bucket.h"
#include "tests/unit/suites.h"

static const struct bucket_rate rate = {.each = 100, .burst = 3};

static unsigned take_all(struct bucket *b, usec_t now)
{
    unsigned n = 0;
    while (bucket_has(b, &rate, now)) {
        bucket_take(b, &rate, now);
        n++;
    }
    return n;
}

START_TEST(so_many_at_once_and_one_more_each_time)
{
    struct bucket b = {0};
    ck_assert_uint_eq(take_all(&b, 5000), 3);
    ck_assert_uint_eq(take_all(&b, 5099), 0);
    ck_assert_uint_eq(take_all(&b, 5100), 1);
    ck_assert_uint_eq(take_all(&b, 5299), 1);
    ck_assert_uint_eq(take_all(&b, 5300), 1);
    ck_assert_uint_eq(take_all(&b, 100000), 3); /* no more than full */
}
END_TEST

START_TEST(what_is_given_back_can_be_taken_again)
{
    struct bucket b = {0};
    ck_assert_uint_eq(take_all(&b, 5000), 3);
    bucket_give_back(&b, &rate);
    bucket_give_back(&b, &rate);
    ck_assert_uint_eq(take_all(&b, 5000), 2);
    for (unsigned n = 0; n < 100; n++) {
        bucket_give_back(&b, &rate);
    }
    ck_assert_uint_eq(take_all(&b, 5000), 3);
    b = (struct bucket){.full_at = 50};
    bucket_give_back(&b, &rate);
    ck_assert_uint_eq(b.full_at, 0);
}
END_TEST

Suite *suite_common_bucket(void)
{
    Suite *s = suite_create("common/bucket");
    TCase *tc = tcase_create("rate");
    tcase_add_test(tc, so_many_at_once_and_one_more_each_time);
    tcase_add_test(tc, what_is_given_back_can_be_taken_again);
    suite_add_tcase(s, tc);
    return s;
}
