/*
 * Boots one after the other: what tftp/window learned in one transfer serves the next.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>

#include "tests/sim/run.h"
#include "tests/sim/suites.h"
#include "tftp/grant.h"

#define MIB (UINT64_C(1) << 20)

static const struct hash_seed seed = {7, 8};
static const struct tftp_shape uboot = {TFTP_KIND_UBOOT, 1};
static const struct tftp_shape other = {TFTP_KIND_OTHER, 2};
static const struct tftp_shape ipxe = {TFTP_KIND_IPXE, 3};

static struct endpoint client(unsigned n)
{
    return endpoint_ip4((struct ip4){{10, 0, 0, (uint8_t)n}}, 2000);
}

/* One transfer, as tftp/transfer begins and ends it. */
static void boot(struct tftp_windows *t, unsigned n, const struct tftp_shape *shape,
                 const struct sim_setup *wanted, uint32_t asked, struct sim_result *out)
{
    struct sim_setup setup = *wanted;
    struct endpoint at = client(n);
    uint32_t learned = tftp_windows_ask(t, &at, shape, 0, &setup.terms.wire);
    uint32_t granted = learned < asked ? learned : asked;
    if (setup.model->window > 0) {
        setup.terms.window = granted;
    } else {
        setup.terms.window = 1;
        setup.terms.ahead = granted;
    }
    sim_run(&setup, out);
    tftp_grant_told(t, &at, shape, &out->s, 0);
    printf("learning: client %u asks %" PRIu32 ", gets %" PRIu32 ": %s, %" PRIu64
           " of %" PRIu64 " blocks sent again, %.3f s\n",
           n, asked, granted, tftp_end_name(out->end), out->s.stats.resent_blocks,
           out->needed, (double)out->client_time / 1e6);
    (void)fflush(stdout);
}

static struct sim_setup setup_for(const struct sim_model *model, uint64_t size)
{
    const struct sim_link link = {.delay = 250, .octet_ns = 8};
    return (struct sim_setup){
        .model = model,
        .terms = {.file_size = size,
                  .blksize = 1468,
                  .oack = true,
                  .rto_max = TFTP_RTO_MAX,
                  .patience = TFTP_PATIENCE},
        .link = {link, link},
        .seed = 1,
    };
}

/*
 * U-Boot under emulation: 31 receive buffers, slow to empty, deaf once they were full.  What
 * is asked is granted as soon as others of its kind have carried it.
 */
START_TEST(a_uboot_that_wedges_boots_the_second_time)
{
    struct tftp_windows *t = tftp_windows_new(64, &seed);
    const struct sim_model *quick = sim_model("u-boot");
    struct sim_model slow = *quick;
    struct sim_result r;
    slow.packet_cost = 1000;
    slow.wedges = true;
    struct sim_setup good = setup_for(quick, 4 * MIB);
    struct sim_setup bad = setup_for(&slow, 4 * MIB);

    boot(t, 1, &uboot, &good, 32, &r);
    ck_assert_int_eq(r.end, TFTP_END_DONE);
    boot(t, 2, &uboot, &bad, 32, &r);
    ck_assert_int_eq(r.end, TFTP_END_STALLED);
    boot(t, 2, &uboot, &bad, 32, &r);
    ck_assert_int_eq(r.end, TFTP_END_DONE);
    ck_assert_uint_eq(r.s.stats.resent_blocks, 0);
    tftp_windows_free(t);
}
END_TEST

START_TEST(the_first_window_of_a_uboot_does_not_wedge_it)
{
    struct tftp_windows *t = tftp_windows_new(64, &seed);
    struct sim_model slow = *sim_model("u-boot");
    struct sim_result r;
    slow.packet_cost = 1000;
    slow.wedges = true;
    struct sim_setup setup = setup_for(&slow, MIB);
    boot(t, 1, &uboot, &setup, 32, &r);
    ck_assert_int_eq(r.end, TFTP_END_DONE);
    tftp_windows_free(t);
}
END_TEST

START_TEST(windows_grow_from_file_to_file)
{
    struct tftp_windows *t = tftp_windows_new(64, &seed);
    struct sim_setup setup = setup_for(sim_model("rfc"), 4 * MIB);
    struct sim_result r;
    const uint32_t want[] = {16, 32, 64, 64};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        boot(t, 1, &other, &setup, 64, &r);
        ck_assert_int_eq(r.end, TFTP_END_DONE);
        ck_assert_uint_eq(r.s.terms.window, want[i]);
    }
    tftp_windows_free(t);
}
END_TEST

/* The second file is quick from its first window on, behind a short queue too. */
START_TEST(the_pace_is_remembered)
{
    struct tftp_windows *t = tftp_windows_new(64, &seed);
    struct sim_setup setup = setup_for(sim_model("rfc"), 4 * MIB);
    struct sim_result first;
    struct sim_result then;
    struct sim_result last;
    setup.link[SIM_TO_CLIENT].queue = 16;
    boot(t, 1, &other, &setup, 64, &first);
    boot(t, 1, &other, &setup, 64, &then);
    boot(t, 1, &other, &setup, 64, &last);
    ck_assert_uint_eq(last.s.terms.window, 64);
    ck_assert(last.s.stats.resent_blocks <= 32);
    ck_assert(3 * last.client_time < 2 * first.client_time);
    ck_assert(last.s.flow.measured);
    tftp_windows_free(t);
}
END_TEST

START_TEST(a_card_with_one_buffer_is_left_in_lock_step)
{
    struct tftp_windows *t = tftp_windows_new(64, &seed);
    struct sim_setup setup = setup_for(sim_model("one-buffer"), MIB);
    struct sim_result r;
    boot(t, 1, &ipxe, &setup, 64, &r);
    ck_assert_int_eq(r.end, TFTP_END_DONE);
    ck_assert(r.s.ahead.refused);
    boot(t, 1, &ipxe, &setup, 64, &r);
    ck_assert_uint_eq(r.s.terms.ahead, 1);
    ck_assert_uint_eq(r.s.stats.resent_blocks, 0);
    boot(t, 2, &ipxe, &setup, 64, &r); /* and the next of its kind there */
    ck_assert_uint_eq(r.s.terms.ahead, 1);
    tftp_windows_free(t);
}
END_TEST

TCase *sim_learning(void)
{
    TCase *tc = tcase_create("learning");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_uboot_that_wedges_boots_the_second_time);
    tcase_add_test(tc, the_first_window_of_a_uboot_does_not_wedge_it);
    tcase_add_test(tc, windows_grow_from_file_to_file);
    tcase_add_test(tc, the_pace_is_remembered);
    tcase_add_test(tc, a_card_with_one_buffer_is_left_in_lock_step);
    return tc;
}
