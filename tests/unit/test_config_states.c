#include <string.h>

#include "config/gate.h"
#include "config/states.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

static const struct hash_seed seed = {5, 6};

static struct mac numbered(unsigned n)
{
    return (struct mac){{2, 0, 0, 0, (uint8_t)(n >> 8), (uint8_t)n}};
}

static bool see(struct states *t, unsigned n, int64_t now)
{
    struct mac mac = numbered(n);
    return states_seen(t, &mac, true, 7, now);
}

static bool set_marks(struct states *t, unsigned n, bool approved, bool done)
{
    struct mac mac = numbered(n);
    return states_mark(t, &mac, approved, done);
}

static const struct host_state *look(struct states *t, unsigned n)
{
    struct mac mac = numbered(n);
    return states_find(t, &mac);
}

START_TEST(what_is_seen_is_remembered)
{
    struct states *t = states_new(4, 4, &seed);
    ck_assert_ptr_null(look(t, 1));
    ck_assert(see(t, 1, 1000));
    ck_assert(!see(t, 1, 1000 + STATES_SEEN_AGAIN - 1));
    ck_assert_int_eq(look(t, 1)->last_seen, 1000);
    ck_assert(see(t, 1, 1000 + STATES_SEEN_AGAIN));
    ck_assert_int_eq(look(t, 1)->first_seen, 1000);
    ck_assert_int_eq(look(t, 1)->last_seen, 1000 + STATES_SEEN_AGAIN);
    struct mac mac = numbered(1);
    ck_assert(!states_seen(t, &mac, false, 0, 1601));
    ck_assert(states_seen(t, &mac, true, 11, 1601));
    ck_assert_uint_eq(look(t, 1)->arch, 11);
    states_free(t);
}
END_TEST

START_TEST(a_clock_that_is_set_back_is_believed)
{
    struct states *t = states_new(4, 4, &seed);
    ck_assert(see(t, 1, 2000000000));
    ck_assert(see(t, 1, 1700000000));
    ck_assert_int_eq(look(t, 1)->first_seen, 1700000000);
    ck_assert_int_eq(look(t, 1)->last_seen, 1700000000);
    ck_assert(!see(t, 1, 1700000001));
    states_free(t);
}
END_TEST

START_TEST(all_can_be_written_anew)
{
    struct states *t = states_new(4, 4, &seed);
    struct state_row rows[8];
    see(t, 1, 1000);
    set_marks(t, 2, true, false);
    ck_assert_uint_eq(states_changes(t, rows, 8), 2);
    see(t, 1, 5000);
    states_change_all(t);
    ck_assert_uint_eq(states_changes(t, rows, 8), 2);
    ck_assert_uint_eq(states_changes(t, rows, 8), 0);
    states_free(t);
}
END_TEST

START_TEST(marks_stay_when_strangers_crowd_in)
{
    struct states *t = states_new(2, 3, &seed);
    ck_assert(set_marks(t, 1, true, false));
    ck_assert(!set_marks(t, 1, true, false));
    for (unsigned n = 10; n < 50; n++) {
        see(t, n, n);
    }
    ck_assert(look(t, 1)->approved);
    ck_assert_uint_eq(states_count(t), 4);
    ck_assert_ptr_null(look(t, 46));
    ck_assert_ptr_nonnull(look(t, 47));
    see(t, 47, 60);
    see(t, 51, 61);
    ck_assert_ptr_nonnull(look(t, 47)); /* 48 was seen longest ago */
    ck_assert_ptr_null(look(t, 48));
    states_free(t);
}
END_TEST

START_TEST(a_table_full_of_marks_takes_no_more)
{
    struct states *t = states_new(1, 1, &seed);
    ck_assert(set_marks(t, 1, true, false));
    ck_assert(set_marks(t, 2, false, true));
    ck_assert(!set_marks(t, 3, true, true));
    ck_assert_ptr_null(look(t, 3));
    ck_assert(!see(t, 4, 9));
    ck_assert(set_marks(t, 1, false, false)); /* and now there is room */
    ck_assert(see(t, 4, 9));
    ck_assert_ptr_null(look(t, 1));
    states_free(t);
}
END_TEST

START_TEST(changes_are_taken_once)
{
    struct states *t = states_new(4, 4, &seed);
    struct state_row rows[4];
    struct state_row kept = {.mac = numbered(9), .state = {.done = true}};
    ck_assert(states_put(t, &kept));
    ck_assert_uint_eq(states_changes(t, rows, 4), 0);
    set_marks(t, 1, true, false);
    see(t, 1, 5);
    set_marks(t, 2, false, true);
    ck_assert_uint_eq(states_changes(t, rows, 1), 1);
    ck_assert_uint_eq(states_changes(t, rows + 1, 3), 1);
    ck_assert_uint_eq(states_changes(t, rows, 4), 0);
    set_marks(t, 1, false, false);
    ck_assert_uint_eq(states_changes(t, rows, 4), 1);
    ck_assert(!rows[0].state.approved && rows[0].state.first_seen == 5);
    size_t at = 0;
    unsigned count = 0;
    while (states_next(t, &at, &rows[0])) {
        count++;
    }
    ck_assert_uint_eq(count, 3);
    states_free(t);
}
END_TEST

static const char configuration[] =
    "{\"interfaces\":[\"eth0\"],\"tftp\":{\"root\":\"/t\"},"
    "\"profiles\":{\"default\":{\"7\":\"a\"}},\"hosts\":["
    "{\"mac\":\"02:00:00:00:00:01\"},"
    "{\"mac\":\"02:00:00:00:00:02\",\"action\":\"ignore\",\"once\":true},"
    "{\"mac\":\"02:00:00:00:00:03\",\"action\":\"hold\"},"
    "{\"mac\":\"02:00:00:00:00:04\",\"once\":true},"
    "{\"mac\":\"02:00:00:00:00:05\",\"action\":\"hold\",\"once\":true}]}";

static const struct {
    unsigned host;
    bool approved;
    bool done;
    enum gate_verdict verdict;
    bool files;
} gates[] = {
    {1, false, false, GATE_BOOT, true},        {1, true, true, GATE_BOOT, true},
    {2, true, true, GATE_HOST_IGNORED, false}, {3, false, false, GATE_HELD, false},
    {3, false, true, GATE_HELD, false},        {3, true, true, GATE_BOOT, true},
    {4, false, false, GATE_BOOT, true},        {4, false, true, GATE_DONE, true},
    {5, false, true, GATE_HELD, false},        {5, true, false, GATE_BOOT, true},
    {5, true, true, GATE_DONE, true},          {6, false, true, GATE_BOOT, true},
};

START_TEST(what_is_remembered_decides_at_the_gate)
{
    struct snapshot *config = config_of(configuration);
    struct mac mac = numbered(gates[_i].host);
    struct host_state state = {.approved = gates[_i].approved, .done = gates[_i].done};
    struct host_facts facts = {.mac = &mac};
    struct gate gate = gate_ask(config, &facts, &state);
    ck_assert_int_eq(gate.verdict, gates[_i].verdict);
    ck_assert_int_eq(gate_gives_files(&gate), gates[_i].files);
    if (!state.approved && !state.done) {
        ck_assert_int_eq(gate_ask(config, &facts, NULL).verdict, gates[_i].verdict);
    }
    snapshot_free(config);
}
END_TEST

Suite *suite_config_states(void)
{
    Suite *s = suite_create("config/states, config/gate");
    TCase *tc = tcase_create("states");
    tcase_add_test(tc, what_is_seen_is_remembered);
    tcase_add_test(tc, a_clock_that_is_set_back_is_believed);
    tcase_add_test(tc, all_can_be_written_anew);
    tcase_add_test(tc, marks_stay_when_strangers_crowd_in);
    tcase_add_test(tc, a_table_full_of_marks_takes_no_more);
    tcase_add_test(tc, changes_are_taken_once);
    tcase_add_loop_test(tc, what_is_remembered_decides_at_the_gate, 0,
                        sizeof gates / sizeof gates[0]);
    suite_add_tcase(s, tc);
    return s;
}
