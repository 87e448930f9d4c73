#include "config/gate.h"
#include "config/machines.h"
#include "tests/unit/suites.h"

static const struct hash_seed seed = {3, 4};

static struct endpoint address(unsigned n)
{
    return endpoint_ip4((struct ip4){{10, 0, (uint8_t)(n >> 8), (uint8_t)n}},
                        (uint16_t)n);
}

static struct machine machine(unsigned n)
{
    return (struct machine){.mac = {{2, 0, 0, 0, (uint8_t)(n >> 8), (uint8_t)n}}};
}

/* The host table is asked about no more than is known. */
START_TEST(what_is_known_of_a_machine_are_its_facts)
{
    struct machine m = machine(7);
    m.arch = 9;
    struct host_facts facts = facts_of_machine(&m);
    ck_assert_ptr_eq(facts.mac, &m.mac);
    ck_assert(!facts.uuid && facts.arch_count == 0 && ip4_is_any(facts.relay));
    m.has_uuid = m.has_arch = true;
    facts = facts_of_machine(&m);
    ck_assert_ptr_eq(facts.uuid, m.uuid);
    ck_assert(facts.arch_count == 1 && facts.archs[0] == 9);
    facts = facts_of_machine(NULL);
    ck_assert(!facts.mac && !facts.uuid && facts.arch_count == 0);
}
END_TEST

START_TEST(a_machine_is_found_by_its_address_whatever_the_port)
{
    struct machines *t = machines_new(8, &seed);
    struct endpoint at = address(7);
    struct machine m = machine(7);
    machines_learn(t, &at, &m, 10);
    at.port = 4011;
    const struct machine *found = machines_find(t, &at, 20);
    ck_assert_ptr_nonnull(found);
    ck_assert(mac_equal(&found->mac, &m.mac));
    at = address(8);
    ck_assert_ptr_null(machines_find(t, &at, 20));
    machines_free(t);
}
END_TEST

START_TEST(what_is_old_is_forgotten)
{
    struct machines *t = machines_new(8, &seed);
    struct endpoint at = address(7);
    struct machine m = machine(7);
    machines_learn(t, &at, &m, 0);
    ck_assert_ptr_nonnull(machines_find(t, &at, MACHINES_LIFE - 1));
    ck_assert_ptr_null(machines_find(t, &at, MACHINES_LIFE));
    machines_free(t);
}
END_TEST

START_TEST(a_full_table_drops_the_one_heard_longest_ago)
{
    struct machines *t = machines_new(3, &seed);
    for (unsigned n = 0; n < 3; n++) {
        struct endpoint at = address(n);
        struct machine m = machine(n);
        machines_learn(t, &at, &m, n);
    }
    struct endpoint first = address(0);
    struct machine again = machine(0);
    machines_learn(t, &first, &again, 3); /* now 1 is the oldest */
    struct endpoint fourth = address(9);
    struct machine m = machine(9);
    machines_learn(t, &fourth, &m, 4);
    struct endpoint second = address(1);
    ck_assert_ptr_null(machines_find(t, &second, 5));
    ck_assert_ptr_nonnull(machines_find(t, &first, 5));
    ck_assert_ptr_nonnull(machines_find(t, &fourth, 5));
    ck_assert_uint_eq(machines_count(t), 3);
    machines_free(t);
}
END_TEST

START_TEST(what_a_later_packet_leaves_out_is_kept)
{
    struct machines *t = machines_new(3, &seed);
    struct endpoint at = address(1);
    struct machine full = machine(1);
    full.has_arch = true;
    full.arch = 7;
    full.has_uuid = true;
    full.uuid[15] = 9;
    machines_learn(t, &at, &full, 0);
    struct machine bare = machine(1);
    machines_learn(t, &at, &bare, 1);
    const struct machine *found = machines_find(t, &at, 2);
    ck_assert(found->has_arch && found->arch == 7 && found->has_uuid &&
              found->uuid[15] == 9);
    struct machine other = machine(2); /* the address has gone to another machine */
    machines_learn(t, &at, &other, 3);
    found = machines_find(t, &at, 4);
    ck_assert(!found->has_arch && !found->has_uuid);
    machines_free(t);
}
END_TEST

/* What a client says itself ends the guessing; a guess at the same machine adds nothing. */
START_TEST(a_neighbour_becomes_a_client)
{
    struct machines *t = machines_new(3, &seed);
    struct endpoint at = address(1);
    struct machine guess = machine(1);
    guess.by_neighbour = true;
    machines_learn(t, &at, &guess, 0);
    ck_assert(machines_find(t, &at, 1)->by_neighbour);
    struct machine told = machine(1);
    told.has_arch = true;
    told.arch = 7;
    machines_learn(t, &at, &told, 2);
    const struct machine *found = machines_find(t, &at, 3);
    ck_assert(!found->by_neighbour && found->arch == 7);
    machines_free(t);
}
END_TEST

Suite *suite_config_machines(void)
{
    Suite *s = suite_create("config/machines");
    TCase *tc = tcase_create("table");
    tcase_add_test(tc, a_machine_is_found_by_its_address_whatever_the_port);
    tcase_add_test(tc, what_is_known_of_a_machine_are_its_facts);
    tcase_add_test(tc, what_is_old_is_forgotten);
    tcase_add_test(tc, a_full_table_drops_the_one_heard_longest_ago);
    tcase_add_test(tc, what_a_later_packet_leaves_out_is_kept);
    tcase_add_test(tc, a_neighbour_becomes_a_client);
    suite_add_tcase(s, tc);
    return s;
}
