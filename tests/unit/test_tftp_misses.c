#include <stdio.h>

#include "tests/unit/suites.h"
#include "tftp/misses.h"

static struct endpoint client(unsigned n)
{
    return endpoint_ip4((struct ip4){{10, 0, (uint8_t)(n >> 8), (uint8_t)n}}, 2000);
}

START_TEST(d44_twenty_misses_are_one_line)
{
    struct tftp_misses m = {0};
    struct endpoint peer = client(1);
    struct tftp_miss sum;
    usec_t now = 0;
    for (int i = 0; i < 20; i++, now += USEC_PER_SEC / 4) {
        char name[16];
        snprintf(name, sizeof name, "name-%d", i);
        peer.port++; /* every request comes from another port */
        ck_assert(!tftp_misses_note(&m, &peer, name, now));
        ck_assert(!tftp_misses_due(&m, now, &sum));
    }
    now = tftp_misses_deadline(&m);
    ck_assert_uint_eq(now, 19 * USEC_PER_SEC / 4 + TFTP_MISSES_QUIET);
    ck_assert(!tftp_misses_due(&m, now - 1, &sum));
    ck_assert(tftp_misses_due(&m, now, &sum));
    ck_assert_uint_eq(sum.count, 20);
    ck_assert_str_eq(sum.first, "name-0");
    ck_assert_str_eq(sum.last, "name-19");
    ck_assert(!tftp_misses_due(&m, now, &sum));
    ck_assert_uint_eq(tftp_misses_deadline(&m), USEC_NEVER);
}
END_TEST

START_TEST(who_goes_on_asking_is_told_all_the_same)
{
    struct tftp_misses m = {0};
    struct endpoint peer = client(1);
    struct tftp_miss sum;
    unsigned told = 0;
    unsigned misses = 0;
    for (usec_t now = 0; now < 60 * USEC_PER_SEC; now += USEC_PER_SEC) {
        while (tftp_misses_due(&m, now, &sum)) {
            told++;
            misses += sum.count;
        }
        ck_assert(!tftp_misses_note(&m, &peer, "a", now));
    }
    ck_assert_uint_eq(told, 5);
    ck_assert_uint_eq(misses, 50);
}
END_TEST

START_TEST(a_single_miss_is_told_once)
{
    struct tftp_misses m = {0};
    struct endpoint peer = client(1);
    struct tftp_miss sum;
    ck_assert(!tftp_misses_note(&m, &peer, "a", 0));
    ck_assert(tftp_misses_due(&m, TFTP_MISSES_QUIET, &sum));
    ck_assert_uint_eq(sum.count, 1);
    ck_assert_str_eq(sum.first, "a");
    ck_assert_uint_eq(m.count, 0);
}
END_TEST

START_TEST(a_full_table_hides_nothing)
{
    struct tftp_misses m = {0};
    for (unsigned n = 0; n < TFTP_MISSES_MAX + 5; n++) {
        struct endpoint peer = client(n);
        ck_assert_int_eq(tftp_misses_note(&m, &peer, "a", 0), n >= TFTP_MISSES_MAX);
    }
    struct endpoint late = client(TFTP_MISSES_MAX + 1);
    ck_assert(tftp_misses_note(&m, &late, "a", 0));
    ck_assert_uint_eq(m.count, TFTP_MISSES_MAX);
}
END_TEST

Suite *suite_tftp_misses(void)
{
    Suite *s = suite_create("tftp/misses");
    TCase *tc = tcase_create("folding");
    tcase_add_test(tc, d44_twenty_misses_are_one_line);
    tcase_add_test(tc, who_goes_on_asking_is_told_all_the_same);
    tcase_add_test(tc, a_single_miss_is_told_once);
    tcase_add_test(tc, a_full_table_hides_nothing);
    suite_add_tcase(s, tc);
    return s;
}
