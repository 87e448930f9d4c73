#include <arpa/inet.h>
#include <stdio.h>

#include "dhcp/v6_decision.h"
#include "dhcp/v6_sighting.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

#define PROFILE                                                                          \
    "'x86-bios': 'bios.0', 'x64-uefi': 'x64.efi', 'arm64-uefi': 'gone.efi',"             \
    "'x64-uefi-http': 'http://[fd77::2]/x.efi',"                                         \
    "'arm64-uefi-http': 'http://10.0.0.1/x.efi', 'ipxe': 'boot.ipxe',"                   \
    "'x86-uefi-http': 'x/a b.efi', 'arm32-uefi-http': 'gone.efi'"
static const char config_text[] =
    "{'interfaces': ['eth0'], 'tftp': {'root': '/srv'},"
    "'http': {'listen': ':8069', 'boot_files': true}, 'profiles': {"
    "'default': {" PROFILE "}, 'own': {'x64-uefi': 'own.efi'},"
    "'away': {'x64-uefi': 'x64.efi', 'next_server': '10.0.0.9'},"
    "'menu': {'menu': {'prompt': 'choose', 'items': ["
    "{'name': 'One', 'file': 'one.efi'}, {'name': 'Two', 'file': 'two.efi'}]}},"
    "'disk': {'menu': {'prompt': 'choose', 'items': ["
    "{'name': 'Disk', 'action': 'local'}, {'name': 'Two', 'file': 'two.efi'}]}}},"
    "'hosts': ["
    "{'name': 'ignored', 'mac': '52:54:00:00:00:66', 'action': 'ignore'},"
    "{'name': 'own', 'mac': '52:54:00:00:00:77', 'profile': 'own'},"
    "{'name': 'away', 'mac': '52:54:00:00:00:88', 'profile': 'away'},"
    "{'mac': '52:54:00:00:00:99', 'profile': 'menu'},"
    "{'mac': '52:54:00:00:00:9a', 'profile': 'disk'},"
    "{'mac': '52:54:00:00:00:9b', 'action': 'local'},"
    "{'mac': '52:54:00:00:00:9c', 'delay_ms': 40, 'after_requests': 3},"
    "{'name': 'uuid', 'uuid': '00112233-4455-6677-8899-aabbccddeeff', 'profile': "
    "'own'}]}";

/* -- requests ----------------------------------------------------------------------------- */

struct message {
    uint8_t octets[1400];
    struct wr w;
};

static void begin(struct message *m, uint8_t type)
{
    m->w = wr_over(m->octets, sizeof m->octets);
    wr_u32(&m->w, (uint32_t)type << 24 | 0x123456);
}

static void add(struct message *m, enum dhcp6_code code, const void *value, size_t len)
{
    dhcp6_option_write(&m->w, code, value, len);
}

static void add_duid(struct message *m)
{
    static const uint8_t duid[18] = {0, 4, 9, 8, 7}; /* a UUID of no host */
    add(m, DHCP6_CLIENT_ID, duid, sizeof duid);
}

static void add_arch(struct message *m, uint16_t arch)
{
    const uint8_t value[2] = {(uint8_t)(arch >> 8), (uint8_t)arch};
    add(m, DHCP6_ARCH, value, sizeof value);
}

static void add_class(struct message *m, uint32_t enterprise, const char *text)
{
    uint8_t value[100];
    struct wr v = wr_over(value, sizeof value);
    wr_u32(&v, enterprise);
    wr_u16(&v, (uint16_t)strlen(text));
    wr_put(&v, text, strlen(text));
    add(m, DHCP6_VENDOR_CLASS, value, wr_len(&v));
}

static void boot_client(struct message *m, uint8_t type, uint16_t arch)
{
    begin(m, type);
    add_duid(m);
    add_arch(m, arch);
    add_class(m, 343, arch_is_http(arch) ? "HTTPClient:Arch" : "PXEClient:Arch");
}

/* -- asking ------------------------------------------------------------------------------- */

static struct snapshot *config;
static struct ip6 addresses[3];
static struct dhcp6_site site;
static struct dhcp6_decision d;

static struct ip6 ip(const char *text)
{
    struct ip6 out;
    ck_assert_int_eq(inet_pton(AF_INET6, text, out.octet), 1);
    return out;
}

static bool there(void *context, const char *file)
{
    (void)context;
    return strcmp(file, "gone.efi") != 0;
}

static void setup(void)
{
    static const struct mac us = {{0x52, 0x54, 0, 0, 0, 1}};
    config = config_of(config_text);
    addresses[0] = ip("fe80::1");
    addresses[1] = ip("fd99::2");
    addresses[2] = ip("fd77::2");
    site = (struct dhcp6_site){
        .config = config, .address = addresses, .address_count = 3, .has_file = there};
    dhcp6_duid(&us, site.duid);
}

static void teardown(void)
{
    snapshot_free(config);
}

static const struct dhcp6_decision *ask_at(const struct dhcp6_arrival *at,
                                           const struct message *m)
{
    struct dhcp6_packet p;
    enum dhcp6_fault fault = dhcp6_parse(m->octets, wr_len(&m->w), &p);
    ck_assert_msg(fault == DHCP6_OK, "%s", dhcp6_fault_name(fault));
    (void)dhcp6_decide(&site, at, &p, &d);
    return &d;
}

static struct dhcp6_arrival by_multicast(const char *from)
{
    return (struct dhcp6_arrival){
        .port = 547, .from = ip(from), .from_port = 546, .to = ip("ff02::1:2")};
}

static struct dhcp6_arrival at_4011(const char *from, const char *to)
{
    return (struct dhcp6_arrival){
        .port = 4011, .from = ip(from), .from_port = 4011, .to = ip(to)};
}

static const struct dhcp6_decision *ask(const struct message *m)
{
    struct dhcp6_arrival at = by_multicast("fe80::9");
    return ask_at(&at, m);
}

static void expect(const char *what, enum dhcp_verdict want)
{
    ck_assert_msg(d.gate.verdict == want, "%s: got %s, want %s", what,
                  dhcp_verdict_name(d.gate.verdict), dhcp_verdict_name(want));
}

/* -- who is answered ---------------------------------------------------------------------- */

static const struct {
    uint8_t type;
    uint16_t port;
    uint16_t arch;
    enum dhcp_verdict verdict;
} rows[] = {
    {1, 547, 7, DHCP_ANSWERED},      {11, 547, 7, DHCP_ANSWERED},
    {1, 547, 9, DHCP_ANSWERED},      {1, 547, 16, DHCP_ANSWERED},
    {3, 4011, 7, DHCP_ANSWERED},     {11, 4011, 7, DHCP_ANSWERED},
    {3, 4011, 16, DHCP_NOT_OURS},    {1, 4011, 7, DHCP_NOT_OURS},
    {3, 547, 7, DHCP_NOT_OURS},      {4, 547, 7, DHCP_NOT_OURS},
    {5, 547, 7, DHCP_NOT_OURS},      {6, 547, 7, DHCP_NOT_OURS},
    {8, 547, 7, DHCP_NOT_OURS},      {9, 547, 7, DHCP_NOT_OURS},
    {99, 547, 7, DHCP_NOT_OURS},     {2, 547, 7, DHCP_A_REPLY},
    {7, 547, 7, DHCP_A_REPLY},       {10, 547, 7, DHCP_A_REPLY},
    {1, 547, 27, DHCP_NO_FILE},      {1, 547, 11, DHCP_FILE_MISSING},
    {1, 547, 6, DHCP_NO_FILE},       {1, 547, 19, DHCP_IPV4_ONLY},
    {1, 547, 77, DHCP_UNKNOWN_ARCH}, {1, 547, 15, DHCP_ANSWERED},
    {1, 547, 18, DHCP_FILE_MISSING},
};

START_TEST(each_message_has_its_verdict)
{
    struct message m;
    char what[60];
    struct dhcp6_arrival at = by_multicast("fe80::9");
    at.port = rows[_i].port;
    boot_client(&m, rows[_i].type, rows[_i].arch);
    (void)ask_at(&at, &m);
    snprintf(what, sizeof what, "type %u on %u, architecture %u", rows[_i].type,
             rows[_i].port, rows[_i].arch);
    expect(what, rows[_i].verdict);
    ck_assert((d.reply.len > 0) == (rows[_i].verdict == DHCP_ANSWERED));
}
END_TEST

START_TEST(http_clients_get_files_of_our_own_server)
{
    struct message m;
    struct http_conf *http = &config->http;
    boot_client(&m, DHCP6_SOLICIT, 15);
    struct dhcp6_arrival at = by_multicast("fd77::9");
    (void)ask_at(&at, &m);
    ck_assert_str_eq(d.url, "http://[fd77::2]:8069/x/a%20b.efi");
    memcpy(http->listen.ip, ip("fd99::7").octet, sizeof http->listen.ip);
    (void)ask_at(&at, &m);
    ck_assert_str_eq(d.url, "http://[fd99::7]:8069/x/a%20b.efi");
    http->listen = endpoint_ip4((struct ip4){{10, 0, 0, 1}}, 80);
    (void)ask_at(&at, &m);
    expect("a server of IPv4 alone", DHCP_NO_ADDRESS);
    http->listen = endpoint_ip4(IP4_ANY, 80);
    (void)ask_at(&at, &m);
    expect("a server of all IPv4 addresses", DHCP_NO_ADDRESS);
}
END_TEST

START_TEST(only_boot_clients_are_answered)
{
    struct message m;
    begin(&m, DHCP6_SOLICIT);
    add_duid(&m);
    add_arch(&m, 7);
    (void)ask(&m);
    expect("no class", DHCP_NOT_PXE);
    add_class(&m, 9, "PXEClient:Arch:00007");
    (void)ask(&m);
    expect("another enterprise's class", DHCP_NOT_PXE);
    add_class(&m, 343, "MSFT 5.0");
    (void)ask(&m);
    expect("another word", DHCP_NOT_PXE);
    add_class(&m, 343, "PXEClient:Arch:00007");
    (void)ask(&m);
    expect("a class further down", DHCP_ANSWERED);
}
END_TEST

START_TEST(a_class_may_be_the_second_text_of_its_option)
{
    static const uint8_t value[] = "\0\0\1\x57\0\3abc\0\x14PXEClient:Arch:00007";
    struct message m;
    begin(&m, DHCP6_SOLICIT);
    add_duid(&m);
    add(&m, DHCP6_VENDOR_CLASS, value, sizeof value - 1);
    (void)ask(&m);
    expect("second text", DHCP_ANSWERED);
    ck_assert_uint_eq(d.gate.arch, 7); /* of the digits: option 61 is missing */
}
END_TEST

START_TEST(who_tells_no_architecture_is_not_answered)
{
    struct message m;
    begin(&m, DHCP6_SOLICIT);
    add_duid(&m);
    add_class(&m, 343, "PXEClient");
    (void)ask(&m);
    expect("no 61, no digits", DHCP_NO_ARCH);
}
END_TEST

START_TEST(a_solicit_names_its_client_and_no_server)
{
    struct message m;
    begin(&m, DHCP6_SOLICIT);
    add_arch(&m, 7);
    add_class(&m, 343, "PXEClient");
    (void)ask(&m);
    expect("no client identifier", DHCP_NO_CLIENT_ID);
    add_duid(&m);
    add(&m, DHCP6_SERVER_ID, site.duid, sizeof site.duid);
    (void)ask(&m);
    expect("a SOLICIT with a server", DHCP_OTHER_SERVER);
}
END_TEST

START_TEST(an_information_request_may_lack_its_client)
{
    struct message m;
    begin(&m, DHCP6_INFORMATION_REQUEST);
    add_arch(&m, 7);
    add_class(&m, 343, "PXEClient");
    (void)ask(&m);
    expect("no client identifier", DHCP_ANSWERED);
    add(&m, DHCP6_IA_NA, "............", 12);
    (void)ask(&m);
    expect("one that wants an address", DHCP_NOT_OURS);
}
END_TEST

START_TEST(a_4011_request_for_another_server_is_left_alone)
{
    struct message m;
    struct dhcp6_arrival at = at_4011("fd77::100", "fd77::2");
    boot_client(&m, DHCP6_REQUEST, 7);
    add(&m, DHCP6_SERVER_ID, "\0\3\0\1\2\0\0\0\0\1", 10);
    (void)ask_at(&at, &m);
    expect("another's DUID", DHCP_OTHER_SERVER);
    boot_client(&m, DHCP6_REQUEST, 7);
    add(&m, DHCP6_SERVER_ID, site.duid, sizeof site.duid);
    (void)ask_at(&at, &m);
    expect("our DUID", DHCP_ANSWERED);
    ck_assert_uint_eq(d.reply.to_port, 4011);
    add(&m, DHCP6_IA_NA, "............", 12);
    (void)ask_at(&at, &m);
    expect("wants an address", DHCP_NOT_OURS);
}
END_TEST

START_TEST(a_client_may_not_ask_by_unicast)
{
    struct message m;
    struct dhcp6_arrival at = by_multicast("fe80::9");
    at.to = ip("fd77::2");
    boot_client(&m, DHCP6_SOLICIT, 7);
    (void)ask_at(&at, &m);
    expect("SOLICIT to our address", DHCP_NOT_OURS);
}
END_TEST

/* -- who it is ---------------------------------------------------------------------------- */

START_TEST(the_mac_is_found_wherever_it_is_told)
{
    static const struct {
        const char *what;
        const char *duid;
        size_t len;
        const char *from;
        bool known;
    } ways[] = {
        {"DUID-LL", "\0\3\0\1\x52\x54\0\0\0\x66", 10, "fe80::9", false},
        {"DUID-LLT", "\0\1\0\1\1\2\3\4\x52\x54\0\0\0\x66", 14, "fe80::9", false},
        {"EUI-64", "\0\2\0\0\1\2x", 7, "fe80::5054:ff:fe00:66", false},
        {"what it told before", "\0\2\0\0\1\2x", 7, "fd77::100", true},
    };
    struct message m;
    struct dhcp6_arrival at = by_multicast(ways[_i].from);
    at.has_mac = ways[_i].known;
    at.mac = (struct mac){{0x52, 0x54, 0, 0, 0, 0x66}};
    begin(&m, DHCP6_SOLICIT);
    add(&m, DHCP6_CLIENT_ID, ways[_i].duid, ways[_i].len);
    add_arch(&m, 7);
    add_class(&m, 343, "PXEClient");
    (void)ask_at(&at, &m);
    expect(ways[_i].what, DHCP_HOST_IGNORED);
}
END_TEST

START_TEST(a_uuid_names_the_host_in_either_byte_order)
{
    static const char *const duids[] = {
        "\0\4\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
        "\0\4\x33\x22\x11\x00\x55\x44\x77\x66\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
    };
    struct message m;
    begin(&m, DHCP6_SOLICIT);
    add(&m, DHCP6_CLIENT_ID, duids[_i], 18);
    add_arch(&m, 7);
    add_class(&m, 343, "PXEClient");
    ck_assert_str_eq(ask(&m)->url, "tftp://[fd99::2]/own.efi");
    ck_assert_str_eq(d.gate.host->name, "uuid");
}
END_TEST

START_TEST(a_host_of_another_next_server_is_out_of_reach)
{
    struct message m;
    struct dhcp6_arrival at = by_multicast("fe80::5054:ff:fe00:88");
    boot_client(&m, DHCP6_SOLICIT, 7);
    (void)ask_at(&at, &m);
    expect("next_server is IPv4", DHCP_IPV4_ONLY);
}
END_TEST

/* They are about who answers first, so not about port 4011, where others are not asked. */
START_TEST(others_may_be_left_the_first_word)
{
    struct message m;
    struct dhcp6_arrival at = by_multicast("fe80::5054:ff:fe00:9c");
    const uint8_t types[] = {DHCP6_SOLICIT, DHCP6_INFORMATION_REQUEST};
    boot_client(&m, types[_i], 7);
    for (site.asked = 0; site.asked < 5; site.asked++) {
        bool early = site.asked == 1 || site.asked == 2;
        (void)ask_at(&at, &m);
        expect("asked", early ? DHCP_TOO_EARLY : DHCP_ANSWERED);
        ck_assert_uint_eq(d.gate.delay_ms, early ? 0 : 40);
    }
    site.asked = 1;
    at = by_multicast("fe80::5054:ff:fe00:9c");
    at.port = 4011;
    boot_client(&m, DHCP6_REQUEST, 7);
    (void)ask_at(&at, &m);
    expect("port 4011", DHCP_ANSWERED);
    ck_assert_uint_eq(d.gate.delay_ms, 0);
}
END_TEST

START_TEST(of_a_menu_the_default_item_is_given)
{
    struct message m;
    struct dhcp6_arrival at = by_multicast("fe80::5054:ff:fe00:99");
    boot_client(&m, DHCP6_SOLICIT, 7);
    ck_assert_str_eq(ask_at(&at, &m)->url, "tftp://[fd99::2]/one.efi");
    at = by_multicast("fe80::5054:ff:fe00:9a");
    (void)ask_at(&at, &m);
    expect("the default is the disk", DHCP_HOST_LOCAL);
    at = by_multicast("fe80::5054:ff:fe00:9b");
    (void)ask_at(&at, &m);
    expect("the host's action is local", DHCP_HOST_LOCAL);
}
END_TEST

START_TEST(an_unknown_host_may_be_ignored)
{
    struct message m;
    config->unknown.action = HOST_IGNORE;
    boot_client(&m, DHCP6_SOLICIT, 7);
    (void)ask(&m);
    expect("unknown", DHCP_UNKNOWN_HOST);
}
END_TEST

START_TEST(ipxe_gets_its_script)
{
    struct message m;
    boot_client(&m, DHCP6_INFORMATION_REQUEST, 0);
    ck_assert_str_eq(ask(&m)->url, "tftp://[fd99::2]/bios.0");
    add(&m, DHCP6_USER_CLASS, "\0\4iPXE", 6);
    ck_assert_str_eq(ask(&m)->url, "tftp://[fd99::2]/boot.ipxe");
    begin(&m, DHCP6_INFORMATION_REQUEST);
    add(&m, DHCP6_USER_CLASS, "\0\3abc\0\4iPXE", 11);
    ck_assert_str_eq(ask(&m)->url, "tftp://[fd99::2]/boot.ipxe");
    expect("no vendor class", DHCP_ANSWERED);
}
END_TEST

/* -- where it loads from ------------------------------------------------------------------ */

START_TEST(the_url_names_an_address_that_the_client_reaches)
{
    struct message m;
    struct dhcp6_arrival at = by_multicast("fd77::100");
    boot_client(&m, DHCP6_SOLICIT, 7);
    ck_assert_str_eq(ask_at(&at, &m)->url, "tftp://[fd77::2]/x64.efi"); /* its network */
    at = by_multicast("fd55::100");
    ck_assert_str_eq(ask_at(&at, &m)->url, "tftp://[fd99::2]/x64.efi");
    at = by_multicast("fe80::9");
    ck_assert_str_eq(ask_at(&at, &m)->url, "tftp://[fd99::2]/x64.efi");
    site.address_count = 1;
    ck_assert_str_eq(ask_at(&at, &m)->url, "tftp://[fe80::1]/x64.efi");
    site.address_count = 0;
    (void)ask_at(&at, &m);
    expect("no address", DHCP_NO_ADDRESS);
}
END_TEST

START_TEST(port_4011_names_the_address_that_was_asked)
{
    struct message m;
    struct dhcp6_arrival at = at_4011("fe80::9", "fe80::1");
    boot_client(&m, DHCP6_REQUEST, 7);
    ck_assert_str_eq(ask_at(&at, &m)->url, "tftp://[fe80::1]/x64.efi");
    at = at_4011("fe80::9", "fd77::2");
    ck_assert_str_eq(ask_at(&at, &m)->url, "tftp://[fd77::2]/x64.efi");
    at = at_4011("fe80::9", "ff02::1:2");
    ck_assert_str_eq(ask_at(&at, &m)->url, "tftp://[fd99::2]/x64.efi");
}
END_TEST

static void wrap(struct message *outer, const struct message *inner, const char *peer)
{
    struct ip6 link = ip("fd55::1");
    struct ip6 from = ip(peer);
    outer->w = wr_over(outer->octets, sizeof outer->octets);
    wr_u8(&outer->w, DHCP6_RELAY_FORW);
    wr_u8(&outer->w, 0);
    wr_put(&outer->w, link.octet, 16);
    wr_put(&outer->w, from.octet, 16);
    add(outer, DHCP6_RELAY_MESSAGE, inner->octets, wr_len(&inner->w));
}

START_TEST(a_relayed_client_is_judged_by_its_own_address)
{
    struct message inner;
    struct message outer;
    struct dhcp6_arrival at = by_multicast("fe80::5054:ff:fe00:77"); /* the relay's */
    at.to = ip("fd77::2");
    boot_client(&inner, DHCP6_SOLICIT, 7);
    wrap(&outer, &inner, "fe80::5054:ff:fe00:66");
    (void)ask_at(&at, &outer);
    expect("by its peer address", DHCP_HOST_IGNORED);
    wrap(&outer, &inner, "fe80::5054:ff:fe00:1");
    add(&outer, DHCP6_CLIENT_LINK_LAYER, "\0\1\x52\x54\0\0\0\x66", 8);
    (void)ask_at(&at, &outer);
    expect("by what the relay saw", DHCP_HOST_IGNORED);
    wrap(&outer, &inner, "fe80::9");
    (void)ask_at(&at, &outer);
    expect("neither", DHCP_ANSWERED);
    ck_assert_uint_eq(d.reply.to_port, 547);
    ck_assert_uint_eq(d.reply.packet[0], DHCP6_RELAY_REPL);
    site.address_count = 1;
    (void)ask_at(&at, &outer);
    expect("only a link-local address to give", DHCP_NO_ADDRESS);
    at.port = 4011;
    (void)ask_at(&at, &outer);
    expect("relayed to port 4011", DHCP_NOT_OURS);
}
END_TEST

/* -- what its packets tell of addresses --------------------------------------------------- */

static bool sees(const struct dhcp6_arrival *at, const struct message *m,
                 const char *want)
{
    struct ip6 got;
    struct ip6 ip6 = ip(want);
    struct machine machine;
    struct dhcp6_packet p;
    static const struct mac mac = {{0x52, 0x54, 0, 0, 0, 9}};
    ck_assert_int_eq(dhcp6_parse(m->octets, wr_len(&m->w), &p), DHCP6_OK);
    (void)dhcp6_decide(&site, at, &p, &d);
    return dhcp6_sighting(&p, at, &d, &got, &machine) && ip6_equal(&got, &ip6) &&
           mac_equal(&machine.mac, &mac);
}

START_TEST(its_addresses_are_learnt)
{
    static const uint8_t lease[] =
        "IAID....----" /* then an address of fd77::123 */
        "\0\5\0\x18\xfd\x77\0\0\0\0\0\0\0\0\0\0\0\0\1\x23----....";
    struct message m;
    struct message outer;
    struct dhcp6_arrival at = by_multicast("fe80::5054:ff:fe00:9");
    boot_client(&m, DHCP6_SOLICIT, 7);
    ck_assert(sees(&at, &m, "fe80::5054:ff:fe00:9"));
    wrap(&outer, &m, "fe80::5054:ff:fe00:9");
    ck_assert(!sees(&at, &outer, "fe80::5054:ff:fe00:9"));
    begin(&m, DHCP6_REQUEST); /* to the address server, of a client of any kind */
    add(&m, DHCP6_IA_NA, lease, sizeof lease - 1);
    ck_assert(sees(&at, &m, "fd77::123"));
    wrap(&outer, &m, "fe80::5054:ff:fe00:9");
    ck_assert(sees(&at, &outer, "fd77::123"));
    m.octets[0] = DHCP6_REPLY;
    ck_assert(!sees(&at, &m, "fe80::5054:ff:fe00:9"));
    begin(&m, DHCP6_REQUEST);
    add(&m, DHCP6_IA_NA, lease, 20); /* cut short */
    ck_assert(!sees(&at, &m, "fd77::123"));
}
END_TEST

START_TEST(what_would_not_fit_is_not_sent)
{
    static const uint8_t id[1100];
    struct message inner;
    struct message outer;
    struct dhcp6_arrival at = by_multicast("fe80::1");
    boot_client(&inner, DHCP6_SOLICIT, 7);
    wrap(&outer, &inner, "fe80::9");
    add(&outer, DHCP6_INTERFACE_ID, id, sizeof id);
    (void)ask_at(&at, &outer);
    expect("a huge interface identifier", DHCP_TOO_LARGE);
    ck_assert_uint_eq(d.reply.len, 0);
}
END_TEST

START_TEST(the_duid_is_a_function_of_the_mac)
{
    static const struct mac mac = {{1, 2, 3, 4, 5, 6}};
    static const uint8_t want[DHCP6_DUID_LEN] = {0, 4,    'p', 'x', 'e', 'd', 0, 0, 0x80,
                                                 0, 0x80, 0,   1,   2,   3,   4, 5, 6};
    uint8_t got[DHCP6_DUID_LEN];
    dhcp6_duid(&mac, got);
    ck_assert_mem_eq(got, want, sizeof want);
}
END_TEST

Suite *suite_dhcp6_decision(void)
{
    Suite *s = suite_create("dhcp/v6_decision");
    TCase *tc = tcase_create("decision");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, each_message_has_its_verdict, 0,
                        sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, http_clients_get_files_of_our_own_server);
    tcase_add_test(tc, only_boot_clients_are_answered);
    tcase_add_test(tc, a_class_may_be_the_second_text_of_its_option);
    tcase_add_test(tc, who_tells_no_architecture_is_not_answered);
    tcase_add_test(tc, a_solicit_names_its_client_and_no_server);
    tcase_add_test(tc, an_information_request_may_lack_its_client);
    tcase_add_test(tc, a_4011_request_for_another_server_is_left_alone);
    tcase_add_test(tc, a_client_may_not_ask_by_unicast);
    tcase_add_loop_test(tc, the_mac_is_found_wherever_it_is_told, 0, 4);
    tcase_add_loop_test(tc, a_uuid_names_the_host_in_either_byte_order, 0, 2);
    tcase_add_test(tc, a_host_of_another_next_server_is_out_of_reach);
    tcase_add_test(tc, of_a_menu_the_default_item_is_given);
    tcase_add_test(tc, an_unknown_host_may_be_ignored);
    tcase_add_test(tc, ipxe_gets_its_script);
    tcase_add_test(tc, the_url_names_an_address_that_the_client_reaches);
    tcase_add_test(tc, port_4011_names_the_address_that_was_asked);
    tcase_add_test(tc, a_relayed_client_is_judged_by_its_own_address);
    tcase_add_test(tc, its_addresses_are_learnt);
    tcase_add_test(tc, what_would_not_fit_is_not_sent);
    tcase_add_loop_test(tc, others_may_be_left_the_first_word, 0, 2);
    tcase_add_test(tc, the_duid_is_a_function_of_the_mac);
    suite_add_tcase(s, tc);
    return s;
}
