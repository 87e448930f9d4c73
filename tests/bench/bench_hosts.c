/*
 * The host table at 100, 10,000 and 100,000 hosts: to load, to look up, and in memory.
 * Processor time, the best of five rounds, so that a busy machine does not count.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/hosts.h"
#include "config/load.h"

#define LOOKUPS 1000000
#define ROUNDS  5

static double now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* A number for each host that no order of access follows. */
static unsigned mix(unsigned i)
{
    i = (i ^ i >> 16) * 0x45d9f3b;
    i = (i ^ i >> 16) * 0x45d9f3b;
    return i ^ i >> 16;
}

static struct mac mac_of(unsigned i)
{
    unsigned n = mix(i);
    return (struct mac){{0x52, 0x54, (uint8_t)(n >> 24), (uint8_t)(n >> 16),
                         (uint8_t)(n >> 8), (uint8_t)n}};
}

static void uuid_of(unsigned i, uint8_t uuid[16])
{
    for (unsigned k = 0; k < 4; k++) {
        unsigned n = mix(i * 4 + k + 1);
        memcpy(uuid + (size_t)4 * k, &n, 4);
    }
}

/* As a registry would write them: a name, a profile, and MAC or UUID. */
static char *text_of(unsigned hosts, bool by_uuid, size_t *len)
{
    char *text = NULL;
    char mac[MAC_TEXT];
    FILE *to = open_memstream(&text, len);
    if (!to) {
        abort();
    }
    fprintf(to, "{\"interfaces\":[\"eth0\"],\"tftp\":{\"root\":\"/t\"},\"profiles\":{"
                "\"default\":{\"7\":\"a\"},\"rescue\":{\"7\":\"b\"}},\"hosts\":[\n");
    for (unsigned i = 0; i < hosts; i++) {
        uint8_t u[16];
        struct mac m = mac_of(i);
        uuid_of(i, u);
        fprintf(to, "{\"name\":\"host-%06u\",\"profile\":\"rescue\",", i);
        if (by_uuid) {
            fprintf(to,
                    "\"uuid\":\"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
                    "%02x%02x%02x%02x%02x%02x\"}",
                    u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10],
                    u[11], u[12], u[13], u[14], u[15]);
        } else {
            fprintf(to, "\"mac\":\"%s\"}", mac_print(&m, mac));
        }
        fputs(i + 1 < hosts ? ",\n" : "\n", to);
    }
    fputs("]}\n", to);
    (void)fclose(to);
    return text;
}

static struct snapshot *load(const char *text, size_t len)
{
    struct faults faults = {0};
    struct snapshot *s = config_load(text, len, &faults);
    if (!s) {
        faults_print(&faults, "bench", text, len, stderr);
        abort();
    }
    faults_done(&faults);
    return s;
}

/* A question lies beside the one before it, as the request just read does: it is no miss. */
struct question {
    struct mac mac;
    uint8_t uuid[16];
};

/* Every host is asked for as often as every other, in no order. */
static double look_up(const struct snapshot *s, unsigned hosts, bool by_uuid)
{
    double best = 1e18;
    size_t found = 0;
    struct question *asked = calloc(LOOKUPS, sizeof *asked);
    if (!asked) {
        abort();
    }
    for (unsigned i = 0; i < LOOKUPS; i++) {
        unsigned turn = mix(i) % hosts;
        asked[i].mac = mac_of(turn);
        uuid_of(turn, asked[i].uuid);
    }
    for (unsigned r = 0; r < ROUNDS; r++) {
        double start = now_ns();
        for (unsigned i = 0; i < LOOKUPS; i++) {
            struct host_facts facts = {.mac = by_uuid ? NULL : &asked[i].mac,
                                       .uuid = by_uuid ? asked[i].uuid : NULL};
            const struct host *h = hosts_find(s->hosts, &facts);
            found += h && h->profile == 1; /* reads it, as whoever asks will */
        }
        double took = (now_ns() - start) / LOOKUPS;
        best = took < best ? took : best;
    }
    if (found != (size_t)ROUNDS * LOOKUPS) {
        abort();
    }
    free(asked);
    return best;
}

static size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static void measure(unsigned hosts, bool by_uuid)
{
    size_t len;
    char *text = text_of(hosts, by_uuid, &len);
    double best = 1e18;
    struct snapshot *s = NULL;
    size_t memory = 0;
    for (unsigned r = 0; r < ROUNDS; r++) {
        snapshot_free(s);
        size_t before = in_use();
        double start = now_ns();
        s = load(text, len);
        double took = now_ns() - start;
        memory = in_use() - before;
        best = took < best ? took : best;
    }
    printf(
        "%7u hosts by %-4s  load %8.2f ms  look-up %6.1f ns  memory %5zu octets a host\n",
        hosts, by_uuid ? "UUID" : "MAC", best / 1e6, look_up(s, hosts, by_uuid),
        memory / hosts);
    snapshot_free(s);
    free(text);
}

int main(void)
{
    static const unsigned sizes[] = {100, 10000, 100000};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        measure(sizes[i], false);
        measure(sizes[i], true);
    }
    return 0;
}
