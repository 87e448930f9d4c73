#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "dhcp/v6_decision.h"
#include "dhcp/v6_show.h"
#include "tests/unit/golden.h"
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
 */
#define FOLDER "tests/data/golden6"

static struct golden_cases cases;

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
    int got = sscanf(text, "request %99s port %u from %49s %u to %49s", g->request, &port,
                     from, &from_port, to);
    ck_assert_msg(got == 5, "the head of the case cannot be read");
    g->at =
        (struct dhcp6_arrival){.port = (uint16_t)port, .from_port = (uint16_t)from_port};
    ck_assert_int_eq(inet_pton(AF_INET6, from, g->at.from.octet), 1);
    ck_assert_int_eq(inet_pton(AF_INET6, to, g->at.to.octet), 1);
    g->config = golden_config(text, &g->want);
}

static void print_decision(const struct dhcp6_decision *d, char *out)
{
    char packet[4000];
    char mac[MAC_TEXT];
    int used =
        snprintf(out, GOLDEN_TEXT, "%s\nmac %s\n", dhcp_verdict_name(d->gate.verdict),
                 d->has_mac ? mac_print(&d->mac, mac) : "unknown");
    if (d->gate.verdict == DHCP_ANSWERED) {
        dhcp6_show(d->reply.packet, d->reply.len, packet, sizeof packet);
        snprintf(out + used, (size_t)(GOLDEN_TEXT - used), "\nto port %u, %zu octets\n%s",
                 d->reply.to_port, d->reply.len, packet);
    }
}

START_TEST(answers_are_as_recorded)
{
    static const struct mac us = {{0x52, 0x54, 0, 0, 0, 1}};
    static const struct ip6 addresses[] = {
        {{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe, 0, 0, 1}},
        {{0xfd, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}},
    };
    static char text[GOLDEN_TEXT];
    static char got[GOLDEN_TEXT];
    static struct dhcp6_decision d;
    uint8_t request[1500];
    struct dhcp6_packet pkt;
    struct golden g;
    (void)golden_read(FOLDER, cases.name[_i], text);
    read_case(text, &g);
    struct dhcp6_site site = {
        .config = g.config, .address = addresses, .address_count = 2};
    dhcp6_duid(&us, site.duid);
    enum dhcp6_fault fault = dhcp6_parse(
        request, golden_request("tests/data/requests6", g.request, request), &pkt);
    ck_assert_msg(fault == DHCP6_OK, "%s: %s", cases.name[_i], dhcp6_fault_name(fault));
    (void)dhcp6_decide(&site, &g.at, &pkt, &d);
    print_decision(&d, got);
    golden_check(FOLDER, cases.name[_i], text, g.want, got);
    snapshot_free(g.config);
}
END_TEST

START_TEST(there_are_cases)
{
    ck_assert_int_ge(cases.count, 12);
}
END_TEST

Suite *suite_dhcp6_golden(void)
{
    Suite *s = suite_create("golden: real requests over IPv6");
    TCase *tc = tcase_create("cases");
    golden_list(FOLDER, &cases);
    tcase_add_test(tc, there_are_cases);
    tcase_add_loop_test(tc, answers_are_as_recorded, 0, cases.count);
    suite_add_tcase(s, tc);
    return s;
}
