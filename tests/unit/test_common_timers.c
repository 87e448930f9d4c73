#include <stdlib.h>

#include "common/hash.h"
#include "common/timers.h"
#include "tests/unit/suites.h"

#define TIMERS 200

START_TEST(timers_come_in_order_of_their_deadlines)
{
    struct timer timer[TIMERS] = {0};
    struct timer *slots[TIMERS];
    struct timers t;
    unsigned seed = (unsigned)_i + 1;
    timers_init(&t, slots, TIMERS);
    for (int n = 0; n < 2000; n++) { /* set, change and take out at random */
        struct timer *x = &timer[rand_r(&seed) % TIMERS];
        timers_set(&t, x,
                   rand_r(&seed) % 4 == 0 ? USEC_NEVER : (usec_t)rand_r(&seed) % 1000);
    }
    size_t armed = 0;
    for (int i = 0; i < TIMERS; i++) {
        armed += timer[i].due != USEC_NEVER && timer[i].place != 0;
    }
    ck_assert_uint_eq(t.count, armed);
    usec_t last = 0;
    struct timer *x;
    while ((x = timers_due(&t, 1000))) {
        ck_assert_uint_ge(x->due, last);
        ck_assert_uint_eq(x->place, 0);
        last = x->due;
        armed--;
    }
    ck_assert_uint_eq(armed, 0);
    ck_assert_uint_eq(timers_next(&t), USEC_NEVER);
}
END_TEST

START_TEST(a_timer_is_not_due_before_its_time)
{
    struct timer timer = {0};
    struct timer *slot;
    struct timers t;
    timers_init(&t, &slot, 1);
    timers_set(&t, &timer, 10);
    ck_assert_ptr_null(timers_due(&t, 9));
    ck_assert_uint_eq(timers_next(&t), 10);
    ck_assert_ptr_eq(timers_due(&t, 10), &timer);
}
END_TEST

/* The reference vectors of SipHash-1-3 for the key 00 01 .. 0f and the message 00 01 .. */
static const uint64_t siphash13[] = {
    UINT64_C(0xabac0158050fc4dc), UINT64_C(0xc9f49bf37d57ca93),
    UINT64_C(0x82cb9b024dc7d44d), UINT64_C(0x8bf80ab8e7ddf7fb),
    UINT64_C(0xcf75576088d38328), UINT64_C(0xdef9d52f49533b67),
    UINT64_C(0xc50d2b50c59f22a7), UINT64_C(0xd3927d989bb11140),
    UINT64_C(0x369095118d299a8e),
};

START_TEST(hash_agrees_with_the_reference)
{
    const struct hash_seed seed = {UINT64_C(0x0706050403020100),
                                   UINT64_C(0x0f0e0d0c0b0a0908)};
    uint8_t message[16];
    for (unsigned i = 0; i < sizeof message; i++) {
        message[i] = (uint8_t)i;
    }
    ck_assert_uint_eq(hash_keyed(&seed, message, (size_t)_i), siphash13[_i]);
}
END_TEST

Suite *suite_common_timers(void)
{
    Suite *s = suite_create("common/timers, common/hash");
    TCase *tc = tcase_create("rows");
    tcase_add_loop_test(tc, timers_come_in_order_of_their_deadlines, 0, 20);
    tcase_add_test(tc, a_timer_is_not_due_before_its_time);
    tcase_add_loop_test(tc, hash_agrees_with_the_reference, 0,
                        sizeof siphash13 / sizeof siphash13[0]);
    suite_add_tcase(s, tc);
    return s;
}
