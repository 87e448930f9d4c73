#include <stdlib.h>
#include <string.h>

#include "common/recent.h"
#include "tests/unit/starve.h"
#include "tests/unit/suites.h"

static const struct hash_seed seed = {5, 6};
static struct recent *t;
static unsigned forgotten[64];
static unsigned forgotten_count;

static void on_forget(void *context, void *value)
{
    ck_assert_ptr_eq(context, forgotten);
    forgotten[forgotten_count++ % 64] = *(unsigned *)value;
}

static void setup(void)
{
    t = recent_new(3, 5, sizeof(unsigned), &seed); /* a key of an odd length */
    ck_assert_ptr_nonnull(t);
    recent_on_forget(t, on_forget, forgotten);
    forgotten_count = 0;
}

static void teardown(void)
{
    recent_free(t);
}

static unsigned *put(const char *key, unsigned value)
{
    unsigned *v = recent_put(t, key);
    ck_assert_ptr_nonnull(v);
    *v = value;
    return v;
}

static bool is(const char *key, unsigned value)
{
    const unsigned *v = recent_find(t, key);
    return v && *v == value;
}

START_TEST(what_was_put_longest_ago_goes)
{
    put("aaaaa", 1);
    put("bbbbb", 2);
    put("ccccc", 3);
    ck_assert_uint_eq(*(unsigned *)recent_put(t, "aaaaa"), 1); /* now b is the oldest */
    ck_assert_uint_eq(forgotten_count, 0);
    ck_assert_uint_eq(*(unsigned *)recent_put(t, "ddddd"),
                      0); /* in b's place, yet zero */
    ck_assert(forgotten_count == 1 && forgotten[0] == 2);
    ck_assert(is("aaaaa", 1) && !recent_find(t, "bbbbb") && is("ccccc", 3));
    ck_assert_uint_eq(recent_count(t), 3);
}
END_TEST

START_TEST(values_stay_where_they_are)
{
    const unsigned *a = put("aaaaa", 1);
    put("bbbbb", 2);
    ck_assert_ptr_eq(recent_put(t, "aaaaa"), a);
    recent_remove(t, "bbbbb");
    ck_assert(forgotten_count == 1 && forgotten[0] == 2);
    recent_remove(t, "bbbbb");
    put("ccccc", 3);
    put("ddddd", 4);
    ck_assert_ptr_eq(recent_find(t, "aaaaa"), a);
    ck_assert_uint_eq(forgotten_count, 1);
}
END_TEST

START_TEST(all_come_the_oldest_first)
{
    const void *at = NULL;
    ck_assert_ptr_null(recent_each(t, &at));
    put("aaaaa", 1);
    put("bbbbb", 2);
    put("aaaaa", 3);
    at = NULL;
    ck_assert_uint_eq(*(unsigned *)recent_each(t, &at), 2);
    ck_assert_mem_eq(at, "bbbbb", 5);
    ck_assert_uint_eq(*(unsigned *)recent_each(t, &at), 3);
    ck_assert_mem_eq(at, "aaaaa", 5);
    ck_assert_ptr_null(recent_each(t, &at));
    recent_clear(t);
    ck_assert_uint_eq(forgotten_count, 2);
    ck_assert_uint_eq(recent_count(t), 0);
    put("aaaaa", 4);
    ck_assert(is("aaaaa", 4));
}
END_TEST

/* Against a list that is searched from its end. */
START_TEST(a_random_walk)
{
    char order[3];
    unsigned count = 0;
    uint32_t dice = 11;
    for (unsigned i = 0; i < 20000; i++) {
        char key[5];
        dice = dice * 1664525 + 1013904223;
        char c = (char)('a' + (dice >> 16) % 6);
        memset(key, c, sizeof key);
        char *known = memchr(order, c, count);
        ck_assert_int_eq(recent_find(t, key) != NULL, known != NULL);
        bool removes = i % 5 == 4;
        if (known || (count == 3 && !removes)) { /* it, or the oldest, goes */
            char *gone = known ? known : order;
            memmove(gone, gone + 1, (size_t)(order + count - gone) - 1);
            count--;
        }
        if (removes) {
            recent_remove(t, key);
            continue;
        }
        order[count++] = c;
        ck_assert_uint_eq(*put(key, (unsigned)c), (unsigned)c);
    }
}
END_TEST

START_TEST(memory_may_run_out)
{
    for (unsigned n = 0; n < 4; n++) {
        struct recent *other;
        starve_after(n);
        other = recent_new(2, 5, 4, &seed);
        void *v = other ? recent_put(other, "aaaaa") : NULL;
        (void)starve_end();
        ck_assert_uint_eq(other ? recent_count(other) : 0, v ? 1 : 0);
        ck_assert(!other || recent_put(other, "bbbbb"));
        recent_free(other);
    }
}
END_TEST

Suite *suite_common_recent(void)
{
    Suite *s = suite_create("common/recent");
    TCase *tc = tcase_create("recent");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, what_was_put_longest_ago_goes);
    tcase_add_test(tc, values_stay_where_they_are);
    tcase_add_test(tc, all_come_the_oldest_first);
    tcase_add_test(tc, a_random_walk);
    tcase_add_test(tc, memory_may_run_out);
    suite_add_tcase(s, tc);
    return s;
}
