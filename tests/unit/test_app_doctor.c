#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/doctor/iptables.h"
#include "app/doctor/judge.h"
#include "app/doctor/nft.h"
#include "config/hosts.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

static struct firewall rules;
static struct findings found;

static void set_up(void)
{
    ck_assert(firewall_room(&rules));
    found.count = 0;
}

static void tear_down(void)
{
    firewall_done(&rules);
}

static enum firewall_outcome ask(uint16_t port, enum firewall_state state, bool ipv6)
{
    const struct firewall_chain *where = NULL;
    const struct firewall_packet p = {"eth0", ipv6, 17, port, state};
    enum firewall_outcome outcome = firewall_ask(&rules, &p, &where);
    ck_assert((outcome == FIREWALL_PASSES) == (where == NULL));
    return outcome;
}

/* -- iptables-save ------------------------------------------------------------------------ */

#define FILTER_DROP                                                                      \
    "*filter\n:INPUT DROP [0:0]\n:FORWARD DROP [0:0]\n:OUTPUT ACCEPT [1:2]\n"
#define STATEFUL "-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"

/* clang-format off */
static const struct {
    const char *name;
    const char *text;
    enum firewall_outcome new_69;
    enum firewall_outcome established_40000;
} tables[] = {
    {"nothing", "", FIREWALL_PASSES, FIREWALL_PASSES},
    {"no rules", "*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n", FIREWALL_PASSES, FIREWALL_PASSES},
    {"all is dropped", FILTER_DROP "COMMIT\n", FIREWALL_STOPS, FIREWALL_STOPS},
    {"stateful, closed", FILTER_DROP STATEFUL "COMMIT\n", FIREWALL_STOPS, FIREWALL_PASSES},
    {"stateful, open", FILTER_DROP STATEFUL
     "-A INPUT -i eth0 -p udp -m udp --dport 69 -j ACCEPT\n", FIREWALL_PASSES, FIREWALL_PASSES},
    {"open on another interface", FILTER_DROP STATEFUL
     "-A INPUT -i eth1 -p udp -m udp --dport 69 -j ACCEPT\n", FIREWALL_STOPS, FIREWALL_PASSES},
    {"open but there", FILTER_DROP STATEFUL
     "-A INPUT ! -i wan+ -p udp -m udp --dport 69 -j ACCEPT\n", FIREWALL_PASSES, FIREWALL_PASSES},
    {"open for TCP", FILTER_DROP STATEFUL
     "-A INPUT -p tcp -m tcp --dport 69 -j ACCEPT\n", FIREWALL_STOPS, FIREWALL_PASSES},
    {"many ports", FILTER_DROP
     "-A INPUT -p udp -m multiport --dports 67,69,4011,40000:40003 -j ACCEPT\n",
     FIREWALL_PASSES, FIREWALL_PASSES},
    {"by the old name of states", FILTER_DROP
     "-A INPUT -m state --state NEW,ESTABLISHED -j ACCEPT\n", FIREWALL_PASSES, FIREWALL_PASSES},
    {"a chain", FILTER_DROP ":tftp - [0:0]\n-A INPUT -p udp -j tftp\n"
     "-A tftp -p udp --dport 69 -j ACCEPT\n", FIREWALL_PASSES, FIREWALL_STOPS},
    {"a chain that returns", "*filter\n:INPUT ACCEPT [0:0]\n:c - [0:0]\n"
     "-A INPUT -j c\n-A INPUT -p udp --dport 69 -j DROP\n-A c -p udp -j RETURN\n-A c -j DROP\n",
     FIREWALL_STOPS, FIREWALL_PASSES},
    {"goto does not come back", "*filter\n:INPUT ACCEPT [0:0]\n:c - [0:0]\n"
     "-A INPUT -g c\n-A INPUT -j DROP\n", FIREWALL_PASSES, FIREWALL_PASSES},
    {"a chain that goes round", FILTER_DROP ":c - [0:0]\n-A INPUT -j c\n-A c -j c\n",
     FIREWALL_UNSURE, FIREWALL_UNSURE},
    {"a chain that goes round at each rule", FILTER_DROP ":c - [0:0]\n-A INPUT -j c\n"
     "-A c -j c\n-A c -j c\n-A c -j c\n-A c -j c\n-A c -j c\n", FIREWALL_UNSURE, FIREWALL_UNSURE},
    {"some senders", FILTER_DROP STATEFUL
     "-A INPUT -s 10.0.0.0/8 -p udp --dport 69 -j ACCEPT\n", FIREWALL_UNSURE, FIREWALL_PASSES},
    {"a limit", FILTER_DROP STATEFUL
     "-A INPUT -p udp --dport 69 -m limit --limit 5/sec -j ACCEPT\n", FIREWALL_UNSURE,
     FIREWALL_PASSES},
    {"a log and a comment", FILTER_DROP
     "-A INPUT -m comment --comment \"let it -j DROP in\" -j LOG --log-prefix x\n"
     "-A INPUT -p udp -m comment --comment \"all\" -j ACCEPT\n", FIREWALL_PASSES,
     FIREWALL_PASSES},
    {"an unknown target", FILTER_DROP "-A INPUT -j MAGIC\n", FIREWALL_UNSURE, FIREWALL_UNSURE},
    {"rejected", "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p udp -j REJECT --reject-with x\n",
     FIREWALL_STOPS, FIREWALL_STOPS},
    {"raw, before all", "*raw\n:PREROUTING ACCEPT [0:0]\n"
     "-A PREROUTING -p udp --dport 69 -j DROP\n", FIREWALL_STOPS, FIREWALL_PASSES},
    {"nat is no filter", "*nat\n:PREROUTING DROP [0:0]\n", FIREWALL_PASSES, FIREWALL_PASSES},
    {"garbage", "*\n:\n:x\n-A\n-A INPUT\n-A x -j\n:INPUT DROP\n-A INPUT !\n-A INPUT -p udp --dport\n",
     FIREWALL_UNSURE, FIREWALL_UNSURE},
};
/* clang-format on */

START_TEST(iptables_are_walked)
{
    iptables_read(tables[_i].text, strlen(tables[_i].text), false, &rules);
    ck_assert_msg(ask(69, FIREWALL_NEW, false) == tables[_i].new_69, "%s: new",
                  tables[_i].name);
    ck_assert_msg(ask(40000, FIREWALL_ESTABLISHED, false) == tables[_i].established_40000,
                  "%s: established", tables[_i].name);
    ck_assert_msg(ask(69, FIREWALL_NEW, true) == FIREWALL_PASSES, "%s: IPv6",
                  tables[_i].name);
}
END_TEST

START_TEST(more_rules_than_there_is_room_for)
{
    static char text[FIREWALL_RULES * 40];
    size_t len = 0;
    len += (size_t)snprintf(text, sizeof text, "*filter\n:INPUT ACCEPT [0:0]\n");
    for (unsigned i = 0; i <= FIREWALL_RULES; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len,
                                "-A INPUT -p tcp --dport %u -j DROP\n", i);
    }
    iptables_read(text, len, false, &rules);
    ck_assert_int_eq(ask(69, FIREWALL_NEW, false), FIREWALL_UNSURE);
}
END_TEST

/* -- nft ---------------------------------------------------------------------------------- */

#define CHAIN(policy)                                                                    \
    "{'chain': {'family': 'inet', 'table': 't', 'name': 'c', 'type': 'filter', "         \
    "'hook': 'input', 'prio': 0, 'policy': '" policy "'}}"
#define RULE(expr)                                                                       \
    ", {'rule': {'family': 'inet', 'table': 't', 'chain': 'c', 'expr': [" expr "]}}"
#define MATCH(left, right) "{'match': {'op': '==', 'left': " left ", 'right': " right "}}"
#define DPORT              "{'payload': {'protocol': 'udp', 'field': 'dport'}}"
#define ACCEPT             "{'accept': null}"

/* clang-format off */
static const struct {
    const char *name;
    const char *text; /* of the list, with ' for " */
    enum firewall_outcome outcome; /* of a new packet to port 69 */
} rulesets[] = {
    {"policy", CHAIN("drop"), FIREWALL_STOPS},
    {"a port", CHAIN("drop") RULE(MATCH(DPORT, "69") ", " ACCEPT), FIREWALL_PASSES},
    {"another", CHAIN("drop") RULE(MATCH(DPORT, "70") ", " ACCEPT), FIREWALL_STOPS},
    {"a range", CHAIN("drop") RULE(MATCH(DPORT, "{'range': [60, 70]}") ", " ACCEPT),
     FIREWALL_PASSES},
    {"a counter between", CHAIN("drop") RULE(MATCH(DPORT, "69") ", {'counter': {'packets': 0}}, "
     ACCEPT), FIREWALL_PASSES},
    {"an element with a time-out", CHAIN("drop")
     RULE(MATCH(DPORT, "{'set': [{'elem': {'val': 69, 'timeout': 5}}]}") ", " ACCEPT),
     FIREWALL_PASSES},
    {"a set that is not there", CHAIN("drop") RULE(MATCH(DPORT, "'@x'") ", " ACCEPT),
     FIREWALL_UNSURE},
    {"a limit", CHAIN("drop") RULE(MATCH(DPORT, "69") ", {'limit': {'rate': 5}}, " ACCEPT),
     FIREWALL_UNSURE},
    {"of iptables", CHAIN("drop") RULE("{'xt': null}, " ACCEPT), FIREWALL_UNSURE},
    {"a queue", CHAIN("accept") RULE("{'queue': {'num': 1}}"), FIREWALL_UNSURE},
    {"another comparison", CHAIN("drop") RULE("{'match': {'op': '<', 'left': " DPORT
     ", 'right': 100}}, " ACCEPT), FIREWALL_UNSURE},
    {"negated", CHAIN("drop") RULE("{'match': {'op': '!=', 'left': " DPORT
     ", 'right': 70}}, " ACCEPT), FIREWALL_PASSES},
    {"a map of ports", CHAIN("drop") RULE("{'vmap': {'key': " DPORT ", 'data': {'set': [[69, "
     ACCEPT "], [70, {'drop': null}]]}}}"), FIREWALL_PASSES},
    {"a map by name", CHAIN("accept") RULE("{'vmap': {'key': " DPORT ", 'data': '@m'}}"),
     FIREWALL_UNSURE},
    {"ICMP alone", CHAIN("drop") RULE(MATCH("{'payload': {'protocol': 'icmp', 'field': 'type'}}",
     "'echo-request'") ", " ACCEPT), FIREWALL_STOPS},
    {"the family", CHAIN("drop") RULE(MATCH("{'meta': {'key': 'nfproto'}}", "'ipv6'") ", " ACCEPT),
     FIREWALL_STOPS},
    {"a jump into nowhere", CHAIN("drop") RULE("{'jump': {'target': 'gone'}}"), FIREWALL_UNSURE},
    {"no list", "7", FIREWALL_PASSES},
    {"nonsense", CHAIN("drop") ", {'rule': {'chain': 5}}, {'rule': []}, {}" RULE("7, [], {'match': 1}"),
     FIREWALL_STOPS},
};
/* clang-format on */

START_TEST(nft_rules_are_walked)
{
    char written[2048];
    snprintf(written, sizeof written, "{'nftables': [%s]}", rulesets[_i].text);
    char *text = quoted(written);
    ck_assert_msg(nft_read(text, strlen(text), &rules), "%s", rulesets[_i].name);
    free(text);
    ck_assert_msg(ask(69, FIREWALL_NEW, false) == rulesets[_i].outcome, "%s",
                  rulesets[_i].name);
}
END_TEST

START_TEST(what_is_no_ruleset)
{
    ck_assert(!nft_read("{", 1, &rules));
    ck_assert(!nft_read("[]", 2, &rules));
    ck_assert(!nft_read("{\"nftables\": 1}", 15, &rules));
}
END_TEST

/* -- ports -------------------------------------------------------------------------------- */

START_TEST(lines_of_proc_net)
{
    struct port_holder h;
    ck_assert(
        port_read(" 1134: 00000000:0045 00000000:0000 07 00000000:00000000 00:00000000 "
                  "00000000     0        0 12345 2 0000000000000000 0\n",
                  false, &h));
    ck_assert_uint_eq(h.port, 69);
    ck_assert_uint_eq(h.inode, 12345);
    ck_assert(h.everywhere);
    ck_assert(
        port_read("   2: 0100007F:1F85 00000000:0000 0A 00000000:00000000 00:00000000 "
                  "00000000   997        0 77 1 0000000000000000 100 0 0 10 0\n",
                  true, &h));
    ck_assert_uint_eq(h.port, 8069);
    ck_assert(!h.everywhere);
    ck_assert(
        !port_read("   2: 0100007F:1F85 0100007F:0050 01 00000000:00000000 00:00000000 "
                   "00000000   997        0 77 1\n",
                   true, &h));       /* a connection */
    ck_assert_uint_eq(h.port, 8069); /* and nothing was told of it */
    ck_assert_uint_eq(h.inode, 77);
    ck_assert(port_read(
        "  9: 00000000000000000000000000000000:0FAB "
        "00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 "
        "00000000     0        0 5 2 0 0\n",
        false, &h));
    ck_assert_uint_eq(h.port, 4011);
    static const char *const bad[] = {
        "  sl  local_address rem_address   st tx_queue rx_queue\n",
        "",
        ":",
        "1: ",
        "1: 00",
        "1: 00:"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(!port_read(bad[i], false, &h), "%s", bad[i]);
    }
}
END_TEST

static void check_one(enum finding_level level, const char *what)
{
    ck_assert_uint_eq(found.count, 1);
    ck_assert_msg(found.list[0].level == level, "%s", found.list[0].what);
    ck_assert_msg(strstr(found.list[0].what, what) != NULL, "%s", found.list[0].what);
    ck_assert_msg((level == FINDING_GOOD) == (found.list[0].remedy[0] == '\0'), "%s",
                  found.list[0].remedy);
    found.count = 0;
}

/* What others on the wire say: each finding in its order, the sentence by a word of it. */
START_TEST(the_wire_is_judged_by_what_others_answer)
{
    static struct choice_facts facts;
    const struct ip4 own = {{10, 0, 0, 1}};
    static const char *const bad[] = {"gives addresses", "says option 60",
                                      "names a boot file", "forbids iPXE"};
    memset(&facts, 0, sizeof facts);
    judge_wire("eth0", &facts, own, &found);
    check_one(FINDING_WARNING, "no DHCP server elsewhere");
    facts.count = 1;
    facts.answer[0] =
        (struct answer){.server = {{10, 0, 0, 2}}, .address = {{10, 0, 0, 9}}};
    judge_wire("eth0", &facts, own, &found);
    check_one(FINDING_GOOD, "the DHCP server 10.0.0.2 gives addresses on eth0");
    facts.answer[0].is_pxe = facts.answer[0].no_proxy = true;
    snprintf(facts.answer[0].file, sizeof facts.answer[0].file, "a.0");
    judge_wire("eth0", &facts, own, &found);
    ck_assert_uint_eq(found.count, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_msg(strstr(found.list[i].what, bad[i]) != NULL, "%s",
                      found.list[i].what);
    }
    found.count = 0;
    facts.count = 2; /* ourselves, and another proxy beside that server */
    facts.answer[1] = facts.answer[0];
    facts.answer[0] = (struct answer){.server = own, .is_pxe = true};
    facts.answer[1].address = IP4_ANY;
    judge_wire("eth0", &facts, own, &found);
    ck_assert_uint_eq(found.count, 2);
    ck_assert_ptr_nonnull(strstr(found.list[0].what, "another PXE server, 10.0.0.2"));
    ck_assert_ptr_nonnull(strstr(found.list[1].what, "no DHCP server elsewhere"));
    found.count = 0;
}
END_TEST

START_TEST(ports_are_judged_by_their_holder)
{
    static const struct port_need tftp = {false, 69, "serve files"};
    struct port_holder h = {.port = 69, .pid = 5, .process = "in.tftpd"};
    judge_port(&tftp, &h, 0, &found);
    check_one(FINDING_GOOD, "is free");
    judge_port(&tftp, &h, 1, &found);
    check_one(FINDING_FAULT, "held by in.tftpd (pid 5): pxed cannot serve files");
    h.pid = 0;
    judge_port(&tftp, &h, 1, &found);
    check_one(FINDING_NOTE, "only root may know");
    h.tcp = true;
    judge_port(&tftp, &h, 1, &found);
    check_one(FINDING_GOOD, "is free");
    h = (struct port_holder){.port = 69, .pid = 5, .process = "pxed"};
    judge_port(&tftp, &h, 1, &found);
    check_one(FINDING_GOOD, "held by pxed");
}
END_TEST

START_TEST(interfaces_are_judged_by_what_stands_on_them)
{
    struct interface_state i = {.name = "eth0",
                                .exists = true,
                                .ethernet = true,
                                .up = true,
                                .carrier = true,
                                .has_address = true,
                                .address = {{10, 0, 5, 2}},
                                .mtu = 1500};
    judge_interface(&i, 1468, true, false, &found);
    check_one(FINDING_GOOD, "eth0 is up, with 10.0.5.2");
    memcpy(i.vlan, "eth0.5", 7);
    judge_interface(&i, 1468, true, false, &found);
    ck_assert_uint_eq(found.count, 2);
    ck_assert_int_eq(found.list[1].level, FINDING_NOTE);
    ck_assert_ptr_nonnull(strstr(found.list[1].what, "what is tagged belongs to eth0.5"));
    ck_assert_ptr_nonnull(strstr(found.list[1].remedy, "name eth0.5 in"));
    found.count = 0;
    i.vlan[0] = '\0';
    i.is_port = true;
    memcpy(i.master, "br0", 4);
    judge_interface(&i, 1468, true, false, &found);
    check_one(FINDING_FAULT, "eth0 is a port of br0");
}
END_TEST

START_TEST(whom_allow_leaves_out)
{
    static const struct subnet here[] = {
        {{[10] = 0xff, 0xff, 10, 0, 5}, 120},
        {{0xfe, 0x80}, 64}, /* is attached by itself */
    };
    struct host host = {.name = strdup("hall"), .match = calloc(1, sizeof *host.match)};
    size_t other;
    ck_assert(host.name && host.match);
    *host.match = (struct host_match){
        .has_relay = true, .relay_bits = 24, .relay = {{10, 9, 0, 0}}};
    struct snapshot s = {.tftp = {.enabled = true, .allow.attached = true},
                         .hosts = hosts_new(1)};
    judge_allow(&s, here, 2, &found);
    check_one(FINDING_GOOD, "the attached subnets may load files");
    ck_assert_int_eq(hosts_add(s.hosts, &host, &other), HOSTS_ADDED);
    judge_allow(&s, here, 2, &found);
    check_one(FINDING_WARNING, "host \"hall\" is told by relay 10.9.0.0");
    s.tftp.allow.subnets.list[0] = (struct subnet){{[10] = 0xff, 0xff, 10, 9}, 112};
    s.tftp.allow.subnets.count = 1;
    judge_allow(&s, here, 2, &found);
    check_one(FINDING_GOOD, "and others");
    s.tftp.allow.attached = false;
    judge_allow(&s, here, 2, &found);
    check_one(FINDING_WARNING, "machines of the attached subnet 10.0.5.0/24 get no file");
    s.tftp.enabled = false;
    judge_allow(&s, here, 2, &found);
    ck_assert_uint_eq(found.count, 0);
    hosts_free(s.hosts);
}
END_TEST

/* -- the rest ----------------------------------------------------------------------------- */

START_TEST(the_system_is_judged)
{
    const struct snapshot s = {
        .interface_count = 1, .dhcp.enabled = true, .tftp.enabled = true};
    struct system_facts facts = {.now = INT64_C(1800000000),
                                 .files = 4096,
                                 .receive_buffer = 4 << 20,
                                 .rights_known = true,
                                 .may_capture = true,
                                 .may_bind = true};
    judge_system(&facts, &s, &found);
    ck_assert_int_eq(findings_worst(&found), FINDING_GOOD);
    found.count = 0;
    facts.now = 5;
    judge_system(&facts, &s, &found);
    ck_assert_str_eq(found.list[0].what, "the clock stands before 2026");
    found.count = 0;
    facts = (struct system_facts){.now = INT64_C(1800000000),
                                  .config_time = INT64_C(1900000000),
                                  .files = 100,
                                  .receive_buffer = 1000,
                                  .rights_known = true,
                                  .may_bind = true,
                                  .selinux = "enforcing",
                                  .apparmor = "enforce"};
    judge_system(&facts, &s, &found);
    ck_assert_uint_eq(found.count, 6);
    for (size_t i = 0; i < found.count; i++) {
        ck_assert_msg(found.list[i].level != FINDING_GOOD && found.list[i].remedy[0],
                      "%s", found.list[i].what);
    }
}
END_TEST

START_TEST(directories_are_judged_by_who_may_write)
{
    struct directory_facts d = {.path = "/var/lib/pxed",
                                .user_known = true,
                                .user = 7,
                                .user_group = 8,
                                .user_name = "pxed"};
    judge_state_dir(&d, &found);
    check_one(FINDING_GOOD, "is made at the first start");
    d.exists = true;
    d.mode = 0755;
    judge_state_dir(&d, &found);
    check_one(FINDING_WARNING, "may not write");
    d.owner = 7;
    judge_state_dir(&d, &found);
    check_one(FINDING_GOOD, "is there");
    d.owner = 0;
    d.group = 8;
    d.mode = 0770;
    judge_state_dir(&d, &found);
    check_one(FINDING_GOOD, "is there");
    d.mode = 0757;
    judge_state_dir(&d, &found);
    check_one(FINDING_WARNING, "may not write");
}
END_TEST

START_TEST(findings_are_bounded)
{
    for (unsigned i = 0; i < FINDINGS_MAX + 5; i++) {
        finding_add(&found, FINDING_NOTE, "x", "%u", i);
    }
    ck_assert_uint_eq(found.count, FINDINGS_MAX);
    ck_assert_int_eq(findings_worst(&found), FINDING_NOTE);
}
END_TEST

Suite *suite_app_doctor(void)
{
    Suite *s = suite_create("app/doctor");
    TCase *tc = tcase_create("judgements");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, iptables_are_walked, 0, sizeof tables / sizeof tables[0]);
    tcase_add_test(tc, more_rules_than_there_is_room_for);
    tcase_add_loop_test(tc, nft_rules_are_walked, 0,
                        sizeof rulesets / sizeof rulesets[0]);
    tcase_add_test(tc, what_is_no_ruleset);
    tcase_add_test(tc, lines_of_proc_net);
    tcase_add_test(tc, the_wire_is_judged_by_what_others_answer);
    tcase_add_test(tc, ports_are_judged_by_their_holder);
    tcase_add_test(tc, interfaces_are_judged_by_what_stands_on_them);
    tcase_add_test(tc, whom_allow_leaves_out);
    tcase_add_test(tc, the_system_is_judged);
    tcase_add_test(tc, directories_are_judged_by_who_may_write);
    tcase_add_test(tc, findings_are_bounded);
    suite_add_tcase(s, tc);
    return s;
}
