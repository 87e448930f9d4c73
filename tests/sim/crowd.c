/*
 * A thousand machines boot while strangers flood the timeline: what is kept stays within its
 * bound, and none of the thousand is pushed out.
 */
#include <stdio.h>

#include "app/boot_rules.h"
#include "tests/sim/machine.h"
#include "tests/sim/random.h"
#include "tests/sim/suites.h"

#define CROWD     1000
#define STRANGERS 100 /* for each step of each machine: 100,000 a step, in all */
#define FILES     3

static const struct hash_seed seed = {7, 8};

static struct timeline_who machine(uint8_t kind, uint64_t n)
{
    return (struct timeline_who){.has_mac = true, .mac = sim_mac(kind, n)};
}

/* Random machines ask, and random names are asked for. */
static void flood(struct timeline *t, struct sim_random *random, usec_t now)
{
    struct boot_load load = {.began = now, .reason = "file not found"};
    for (unsigned i = 0; i < STRANGERS; i++) {
        uint64_t n = sim_random_next(random);
        struct timeline_who stranger = machine(0x0a, n);
        snprintf(load.name, sizeof load.name, "name%llu", (unsigned long long)n);
        if (n % 4 == 0) {
            timeline_file_refused(t, &stranger, &load, now);
        } else {
            sim_discover(t, &stranger, false, now);
        }
    }
}

static void load_file(struct timeline *t, const struct timeline_who *who, unsigned n,
                      usec_t now)
{
    struct boot_progress whole = {.size = 1000, .sent = 1000, .heard = true};
    struct boot_load load = {.began = now, .last_file = n == FILES};
    snprintf(load.name, sizeof load.name, "file%u", n);
    timeline_tag tag = timeline_file_began(t, who, &load);
    ck_assert_uint_ne(tag, 0);
    timeline_file_ended(t, tag, &whole, BOOT_FILE_DONE, now);
}

START_TEST(a_flood_pushes_nobody_out)
{
    struct timeline *t = timeline_new(TIMELINE_BOOTS, TIMELINE_OCTETS, &seed);
    struct sim_random random = {_i + 1};
    ck_assert_uint_le(timeline_bound(t), 35 * 1000 * 1000); /* as README says */
    usec_t now = USEC_PER_SEC;
    for (unsigned step = 0; step <= FILES; step++) {
        for (unsigned n = 0; n < CROWD; n++) {
            struct timeline_who who = machine(0x52, n);
            if (step == 0) {
                sim_discover(t, &who, true, now);
            } else {
                load_file(t, &who, step, now);
            }
            flood(t, &random, now);
            now += USEC_PER_MSEC;
            timeline_timeout(t, now);
            ck_assert_uint_le(timeline_size(t), timeline_bound(t));
        }
    }
    timeline_timeout(t, now + 60 * USEC_PER_SEC);
    unsigned booted = 0;
    for (size_t i = 0; i < timeline_room(t); i++) {
        const struct boot *b = timeline_at(t, i);
        booted += b && b->facts.whole == FILES && b->facts.discovers == 1 &&
                  b->state == BOOT_BOOTED;
    }
    ck_assert_uint_eq(booted, CROWD);
    ck_assert_uint_ge(timeline_totals(t)->booted, CROWD);
    timeline_free(t);
}
END_TEST

TCase *sim_crowd(void)
{
    TCase *tc = tcase_create("crowd");
    tcase_set_tags(tc, "volume");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_flood_pushes_nobody_out, 0, 2);
    return tc;
}
