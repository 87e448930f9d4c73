#include <stdio.h>

#include "app/boot_rules.h"
#include "app/timeline.h"
#include "tests/unit/suites.h"

#define SECOND USEC_PER_SEC

static const struct hash_seed seed = {5, 6};

static struct timeline_who machine(unsigned n)
{
    return (struct timeline_who){
        .has_mac = true,
        .mac = {{2, 0, 0, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}}};
}

static void ask(struct timeline *t, const struct timeline_who *who,
                enum boot_client client, usec_t now)
{
    struct timeline_request r = {.kind = TIMELINE_DISCOVER,
                                 .words = "DISCOVER",
                                 .interface = "eth0",
                                 .boots = true,
                                 .client = client};
    timeline_request(t, who, &r, now);
}

static timeline_tag begin(struct timeline *t, const struct timeline_who *who,
                          const char *name, usec_t now)
{
    struct boot_load load = {.began = now, .progress.size = 1000};
    snprintf(load.name, sizeof load.name, "%s", name);
    return timeline_file_began(t, who, &load);
}

static void load(struct timeline *t, const struct timeline_who *who, const char *name,
                 usec_t now)
{
    struct boot_progress whole = {.size = 1000, .sent = 1000, .heard = true};
    timeline_file_ended(t, begin(t, who, name, now), &whole, BOOT_FILE_DONE, now);
}

static void refuse(struct timeline *t, const struct timeline_who *who, const char *name,
                   usec_t now)
{
    struct boot_load refused = {.began = now, .reason = "file not found"};
    snprintf(refused.name, sizeof refused.name, "%s", name);
    timeline_file_refused(t, who, &refused, now);
}

static size_t count(const struct timeline *t)
{
    size_t n = 0;
    for (size_t i = 0; i < timeline_room(t); i++) {
        n += timeline_at(t, i) != NULL;
    }
    return n;
}

static const struct boot *newest(const struct timeline *t)
{
    const struct boot *found = NULL;
    for (size_t i = 0; i < timeline_room(t); i++) {
        const struct boot *b = timeline_at(t, i);
        found = b && (!found || b->id > found->id) ? b : found;
    }
    return found;
}

START_TEST(stages_are_of_one_boot_and_firmware_that_comes_again_is_not)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    ask(t, &who, BOOT_CLIENT_BIOS, 1 * SECOND);
    ask(t, &who, BOOT_CLIENT_BIOS, 5 * SECOND); /* a retry */
    load(t, &who, "a.kpxe", 6 * SECOND);
    ask(t, &who, BOOT_CLIENT_IPXE, 7 * SECOND); /* a stage */
    ck_assert_uint_eq(count(t), 1);
    ck_assert_uint_eq(newest(t)->facts.discovers, 3);
    ck_assert_int_eq(newest(t)->stage, BOOT_STAGE_SECOND);
    ask(t, &who, BOOT_CLIENT_BIOS, 8 * SECOND); /* it was reset */
    ck_assert_uint_eq(count(t), 2);
    ck_assert_uint_eq(newest(t)->facts.discovers, 1);
    ck_assert_uint_eq(timeline_after(t, 0)->id, 1);
    timeline_free(t);
}
END_TEST

START_TEST(a_raspberry_pi_asks_twice)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    ask(t, &who, BOOT_CLIENT_PI, 1 * SECOND);
    load(t, &who, "bootcode.bin", 2 * SECOND);
    ask(t, &who, BOOT_CLIENT_PI, 3 * SECOND);
    ck_assert_uint_eq(count(t), 1);
    timeline_free(t);
}
END_TEST

/* Whoever stops at GRUB's prompt is told of soon, and a GRUB that was only slow is forgiven. */
START_TEST(a_grub_that_asks_for_nothing_ends_soon)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    struct boot_progress whole = {.size = 1000, .sent = 1000};
    ask(t, &who, BOOT_CLIENT_UEFI, SECOND);
    timeline_file_ended(t, begin(t, &who, "x64/grubx64.efi", 2 * SECOND), &whole,
                        BOOT_FILE_DONE, 3 * SECOND);
    ck_assert_uint_eq(timeline_deadline(t), 3 * SECOND + TIMELINE_STUCK);
    timeline_timeout(t, 3 * SECOND + TIMELINE_STUCK);
    ck_assert_uint_eq(timeline_totals(t)->stopped, 1);
    (void)begin(t, &who, "/grub/grub.cfg", 30 * SECOND);
    ck_assert_uint_eq(count(t), 1);
    ck_assert_uint_eq(newest(t)->ended, 0);
    timeline_free(t);
}
END_TEST

START_TEST(a_boot_ends_in_silence)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    ck_assert_uint_eq(timeline_deadline(t), USEC_NEVER);
    ask(t, &who, BOOT_CLIENT_BIOS, SECOND);
    ck_assert_uint_eq(timeline_deadline(t), SECOND + TIMELINE_QUIET);
    timeline_tag tag = begin(t, &who, "x", 2 * SECOND);
    ck_assert_uint_eq(timeline_deadline(t), USEC_NEVER); /* it says itself when it ends */
    struct boot_progress whole = {.size = 1000, .sent = 1000};
    timeline_file_ended(t, tag, &whole, BOOT_FILE_DONE, 3 * SECOND);
    ck_assert_uint_eq(timeline_deadline(t), 3 * SECOND + TIMELINE_LOADED);
    timeline_timeout(t, 3 * SECOND + TIMELINE_LOADED);
    const struct boot *b = timeline_after(t, 0);
    ck_assert_int_eq(b->events[b->event_count - 1].kind, BOOT_VERDICT);
    ck_assert_int_eq(b->events[b->event_count - 2].kind, BOOT_SILENCE);
    ck_assert_uint_eq(timeline_deadline(t), USEC_NEVER);
    ck_assert_uint_eq(timeline_totals(t)->stopped, 1);
    timeline_free(t);
}
END_TEST

START_TEST(a_late_file_opens_the_boot_again)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    ask(t, &who, BOOT_CLIENT_UEFI, SECOND);
    load(t, &who, "grubx64.efi", 2 * SECOND);
    timeline_timeout(t, 100 * SECOND);
    uint64_t turn = timeline_turn(t);
    ck_assert_uint_eq(timeline_totals(t)->stopped, 1);
    load(t, &who, "vmlinuz", 200 * SECOND); /* somebody has sat before its menu */
    ck_assert_uint_eq(count(t), 1);
    ck_assert_uint_eq(timeline_totals(t)->stopped, 0);
    ck_assert_ptr_null(timeline_after(t, 0));
    timeline_timeout(t, 300 * SECOND);
    ck_assert_uint_eq(timeline_totals(t)->booted, 1);
    ck_assert_uint_eq(timeline_after(t, turn)->id, 1);
    load(t, &who, "late", 300 * SECOND + TIMELINE_REOPEN + 30 * SECOND);
    ck_assert_uint_eq(count(t), 2);
    timeline_free(t);
}
END_TEST

/* "2s": machine 2 has stopped; d: is done, f: loads a file, S: is at its second stage */
static const struct {
    const char *name;
    const char *ended; /* the last one first */
    const char *under_way;
    const char *stand; /* of those that ended */
} standing[] = {
    {"a failure", "1s", "", "y"},
    {"a success", "1d", "", "n"},
    {"two machines", "1s2s", "", "yy"},
    {"it has booted since", "1d1s", "", "nn"},
    {"it has failed again", "1s1s", "", "yn"},
    {"it had booted before", "1s1d", "", "yn"},
    {"another one has booted since", "2d1s", "", "ny"},
    {"it asks again", "1s", "1f", "y"},
    {"it has come to its second stage", "1s", "1S", "n"},
    {"another one has", "1s", "2S", "y"},
    {"it asks again after two", "1s2s1s", "1f", "yyn"},
};

static size_t read_boots(const char *text, struct boot *out, const struct boot **list)
{
    size_t count = 0;
    for (const char *at = text; *at; at += 2, count++) {
        out[count] = (struct boot){
            .key.octets[7] = (uint8_t)at[0],
            .state = at[1] == 's'   ? BOOT_STOPPED
                     : at[1] == 'd' ? BOOT_BOOTED
                                    : BOOT_BOOTING,
            .stage = at[1] == 'S' ? BOOT_STAGE_SECOND : BOOT_STAGE_FILE,
        };
        list[count] = &out[count];
    }
    return count;
}

START_TEST(a_failure_stands_until_its_machine_has_got_over_it)
{
    struct boot boots[16];
    const struct boot *ended[8];
    const struct boot *under_way[8];
    size_t count = read_boots(standing[_i].ended, boots, ended);
    size_t others = read_boots(standing[_i].under_way, boots + 8, under_way);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(boot_failure_stands(ended, i, under_way, others) ==
                          (standing[_i].stand[i] == 'y'),
                      "%s: %zu", standing[_i].name, i);
    }
}
END_TEST

START_TEST(slow_retries_are_of_one_boot)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    ask(t, &who, BOOT_CLIENT_UEFI, SECOND);
    timeline_timeout(t, 22 * SECOND);
    ck_assert_uint_eq(timeline_totals(t)->stopped, 1);
    ask(t, &who, BOOT_CLIENT_UEFI, 40 * SECOND);
    ck_assert_uint_eq(count(t), 1);
    ck_assert_uint_eq(newest(t)->facts.discovers, 2);
    ck_assert_uint_eq(timeline_totals(t)->stopped, 0);
    timeline_timeout(t, 61 * SECOND);
    ask(t, &who, BOOT_CLIENT_BIOS, 62 * SECOND); /* something else of it */
    ck_assert_uint_eq(count(t), 2);
    timeline_timeout(t, 100 * SECOND);
    ask(t, &who, BOOT_CLIENT_BIOS, 62 * SECOND + TIMELINE_RETRIES);
    ck_assert_uint_eq(count(t), 3);
    timeline_free(t);
}
END_TEST

START_TEST(what_is_no_boot_clients_begins_nothing)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    struct timeline_who nobody = {.has_mac = false};
    struct timeline_request r = {
        .kind = TIMELINE_DISCOVER, .words = "DISCOVER", .interface = "eth0"};
    timeline_request(t, &who, &r, SECOND);
    ask(t, &who, BOOT_CLIENT_UEFI, SECOND);
    load(t, &who, "x", SECOND);
    timeline_request(t, &who, &r, SECOND); /* firmware has other uses for DHCP */
    ck_assert_uint_eq(newest(t)->facts.discovers, 1);
    ck_assert_uint_eq(timeline_turn(t), 0);
    who = machine(2);
    r.kind = TIMELINE_REQUEST;
    r.boots = true;
    timeline_request(t, &who, &r, SECOND);
    ask(t, &nobody, BOOT_CLIENT_BIOS, SECOND);
    ck_assert_uint_eq(begin(t, &nobody, "x", SECOND), 0);
    ck_assert_uint_eq(count(t), 1);
    timeline_free(t);
}
END_TEST

START_TEST(a_machine_of_which_only_the_address_is_known)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = {.has_address = true,
                               .address = endpoint_ip4((struct ip4){{10, 0, 0, 7}}, 1)};
    load(t, &who, "a", SECOND);
    who.address.port = 2; /* of another transfer */
    load(t, &who, "b", 2 * SECOND);
    ck_assert_uint_eq(count(t), 1);
    timeline_timeout(t, 100 * SECOND);
    struct boot_words words;
    const struct boot *b = timeline_after(t, 0);
    boot_say(b, b->verdict, &words);
    ck_assert_str_eq(boot_rule_name(b->verdict), "booted");
    ck_assert_str_eq(words.sentence,
                     "10.0.0.7 loaded 2 files, the last \"b\", in 1.0 s.");
    timeline_free(t);
}
END_TEST

START_TEST(repeats_are_counted)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    struct timeline_answer offer = {
        .answered = true, .offer = true, .form = "pxe", .file = "x"};
    for (unsigned i = 1; i <= 4; i++) {
        ask(t, &who, BOOT_CLIENT_BIOS, i * SECOND);
        timeline_answer(t, &who, &offer, i * SECOND);
    }
    const struct boot *b = newest(t);
    ck_assert_uint_eq(b->event_count, 2);
    ck_assert_uint_eq(b->events[0].repeats, 4);
    ck_assert_uint_eq(b->events[0].at, SECOND);
    ck_assert_uint_eq(b->events[1].last, 4 * SECOND);
    ck_assert_uint_eq(b->forgotten, 0);
    timeline_free(t);
}
END_TEST

START_TEST(lists_are_bounded_and_keep_what_matters)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    char name[32];
    ask(t, &who, BOOT_CLIENT_BIOS, SECOND);
    load(t, &who, "first", SECOND);
    struct boot_progress some = {.size = 1000, .sent = 10};
    timeline_file_ended(t, begin(t, &who, "broken", SECOND), &some, BOOT_FILE_STALLED,
                        SECOND);
    timeline_tag runs = begin(t, &who, "runs", SECOND);
    for (unsigned i = 0; i < 3 * BOOT_FILES_MAX; i++) {
        snprintf(name, sizeof name, "missing%u", i);
        refuse(t, &who, name, 2 * SECOND);
    }
    for (unsigned i = 0; i < BOOT_FILES_MAX; i++) {
        snprintf(name, sizeof name, "good%u", i);
        load(t, &who, name, 3 * SECOND);
    }
    const struct boot *b = newest(t);
    ck_assert_uint_le(b->file_count, BOOT_FILES_MAX);
    ck_assert_uint_gt(b->file_count, BOOT_FILES_MAX / 2);
    ck_assert_uint_eq(b->event_count, BOOT_EVENTS_MAX);
    ck_assert_uint_gt(b->forgotten, 0);
    ck_assert_str_eq(b->files[0].name, "broken");
    ck_assert_str_eq(b->files[1].name, "runs");
    ck_assert_str_eq(b->facts.first.name, "first");
    ck_assert_str_eq(b->events[BOOT_EVENTS_MAX - 1].text, "done: good39");
    ck_assert_uint_eq(b->facts.refusals, 3 * BOOT_FILES_MAX);
    ck_assert_ptr_eq(timeline_of_file(t, runs), b);
    timeline_free(t);
}
END_TEST

START_TEST(a_name_refused_again_is_one_entry)
{
    struct timeline *t = timeline_new(8, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    refuse(t, &who, "a", SECOND);
    refuse(t, &who, "b", SECOND);
    refuse(t, &who, "a", SECOND);
    const struct boot *b = newest(t);
    ck_assert_uint_eq(b->file_count, 2);
    ck_assert_uint_eq(b->files[0].repeats, 1);
    timeline_free(t);
}
END_TEST

START_TEST(a_file_that_outlives_its_boot_changes_nothing)
{
    struct timeline *t = timeline_new(2, 1 << 20, &seed);
    struct timeline_who who = machine(1);
    struct boot_progress whole = {.size = 1000, .sent = 1000};
    ask(t, &who, BOOT_CLIENT_BIOS, SECOND);
    timeline_tag tag = begin(t, &who, "x", SECOND);
    ask(t, &who, BOOT_CLIENT_BIOS, 2 * SECOND);
    ck_assert_str_eq(boot_rule_name(timeline_after(t, 0)->verdict), "reset-in-transfer");
    timeline_file_ended(t, tag, &whole, BOOT_FILE_DONE, 3 * SECOND);
    ck_assert_uint_eq(timeline_turn(t), 1);
    ck_assert_uint_eq(timeline_after(t, 0)->facts.whole, 1);
    for (unsigned n = 2; n < 6; n++) { /* its slot is another's now */
        struct timeline_who other = machine(n);
        ask(t, &other, BOOT_CLIENT_BIOS, 4 * SECOND);
    }
    ck_assert_ptr_null(timeline_of_file(t, tag));
    timeline_file_progress(t, tag, &whole);
    timeline_file_ended(t, tag, &whole, BOOT_FILE_DONE, 5 * SECOND);
    ck_assert_uint_eq(newest(t)->facts.whole, 0);
    timeline_free(t);
}
END_TEST

START_TEST(the_one_that_ended_longest_ago_makes_room)
{
    struct timeline *t = timeline_new(4, 1 << 20, &seed);
    for (unsigned n = 0; n < 4; n++) {
        struct timeline_who who = machine(n);
        ask(t, &who, BOOT_CLIENT_BIOS, SECOND);
        load(t, &who, "x", n == 2 ? SECOND : 2 * SECOND);
    }
    timeline_timeout(t, SECOND + TIMELINE_LOADED); /* the third ends first */
    struct timeline_who next = machine(9);
    ask(t, &next, BOOT_CLIENT_BIOS, 40 * SECOND);
    for (size_t i = 0; i < timeline_room(t); i++) {
        ck_assert_uint_ne(timeline_at(t, i)->id, 3);
    }
    ck_assert_uint_eq(count(t), 4);
    timeline_free(t);
}
END_TEST

START_TEST(octets_are_bounded)
{
    uint64_t limit = 64 * 1024;
    struct timeline *t = timeline_new(64, limit, &seed);
    char name[32];
    for (unsigned i = 0; i < 4000; i++) {
        struct timeline_who who = machine(i % 64);
        snprintf(name, sizeof name, "file%u", i);
        load(t, &who, name, SECOND + i);
        ck_assert_uint_le(timeline_size(t), timeline_bound(t));
    }
    ck_assert_uint_lt(count(t), 64);
    ck_assert_uint_gt(count(t), 1);
    timeline_free(t);
}
END_TEST

Suite *suite_app_timeline(void)
{
    Suite *s = suite_create("app/timeline, app/boots, app/boot");
    TCase *tc = tcase_create("boots");
    tcase_add_test(tc, stages_are_of_one_boot_and_firmware_that_comes_again_is_not);
    tcase_add_test(tc, a_raspberry_pi_asks_twice);
    tcase_add_test(tc, a_grub_that_asks_for_nothing_ends_soon);
    tcase_add_test(tc, a_boot_ends_in_silence);
    tcase_add_test(tc, a_late_file_opens_the_boot_again);
    tcase_add_loop_test(tc, a_failure_stands_until_its_machine_has_got_over_it, 0,
                        sizeof standing / sizeof standing[0]);
    tcase_add_test(tc, slow_retries_are_of_one_boot);
    tcase_add_test(tc, what_is_no_boot_clients_begins_nothing);
    tcase_add_test(tc, a_machine_of_which_only_the_address_is_known);
    tcase_add_test(tc, repeats_are_counted);
    tcase_add_test(tc, lists_are_bounded_and_keep_what_matters);
    tcase_add_test(tc, a_name_refused_again_is_one_entry);
    tcase_add_test(tc, a_file_that_outlives_its_boot_changes_nothing);
    tcase_add_test(tc, the_one_that_ended_longest_ago_makes_room);
    tcase_add_test(tc, octets_are_bounded);
    suite_add_tcase(s, tc);
    return s;
}
