#include "tests/unit/suites.h"
#include "tftp/table.h"

static const struct hash_seed seed = {1, 2};

static struct net_path path_of(unsigned n)
{
    struct ip4 ip = {{10, 0, (uint8_t)(n >> 8), (uint8_t)n}};
    return (struct net_path){.peer = endpoint_ip4(ip, (uint16_t)(1024 + n))};
}

START_TEST(a_transfer_is_found_by_address_and_port)
{
    struct tftp_table *t = tftp_table_new(60, 100, &seed);
    for (unsigned n = 0; n < 100; n++) {
        struct net_path path = path_of(n);
        ck_assert_ptr_nonnull(tftp_table_add(t, &path));
    }
    for (unsigned n = 0; n < 100; n++) {
        struct net_path path = path_of(n);
        struct tftp_transfer *x = tftp_table_find(t, &path.peer);
        ck_assert_ptr_nonnull(x);
        ck_assert(endpoint_equal(&x->path.peer, &path.peer));
        path.peer.port++;
        ck_assert_ptr_null(tftp_table_find(t, &path.peer));
    }
    tftp_table_free(t);
}
END_TEST

START_TEST(a_full_table_says_so)
{
    struct tftp_table *t = tftp_table_new(1, 1, &seed);
    struct net_path path[3] = {path_of(0), path_of(1), path_of(2)};
    ck_assert_ptr_nonnull(tftp_table_add(t, &path[0]));
    ck_assert_ptr_nonnull(tftp_table_add(t, &path[1]));
    ck_assert_ptr_null(tftp_table_add(t, &path[2]));
    ck_assert_ptr_null(tftp_table_oldest(t));
    ck_assert_uint_eq(tftp_table_running(t), 2);
    tftp_table_free(t);
}
END_TEST

START_TEST(the_one_that_ended_first_gives_way_first)
{
    struct tftp_table *t = tftp_table_new(2, 1, &seed);
    struct tftp_transfer *x[3];
    for (unsigned n = 0; n < 3; n++) {
        struct net_path path = path_of(n);
        x[n] = tftp_table_add(t, &path);
    }
    tftp_table_linger(t, x[1]);
    tftp_table_linger(t, x[0]);
    tftp_table_linger(t, x[2]);
    ck_assert_uint_eq(tftp_table_running(t), 0);
    ck_assert_ptr_null(tftp_table_any(t));
    ck_assert_ptr_eq(tftp_table_oldest(t), x[1]);
    tftp_table_remove(t, x[0]); /* from the middle */
    tftp_table_remove(t, x[1]);
    ck_assert_ptr_eq(tftp_table_oldest(t), x[2]);
    tftp_table_remove(t, x[2]);
    ck_assert_ptr_null(tftp_table_oldest(t));
    for (unsigned n = 0; n < 3; n++) { /* all slots are free again */
        struct net_path path = path_of(n + 10);
        ck_assert_ptr_nonnull(tftp_table_add(t, &path));
    }
    tftp_table_free(t);
}
END_TEST

static struct tftp_transfer *add(struct tftp_table *t, unsigned n)
{
    struct net_path path = path_of(n);
    struct tftp_transfer *x = tftp_table_add(t, &path);
    ck_assert_ptr_nonnull(x);
    return x;
}

START_TEST(half_open_ones_make_room_by_age)
{
    struct tftp_table *t = tftp_table_new(2, 3, &seed);
    struct tftp_transfer *x[5];
    for (unsigned n = 0; n < 3; n++) {
        ck_assert_ptr_null(tftp_table_in_the_way(t));
        x[n] = add(t, n);
        ck_assert(!x[n]->heard);
    }
    ck_assert_uint_eq(tftp_table_half_open(t), 3);
    ck_assert_ptr_eq(tftp_table_in_the_way(t), x[0]);
    tftp_table_linger(t, x[0]); /* ended without a word */
    ck_assert_ptr_null(tftp_table_in_the_way(t));
    tftp_table_heard(t, x[1]);
    for (unsigned n = 3; n < 5; n++) {
        x[n] = add(t, n);
    }
    ck_assert_ptr_eq(tftp_table_in_the_way(t), x[2]);
    tftp_table_free(t);
}
END_TEST

START_TEST(half_open_ones_do_not_fill_the_table)
{
    struct tftp_table *t = tftp_table_new(2, 3, &seed);
    struct tftp_transfer *x[5];
    for (unsigned n = 0; n < 3; n++) {
        x[n] = add(t, n);
    }
    ck_assert(!tftp_table_is_full(t));
    tftp_table_heard(t, x[0]);
    tftp_table_heard(t, x[1]);
    ck_assert(tftp_table_is_full(t)); /* of those that were answered */
    tftp_table_linger(t, x[0]);
    ck_assert(!tftp_table_is_full(t));
    tftp_table_remove(t, x[0]);
    x[3] = add(t, 3);
    x[4] = add(t, 4);
    ck_assert_uint_eq(tftp_table_running(t), 4);
    ck_assert_uint_eq(tftp_table_half_open(t), 3);
    tftp_table_heard(t, x[2]); /* was let in before: one more than said */
    tftp_table_heard(t, x[3]);
    ck_assert(tftp_table_is_full(t));
    tftp_table_remove(t, x[1]);
    ck_assert(tftp_table_is_full(t));
    tftp_table_remove(t, x[2]);
    ck_assert(!tftp_table_is_full(t));
    tftp_table_free(t);
}
END_TEST

/* -- who gives way ------------------------------------------------------------------------ */

#define HERE  (100 * USEC_PER_SEC)
#define LATER (HERE + TFTP_HOLDERS_STILL)

static struct net_path port_of(unsigned address, unsigned port)
{
    struct net_path path = path_of(address);
    path.peer.port = (uint16_t)port;
    return path;
}

/* Answered, and made progress at that time. */
static struct tftp_transfer *answered(struct tftp_table *t, unsigned address,
                                      unsigned port, usec_t progress)
{
    struct net_path path = port_of(address, port);
    struct tftp_transfer *x = tftp_table_add(t, &path);
    ck_assert_ptr_nonnull(x);
    x->session.progress_at = progress;
    tftp_table_heard(t, x);
    return x;
}

static struct tftp_transfer *for_address(struct tftp_table *t, unsigned address,
                                         usec_t now)
{
    struct net_path path = port_of(address, 9);
    return tftp_table_gives_way(t, &path.peer, now);
}

START_TEST(who_holds_most_gives_way)
{
    struct tftp_table *t = tftp_table_new(8, 2, &seed);
    struct tftp_transfer *many[4];
    for (unsigned n = 0; n < 4; n++) {
        many[n] = answered(t, 1, 1000 + n, HERE + n);
    }
    (void)answered(t, 2, 1000, HERE);
    (void)answered(t, 2, 1001, HERE);
    /* the one that moved on longest ago, whoever asks and would hold fewer */
    ck_assert_ptr_eq(for_address(t, 3, HERE), many[0]);
    ck_assert_ptr_eq(for_address(t, 2, HERE), many[0]);
    ck_assert_ptr_null(for_address(t, 1, HERE));
    tftp_table_linger(t, many[0]);
    ck_assert_ptr_eq(for_address(t, 3, HERE), many[1]);
    ck_assert_ptr_null(for_address(t, 2, HERE)); /* it would hold as many */
    tftp_table_linger(t, many[1]);
    tftp_table_linger(t, many[2]);
    ck_assert_ptr_nonnull(for_address(t, 3, HERE)); /* of 2 now */
    tftp_table_free(t);
}
END_TEST

START_TEST(what_moves_on_gives_way_to_no_equal)
{
    struct tftp_table *t = tftp_table_new(100, 2, &seed);
    struct tftp_transfer *x[40];
    for (unsigned n = 0; n < 40; n++) {
        x[n] = answered(t, n, 1000, n == 25 ? HERE : LATER);
    }
    ck_assert_ptr_null(for_address(t, 50, LATER - 1));
    struct tftp_transfer *found = NULL;
    for (unsigned tries = 0; tries < 40 && !found; tries++) {
        found = for_address(t, 50, LATER); /* a few are looked at each time */
    }
    ck_assert_ptr_eq(found, x[25]);
    tftp_table_free(t);
}
END_TEST

START_TEST(nobody_there_gives_way)
{
    struct tftp_table *t = tftp_table_new(4, 2, &seed);
    ck_assert_ptr_null(for_address(t, 1, LATER));
    (void)add(t, 2); /* half open: does not count */
    ck_assert_ptr_null(for_address(t, 1, LATER));
    struct tftp_transfer *x = answered(t, 3, 1000, HERE);
    ck_assert_ptr_eq(for_address(t, 3, LATER), x);
    tftp_table_remove(t, x);
    ck_assert_ptr_null(for_address(t, 1, LATER));
    tftp_table_free(t);
}
END_TEST

Suite *suite_tftp_table(void)
{
    Suite *s = suite_create("tftp/table");
    TCase *tc = tcase_create("slots");
    tcase_add_test(tc, a_transfer_is_found_by_address_and_port);
    tcase_add_test(tc, a_full_table_says_so);
    tcase_add_test(tc, the_one_that_ended_first_gives_way_first);
    tcase_add_test(tc, half_open_ones_make_room_by_age);
    tcase_add_test(tc, half_open_ones_do_not_fill_the_table);
    tcase_add_test(tc, who_holds_most_gives_way);
    tcase_add_test(tc, what_moves_on_gives_way_to_no_equal);
    tcase_add_test(tc, nobody_there_gives_way);
    suite_add_tcase(s, tc);
    return s;
}
