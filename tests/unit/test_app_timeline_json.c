#include "app/boot_json.h"
#include "app/boot_watch.h"
#include "app/control.h"
#include "app/timeline_json.h"
#include "tests/unit/suites.h"

static struct appliance appliance;

static struct timeline_who machine(unsigned n)
{
    return (struct timeline_who){.has_mac = true,
                                 .mac = {{2, 0, 0, 0, (uint8_t)(n >> 8), (uint8_t)n}}};
}

/* A boot with as many files as are kept, whose names are as long as they get. */
static void fill(struct timeline *t, unsigned n, unsigned files, usec_t now)
{
    struct timeline_who who = machine(n);
    struct boot_load load = {.began = now, .reason = "file not found"};
    for (unsigned i = 0; i < files; i++) {
        memset(load.name, '"', sizeof load.name - 1); /* each takes two octets in JSON */
        load.name[0] = (char)('0' + i);
        timeline_file_refused(t, &who, &load, now);
    }
}

static size_t size_of(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    size_t len = strlen(text);
    free(text);
    return len;
}

START_TEST(answers_are_bounded_and_the_newest_come_first)
{
    static const struct boots_wanted all;
    size_t count;
    ck_assert_int_eq(boot_watch_new(&appliance, &appliance.boots), 0);
    struct timeline *t = boot_watch_timeline(appliance.boots);
    for (unsigned n = 0; n < 700; n++) {
        fill(t, n, BOOT_FILES_MAX, USEC_PER_SEC);
    }
    json_t *answer = boots_json(&appliance, &all);
    json_t *boots = json_object_get(answer, "boots");
    ck_assert_uint_lt(size_of(answer), CONTROL_ANSWER);
    ck_assert_uint_gt(json_array_size(boots), 50);
    json_t *first = json_array_get(boots, 0);
    ck_assert_str_eq(json_string_value(json_object_get(first, "mac")),
                     "02:00:00:00:02:bb");
    json_decref(answer);

    timeline_timeout(t, 100 * USEC_PER_SEC);
    answer = ended_json(&appliance, NULL, 0, &count);
    ck_assert_uint_lt(size_of(answer), CONTROL_ANSWER);
    uint64_t next = (uint64_t)json_integer_value(json_object_get(answer, "next"));
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "boots")), count);
    json_decref(answer);
    size_t told = count;
    while (count > 0) { /* the rest follows, question by question */
        answer = ended_json(&appliance, NULL, next, &count);
        next = (uint64_t)json_integer_value(json_object_get(answer, "next"));
        told += count;
        json_decref(answer);
    }
    size_t kept = 0;
    for (size_t i = 0; i < timeline_room(t); i++) {
        kept += timeline_at(t, i) != NULL;
    }
    ck_assert_uint_eq(told, kept);
    boot_watch_free(appliance.boots);
}
END_TEST

/* A bound, as it is what answers are cut by, and a near one. */
START_TEST(octets_are_counted_without_printing)
{
    static const struct boots_wanted all;
    ck_assert_int_eq(boot_watch_new(&appliance, &appliance.boots), 0);
    struct timeline *t = boot_watch_timeline(appliance.boots);
    for (unsigned n = 0; n < 5; n++) {
        fill(t, n, n, USEC_PER_SEC);
    }
    json_t *answer = boots_json(&appliance, &all);
    json_object_set_new(answer, "odd",
                        json_pack("[b, n, I, I, f, s, s, {}, []]", 0,
                                  (json_int_t)INT64_MIN, (json_int_t)INT64_MAX,
                                  -1.0 / 3e200, "\x01\"\\\n\x1f", "\xc3\xa4"));
    size_t size = size_of(answer);
    ck_assert_uint_ge(json_octets(answer), size);
    ck_assert_uint_lt(json_octets(answer), size + size / 8 + 100);
    ck_assert_uint_gt(json_octets(NULL), 0); /* memory was out */
    json_decref(answer);
    boot_watch_free(appliance.boots);
}
END_TEST

START_TEST(a_boot_is_told_with_what_is_wanted_of_it)
{
    const struct boot b = {.id = 7};
    const struct moment m = moment_now();
    json_t *alone = boot_json(&b, &m, BOOT_ALONE);
    json_t *whole = boot_json(&b, &m, BOOT_WITH_FILES | BOOT_WITH_EVENTS);
    ck_assert_ptr_null(json_object_get(alone, "files"));
    ck_assert_ptr_null(json_object_get(alone, "events"));
    ck_assert(json_is_array(json_object_get(whole, "files")));
    ck_assert(json_is_array(json_object_get(whole, "events")));
    json_decref(alone);
    json_decref(whole);
}
END_TEST

START_TEST(one_machine_or_one_boot)
{
    ck_assert_int_eq(boot_watch_new(&appliance, &appliance.boots), 0);
    struct timeline *t = boot_watch_timeline(appliance.boots);
    fill(t, 1, 1, USEC_PER_SEC);
    fill(t, 2, 1, USEC_PER_SEC);
    struct timeline_who who = machine(2);
    struct boots_wanted of_machine = {.mac = &who.mac};
    json_t *answer = boots_json(&appliance, &of_machine);
    json_t *boots = json_object_get(answer, "boots");
    ck_assert_uint_eq(json_array_size(boots), 1);
    json_int_t id = json_integer_value(json_object_get(json_array_get(boots, 0), "id"));
    ck_assert_int_eq(id, 2);
    json_decref(answer);
    struct boots_wanted of_id = {.id = 1};
    answer = boots_json(&appliance, &of_id);
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "boots")), 1);
    json_decref(answer);
    boot_watch_free(appliance.boots);
}
END_TEST

START_TEST(each_answer_tells_the_same_time_of_an_event)
{
    struct moment m = moment_now();
    json_t *first = time_json(&m, 4711);
    for (unsigned i = 0; i < 5000; i++) {
        m = moment_now();
        json_t *again = time_json(&m, 4711);
        ck_assert_str_eq(json_string_value(again), json_string_value(first));
        json_decref(again);
    }
    json_decref(first);
}
END_TEST

Suite *suite_app_timeline_json(void)
{
    Suite *s = suite_create("app/timeline_json");
    TCase *tc = tcase_create("answers");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, answers_are_bounded_and_the_newest_come_first);
    tcase_add_test(tc, octets_are_counted_without_printing);
    tcase_add_test(tc, a_boot_is_told_with_what_is_wanted_of_it);
    tcase_add_test(tc, one_machine_or_one_boot);
    tcase_add_test(tc, each_answer_tells_the_same_time_of_an_event);
    suite_add_tcase(s, tc);
    return s;
}
