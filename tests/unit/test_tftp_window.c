#include <string.h>

#include "tests/unit/suites.h"
#include "tftp/ahead.h"
#include "tftp/window.h"

static const struct hash_seed seed = {5, 6};
static const struct tftp_shape edk2 = {TFTP_KIND_EDK2, 0x1234};
static const struct tftp_shape uboot = {TFTP_KIND_UBOOT, 0x5678};

#define HOUR (3600 * USEC_PER_SEC)

static struct endpoint client(unsigned subnet, unsigned n)
{
    return endpoint_ip4((struct ip4){{10, 0, (uint8_t)subnet, (uint8_t)n}},
                        (uint16_t)(1024 + n));
}

/* -- shapes ------------------------------------------------------------------------------- */

#define BYTES(s) (s), sizeof(s) - 1

static const struct {
    const char *name;
    const char *options;
    size_t len;
    enum tftp_kind kind;
} shapes[] = {
    {"EDK2, size probe", BYTES("tsize\0000\0blksize\0001468\0windowsize\0004\0"),
     TFTP_KIND_EDK2},
    {"EDK2", BYTES("blksize\0001468\0windowsize\0004\0"), TFTP_KIND_EDK2},
    {"EDK2 by way of shim", BYTES("blksize\000512\0windowsize\0004\0"), TFTP_KIND_EDK2},
    {"EDK2 without windows", BYTES("blksize\0001468\0"), TFTP_KIND_EDK2_LOCKSTEP},
    {"shim without windows", BYTES("blksize\000512\0"), TFTP_KIND_EDK2_LOCKSTEP},
    {"U-Boot", BYTES("timeout\0005\0blksize\0001468\0windowsize\00032\0"),
     TFTP_KIND_UBOOT},
    {"U-Boot, tsize too",
     BYTES("timeout\0005\0tsize\0000\0blksize\0001468\0windowsize\00032\0"),
     TFTP_KIND_UBOOT},
    {"U-Boot in lock-step", BYTES("timeout\0005\0blksize\0001468\0"), TFTP_KIND_OTHER},
    {"iPXE", BYTES("blksize\0001432\0tsize\0000\0"), TFTP_KIND_IPXE},
    {"iPXE, an unknown option", BYTES("blksize\0001432\0tsize\0000\0multicast\0\0"),
     TFTP_KIND_IPXE},
    {"GRUB", BYTES("blksize\0001024\0tsize\0000\0"), TFTP_KIND_GRUB},
    {"PXELINUX", BYTES("tsize\0000\0blksize\0001408\0"), TFTP_KIND_PXELINUX},
    {"bootmgr",
     BYTES("tsize\0000\0blksize\0001456\0windowsize\0004\0"
           "msftwindow\00031416\0"),
     TFTP_KIND_BOOTMGR},
    {"nothing asked", BYTES(""), TFTP_KIND_OTHER},
    {"tsize alone: an old Raspberry Pi", BYTES("tsize\0000\0"), TFTP_KIND_OTHER},
    {"a real tsize", BYTES("blksize\0001432\0tsize\0007\0"), TFTP_KIND_OTHER},
    {"larger than iPXE asks", BYTES("blksize\0008192\0tsize\0000\0"), TFTP_KIND_OTHER},
};

START_TEST(a_program_is_known_by_what_it_asks)
{
    struct tftp_opts asked = tftp_opts_parse(rd_over(shapes[_i].options, shapes[_i].len));
    struct tftp_shape shape = tftp_shape_of(&asked);
    ck_assert_msg(shape.kind == shapes[_i].kind, "%s: got %s, want %s", shapes[_i].name,
                  tftp_kind_name(shape.kind), tftp_kind_name(shapes[_i].kind));
}
END_TEST

START_TEST(the_order_of_options_and_the_block_size_make_the_key)
{
    struct tftp_opts a = tftp_opts_parse(rd_over(BYTES("tsize\0000\0blksize\0001408\0")));
    struct tftp_opts b = tftp_opts_parse(rd_over(BYTES("blksize\0001408\0tsize\0000\0")));
    struct tftp_opts c = tftp_opts_parse(rd_over(BYTES("tsize\0000\0blksize\0001407\0")));
    ck_assert_uint_ne(tftp_shape_of(&a).key, tftp_shape_of(&b).key);
    ck_assert_uint_ne(tftp_shape_of(&a).key, tftp_shape_of(&c).key);
}
END_TEST

/* -- what was carried ---------------------------------------------------------------------- */

/* Transfers of one client, one after the other; what is granted after them. */
static const struct {
    const char *name;
    const struct tftp_shape *shape;
    struct tftp_carried told[4];
    uint32_t then;
} histories[] = {
    {"nothing is known", &edk2, {{0}}, 16},
    {"nothing is known of a U-Boot", &uboot, {{0}}, 24},
    {"a clean transfer", &edk2, {{.granted = 16, .blocks = 1000}}, 32},
    {"two",
     &edk2,
     {{.granted = 16, .blocks = 1000}, {.granted = 32, .blocks = 1000}},
     64},
    {"one that used less than what is known",
     &edk2,
     {{.granted = 8, .blocks = 1000}},
     16},
    {"a short one", &edk2, {{.granted = 16, .blocks = 63}}, 16},
    {"just long enough", &edk2, {{.granted = 16, .blocks = 64}}, 32},
    {"some loss", &edk2, {{.granted = 16, .blocks = 1000, .resent = 30}}, 16},
    {"much loss", &edk2, {{.granted = 16, .blocks = 1000, .resent = 100}}, 8},
    {"much loss in what used less",
     &edk2,
     {{.granted = 6, .blocks = 1000, .resent = 100}},
     4},
    {"a stall", &uboot, {{.granted = 24, .blocks = 32, .stalled = true}}, 12},
    {"a stall at once", &uboot, {{.granted = 24, .blocks = 0, .stalled = true}}, 12},
    {"stalls",
     &uboot,
     {{.granted = 24, .stalled = true},
      {.granted = 12, .stalled = true},
      {.granted = 6, .stalled = true},
      {.granted = 4, .stalled = true}},
     4},
    {"does not take what is sent ahead",
     &edk2,
     {{.granted = 16, .blocks = 1000, .refused = true}},
     1},
};

START_TEST(a_window_follows_what_was_carried)
{
    struct tftp_windows *t = tftp_windows_new(8, &seed);
    struct endpoint at = client(0, 7);
    struct tftp_wire wire;
    for (unsigned i = 0; i < 4 && histories[_i].told[i].granted > 0; i++) {
        tftp_windows_tell(t, &at, histories[_i].shape, &histories[_i].told[i], i);
    }
    at.port++; /* each file comes to another one */
    uint32_t got = tftp_windows_ask(t, &at, histories[_i].shape, 10, &wire);
    ck_assert_msg(got == histories[_i].then, "%s: got %u, want %u", histories[_i].name,
                  got, histories[_i].then);
    tftp_windows_free(t);
}
END_TEST

/* What was said once more after it was forgotten is news. */
START_TEST(a_refusal_is_remembered_each_time)
{
    const usec_t later = TFTP_WINDOWS_LIFE + 5;
    struct tftp_windows *t = tftp_windows_new(8, &seed);
    struct tftp_carried refused = {.granted = 16, .blocks = 1000, .refused = true};
    struct endpoint at = client(0, 7);
    struct tftp_wire wire;
    tftp_windows_tell(t, &at, &edk2, &refused, 0);
    ck_assert_uint_eq(tftp_windows_ask(t, &at, &edk2, 1, &wire), 1);
    ck_assert_uint_eq(tftp_windows_ask(t, &at, &edk2, later, &wire), 16);
    tftp_windows_tell(t, &at, &edk2, &refused, later);
    ck_assert_uint_eq(tftp_windows_ask(t, &at, &edk2, later + 1, &wire), 1);
    tftp_windows_free(t);
}
END_TEST

START_TEST(a_new_client_gets_what_its_subnet_has_carried)
{
    struct tftp_windows *t = tftp_windows_new(8, &seed);
    struct tftp_carried clean = {
        .granted = 16, .blocks = 1000, .wire = {.srtt = 300, .apart = 90}};
    struct endpoint first = client(0, 7);
    struct endpoint other = client(0, 8);
    struct endpoint far = client(1, 7);
    struct tftp_wire wire;
    tftp_windows_tell(t, &first, &edk2, &clean, 0);
    ck_assert_uint_eq(tftp_windows_ask(t, &first, &edk2, 1, &wire), 32);
    ck_assert_uint_eq(wire.srtt, 300);
    ck_assert_uint_eq(tftp_windows_ask(t, &other, &edk2, 1, &wire), 32);
    ck_assert_uint_eq(wire.srtt, 0); /* its wire is its own */
    ck_assert_uint_eq(tftp_windows_ask(t, &other, &uboot, 1, &wire), 24);
    ck_assert_uint_eq(tftp_windows_ask(t, &far, &edk2, 1, &wire), 16);

    /* It was too much for the other one: that is no reason for the first to get less. */
    struct tftp_carried lossy = {.granted = 32, .blocks = 1000, .resent = 500};
    tftp_windows_tell(t, &other, &edk2, &lossy, 2);
    ck_assert_uint_eq(tftp_windows_ask(t, &other, &edk2, 3, &wire), 16);
    ck_assert_uint_eq(tftp_windows_ask(t, &first, &edk2, 3, &wire), 32);
    tftp_windows_free(t);
}
END_TEST

START_TEST(the_first_window_can_be_set)
{
    static const struct {
        uint32_t first;
        uint32_t edk2;
        uint32_t uboot;
    } rows[] = {{1, 1, 1}, {8, 8, 8}, {16, 16, 24}, {64, 64, 24}};
    struct tftp_windows *t = tftp_windows_new(8, &seed);
    struct endpoint at = client(0, 7);
    struct tftp_wire wire;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tftp_windows_set_first(t, rows[i].first);
        ck_assert_uint_eq(tftp_windows_ask(t, &at, &edk2, 0, &wire), rows[i].edk2);
        ck_assert_uint_eq(tftp_windows_ask(t, &at, &uboot, 0, &wire), rows[i].uboot);
    }
    tftp_windows_free(t);
}
END_TEST

START_TEST(subnets_of_ipv6_are_64_bits)
{
    struct tftp_windows *t = tftp_windows_new(8, &seed);
    struct endpoint a = {.ip = {0x20, 1, 13, 0xb8, 0, 0, 0, 1, [15] = 1}, .port = 1};
    struct endpoint b = a;
    struct endpoint c = a;
    struct tftp_carried clean = {.granted = 16, .blocks = 1000};
    struct tftp_wire wire;
    b.ip[8] = 1;
    c.ip[7] = 2;
    tftp_windows_tell(t, &a, &edk2, &clean, 0);
    ck_assert_uint_eq(tftp_windows_ask(t, &b, &edk2, 1, &wire), 32);
    ck_assert_uint_eq(tftp_windows_ask(t, &c, &edk2, 1, &wire), 16);
    tftp_windows_free(t);
}
END_TEST

START_TEST(what_was_carried_long_ago_is_forgotten)
{
    struct tftp_windows *t = tftp_windows_new(8, &seed);
    struct endpoint at = client(0, 7);
    struct tftp_carried clean = {.granted = 16, .blocks = 1000};
    struct tftp_wire wire;
    tftp_windows_tell(t, &at, &edk2, &clean, HOUR);
    uint32_t before =
        tftp_windows_ask(t, &at, &edk2, HOUR + TFTP_WINDOWS_LIFE - 1, &wire);
    ck_assert_uint_eq(before, 32);
    uint32_t after = tftp_windows_ask(t, &at, &edk2, HOUR + TFTP_WINDOWS_LIFE, &wire);
    ck_assert_uint_eq(after, 16);
    tftp_windows_free(t);
}
END_TEST

START_TEST(a_full_table_forgets_the_oldest)
{
    struct tftp_windows *t = tftp_windows_new(4, &seed);
    struct tftp_carried clean = {.granted = 16, .blocks = 1000};
    struct tftp_window seen;
    for (unsigned n = 0; n < 100; n++) {
        struct endpoint at = client(n, n);
        tftp_windows_tell(t, &at, &edk2, &clean, n);
    }
    ck_assert_uint_eq(tftp_windows_count(t), 4);
    ck_assert(tftp_windows_at(t, 0, &seen) && seen.subnet && seen.told == 98);
    ck_assert(tftp_windows_at(t, 3, &seen) && !seen.subnet && seen.blocks == 32);
    struct endpoint last = client(99, 99);
    last.port = 0;
    ck_assert(endpoint_equal(&seen.from, &last));
    ck_assert(!tftp_windows_at(t, 4, &seen));
    tftp_windows_reset(t);
    ck_assert_uint_eq(tftp_windows_count(t), 0);
    tftp_windows_tell(t, &last, &edk2, &clean, 200);
    ck_assert_uint_eq(tftp_windows_count(t), 2);
    tftp_windows_free(t);
}
END_TEST

/* -- sent ahead ---------------------------------------------------------------------------- */

START_TEST(what_is_sent_ahead_grows_until_a_loss_and_is_halved_by_it)
{
    struct tftp_ahead a;
    tftp_ahead_init(&a, 32);
    ck_assert_uint_eq(a.now, 2);
    tftp_ahead_arrived(&a, 2);
    ck_assert_uint_eq(a.now, 4);
    tftp_ahead_arrived(&a, 100);
    ck_assert_uint_eq(a.now, 32);
    tftp_ahead_lost(&a);
    ck_assert_uint_eq(a.now, 16);
    tftp_ahead_arrived(&a, 127);
    ck_assert_uint_eq(a.now, 16);
    tftp_ahead_arrived(&a, 1);
    ck_assert_uint_eq(a.now, 17);
}
END_TEST

START_TEST(who_loses_every_second_block_is_left_in_lock_step)
{
    struct tftp_ahead a;
    tftp_ahead_init(&a, 16);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert(!a.refused);
        tftp_ahead_arrived(&a, i == 0 ? 0 : 1);
        tftp_ahead_lost(&a);
    }
    ck_assert(a.refused);
    tftp_ahead_arrived(&a, 1000);
    ck_assert_uint_eq(a.now, 1);
}
END_TEST

Suite *suite_tftp_window(void)
{
    Suite *s = suite_create("tftp/window, tftp/shape, tftp/ahead");
    TCase *tc = tcase_create("rows");
    tcase_add_loop_test(tc, a_program_is_known_by_what_it_asks, 0,
                        sizeof shapes / sizeof shapes[0]);
    tcase_add_test(tc, the_order_of_options_and_the_block_size_make_the_key);
    tcase_add_loop_test(tc, a_window_follows_what_was_carried, 0,
                        sizeof histories / sizeof histories[0]);
    tcase_add_test(tc, a_new_client_gets_what_its_subnet_has_carried);
    tcase_add_test(tc, a_refusal_is_remembered_each_time);
    tcase_add_test(tc, the_first_window_can_be_set);
    tcase_add_test(tc, subnets_of_ipv6_are_64_bits);
    tcase_add_test(tc, what_was_carried_long_ago_is_forgotten);
    tcase_add_test(tc, a_full_table_forgets_the_oldest);
    tcase_add_test(tc, what_is_sent_ahead_grows_until_a_loss_and_is_halved_by_it);
    tcase_add_test(tc, who_loses_every_second_block_is_left_in_lock_step);
    suite_add_tcase(s, tc);
    return s;
}
