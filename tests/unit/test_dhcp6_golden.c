#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/load.h"
#include "dhcp/v6_decision.h"
#include "dhcp/v6_show.h"
#include "tests/unit/suites.h"

/*
 * DHCPv6 requests of real firmware, each with our whole answer.
 *
 * A case is a file tests/data/golden6/NAME.golden:
 *     request FILE.hex                under tests/data/requests6
 *     port 547|4011  from IP PORT  to IP
 *     config {...}                    to the end of the line
 *     (empty line)
 *     the verdict, then the reply in words
 * We are 52:54:00:00:00:01 with fe80::5054:ff:fe00:1 and fd77::2.
 * With GOLDEN_ACCEPT=1 in the environment the expectation is rewritten; the diff is reviewed.
 */
#define FOLDER    "tests/data/golden6"
#define TEXT_SIZE 8000
#define CASES_MAX 64

static char names[CASES_MAX][NAME_MAX + 1];
static int name_count;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_cases(void)
{
    DIR *dir = opendir(FOLDER);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        size_t len = strlen(e->d_name);
        if (len > 7 && !strcmp(e->d_name + len - 7, ".golden") &&
            name_count < CASES_MAX) {
            memcpy(names[name_count++], e->d_name, len + 1);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
    qsort(names, (size_t)name_count, sizeof names[0], by_name);
}

static size_t read_file(const char *folder, const char *name, char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "re");
    ck_assert_msg(f != NULL, "%s cannot be read", path);
    size_t len = fread(text, 1, TEXT_SIZE - 1, f);
    (void)fclose(f);
    text[len] = '\0';
    return len;
}

static size_t read_request(const char *name, uint8_t *out)
{
    static char text[TEXT_SIZE];
    size_t n = 0;
    (void)read_file("tests/data/requests6", name, text);
    for (const char *p = text; p[0] && p[1] && p[0] != '\n'; p += 2) {
        char octet[3] = {p[0], p[1], 0};
        out[n++] = (uint8_t)strtoul(octet, NULL, 16);
    }
    return n;
}

struct golden {
    char request[100];
    struct dhcp6_arrival at;
    struct snapshot *config;
    const char *want; /* into the text */
};

static void read_case(const char *text, struct golden *g)
{
    char from[50];
    char to[50];
    unsigned port;
    unsigned from_port;
    struct faults faults = {0};
    const char *config = strstr(text, "\nconfig ");
    int got = sscanf(text, "request %99s port %u from %49s %u to %49s", g->request, &port,
                     from, &from_port, to);
    ck_assert_msg(got == 5 && config, "the head of the case cannot be read");
    config += strlen("\nconfig ");
    g->at =
        (struct dhcp6_arrival){.port = (uint16_t)port, .from_port = (uint16_t)from_port};
    ck_assert_int_eq(inet_pton(AF_INET6, from, g->at.from.octet), 1);
    ck_assert_int_eq(inet_pton(AF_INET6, to, g->at.to.octet), 1);
    g->config = config_load(config, strcspn(config, "\n"), &faults);
    ck_assert_msg(g->config != NULL, "%s",
                  faults.count ? faults.list[0].text : "no memory");
    faults_done(&faults);
    g->want = strstr(config, "\n\n");
    g->want = g->want ? g->want + 2 : "";
}

static void print_decision(const struct dhcp6_decision *d, char *out)
{
    char packet[4000];
    char mac[MAC_TEXT];
    int used =
        snprintf(out, TEXT_SIZE, "%s\nmac %s\n", dhcp_verdict_name(d->gate.verdict),
                 d->has_mac ? mac_print(&d->mac, mac) : "unknown");
    if (d->gate.verdict == DHCP_ANSWERED) {
        dhcp6_show(d->reply.packet, d->reply.len, packet, sizeof packet);
        snprintf(out + used, (size_t)(TEXT_SIZE - used), "\nto port %u, %zu octets\n%s",
                 d->reply.to_port, d->reply.len, packet);
    }
}

static void record(const char *name, const char *text, const char *want, const char *got)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    FILE *f = fopen(path, "we");
    ck_assert_ptr_nonnull(f);
    size_t head = *want ? (size_t)(want - text) : strlen(text);
    fprintf(f, "%.*s%s%s", (int)head, text, *want ? "" : "\n", got);
    (void)fclose(f);
}

START_TEST(answers_are_as_recorded)
{
    static const struct mac us = {{0x52, 0x54, 0, 0, 0, 1}};
    static const struct ip6 addresses[] = {
        {{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe, 0, 0, 1}},
        {{0xfd, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}},
    };
    static char text[TEXT_SIZE];
    static char got[TEXT_SIZE];
    static struct dhcp6_decision d;
    uint8_t request[1500];
    struct dhcp6_packet pkt;
    struct golden g;
    (void)read_file(FOLDER, names[_i], text);
    read_case(text, &g);
    struct dhcp6_site site = {
        .config = g.config, .address = addresses, .address_count = 2};
    dhcp6_duid(&us, site.duid);
    enum dhcp6_fault fault = dhcp6_parse(request, read_request(g.request, request), &pkt);
    ck_assert_msg(fault == DHCP6_OK, "%s: %s", names[_i], dhcp6_fault_name(fault));
    (void)dhcp6_decide(&site, &g.at, &pkt, &d);
    print_decision(&d, got);
    if (getenv("GOLDEN_ACCEPT")) {
        record(names[_i], text, g.want, got);
    } else {
        ck_assert_msg(!strcmp(got, g.want), "%s\n--- want\n%s--- got\n%s", names[_i],
                      g.want, got);
    }
    snapshot_free(g.config);
}
END_TEST

START_TEST(there_are_cases)
{
    ck_assert_int_ge(name_count, 12);
}
END_TEST

Suite *suite_dhcp6_golden(void)
{
    Suite *s = suite_create("golden: real requests over IPv6");
    TCase *tc = tcase_create("cases");
    list_cases();
    tcase_add_test(tc, there_are_cases);
    tcase_add_loop_test(tc, answers_are_as_recorded, 0, name_count);
    suite_add_tcase(s, tc);
    return s;
}
