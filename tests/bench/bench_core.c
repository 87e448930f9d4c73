/* Nanoseconds per operation of the cores, the best of five rounds each. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/timeline.h"
#include "config/hosts.h"
#include "dhcp/decision.h"
#include "tests/unit/request.h"
#include "tftp/options.h"
#include "tftp/session.h"

#define ROUNDS 5
#define HOSTS  10000

static double now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void measure(const char *name, unsigned long times,
                    void (*run)(unsigned long times))
{
    double best = 1e18;
    for (int i = 0; i < ROUNDS; i++) {
        double start = now_ns();
        run(times);
        double took = (now_ns() - start) / (double)times;
        best = took < best ? took : best;
    }
    printf("%-44s %9.1f ns  %12.0f /s\n", name, best, 1e9 / best);
}

static struct snapshot config;
static char profile_name[] = "default";
static struct profile profile = {.name = profile_name, .parent = -1};
static volatile size_t sink; /* keeps the work from being optimized away */

static void make_config(void)
{
    config.hosts = hosts_new(HOSTS);
    profile.boot[ARCH_X64_UEFI].file = "x64/shimx64.efi";
    config.profiles = &profile;
    config.profile_count = 1;
    for (unsigned i = 0; i < HOSTS; i++) {
        size_t twin;
        struct host h = {.mac_len = 6, .mac = {{0x52, 0x54, 1, 0, 0, 0}}};
        h.mac.octet[4] = (uint8_t)(i >> 8);
        h.mac.octet[5] = (uint8_t)i;
        if (!config.hosts || hosts_add(config.hosts, &h, &twin) != HOSTS_ADDED) {
            abort();
        }
    }
}

static void decide(unsigned long times)
{
    static struct dhcp_decision d;
    uint8_t buf[1500];
    struct request r = discover(ARCH_X64_UEFI);
    struct dhcp_arrival at = {DHCP_SERVER_PORT, {{0, 0, 0, 0}}, DHCP_CLIENT_PORT};
    struct dhcp_site site = {.config = &config, .address = {{10, 77, 0, 2}}};
    r.mac[2] = 1;
    size_t len = request_bytes(&r, buf);
    for (unsigned long i = 0; i < times; i++) {
        struct dhcp_packet pkt;
        buf[32] = (uint8_t)(i >> 8);
        buf[33] = (uint8_t)i;
        if (dhcp_parse(buf, len, &pkt) == DHCP_OK) {
            (void)dhcp_decide(&site, &at, &pkt, &d);
        }
        sink += d.reply[0].len;
    }
}

static void parse_rrq(unsigned long times)
{
    static const char rrq[] = "\0\1boot/x64/boot.wim\0octet\0tsize\0"
                              "0\0blksize\0"
                              "1468\0windowsize\0"
                              "4";
    const struct tftp_limits limits = {.max_block_size = 1468, .max_window_size = 64};
    for (unsigned long i = 0; i < times; i++) {
        struct tftp_packet pkt;
        if (tftp_parse(rrq, sizeof rrq, &pkt) == TFTP_OK) {
            struct tftp_opts asked = tftp_opts_parse(pkt.options);
            sink += tftp_opts_agree(&asked, &limits, 1u << 30).count;
        }
    }
}

static void run_transfer(unsigned long blocks)
{
    struct tftp_terms terms = {
        .file_size = (uint64_t)blocks * 1468,
        .blksize = 1468,
        .window = 16,
        .oack = true,
        .rto_max = TFTP_RTO_MAX,
        .patience = TFTP_PATIENCE,
    };
    struct tftp_session s;
    struct tftp_send send;
    struct tftp_packet ack = {.op = TFTP_ACK};
    usec_t now = 0;
    tftp_session_init(&s, &terms, now);
    while (s.state != TFTP_ENDED) {
        while (tftp_session_next(&s, now, &send)) {
            ack.block = (uint16_t)send.number;
            sink += send.len;
        }
        if (send.op == TFTP_OACK) {
            ack.block = 0;
        }
        tftp_session_input(&s, &ack, ++now);
    }
}

static struct timeline *timeline;

/* What a transfer costs on the timeline of boots: machine after machine, eight files each. */
static void watch_file(unsigned long times)
{
    struct timeline_who who = {.has_mac = true, .mac = {{0x52, 0x54, 0, 0, 0, 0}}};
    struct boot_progress whole = {.size = 4096, .sent = 4096, .heard = true};
    struct boot_load load = {.name = "boot/x64/boot.wim"};
    for (unsigned long i = 0; i < times; i++) {
        who.mac.octet[4] = (uint8_t)(i >> 11);
        who.mac.octet[5] = (uint8_t)(i >> 3);
        load.began = i;
        timeline_tag tag = timeline_file_began(timeline, &who, &load);
        timeline_file_ended(timeline, tag, &whole, BOOT_FILE_DONE, i);
    }
}

int main(void)
{
    make_config();
    measure("DISCOVER to reply, 10000 hosts", 300000, decide);
    measure("RRQ with three options to agreement", 1000000, parse_rrq);
    measure("a block of a transfer, window 16", 1000000, run_transfer);
    static const struct hash_seed seed = {1, 2};
    timeline = timeline_new(TIMELINE_BOOTS, TIMELINE_OCTETS, &seed);
    if (timeline) {
        measure("a file on the timeline of boots", 300000, watch_file);
    }
    timeline_free(timeline);
    hosts_free(config.hosts);
    return 0;
}
