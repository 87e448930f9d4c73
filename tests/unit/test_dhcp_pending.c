#include <stdlib.h>

#include "dhcp/pending.h"
#include "dhcp/repeats.h"
#include "tests/unit/judge.h"
#include "tests/unit/suites.h"

#define MSEC USEC_PER_MSEC

static struct pending *pending;

static void set_up(void)
{
    pending = calloc(1, sizeof *pending);
    ck_assert_ptr_nonnull(pending);
}

static void tear_down(void)
{
    free(pending);
}

/* The offer for machine n is put aside until due. */
static bool put(uint16_t n, usec_t due)
{
    static const char json[] = CONFIG(PROFILE_C0 ", 'offer': 'both'", "");
    static struct dhcp_decision *d;
    struct request r = discover(7);
    struct pending_offer where = {.due = due, .interface = n % 3};
    uint8_t buf[1500];
    r.mac[4] = (uint8_t)(n >> 8);
    r.mac[5] = (uint8_t)n;
    struct dhcp_packet in = packet_of(&r, buf);
    d = n == 0 || !d ? decide_at(json, &by_broadcast, &r) : d;
    pending_drop(pending, &in);
    return pending_put(pending, &in, d, &where);
}

START_TEST(an_offer_goes_out_at_its_time_and_once)
{
    ck_assert(pending_deadline(pending) == USEC_NEVER);
    ck_assert(put(0, 1500 * MSEC) && put(1, 300 * MSEC));
    ck_assert(pending_deadline(pending) == 300 * MSEC);
    ck_assert_ptr_null(pending_take(pending, 299 * MSEC));
    const struct pending_offer *o = pending_take(pending, 300 * MSEC);
    ck_assert_uint_eq(o->interface, 1);
    ck_assert_uint_eq(o->chaddr[5], 1);
    ck_assert_uint_eq(o->reply_count, 2);
    ck_assert_ptr_null(pending_take(pending, 300 * MSEC));
    ck_assert(pending_deadline(pending) == 1500 * MSEC);
    ck_assert_uint_ge(pending_take(pending, USEC_NEVER - 1)->reply[1].len, 300);
    ck_assert(pending_deadline(pending) == USEC_NEVER);
}
END_TEST

START_TEST(b42_the_next_discover_takes_back_what_waits)
{
    ck_assert(put(0, 1500 * MSEC) && put(0, 2500 * MSEC));
    ck_assert_ptr_null(pending_take(pending, 2499 * MSEC));
    ck_assert_ptr_nonnull(pending_take(pending, 2500 * MSEC));
    ck_assert_ptr_null(pending_take(pending, 9999 * MSEC));
}
END_TEST

START_TEST(a_full_queue_takes_no_more)
{
    for (uint16_t n = 0; n < PENDING_MAX; n++) {
        ck_assert(put(n, (1000 - n) * MSEC));
    }
    ck_assert(!put(PENDING_MAX, 1));
    ck_assert(pending_deadline(pending) == (1000 - PENDING_MAX + 1) * MSEC);
    ck_assert(put(7, 2000 * MSEC)); /* its own place is free again */
    unsigned count = 0;
    while (pending_take(pending, 3000 * MSEC)) {
        count++;
    }
    ck_assert_uint_eq(count, PENDING_MAX);
}
END_TEST

/* A flood of strangers keeps out no machine of the table. */
START_TEST(a_machine_that_a_host_names_finds_a_place)
{
    static const char json[] = CONFIG(PROFILE_C0, "");
    static const struct host host;
    uint8_t buf[1500];
    struct request r = discover(7);
    struct pending_offer where = {.due = 500 * MSEC};
    for (uint16_t n = 0; n < PENDING_MAX; n++) {
        ck_assert(put(n, (1000 + n) * MSEC));
    }
    for (unsigned n = 0; n < 1000; n++) {
        ck_assert(!put((uint16_t)(PENDING_MAX + n), 1)); /* strangers do not */
    }
    r.mac[0] = 2;
    struct dhcp_packet in = packet_of(&r, buf);
    struct dhcp_decision *d = decide_at(json, &by_broadcast, &r);
    d->host = &host;
    ck_assert(!pending_put(pending, &in, d, &where)); /* another one fell out */
    const struct pending_offer *o = pending_take(pending, 500 * MSEC);
    ck_assert_ptr_nonnull(o);
    ck_assert_uint_eq(o->chaddr[0], 2);
    unsigned count = 0;
    usec_t last = 0;
    for (usec_t t = 1000; t <= 1300; t++) {
        while (pending_take(pending, t * MSEC)) {
            last = t;
            count++;
        }
    }
    ck_assert_uint_eq(count, PENDING_MAX - 1);
    ck_assert_uint_eq(last, 1000 + PENDING_MAX - 2); /* the one that was farthest off */
}
END_TEST

/* -- repeats ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    unsigned ms; /* after the first, on interface 0 */
    size_t interface;
    uint32_t xid; /* the first is 0x01020304 */
    uint8_t mac;  /* last octet; the first is 0x56 */
    uint8_t type;
    bool heard;
} repeat_rows[] = {
    {"the other interface, at once", 0, 1, 0x01020304, 0x56, 1, true},
    {"the other interface, a little later", 1999, 1, 0x01020304, 0x56, 1, true},
    {"the other interface, two seconds later", 2000, 1, 0x01020304, 0x56, 1, false},
    {"the same interface: it asks again", 1000, 0, 0x01020304, 0x56, 1, false},
    {"another transaction", 0, 1, 0x01020305, 0x56, 1, false},
    {"another client", 0, 1, 0x01020304, 0x57, 1, false},
    {"another message", 0, 1, 0x01020304, 0x56, 3, false},
};

START_TEST(only_the_other_interface_repeats)
{
    struct repeats *repeats = calloc(1, sizeof *repeats);
    struct request r = discover(7);
    uint8_t buf[1500];
    ck_assert_ptr_nonnull(repeats);
    struct dhcp_packet in = packet_of(&r, buf);
    ck_assert(!repeats_heard(repeats, &in, 0, 10 * USEC_PER_SEC));
    r.xid = repeat_rows[_i].xid;
    r.mac[5] = repeat_rows[_i].mac;
    request_set(&r, 53, &repeat_rows[_i].type, 1);
    in = packet_of(&r, buf);
    bool heard = repeats_heard(repeats, &in, repeat_rows[_i].interface,
                               10 * USEC_PER_SEC + repeat_rows[_i].ms * MSEC);
    ck_assert_msg(heard == repeat_rows[_i].heard, "%s", repeat_rows[_i].name);
    free(repeats);
}
END_TEST

START_TEST(a_client_that_asks_again_is_heard_on_the_first_interface)
{
    struct repeats *repeats = calloc(1, sizeof *repeats);
    struct request r = discover(7);
    uint8_t buf[1500];
    ck_assert_ptr_nonnull(repeats);
    struct dhcp_packet in = packet_of(&r, buf);
    for (usec_t t = 10; t < 15; t++) { /* iPXE keeps its xid, and 1 may be the sooner */
        bool first = t == 10;
        ck_assert(repeats_heard(repeats, &in, first ? 0 : 1, t * USEC_PER_SEC) == !first);
        ck_assert(repeats_heard(repeats, &in, first ? 1 : 0, t * USEC_PER_SEC) == first);
    }
    free(repeats);
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof(list)[0])

Suite *suite_dhcp_pending(void)
{
    Suite *s = suite_create("dhcp/pending, dhcp/repeats");
    TCase *tc = tcase_create("time");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, an_offer_goes_out_at_its_time_and_once);
    tcase_add_test(tc, b42_the_next_discover_takes_back_what_waits);
    tcase_add_test(tc, a_full_queue_takes_no_more);
    tcase_add_test(tc, a_machine_that_a_host_names_finds_a_place);
    tcase_add_loop_test(tc, only_the_other_interface_repeats, 0, COUNT(repeat_rows));
    tcase_add_test(tc, a_client_that_asks_again_is_heard_on_the_first_interface);
    suite_add_tcase(s, tc);
    return s;
}
