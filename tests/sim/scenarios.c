/* A client, a wire, and one thing that goes wrong: what arrives, at what cost, how fast. */
#include <check.h>
#include <inttypes.h>

#include "tests/sim/run.h"
#include "tests/sim/suites.h"

#define MIB (UINT64_C(1) << 20)

/* clang-format off */
static const struct scenario {
    const char *name;
    const char *model;
    uint64_t size;
    uint32_t blksize;
    uint32_t window;
    uint32_t ahead;
    bool no_options;
    bool instant;               /* a burst arrives at one moment, not at 1 Gbit/s */
    unsigned loss;              /* permille, both ways */
    struct sim_drop drop[4];
    bool vanishes;
    uint64_t vanish_after;      /* packets heard */
    enum tftp_end end;
    bool cut;                   /* the client does not get the whole file */
    uint64_t extra_max;         /* DATA packets beyond one for each block */
    double from_ms;             /* the client's last block, or the end when it is cut */
    double to_ms;
} rows[] = {
    /* name                                       client    size      blk   win */
    {"D-12 empty file", "rfc",                              0,        512,  1,
     .end = TFTP_END_DONE, .to_ms = 2},
    {"D-12 empty file, no options", "rfc",                  0,        512,  1,
     .no_options = true, .end = TFTP_END_DONE, .to_ms = 1},
    {"D-11 exact multiple", "edk2",                         4ull * 1024, 1024, 4,
     .end = TFTP_END_DONE, .to_ms = 3},
    {"one octet", "ipxe",                                   1,        1432, 1,
     .end = TFTP_END_DONE, .to_ms = 2},
    {"smallest block", "rfc",                               10000,    8,    16,
     .end = TFTP_END_DONE, .to_ms = 80},
    {"largest block", "rfc",                                10 * MIB, 65464, 4,
     .end = TFTP_END_DONE, .to_ms = 130},

    {"D-01 an ACK lost at window 1 doubles nothing", "naive", 100ull * 512, 512, 1,
     .drop = {{TFTP_ACK, 10, 1}}, .end = TFTP_END_DONE, .extra_max = 1, .to_ms = 90},
    {"D-18 a block lost at window 1", "pxelinux",           100ull * 1408, 1408, 1,
     .drop = {{TFTP_DATA, 10, 1}}, .end = TFTP_END_DONE, .extra_max = 1, .to_ms = 90},
    {"first block of a window lost: three ACKs", "edk2",    100ull * 1468, 1468, 4,
     .drop = {{TFTP_DATA, 9, 1}}, .end = TFTP_END_DONE, .extra_max = 4, .to_ms = 20},
    {"middle of a window lost", "edk2",                     100ull * 1468, 1468, 4,
     .drop = {{TFTP_DATA, 11, 1}}, .end = TFTP_END_DONE, .extra_max = 4, .to_ms = 20},
    {"last block of a window lost", "edk2",                 100ull * 1468, 1468, 4,
     .drop = {{TFTP_DATA, 12, 1}}, .end = TFTP_END_DONE, .extra_max = 4, .to_ms = 45},
    {"ACK of a window lost", "edk2",                        100ull * 1468, 1468, 4,
     .drop = {{TFTP_ACK, 12, 1}}, .end = TFTP_END_DONE, .extra_max = 4, .to_ms = 45},
    {"last block and its repeat lost", "edk2",              100ull * 1468, 1468, 4,
     .drop = {{TFTP_DATA, 12, 2 | SIM_UP_TO}}, .end = TFTP_END_DONE, .extra_max = 8,
     .to_ms = 130},
    {"D-13 gap in a window of 16", "u-boot",                200ull * 1468, 1468, 16,
     .drop = {{TFTP_DATA, 35, 1}}, .end = TFTP_END_DONE, .extra_max = 16, .to_ms = 20},
    {"D-13 gap in a window of 64", "rfc",                   1000ull * 1468, 1468, 64,
     .drop = {{TFTP_DATA, 135, 1}}, .end = TFTP_END_DONE, .extra_max = 64, .to_ms = 40},
    {"block 1 lost: U-Boot does not say so", "u-boot",      100ull * 1468, 1468, 16,
     .drop = {{TFTP_DATA, 1, 1}}, .end = TFTP_END_DONE, .extra_max = 17, .to_ms = 150},
    {"a window of 32 into 31 receive buffers", "u-boot", 320ull * 1468, 1468, 32,
     .instant = true, .end = TFTP_END_DONE, .extra_max = 20, .to_ms = 600},
    {"an ACK for every block of a window", "every-block",   1000ull * 1468, 1468, 16,
     .end = TFTP_END_DONE, .extra_max = 0, .to_ms = 60},
    {"the same with a gap", "every-block",                  1000ull * 1468, 1468, 16,
     .drop = {{TFTP_DATA, 135, 1}}, .end = TFTP_END_DONE, .extra_max = 16, .to_ms = 60},
    {"every block echoed", "echo",                          1000ull * 1468, 1468, 4,
     .end = TFTP_END_DONE, .extra_max = 0, .to_ms = 160},

    {"D-15 last but one lost", "edk2",                      10ull * 1468 + 1, 1468, 4,
     .drop = {{TFTP_DATA, 10, 1}}, .end = TFTP_END_DONE, .extra_max = 2, .to_ms = 10},
    {"D-15 last block lost", "edk2",                        10ull * 1468 + 1, 1468, 4,
     .drop = {{TFTP_DATA, 11, 1}}, .end = TFTP_END_DONE, .extra_max = 1, .to_ms = 30},
    {"D-15 all of the last window lost", "edk2",            10ull * 1468 + 1, 1468, 4,
     .drop = {{TFTP_DATA, 9, 1}, {TFTP_DATA, 10, 1}, {TFTP_DATA, 11, 1}},
     .end = TFTP_END_DONE, .extra_max = 4, .to_ms = 60},
    {"D-06 the last ACK never arrives", "edk2",             10ull * 1468 + 1, 1468, 4,
     .drop = {{TFTP_ACK, 11, 0}}, .end = TFTP_END_NO_FINAL_ACK, .extra_max = 150,
     .to_ms = 10},
    {"D-06 the last ACK lost, client lingers", "rfc",       10ull * 1468 + 1, 1468, 4,
     .drop = {{TFTP_ACK, 11, 1}}, .end = TFTP_END_DONE, .extra_max = 1, .to_ms = 10},

    {"D-05 OACK lost twice", "edk2",                        10ull * 1468, 1468, 4,
     .drop = {{TFTP_OACK, 0, 2 | SIM_UP_TO}}, .end = TFTP_END_DONE, .to_ms = 1700},
    {"ACK 0 lost", "grub",                                  10ull * 1024, 1024, 1,
     .drop = {{TFTP_ACK, 0, 1}}, .end = TFTP_END_DONE, .to_ms = 600},
    {"D-32 size probe", "edk2-probe",                       10ull * 1468, 1468, 4,
     .end = TFTP_END_PROBE, .cut = true, .to_ms = 2},
    {"D-16 an ACK lost, the client silent for 5 s", "u-boot-master", 200ull * 1468, 1468, 16,
     .drop = {{TFTP_ACK, 32, 1}}, .end = TFTP_END_DONE, .extra_max = 60, .to_ms = 5100},
    {"D-16 the same in lock-step", "u-boot-master",         200ull * 1468, 1468, 1,
     .drop = {{TFTP_ACK, 32, 1}}, .end = TFTP_END_DONE, .extra_max = 12, .to_ms = 5300},
    {"D-16 two in a row", "u-boot-master",                  200ull * 1468, 1468, 16,
     .drop = {{TFTP_ACK, 32, 2 | SIM_UP_TO}}, .end = TFTP_END_DONE, .extra_max = 120,
     .to_ms = 10200},

    {"D-40 mute from the start", "edk2",                    MIB,      1468, 4,
     .vanishes = true, .vanish_after = 0, .end = TFTP_END_NO_ANSWER, .cut = true,
     .from_ms = 4000, .to_ms = 10000},
    {"D-40 mute from the start, no options", "naive",       MIB,      512, 1,
     .no_options = true, .vanishes = true, .vanish_after = 0, .end = TFTP_END_NO_ANSWER,
     .cut = true, .extra_max = 3, .from_ms = 4000, .to_ms = 10000},
    {"gone after ACK 0", "edk2",                            MIB,      1468, 4,
     .vanishes = true, .vanish_after = 1, .end = TFTP_END_STALLED, .cut = true,
     .extra_max = 60, .from_ms = 30000, .to_ms = 40000},
    {"gone in the middle", "edk2",                          MIB,      1468, 4,
     .vanishes = true, .vanish_after = 42, .end = TFTP_END_STALLED, .cut = true,
     .extra_max = 60, .from_ms = 30000, .to_ms = 40000},

    {"D-07 65535 blocks", "edk2",                           65535 * 512ull - 1, 512, 4,
     .drop = {{TFTP_DATA, 65535, 1}}, .end = TFTP_END_DONE, .extra_max = 4,
     .to_ms = 12000},
    {"D-07 65536 blocks, the wrap lost", "edk2",            65536 * 512ull - 1, 512, 4,
     .drop = {{TFTP_DATA, 65536, 1}}, .end = TFTP_END_DONE, .extra_max = 4,
     .to_ms = 12000},
    {"D-07 65537 blocks, the wrap lost", "u-boot",          65537 * 512ull - 1, 512, 24,
     .drop = {{TFTP_DATA, 65536, 1}}, .end = TFTP_END_DONE, .extra_max = 24,
     .to_ms = 3300},
    {"D-07 a window over the wrap, its first lost", "edk2", 65600 * 512ull - 1, 512, 7,
     .drop = {{TFTP_DATA, 65534, 1}, {TFTP_ACK, 65541, 1}}, .end = TFTP_END_DONE,
     .extra_max = 14, .to_ms = 8000},
    {"D-08 131072 blocks, loss on both wraps", "rfc",       131072 * 512ull, 512, 16,
     .drop = {{TFTP_DATA, 65536, 1}, {TFTP_DATA, 131072, 1}, {TFTP_ACK, 131072, 1}},
     .end = TFTP_END_DONE, .extra_max = 50, .to_ms = 9000},
    {"D-07 the wrap in lock-step, ACK 65535 lost", "ipxe",  65540 * 512ull, 512, 1,
     .drop = {{TFTP_ACK, 65535, 1}}, .end = TFTP_END_DONE, .extra_max = 1,
     .to_ms = 40000},
    {"D-07 the wrap in lock-step, block 0 lost", "pxelinux", 65540 * 512ull, 512, 1,
     .drop = {{TFTP_DATA, 65536, 1}}, .end = TFTP_END_DONE, .extra_max = 1,
     .to_ms = 40000},
    {"D-10 ACK 65535 lost, client cannot compare with 0", "grub-trap", 65600 * 512ull, 512,
     1, .drop = {{TFTP_ACK, 65535, 1}}, .end = TFTP_END_DONE, .extra_max = 20,
     .to_ms = 42000},

    {"D-42 an ACK every 4 s", "slow",                       12ull * 512, 512, 1,
     .end = TFTP_END_DONE, .extra_max = 90, .from_ms = 48000, .to_ms = 54000},
    {"D-42 no ACK while 50 packets wait", "grub-stall",     200ull * 1024, 1024, 1,
     .end = TFTP_END_DONE, .extra_max = 60, .from_ms = 9000, .to_ms = 14000},
    {"D-18 2 MiB, 1 % loss, window 1", "rfc",               2 * MIB,  1428, 1,
     .loss = 10, .end = TFTP_END_DONE, .extra_max = 80, .to_ms = 2000},
    {"D-18 2 MiB, 1 % loss, window 16", "rfc",              2 * MIB,  1428, 16,
     .loss = 10, .end = TFTP_END_DONE, .extra_max = 300, .to_ms = 300},
    {"D-48 100 MB, 1 % loss", "u-boot",                     100 * MIB, 1468, 16,
     .loss = 10, .end = TFTP_END_DONE, .extra_max = 15000, .to_ms = 600000},
    {"D-48 100 MB, 1 % loss, lock-step", "ipxe",            100 * MIB, 1432, 1,
     .loss = 10, .end = TFTP_END_DONE, .extra_max = 3000, .to_ms = 90000},

    {"sent ahead", "ipxe",                                  1000ull * 1432, 1432, 1,
     .ahead = 16, .end = TFTP_END_DONE, .extra_max = 0, .to_ms = 60},
    {"sent ahead, a block lost: iPXE keeps the others", "ipxe", 1000ull * 1432, 1432, 1,
     .ahead = 16, .drop = {{TFTP_DATA, 500, 1}}, .end = TFTP_END_DONE, .extra_max = 1,
     .to_ms = 80},
    {"sent ahead, a block and its repeat lost", "ipxe",     1000ull * 1432, 1432, 1,
     .ahead = 16, .drop = {{TFTP_DATA, 500, 2 | SIM_UP_TO}}, .end = TFTP_END_DONE,
     .extra_max = 2, .to_ms = 80},
    {"sent ahead, two lost", "ipxe",                        1000ull * 1432, 1432, 1,
     .ahead = 16, .drop = {{TFTP_DATA, 500, 1}, {TFTP_DATA, 503, 1}},
     .end = TFTP_END_DONE, .extra_max = 2, .to_ms = 80},
    {"sent ahead, a block lost: PXELINUX drops the others", "pxelinux", 1000ull * 1408,
     1408, 1, .ahead = 16, .drop = {{TFTP_DATA, 500, 1}}, .end = TFTP_END_DONE,
     .extra_max = 17, .to_ms = 80},
    {"sent ahead, a block lost: EDK2 too", "edk2-lockstep", 1000ull * 1468, 1468, 1,
     .ahead = 16, .drop = {{TFTP_DATA, 500, 1}}, .end = TFTP_END_DONE, .extra_max = 17,
     .to_ms = 80},
    {"sent ahead, a block lost: GRUB keeps still", "grub",  1000ull * 1024, 1024, 1,
     .ahead = 16, .drop = {{TFTP_DATA, 500, 1}}, .end = TFTP_END_DONE, .extra_max = 17,
     .to_ms = 80},
    {"sent ahead, a block lost: GRUB 2.06 drops them", "grub-trap", 1000ull * 1024, 1024, 1,
     .ahead = 16, .drop = {{TFTP_DATA, 500, 1}}, .end = TFTP_END_DONE, .extra_max = 17,
     .to_ms = 80},
    {"sent ahead, an ACK lost: nothing happens", "grub-trap", 1000ull * 1024, 1024, 1,
     .ahead = 16, .drop = {{TFTP_ACK, 500, 1}}, .end = TFTP_END_DONE, .extra_max = 0,
     .to_ms = 80},
    {"sent ahead over the wrap, 65535 lost", "grub-trap",   65600 * 512ull, 512, 1,
     .ahead = 16, .drop = {{TFTP_DATA, 65535, 1}}, .end = TFTP_END_DONE, .extra_max = 16,
     .to_ms = 3000},
    {"sent ahead over the wrap, 0 lost", "grub-trap",       65600 * 512ull, 512, 1,
     .ahead = 16, .drop = {{TFTP_DATA, 65536, 1}}, .end = TFTP_END_DONE, .extra_max = 16,
     .to_ms = 3000},
    {"sent ahead to one buffer: back to lock-step", "one-buffer", 1000ull * 1432, 1432, 1,
     .ahead = 16, .end = TFTP_END_DONE, .extra_max = 20, .to_ms = 800},
    {"sent ahead, the tail lost", "ipxe",                   1000ull * 1432, 1432, 1,
     .ahead = 16, .drop = {{TFTP_DATA, 1001, 1}}, .end = TFTP_END_DONE, .extra_max = 1,
     .to_ms = 80},
    {"sent ahead, gone in the middle", "ipxe",              MIB,      1432, 1,
     .ahead = 16, .vanishes = true, .vanish_after = 42, .end = TFTP_END_STALLED,
     .cut = true, .extra_max = 100, .from_ms = 30000, .to_ms = 40000},
};
/* clang-format on */

#define ROWS ((int)(sizeof rows / sizeof rows[0]))
#define WIDE 4

static void check_row(const struct scenario *row, const struct sim_result *r)
{
    ck_assert_msg(!r->fault, "%s: broken rule: %s", row->name, r->fault);
    ck_assert_msg(r->end == row->end, "%s: end: got %s, want %s", row->name,
                  tftp_end_name(r->end), tftp_end_name(row->end));
    ck_assert_msg(r->whole != row->cut,
                  "%s: client has %" PRIu64 " octets in %" PRIu64 " of %" PRIu64
                  " blocks, want %s",
                  row->name, r->bytes, r->blocks, r->needed,
                  row->cut ? "less than the file" : "the whole file");
    uint64_t once = row->cut ? r->blocks : r->needed;
    ck_assert_msg(r->sent_data <= once + row->extra_max,
                  "%s: DATA packets: got %" PRIu64 ", want at most %" PRIu64 "+%" PRIu64,
                  row->name, r->sent_data, once, row->extra_max);
    double ms = (double)(row->cut ? r->time : r->client_time) / 1e3;
    ck_assert_msg(ms >= row->from_ms && ms <= row->to_ms,
                  "%s: virtual time: got %.3f ms, want %.0f..%.0f ms", row->name, ms,
                  row->from_ms, row->to_ms);
    ck_assert_msg(r->sent_first <= TFTP_FIRST_SENDS,
                  "%s: first packets: got %" PRIu64 ", want at most %d", row->name,
                  r->sent_first, TFTP_FIRST_SENDS);
    ck_assert_msg(r->restarts == 0, "%s: transfers: got %" PRIu64 " more", row->name,
                  r->restarts);
}

START_TEST(scenario_ends_as_it_should)
{
    const struct scenario *row = &rows[_i];
    const struct sim_link link = {
        .delay = 250, .octet_ns = row->instant ? 0 : 8, .loss = row->loss};
    struct sim_setup setup = {
        .model = sim_model(row->model),
        .terms = {.file_size = row->size,
                  .blksize = row->blksize,
                  .window = row->window,
                  .ahead = row->ahead,
                  .oack = !row->no_options,
                  .rto_max = TFTP_RTO_MAX,
                  .patience = TFTP_PATIENCE},
        .link = {link, link},
        .vanishes = row->vanishes,
        .vanish_after = row->vanish_after,
        .seed = 1,
    };
    memcpy(setup.drop, row->drop, sizeof row->drop);
    struct sim_result r;
    sim_run(&setup, &r);
    check_row(row, &r);
}
END_TEST

/* Over 4 GiB: counts, offsets and the last block, without sending it all. */
START_TEST(counts_are_wide)
{
    static const struct {
        uint64_t size;
        uint32_t blksize;
    } sizes[WIDE] = {
        {UINT64_C(5) << 30, 512},
        {(UINT64_C(5) << 30) + 1, 1468},
        {(UINT64_C(1) << 32) + 7, 1456},
        {UINT64_C(1) << 40, 8},
    };
    const uint64_t size = sizes[_i].size;
    const struct tftp_terms terms = {
        .file_size = size,
        .blksize = sizes[_i].blksize,
        .window = 16,
        .oack = true,
        .rto_max = TFTP_RTO_MAX,
        .patience = TFTP_PATIENCE,
    };
    struct tftp_session s;
    tftp_session_init(&s, &terms, 0);
    uint64_t last = size / sizes[_i].blksize + 1;
    ck_assert_msg(s.last == last, "blocks: got %" PRIu64 ", want %" PRIu64, s.last, last);

    /* As if all but the last two blocks had gone. */
    struct tftp_send send;
    ck_assert_msg(tftp_session_next(&s, 0, &send), "no OACK");
    tftp_session_input(&s, &(struct tftp_packet){.op = TFTP_ACK}, 1000);
    s.acked = last - 2;
    s.next = last - 1;
    s.high = last - 2;
    s.limit = last;
    ck_assert_msg(tftp_session_next(&s, 1000, &send) && send.number == last - 1 &&
                      send.offset == (last - 2) * sizes[_i].blksize &&
                      send.len == sizes[_i].blksize,
                  "last but one: got number %" PRIu64 " offset %" PRIu64 " len %" PRIu32,
                  send.number, send.offset, send.len);
    ck_assert_msg(tftp_session_next(&s, 1000, &send) && send.number == last &&
                      send.offset + send.len == size && send.len < sizes[_i].blksize,
                  "last: got number %" PRIu64 " offset %" PRIu64 " len %" PRIu32,
                  send.number, send.offset, send.len);
    ck_assert_msg(!tftp_session_next(&s, 1000, &send), "a block behind the last one");
    tftp_session_input(&s, &(struct tftp_packet){.op = TFTP_ACK, .block = (uint16_t)last},
                       2000);
    ck_assert_msg(s.end == TFTP_END_DONE, "end: got %s", tftp_end_name(s.end));
}
END_TEST

TCase *sim_scenarios(void)
{
    TCase *tc = tcase_create("scenarios");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, scenario_ends_as_it_should, 0, ROWS);
    tcase_add_loop_test(tc, counts_are_wide, 0, WIDE);
    return tc;
}
