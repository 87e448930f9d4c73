#include <stdio.h>
#include <stdlib.h>

#include "dhcp/decision.h"
#include "dhcp/show.h"
#include "tests/unit/golden.h"
#include "tests/unit/suites.h"

/*
 * Packets of real firmware and the test vectors of the field, each with our whole answer.
 *
 * A case is a file tests/data/golden/NAME.golden:
 *     request FILE.hex                under tests/data/requests
 *     port 67|4011  from IP PORT      how it came in
 *     config {...}                    to the end of the line
 *     (empty line)
 *     the verdict, then each reply in words
 */
#define FOLDER "tests/data/golden"

static struct golden_cases cases;

struct golden {
    char request[100];
    struct dhcp_arrival at;
    struct snapshot *config;
    const char *want; /* into the text */
};

static void read_case(const char *text, struct golden *g)
{
    char ip[40];
    unsigned port;
    unsigned from_port;
    int got = sscanf(text, "request %99s port %u from %39s %u", g->request, &port, ip,
                     &from_port);
    ck_assert_msg(got == 4, "the head of the case cannot be read");
    g->at =
        (struct dhcp_arrival){.port = (uint16_t)port, .from_port = (uint16_t)from_port};
    ck_assert(ip4_parse(ip, &g->at.from));
    g->config = golden_config(text, &g->want);
}

static void print_decision(const struct dhcp_decision *d, char *out)
{
    char packet[8000];
    char ip[IP4_TEXT];
    size_t used =
        (size_t)snprintf(out, GOLDEN_TEXT, "%s\n", dhcp_verdict_name(d->verdict));
    for (unsigned i = 0; i < d->reply_count; i++) {
        const struct dhcp_reply *r = &d->reply[i];
        dhcp_show(r->packet, r->len, packet, sizeof packet);
        used += (size_t)snprintf(out + used, GOLDEN_TEXT - used,
                                 "\nfrom port %u to %s:%u, %zu octets\n%s", r->from_port,
                                 ip4_print(r->to, ip), r->to_port, r->len, packet);
    }
}

START_TEST(answers_are_as_recorded)
{
    static char text[GOLDEN_TEXT];
    static char got[GOLDEN_TEXT];
    static struct dhcp_decision d;
    uint8_t request[1500];
    struct dhcp_packet pkt;
    struct golden g;
    (void)golden_read(FOLDER, cases.name[_i], text);
    read_case(text, &g);
    struct dhcp_site site = {.config = g.config, .address = {{10, 77, 0, 2}}};
    enum dhcp_fault fault = dhcp_parse(
        request, golden_request("tests/data/requests", g.request, request), &pkt);
    ck_assert_msg(fault == DHCP_OK, "%s: %s", cases.name[_i], dhcp_fault_name(fault));
    (void)dhcp_decide(&site, &g.at, &pkt, &d);
    print_decision(&d, got);
    golden_check(FOLDER, cases.name[_i], text, g.want, got);
    snapshot_free(g.config);
}
END_TEST

START_TEST(there_are_cases)
{
    ck_assert_int_ge(cases.count, 19);
}
END_TEST

Suite *suite_dhcp_golden(void)
{
    Suite *s = suite_create("golden: real requests");
    TCase *tc = tcase_create("cases");
    golden_list(FOLDER, &cases);
    tcase_add_test(tc, there_are_cases);
    tcase_add_loop_test(tc, answers_are_as_recorded, 0, cases.count);
    suite_add_tcase(s, tc);
    return s;
}
