#include "common/histogram.h"
#include "tests/unit/suites.h"

START_TEST(a_value_is_counted_under_the_first_bound_it_does_not_exceed)
{
    struct histogram h = {0};
    const double *bound;
    size_t count = histogram_bounds(HISTOGRAM_WINDOW, &bound);
    ck_assert_uint_eq(count, 9);
    histogram_add(&h, HISTOGRAM_WINDOW, 0);
    histogram_add(&h, HISTOGRAM_WINDOW, 1);
    histogram_add(&h, HISTOGRAM_WINDOW, 2);
    histogram_add(&h, HISTOGRAM_WINDOW, 3);
    histogram_add(&h, HISTOGRAM_WINDOW, 256);
    histogram_add(&h, HISTOGRAM_WINDOW, 257);
    ck_assert_uint_eq(h.bucket[0], 2); /* up to 1 */
    ck_assert_uint_eq(h.bucket[1], 1); /* 2 */
    ck_assert_uint_eq(h.bucket[2], 1); /* 3, 4 */
    ck_assert_uint_eq(h.bucket[8], 1); /* up to 256 */
    ck_assert_uint_eq(h.bucket[9], 1); /* over all */
    ck_assert_double_eq(h.sum, 519);
}
END_TEST

START_TEST(every_scale_grows_and_fits)
{
    const double *bound;
    size_t count = histogram_bounds(_i, &bound);
    ck_assert_uint_ge(count, 1);
    ck_assert_uint_le(count, HISTOGRAM_BOUNDS_MAX);
    for (size_t i = 1; i < count; i++) {
        ck_assert_double_gt(bound[i], bound[i - 1]);
    }
}
END_TEST

Suite *suite_common_histogram(void)
{
    Suite *s = suite_create("common/histogram");
    TCase *c = tcase_create("histogram");
    tcase_add_test(c, a_value_is_counted_under_the_first_bound_it_does_not_exceed);
    tcase_add_loop_test(c, every_scale_grows_and_fits, 0, HISTOGRAM_SCALE_COUNT);
    suite_add_tcase(s, c);
    return s;
}
