#include "common/minmax.h"
#include "tests/unit/suites.h"
#include "tftp/flow.h"

#define ROUND_TRIP 300

/* Windows of so many blocks, each block taking so long at the slowest stage. */
static void windows(struct tftp_pace *p, unsigned count, uint64_t blocks,
                    uint64_t drain_ns)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t each = p->block_ns > drain_ns ? p->block_ns : drain_ns;
        tftp_pace_whole(p, blocks);
        tftp_pace_window(p, ROUND_TRIP + blocks * each / 1000, blocks);
    }
}

static struct tftp_pace begun(void)
{
    struct tftp_pace p;
    tftp_pace_init(&p);
    tftp_pace_trip(&p, ROUND_TRIP);
    return p;
}

START_TEST(nothing_is_paced_before_a_window_was_measured)
{
    struct tftp_pace p = begun();
    ck_assert_uint_eq(p.burst, TFTP_BURST_FIRST);
    ck_assert_uint_eq(tftp_pace_part(&p), TFTP_BURST_FIRST);
    ck_assert_uint_eq(tftp_pace_gap(&p), 0);
}
END_TEST

START_TEST(the_pace_comes_down_to_what_the_wire_drains)
{
    struct tftp_pace p = begun();
    tftp_pace_window(&p, ROUND_TRIP + UINT64_C(64) * 25,
                     64); /* parts a round trip apart */
    windows(&p, 40, 64, 12300);
    ck_assert_uint_ge(p.block_ns, 11500);
    ck_assert_uint_le(p.block_ns, 12300);
}
END_TEST

START_TEST(parts_are_as_long_as_a_timer_is_good_for)
{
    static const struct {
        uint64_t drain_ns;
        uint32_t part;
    } rows[] = {{122000, 8}, {12300, 8}, {6000, 17}, {1200, 89}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tftp_pace p = begun();
        windows(&p, 40, 64, rows[i].drain_ns);
        ck_assert_uint_eq(tftp_pace_part(&p), rows[i].part);
        ck_assert_uint_le(tftp_pace_gap(&p), rows[i].part * rows[i].drain_ns / 1000 + 1);
    }
}
END_TEST

START_TEST(a_burst_grows_to_the_window_and_no_further)
{
    struct tftp_pace p = begun();
    windows(&p, 1, 64, 12300);
    ck_assert_uint_eq(p.burst, TFTP_BURST_PACED);
    windows(&p, 200, 64, 12300);
    ck_assert_uint_eq(p.burst, 64);
}
END_TEST

START_TEST(a_burst_that_was_lost_is_not_tried_again_at_once)
{
    struct tftp_pace p = begun();
    windows(&p, 10, 64, 12300);
    uint32_t lost = p.burst;
    tftp_pace_lost(&p);
    ck_assert_uint_eq(p.burst, TFTP_BURST_PACED);
    windows(&p, 60, 64, 12300);
    ck_assert_uint_lt(p.burst, lost);
    windows(&p, 200, 64, 12300);
    ck_assert_uint_eq(p.burst, 64);
}
END_TEST

START_TEST(a_loss_with_the_shortest_burst_slows_the_pace)
{
    struct tftp_pace p = begun();
    windows(&p, 1, 64, 12300);
    uint64_t before = p.block_ns;
    tftp_pace_lost(&p);
    ck_assert_uint_eq(p.block_ns, before + before / 4);
    windows(&p, 60, 64, 12300);
    ck_assert_uint_ge(p.block_ns, before + before / 4); /* held for a while */
    windows(&p, 60, 64, 12300);
    ck_assert_uint_le(p.block_ns, 12300);
}
END_TEST

START_TEST(losses_that_go_on_are_the_wires_own)
{
    struct tftp_pace p = begun();
    windows(&p, 1, 64, 12300);
    uint64_t before = p.block_ns;
    for (unsigned i = 0; i < 4; i++) {
        tftp_pace_lost(&p);
        tftp_pace_whole(&p, 64);
    }
    ck_assert_uint_eq(p.block_ns, before);
    for (unsigned i = 0; i < 20; i++) {
        tftp_pace_lost(&p);
    }
    ck_assert_uint_eq(p.block_ns, before);
}
END_TEST

/* At 0.1 % a window of 64 in about 16 is hit; other rates: from each sixth to each 800th. */
START_TEST(losses_now_and_then_do_not_slow_a_transfer)
{
    static const unsigned apart[] = {6, 17, 30, 66, 100, 200, 500, 800};
    unsigned every = apart[_i];
    struct tftp_pace p = begun();
    uint64_t spent = 0;
    const unsigned all = 8000;
    for (unsigned i = 0; i < all; i++) {
        if (i % every == every - 1) {
            tftp_pace_lost(&p);
        } else {
            windows(&p, 1, 64, greater(p.block_ns, 12300));
        }
        spent += greater(p.block_ns, 12300);
    }
    ck_assert_uint_le(spent, all * UINT64_C(12300) * 6 / 5);
}
END_TEST

START_TEST(a_wire_far_slower_than_thought_is_met_by_doubling)
{
    struct tftp_pace p = begun();
    tftp_pace_lost(&p); /* the burst */
    uint64_t least = 0;
    for (unsigned i = 0; i < 3; i++) {
        tftp_pace_lost(&p);
        ck_assert_uint_ge(p.block_ns, 2 * least);
        least = p.block_ns;
    }
    ck_assert_uint_ge(least, 200000);
}
END_TEST

/* -- what goes from file to file ------------------------------------------------------------ */

START_TEST(a_known_wire_is_measured_from_its_first_answer_on)
{
    struct tftp_flow first;
    struct tftp_flow then;
    tftp_flow_init(&first, 64, USEC_PER_SEC);
    ck_assert_uint_eq(tftp_flow_wire(&first).srtt, 0);
    tftp_flow_first_trip(&first, 300);
    tftp_flow_trip(&first, 900);
    struct tftp_wire wire = tftp_flow_wire(&first);
    tftp_flow_init(&then, 64, USEC_PER_SEC);
    tftp_flow_know(&then, &wire);
    ck_assert(!then.measured);
    tftp_flow_first_trip(&then, 310);
    ck_assert(then.measured);
    ck_assert_uint_eq(then.srtt, 900);
}
END_TEST

START_TEST(a_known_wire_that_has_become_slower_is_measured_anew)
{
    struct tftp_flow f;
    struct tftp_wire wire = {.srtt = 900, .rttvar = 10, .apart = 100};
    tftp_pace_init(&wire.pace);
    tftp_flow_init(&f, 64, USEC_PER_SEC);
    tftp_flow_know(&f, &wire);
    tftp_flow_first_trip(&f, 50000);
    ck_assert(!f.measured);
    ck_assert_uint_eq(f.srtt, 50000);
}
END_TEST

Suite *suite_tftp_pace(void)
{
    Suite *s = suite_create("tftp/pace, tftp/flow");
    TCase *tc = tcase_create("pace");
    tcase_add_test(tc, nothing_is_paced_before_a_window_was_measured);
    tcase_add_test(tc, the_pace_comes_down_to_what_the_wire_drains);
    tcase_add_test(tc, parts_are_as_long_as_a_timer_is_good_for);
    tcase_add_test(tc, a_burst_grows_to_the_window_and_no_further);
    tcase_add_test(tc, a_burst_that_was_lost_is_not_tried_again_at_once);
    tcase_add_test(tc, a_loss_with_the_shortest_burst_slows_the_pace);
    tcase_add_test(tc, losses_that_go_on_are_the_wires_own);
    tcase_add_loop_test(tc, losses_now_and_then_do_not_slow_a_transfer, 0, 8);
    tcase_add_test(tc, a_wire_far_slower_than_thought_is_met_by_doubling);
    tcase_add_test(tc, a_known_wire_is_measured_from_its_first_answer_on);
    tcase_add_test(tc, a_known_wire_that_has_become_slower_is_measured_anew);
    suite_add_tcase(s, tc);
    return s;
}
