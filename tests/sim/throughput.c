/*
 * How long a big file takes, on virtual time: exact, so the figures are regression tests.
 * The link of the first rows is the one this project began with: 1.6 GB of 1456-octet blocks
 * in 9:28, block by block, 517 us each.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>

#include "tests/sim/run.h"
#include "tests/sim/suites.h"

#define GB       UINT64_C(1000000000)
#define SEED_WAY 252 /* one way: 517 us there and back with the time on the wire */

/* clang-format off */
static const struct {
    const char *name;
    const char *model;
    uint64_t size;
    uint32_t blksize;
    uint32_t window; /* of a client that knows none: blocks sent ahead */
    usec_t one_way;
    unsigned octet_ns; /* 8 is 1 Gbit/s */
    unsigned loss;
    unsigned queue;  /* packets on the way to the client, 0: no limit */
    double at_least; /* MB/s */
} rows[] = {
    {"1.6 GB, lock-step",           "rfc",  16 * GB / 10, 1456,  1, SEED_WAY, 8,   0,  0,  2.79},
    {"1.6 GB, window 4",            "rfc",  16 * GB / 10, 1456,  4, SEED_WAY, 8,   0,  0, 10.4},
    {"1.6 GB, window 4, EDK2",      "edk2", 16 * GB / 10, 1456,  4, SEED_WAY, 8,   0,  0, 10.4},
    {"1.6 GB, window 16",           "rfc",  16 * GB / 10, 1456, 16, SEED_WAY, 8,   0,  0, 33},
    {"1.6 GB, window 64",           "rfc",  16 * GB / 10, 1456, 64, SEED_WAY, 8,   0,  0, 71},
    {"1.6 GB, msftwindow",          "bootmgr", 16 * GB / 10, 1456, 4, SEED_WAY, 8, 0,  0, 71},
    {"1 % loss, msftwindow",        "bootmgr", GB / 10,   1456,  4, 250,      8,  10,  0,  5},
    {"1.6 GB, no windows, 16 ahead", "ipxe", 16 * GB / 10, 1432, 16, SEED_WAY, 8,  0,  0, 27},
    {"1.6 GB, no windows, 32 ahead", "ipxe", 16 * GB / 10, 1432, 32, SEED_WAY, 8,  0,  0, 27},
    {"1.6 GB, GRUB, 16 ahead",      "grub", 16 * GB / 10, 1024, 16, SEED_WAY, 8,   0,  0, 20},
    {"1 % loss, iPXE, 16 ahead",    "ipxe", GB / 10,      1432, 16, 250,      8,  10,  0,  5},
    {"1 % loss, PXELINUX, 16 ahead", "pxelinux", GB / 10, 1408, 16, 250,      8,  10,  0,  5},
    {"1 % loss, GRUB, 16 ahead",    "grub", GB / 10,      1024, 16, 250,      8,  10,  0,  1},
    {"queue of 16, iPXE, 64 ahead", "ipxe", GB / 10,      1432, 64, 150,      8,   0, 16, 45},
    {"1 % loss, window 1",          "rfc",  GB / 10,      1468,  1, 250,      8,  10,  0,  1.5},
    {"1 % loss, window 1, iPXE",    "ipxe", GB / 10,      1432,  1, 250,      8,  10,  0,  1.5},
    {"1 % loss, window 4, EDK2",    "edk2", GB / 10,      1468,  4, 250,      8,  10,  0,  4},
    {"1 % loss, window 16",         "rfc",  GB / 10,      1468, 16, 250,      8,  10,  0, 20},
    {"1 % loss, window 64",         "rfc",  GB / 10,      1468, 64, 250,      8,  10,  0, 20},
    {"queue of 16, window 16",      "rfc",  GB / 10,      1468, 16, 150,      8,   0, 16, 45},
    {"queue of 16, window 32",      "rfc",  GB / 10,      1468, 32, 150,      8,   0, 16, 45},
    {"queue of 16, window 64",      "rfc",  GB / 10,      1468, 64, 150,      8,   0, 16, 45},
    {"queue of 16, window 64, 8 MB", "rfc", GB / 125,     1468, 64, 150,      8,   0, 16, 45},
    {"queue of 32, window 64",      "rfc",  GB / 10,      1468, 64, 150,      8,   0, 32, 45},
    {"queue of 16, window 64, EDK2", "edk2", GB / 10,     1468, 64, 150,      8,   0, 16, 45},
    {"queue of 16, 300 Mbit/s, window 64", "rfc", GB / 10, 1468, 64, 150,    27,   0, 16, 22},
    {"queue of 16, 300 Mbit/s, window 32", "rfc", GB / 10, 1468, 32, 150,    27,   0, 16, 22},
    {"queue of 16, 100 Mbit/s, window 64", "rfc", GB / 10, 1468, 64, 150,    80,   0, 16,  8},
    {"queue of 16, 30 Mbit/s, window 64", "rfc", GB / 50, 1468, 64, 150,    270,   0, 16,  1.8},
    {"10 Gbit/s, window 64",        "rfc",  GB / 10,      1468, 64,  50,      1,   0,  0, 300},
};
/* clang-format on */

#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(throughput_reaches_its_target)
{
    const struct sim_link link = {
        .delay = rows[_i].one_way,
        .octet_ns = rows[_i].octet_ns,
        .loss = rows[_i].loss,
    };
    bool windows = sim_model(rows[_i].model)->window > 0;
    struct sim_setup setup = {
        .model = sim_model(rows[_i].model),
        .terms = {.file_size = rows[_i].size,
                  .blksize = rows[_i].blksize,
                  .window = windows ? rows[_i].window : 1,
                  .ahead = windows ? 1 : rows[_i].window,
                  .msft_window = sim_model(rows[_i].model)->varies,
                  .oack = true,
                  .rto_max = TFTP_RTO_MAX,
                  .patience = TFTP_PATIENCE},
        .link = {link, link},
        .seed = 1,
    };
    setup.link[SIM_TO_CLIENT].queue = rows[_i].queue;
    struct sim_result r;
    sim_run(&setup, &r);
    double seconds = (double)r.client_time / 1e6;
    double rate = (double)r.bytes / 1e6 / seconds;
    printf("throughput %-36s %8.2f s  %7.2f MB/s  traffic %.3f\n", rows[_i].name, seconds,
           rate, sim_traffic(&r));
    (void)fflush(stdout);
    ck_assert_msg(!r.fault, "%s: broken rule: %s", rows[_i].name, r.fault);
    ck_assert_msg(r.whole, "%s: client has %" PRIu64 " of %" PRIu64 " octets",
                  rows[_i].name, r.bytes, rows[_i].size);
    ck_assert_msg(rate >= rows[_i].at_least, "%s: got %.2f MB/s, want %.2f",
                  rows[_i].name, rate, rows[_i].at_least);
}
END_TEST

TCase *sim_throughput(void)
{
    TCase *tc = tcase_create("throughput");
    tcase_set_tags(tc, "volume");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, throughput_reaches_its_target, 0, ROWS);
    return tc;
}
