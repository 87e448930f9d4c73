#include "config/keys.h"
#include "tests/unit/starve.h"
#include "tests/unit/suites.h"

static bool holds(const struct keys *k, uint64_t key, uint32_t number)
{
    size_t at = 0;
    uint32_t n;
    while ((n = keys_next(k, key, &at)) != KEYS_NONE && n != number) {
    }
    return n == number;
}

START_TEST(an_empty_table_has_nothing)
{
    struct keys k = {0};
    size_t at = 0;
    ck_assert_uint_eq(keys_next(&k, 0, &at), KEYS_NONE);
    keys_done(&k);
}
END_TEST

/* Keys that differ in a few bits, high or low, as MAC addresses and UUIDs do. */
START_TEST(all_are_found_and_no_others)
{
    static const unsigned shifts[] = {0, 8, 32, 56};
    struct keys k = {0};
    unsigned shift = shifts[_i];
    for (uint32_t i = 0; i < 200; i++) {
        ck_assert(keys_add(&k, (uint64_t)i << shift, i));
    }
    ck_assert_uint_eq(k.count, 200);
    for (uint64_t i = 0; i < 200; i++) {
        size_t at = 0;
        ck_assert_uint_eq(keys_next(&k, i << shift, &at), i);
        ck_assert_uint_eq(keys_next(&k, i << shift, &at), KEYS_NONE);
        at = 0;
        ck_assert_uint_eq(keys_next(&k, (i << shift) + 3000, &at), KEYS_NONE);
    }
    keys_done(&k);
}
END_TEST

START_TEST(several_numbers_share_a_key)
{
    struct keys k = {0};
    for (uint32_t i = 0; i < 100; i++) {
        ck_assert(keys_add(&k, i % 3, i));
    }
    for (uint32_t i = 0; i < 100; i++) {
        ck_assert(holds(&k, i % 3, i));
        ck_assert(!holds(&k, (i + 1) % 3, i));
    }
    keys_done(&k);
}
END_TEST

START_TEST(a_table_that_cannot_grow_loses_nothing)
{
    struct keys k = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        starve_after(0);
        bool added = keys_add(&k, i, i);
        ck_assert(starve_end() != added);
        ck_assert(added || keys_add(&k, i, i));
        for (uint32_t n = 0; n <= i; n += 1 + i / 20) {
            ck_assert(holds(&k, n, n));
        }
    }
    ck_assert_uint_eq(k.count, 1000);
    keys_done(&k);
}
END_TEST

Suite *suite_config_keys(void)
{
    Suite *s = suite_create("config/keys");
    TCase *tc = tcase_create("keys");
    tcase_add_test(tc, an_empty_table_has_nothing);
    tcase_add_loop_test(tc, all_are_found_and_no_others, 0, 4);
    tcase_add_test(tc, several_numbers_share_a_key);
    tcase_add_test(tc, a_table_that_cannot_grow_loses_nothing);
    suite_add_tcase(s, tc);
    return s;
}
