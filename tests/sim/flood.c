/*
 * Floods of requests on virtual time: the tables, budgets and sessions of port 69, put
 * together as tftp/transfer does it, without sockets and files.
 *
 * Whoever answers does so a moment later, as on a network at hand; forged addresses never do.
 */
#include <string.h>

#include "common/timers.h"
#include "tests/sim/random.h"
#include "tests/sim/suites.h"
#include "tftp/budget.h"
#include "tftp/table.h"

#define CROWD    4096 /* max_transfers, as installed */
#define HALF     2048
#define TRIP     (1 * USEC_PER_MSEC)
#define LINGER   (2 * USEC_PER_SEC)
#define FLOOD_UP 100000 /* requests a second: more than a processor serves */

static const struct hash_seed seed = {3, 4};

struct door {
    struct tftp_table *table;
    struct tftp_budget *budget;
    struct timers timers;
    struct timer *slots[CROWD + HALF];
    usec_t now;
    uint64_t sent; /* first packets, repeats included */
    uint64_t refused;
    uint64_t displaced;
};

static void open_door(struct door *d)
{
    *d = (struct door){.now = USEC_PER_SEC};
    d->table = tftp_table_new(CROWD, HALF, &seed);
    d->budget = tftp_budget_new(CROWD, &seed);
    timers_init(&d->timers, d->slots, CROWD + HALF);
}

static void close_door(struct door *d)
{
    tftp_table_free(d->table);
    tftp_budget_free(d->budget);
}

static void linger(struct door *d, struct tftp_transfer *x)
{
    tftp_table_linger(d->table, x);
    timers_set(&d->timers, &x->timer, d->now + LINGER);
}

static void pump(struct door *d, struct tftp_transfer *x)
{
    struct tftp_send out;
    while (tftp_session_next(&x->session, d->now, &out)) {
        d->sent += x->session.state == TFTP_OFFERED;
    }
    if (x->session.state == TFTP_ENDED) {
        linger(d, x);
    } else {
        timers_set(&d->timers, &x->timer, tftp_session_deadline(&x->session));
    }
}

static void forget(struct door *d, struct tftp_transfer *x)
{
    timers_set(&d->timers, &x->timer, USEC_NEVER);
    tftp_table_remove(d->table, x);
}

/* Time goes on to there. */
static void until(struct door *d, usec_t when)
{
    struct timer *due;
    while (timers_next(&d->timers) <= when) {
        d->now = timers_next(&d->timers) > d->now ? timers_next(&d->timers) : d->now;
        while ((due = timers_due(&d->timers, d->now)) != NULL) {
            struct tftp_transfer *x =
                (struct tftp_transfer *)((char *)due -
                                         offsetof(struct tftp_transfer, timer));
            if (x->lingers) {
                forget(d, x);
            } else {
                tftp_session_timeout(&x->session, d->now);
                pump(d, x);
            }
        }
    }
    d->now = when;
}

static struct tftp_transfer *slot(struct door *d, const struct net_path *path)
{
    struct tftp_transfer *first = tftp_table_in_the_way(d->table);
    if (tftp_table_is_full(d->table)) {
        return NULL;
    }
    if (first) {
        tftp_session_displace(&first->session);
        linger(d, first);
        d->displaced++;
    }
    struct tftp_transfer *x = tftp_table_add(d->table, path);
    if (!x && tftp_table_oldest(d->table)) {
        forget(d, tftp_table_oldest(d->table));
        x = tftp_table_add(d->table, path);
    }
    return x;
}

/* NULL: it was left alone. */
static struct tftp_transfer *request(struct door *d, const struct endpoint *from,
                                     bool by_dhcp)
{
    const struct tftp_terms terms = {.file_size = 3000,
                                     .blksize = 1468,
                                     .window = 4,
                                     .oack = true,
                                     .rto_max = TFTP_RTO_MAX,
                                     .patience = TFTP_PATIENCE};
    const struct net_path path = {.peer = *from};
    enum tftp_trust trust = tftp_budget_trust(d->budget, from, by_dhcp, d->now);
    if (!tftp_budget_has(d->budget, TFTP_FIRST, from, trust, d->now)) {
        d->refused++;
        return NULL;
    }
    struct tftp_transfer *x = tftp_table_find(d->table, from);
    if (x) {
        forget(d, x);
    }
    x = slot(d, &path);
    ck_assert_ptr_nonnull(x);
    x->trust = (uint8_t)trust;
    x->paid = 1;
    tftp_budget_take(d->budget, TFTP_FIRST, from, trust, d->now);
    tftp_session_init(&x->session, &terms, d->now);
    pump(d, x);
    return x;
}

/* An ACK of the client.  False: its transfer is not there any more. */
static bool answer(struct door *d, const struct endpoint *from, uint16_t block)
{
    const struct tftp_packet ack = {.op = TFTP_ACK, .block = block};
    struct tftp_transfer *x = tftp_table_find(d->table, from);
    if (!x || x->lingers) {
        return false;
    }
    tftp_session_input(&x->session, &ack, d->now);
    if (!x->heard && x->session.state != TFTP_OFFERED) {
        tftp_table_heard(d->table, x);
        tftp_budget_answered(d->budget, from, (enum tftp_trust)x->trust, x->paid, d->now);
    }
    pump(d, x);
    return true;
}

static struct endpoint client(unsigned net, unsigned n, uint16_t port)
{
    struct ip4 ip = {{10, (uint8_t)net, (uint8_t)(n >> 8), (uint8_t)n}};
    return endpoint_ip4(ip, port);
}

static bool is_under_way(struct door *d, const struct endpoint *from)
{
    const struct tftp_transfer *x = tftp_table_find(d->table, from);
    return x && !x->lingers && x->heard;
}

/* `count` requests from ever other addresses, in this time. */
static void flood(struct door *d, struct sim_random *random, unsigned count, usec_t span)
{
    usec_t begin = d->now;
    for (unsigned i = 0; i < count; i++) {
        uint64_t n = sim_random_next(random);
        struct endpoint forged = client(200 + n % 8, (unsigned)(n >> 8) & 0xffff,
                                        (uint16_t)(1024 + (n >> 32) % 60000));
        until(d, begin + span * i / count);
        (void)request(d, &forged, false);
    }
    until(d, begin + span);
}

START_TEST(an_honest_client_starts_behind_mute_ones)
{
    static const unsigned mutes[] = {1000, HALF - 1, HALF, HALF + 1, 6000};
    static struct door d;
    struct sim_random random = {5};
    struct endpoint honest = client(1, 1, 2000);
    open_door(&d);
    flood(&d, &random, mutes[_i], 100 * USEC_PER_MSEC);
    ck_assert_uint_le(tftp_table_half_open(d.table), HALF);
    struct tftp_transfer *x = request(&d, &honest, false);
    ck_assert_ptr_nonnull(x);
    ck_assert_uint_eq(x->session.first_sends, 1); /* its packet left at that moment */
    until(&d, d.now + TRIP);
    ck_assert(answer(&d, &honest, 0));
    ck_assert(is_under_way(&d, &honest));
    ck_assert_uint_gt(x->session.high, 0);
    close_door(&d);
}
END_TEST

START_TEST(a_mute_crowd_gets_three_packets_each_and_then_is_forgotten)
{
    static struct door d;
    open_door(&d);
    for (unsigned n = 0; n < 1000; n++) {
        struct endpoint mute = client(2, n, 2000);
        ck_assert_ptr_nonnull(request(&d, &mute, false));
    }
    until(&d, d.now + 60 * USEC_PER_SEC);
    ck_assert_uint_eq(d.sent, 1000U * TFTP_FIRST_SENDS);
    ck_assert_uint_eq(tftp_table_running(d.table), 0);
    ck_assert_uint_eq(d.displaced, 0);
    close_door(&d);
}
END_TEST

START_TEST(a_flood_harms_no_transfer_and_no_known_machine)
{
    static struct door d;
    struct sim_random random = {6};
    struct endpoint busy[10];
    open_door(&d);
    for (unsigned n = 0; n < 10; n++) {
        busy[n] = client(1, n, 2000);
        ck_assert_ptr_nonnull(request(&d, &busy[n], false));
        ck_assert(answer(&d, &busy[n], 0));
    }
    for (unsigned step = 0; step < 50; step++) {
        struct endpoint by_dhcp = client(3, step, 3000);
        struct endpoint again = client(1, step % 10, (uint16_t)(4000 + step));
        flood(&d, &random, FLOOD_UP / 100, 10 * USEC_PER_MSEC);
        ck_assert_ptr_nonnull(request(&d, &by_dhcp, true));
        ck_assert_ptr_nonnull(request(&d, &again, false)); /* has answered before */
        flood(&d, &random, FLOOD_UP / 1000, TRIP);
        ck_assert(answer(&d, &by_dhcp, 0));
        ck_assert(answer(&d, &again, 0));
    }
    for (unsigned n = 0; n < 10; n++) {
        ck_assert(is_under_way(&d, &busy[n]));
    }
    ck_assert_uint_gt(d.refused, 0);
    close_door(&d);
}
END_TEST

/* A stranger's request has the chance that the budget has of the flood, each time. */
START_TEST(a_stranger_gets_through_a_flood_by_asking_again)
{
    static struct door d;
    struct sim_random random = {(uint64_t)_i + 7};
    struct tftp_allowance all = tftp_budget_of_all(TFTP_FIRST, CROWD);
    unsigned served = 0;
    unsigned tries = 0;
    open_door(&d);
    flood(&d, &random, FLOOD_UP, USEC_PER_SEC); /* takes the burst away */
    for (unsigned n = 0; n < 20; n++) {
        struct endpoint stranger = client(4, n, 2000);
        unsigned once = 0;
        while (!request(&d, &stranger, false) && once++ < 100) {
            flood(&d, &random, FLOOD_UP / 100, 10 * USEC_PER_MSEC);
        }
        tries += once;
        flood(&d, &random, FLOOD_UP / 1000, TRIP);
        served += answer(&d, &stranger, 0);
    }
    ck_assert_uint_eq(served, 20);
    ck_assert_uint_le(tries / 20, 3 * FLOOD_UP / all.per_second);
    close_door(&d);
}
END_TEST

START_TEST(what_leaves_for_strangers_is_bounded)
{
    static struct door d;
    struct sim_random random = {8};
    struct tftp_allowance all = tftp_budget_of_all(TFTP_FIRST, CROWD);
    open_door(&d);
    flood(&d, &random, 5 * FLOOD_UP, 5 * USEC_PER_SEC);
    until(&d, d.now + 60 * USEC_PER_SEC);
    /* each half-open slot repeats twice in a while; the displaced ones never do */
    ck_assert_uint_le(d.sent, all.burst + 5 * all.per_second + 2 * HALF);
    close_door(&d);
}
END_TEST

START_TEST(what_leaves_for_one_address_is_bounded)
{
    static struct door d;
    struct tftp_allowance one = tftp_budget_of_one(TFTP_FIRST, CROWD);
    open_door(&d);
    usec_t begin = d.now;
    for (unsigned i = 0; i < 3 * FLOOD_UP; i++) {
        struct endpoint victim = client(5, 5, (uint16_t)(1024 + i % 60000));
        until(&d, begin + i * USEC_PER_SEC / FLOOD_UP);
        (void)request(&d, &victim, false);
    }
    until(&d, d.now + 60 * USEC_PER_SEC);
    ck_assert_uint_le(d.sent, 3 * ((uint64_t)one.burst + 3 * one.per_second + 1));
    struct endpoint other = client(5, 6, 2000);
    ck_assert_ptr_nonnull(request(&d, &other, false));
    close_door(&d);
}
END_TEST

/* Ten files each, all at once, as one address: NAT in front of a container. */
START_TEST(a_thousand_machines_behind_one_address_meet_no_limit)
{
    static struct door d;
    open_door(&d);
    for (unsigned file = 0; file < 10; file++) {
        for (unsigned n = 0; n < 1000; n++) {
            struct endpoint from = client(6, 6, (uint16_t)(10000 + n));
            ck_assert_ptr_nonnull(request(&d, &from, false));
            if (file % 2 == 0) { /* asked twice, the first left alone: a size probe */
                from.port = (uint16_t)(20000 + n);
                ck_assert_ptr_nonnull(request(&d, &from, false));
            }
        }
        until(&d, d.now + 20 * TRIP);
        for (unsigned n = 0; n < 1000; n++) {
            struct endpoint from = client(6, 6, (uint16_t)(10000 + n));
            ck_assert(answer(&d, &from, 0));
            ck_assert(answer(&d, &from, 3));
            if (file % 2 == 0) {
                from.port = (uint16_t)(20000 + n);
                ck_assert(answer(&d, &from, 0));
                ck_assert(answer(&d, &from, 3));
            }
        }
    }
    for (unsigned miss = 0; miss < 20 * 1000; miss++) { /* PXELINUX, within a second */
        struct endpoint from = client(6, 6, 10000);
        until(&d, d.now + USEC_PER_SEC / 20000);
        ck_assert(tftp_budget_has(d.budget, TFTP_REFUSAL, &from, TFTP_ANSWERED, d.now));
        tftp_budget_take(d.budget, TFTP_REFUSAL, &from, TFTP_ANSWERED, d.now);
    }
    ck_assert_uint_eq(d.refused, 0);
    ck_assert_uint_eq(d.displaced, 0);
    close_door(&d);
}
END_TEST

/* The same thousand with addresses of their own, and hundreds of modules for GRUB. */
START_TEST(a_thousand_strangers_at_once_meet_no_limit)
{
    static struct door d;
    open_door(&d);
    for (unsigned file = 0; file < 200; file++) {
        for (unsigned n = 0; n < 1000; n++) {
            struct endpoint from = client(7, n, (uint16_t)(2000 + file));
            ck_assert_ptr_nonnull(request(&d, &from, false));
        }
        until(&d, d.now + TRIP);
        for (unsigned n = 0; n < 1000; n++) {
            struct endpoint from = client(7, n, (uint16_t)(2000 + file));
            ck_assert(answer(&d, &from, 0));
            ck_assert(answer(&d, &from, 3));
        }
    }
    ck_assert_uint_eq(d.refused, 0);
    ck_assert_uint_eq(d.displaced, 0);
    close_door(&d);
}
END_TEST

TCase *sim_flood(void)
{
    TCase *tc = tcase_create("flood");
    tcase_set_tags(tc, "volume");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, an_honest_client_starts_behind_mute_ones, 0, 5);
    tcase_add_test(tc, a_mute_crowd_gets_three_packets_each_and_then_is_forgotten);
    tcase_add_test(tc, a_flood_harms_no_transfer_and_no_known_machine);
    tcase_add_loop_test(tc, a_stranger_gets_through_a_flood_by_asking_again, 0, 3);
    tcase_add_test(tc, what_leaves_for_strangers_is_bounded);
    tcase_add_test(tc, what_leaves_for_one_address_is_bounded);
    tcase_add_test(tc, a_thousand_machines_behind_one_address_meet_no_limit);
    tcase_add_test(tc, a_thousand_strangers_at_once_meet_no_limit);
    return tc;
}
