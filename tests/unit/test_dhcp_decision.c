#include <stdio.h>

#include "tests/unit/judge.h"
#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

/* Cases of the field, each as a request and the right answer. */
static const char c0[] = CONFIG(PROFILE_C0, "");

/* "Good OFFER" of the bug reports. */
static void assert_good_offer(const struct dhcp_decision *d, const char *file)
{
    struct dhcp_packet p = reply_of(d);
    ck_assert(ip4_equal(d->reply[0].to, IP4_BROADCAST));
    ck_assert_uint_eq(d->reply[0].to_port, 68);
    ck_assert_uint_eq(d->reply[0].from_port, 67); /* B08 */
    ck_assert_uint_ge(d->reply[0].len, 300);      /* B88 */
    ck_assert_int_eq(p.type, DHCP_OFFER);
    ck_assert(ip4_is_any(p.yiaddr) && ip4_equal(p.siaddr, us));
    ck_assert_str_eq((const char *)p.file, file);
    assert_option(&p, DHCP_SERVER_ID, us.octet, 4);
    assert_option(&p, DHCP_VENDOR_CLASS, "PXEClient", 9);
    assert_option(&p, DHCP_VENDOR_SPECIFIC, "\x06\x01\x08\xff", 4); /* B06 */
}

static void assert_good_ack(const struct dhcp_decision *d, uint16_t port,
                            const char *file)
{
    struct dhcp_packet p = reply_of(d);
    ck_assert(ip4_equal(d->reply[0].to, (struct ip4){{10, 77, 0, 9}}));
    ck_assert_uint_eq(d->reply[0].to_port, port);
    ck_assert_uint_eq(d->reply[0].from_port, 4011);
    ck_assert_int_eq(p.type, DHCP_ACK);
    ck_assert_uint_eq(p.xid, 0x0a0b0c0d);
    ck_assert(ip4_equal(p.ciaddr, (struct ip4){{10, 77, 0, 9}}));
    ck_assert(ip4_equal(p.siaddr, us)); /* B11: never 0.0.0.0 */
    ck_assert_str_eq((const char *)p.file, file);
    assert_option(&p, DHCP_SERVER_ID, us.octet, 4); /* B39 */
}

START_TEST(b03_offer_is_whole_and_4011_answers_too)
{
    struct request d = discover(7);
    assert_good_offer(decide_at(c0, &by_broadcast, &d), "x64.efi");
    struct request r = request_4011(7);
    struct dhcp_arrival at = by_4011(4011);
    assert_good_ack(decide_at(c0, &at, &r), 4011, "x64.efi");
}
END_TEST

START_TEST(b01_4011_answers_go_back_to_the_source_port)
{
    static const uint16_t ports[] = {68, 4011};
    static const uint16_t flags[] = {0, 0x8000};
    struct request r = request_4011(0);
    struct dhcp_arrival at = by_4011(ports[_i % 2]);
    r.flags = flags[_i / 2];
    request_add(&r, 43, "\x47\x04\x80\x00\x00\x00", 6);
    const struct dhcp_decision *d = decide_at(c0, &at, &r);
    assert_good_ack(d, ports[_i % 2], "bios.0");
    struct dhcp_packet p = reply_of(d);
    assert_option(&p, DHCP_VENDOR_SPECIFIC, "\x47\x04\x80\x00\x00\x00\xff", 7);
}
END_TEST

START_TEST(b07_ipxe_on_4011_sees_the_offers_server)
{
    struct request r = request_4011(0);
    struct dhcp_arrival at = by_4011(68);
    request_add(&r, 77, "iPXE", 4);
    request_add(&r, 54, us.octet, 4);
    assert_good_ack(decide_at(c0, &at, &r), 68, "tftp://10.77.0.1/bios.0");
}
END_TEST

/* An address server on our own host has our address, so the REQUEST for its lease names us. */
START_TEST(a_lease_is_left_to_the_address_server_on_our_host)
{
    struct request r = request_4011(7);
    struct dhcp_arrival at = {67, {{10, 77, 0, 9}}, 68};
    request_add(&r, 54, us.octet, 4);
    request_add(&r, 50, (const uint8_t[]){10, 77, 0, 9}, 4);
    ck_assert_int_eq(decide_at(c0, &at, &r)->verdict, DHCP_OTHER_SERVER);
}
END_TEST

/* B10 and vectors 12 and 16: whose request is it? */
static const struct {
    const char *name;
    uint16_t port;
    uint8_t type;
    uint8_t server[4]; /* all zero: no option 54 */
    enum dhcp_verdict verdict;
} server_rows[] = {
    {"67, another server", 67, DHCP_REQUEST, {10, 77, 0, 254}, DHCP_OTHER_SERVER},
    {"67, us", 67, DHCP_REQUEST, {10, 77, 0, 1}, DHCP_ANSWERED},
    {"67, nobody named", 67, DHCP_REQUEST, {0}, DHCP_OTHER_SERVER},
    {"67, INFORM", 67, DHCP_INFORM, {0}, DHCP_NOT_OURS},
    {"67, DECLINE", 67, DHCP_DECLINE, {10, 77, 0, 1}, DHCP_NOT_OURS},
    {"67, RELEASE", 67, DHCP_RELEASE, {10, 77, 0, 1}, DHCP_NOT_OURS},
    {"67, an odd type", 67, 0, {0}, DHCP_NOT_OURS},
    {"4011, another server", 4011, DHCP_REQUEST, {10, 77, 0, 254}, DHCP_OTHER_SERVER},
    {"4011, us", 4011, DHCP_REQUEST, {10, 77, 0, 1}, DHCP_ANSWERED},
    {"4011, nobody named", 4011, DHCP_REQUEST, {0}, DHCP_ANSWERED},
    {"4011, INFORM", 4011, DHCP_INFORM, {0}, DHCP_ANSWERED},
    {"4011, DISCOVER", 4011, DHCP_DISCOVER, {0}, DHCP_NOT_OURS},
};

START_TEST(b10_requests_for_others_meet_silence)
{
    struct request r = request_4011(7);
    struct dhcp_arrival at = {server_rows[_i].port, {{10, 77, 0, 9}}, 68};
    uint8_t type = server_rows[_i].type ? server_rows[_i].type : 9;
    request_set(&r, 53, &type, 1);
    if (server_rows[_i].server[0]) {
        request_add(&r, 54, server_rows[_i].server, 4);
    }
    const struct dhcp_decision *d = decide_at(c0, &at, &r);
    ck_assert_msg(d->verdict == server_rows[_i].verdict, "%s: got %s, want %s",
                  server_rows[_i].name, dhcp_verdict_name(d->verdict),
                  dhcp_verdict_name(server_rows[_i].verdict));
    if (d->verdict == DHCP_ANSWERED) {
        struct dhcp_packet p = reply_of(d);
        ck_assert_int_eq(p.type, DHCP_ACK);
        ck_assert(ip4_is_any(p.yiaddr));
    }
}
END_TEST

/* B84, B46, B45, B16, B87, B47: which file for which architecture.  NULL: silence. */
static const struct {
    const char *profile;
    uint16_t arch;
    const char *file;
    enum dhcp_verdict verdict;
} arch_rows[] = {
    {PROFILE_C0, 0, "bios.0", DHCP_ANSWERED},
    {PROFILE_C0, 7, "x64.efi", DHCP_ANSWERED},
    {PROFILE_C0, 9, "x64.efi", DHCP_ANSWERED},
    {PROFILE_C0, 11, "aa64.efi", DHCP_ANSWERED},
    {PROFILE_C0, 10, NULL, DHCP_NO_FILE},
    {PROFILE_C0, 27, NULL, DHCP_NO_FILE},
    {PROFILE_C0, 6, NULL, DHCP_NO_FILE},
    {PROFILE_C0, 22, NULL, DHCP_NO_FILE},
    {PROFILE_C0, 42, NULL, DHCP_UNKNOWN_ARCH},
    {PROFILE_C0, 0xffff, NULL, DHCP_UNKNOWN_ARCH},
    {PROFILE_C0, 19, NULL, DHCP_NO_FILE},
    {"'9': 'ebc.efi'", 7, "ebc.efi", DHCP_ANSWERED},
    {"'9': 'ebc.efi'", 9, "ebc.efi", DHCP_ANSWERED},
    {"'7': 'x64.efi', '9': 'ebc.efi'", 7, "x64.efi", DHCP_ANSWERED},
    {"'7': 'x64.efi', '9': 'ebc.efi'", 9, "ebc.efi", DHCP_ANSWERED},
    {"'22': 'uboot.img'", 22, "uboot.img", DHCP_ANSWERED},
    {"'0x1b': 'riscv64.efi'", 27, "riscv64.efi", DHCP_ANSWERED},
};

START_TEST(b84_each_architecture_gets_its_own_file)
{
    char json[1000];
    snprintf(json, sizeof json,
             "{'interfaces': ['eth0'], 'tftp': {'root': '/srv/tftp'},"
             "'profiles': {'default': {%s}}}",
             arch_rows[_i].profile);
    struct request r = discover(arch_rows[_i].arch);
    const struct dhcp_decision *d = decide_at(json, &by_broadcast, &r);
    ck_assert_msg(d->verdict == arch_rows[_i].verdict, "arch %u: got %s, want %s",
                  arch_rows[_i].arch, dhcp_verdict_name(d->verdict),
                  dhcp_verdict_name(arch_rows[_i].verdict));
    if (arch_rows[_i].file) {
        assert_good_offer(d, arch_rows[_i].file);
    }
    ck_assert_uint_eq(d->reply_count, arch_rows[_i].file ? 1 : 0);
}
END_TEST

START_TEST(b84_a_list_of_architectures_takes_the_first_with_a_file)
{
    struct request r = discover(27);
    request_set(&r, 93, "\x00\x1b\x00\x0b\x00\x07", 6);
    assert_good_offer(decide_at(c0, &by_broadcast, &r), "aa64.efi");
}
END_TEST

START_TEST(vector_8_digits_of_the_class_stand_in_for_option_93)
{
    struct request r = discover(11);
    request_without(&r, 93);
    assert_good_offer(decide_at(c0, &by_broadcast, &r), "aa64.efi");
    request_set(&r, 60, "PXEClient", 9);
    ck_assert_int_eq(decide_at(c0, &by_broadcast, &r)->verdict, DHCP_NO_ARCH);
    request_set(&r, 60, "PXEClient:Arch:0000x:UNDI", 25);
    ck_assert_int_eq(decide_at(c0, &by_broadcast, &r)->verdict, DHCP_NO_ARCH);
    request_set(&r, 60, "PXEClient:Arch:99999", 20);
    ck_assert_int_eq(decide_at(c0, &by_broadcast, &r)->verdict, DHCP_NO_ARCH);
}
END_TEST

START_TEST(option_93_is_trusted_over_option_60)
{
    struct request r = discover(7);
    request_set(&r, 60, "PXEClient:Arch:00000:UNDI:002001", 32);
    assert_good_offer(decide_at(c0, &by_broadcast, &r), "x64.efi");
}
END_TEST

/* Whom we never answer: no class, another class, a server's own reply. */
static const struct {
    const char *class;
    enum dhcp_verdict verdict;
} class_rows[] = {
    {NULL, DHCP_NOT_PXE},         {"", DHCP_NOT_PXE},
    {"MSFT 5.0", DHCP_NOT_PXE},   {"U-Boot.armv8", DHCP_NOT_PXE},
    {"pxeclient", DHCP_NOT_PXE},  {"PXEClien", DHCP_NOT_PXE},
    {"xPXEClient", DHCP_NOT_PXE}, {"PXEClient", DHCP_ANSWERED},
};

START_TEST(r1_only_boot_clients_are_answered)
{
    struct request r = discover(7);
    request_without(&r, 60);
    if (class_rows[_i].class) {
        request_add(&r, 60, class_rows[_i].class, strlen(class_rows[_i].class));
    }
    const struct dhcp_decision *d = decide_at(c0, &by_broadcast, &r);
    ck_assert_msg(d->verdict == class_rows[_i].verdict, "\"%s\": got %s",
                  class_rows[_i].class, dhcp_verdict_name(d->verdict));
}
END_TEST

START_TEST(b20_a_client_without_option_97_is_served)
{
    struct request r = discover(0);
    request_without(&r, 97);
    const struct dhcp_decision *d = decide_at(c0, &by_broadcast, &r);
    assert_good_offer(d, "bios.0");
    struct dhcp_packet p = reply_of(d);
    assert_no_option(&p, DHCP_MACHINE_ID);
}
END_TEST

START_TEST(r8_what_breaks_firmware_is_never_sent)
{
    static const enum dhcp_code never[] = {
        (enum dhcp_code)1,  (enum dhcp_code)3,  (enum dhcp_code)13, (enum dhcp_code)50,
        (enum dhcp_code)51, (enum dhcp_code)52, (enum dhcp_code)58, (enum dhcp_code)59};
    static const uint16_t archs[] = {0, 7, 9, 11, 16};
    struct request r = discover(archs[_i]);
    struct dhcp_packet p = reply_of(decide_at(c0, &by_broadcast, &r));
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        assert_no_option(&p, never[i]);
    }
    assert_option(&p, DHCP_MACHINE_ID, r.option[3].value, 17);
    ck_assert_uint_eq(p.hops, 0);
    ck_assert_uint_eq(p.flags, 0x8000);
    ck_assert_uint_eq(p.xid, r.xid);
    ck_assert_mem_eq(p.chaddr, r.mac, 6);
}
END_TEST

START_TEST(b19_another_server_for_the_files)
{
    struct request r = discover(0);
    request_add(&r, 77, "iPXE", 4);
    struct dhcp_packet p = reply_of(decide_at(
        CONFIG(PROFILE_C0 ", 'next_server': '10.77.0.50', 'ipxe': 'b.ipxe'", ""),
        &by_broadcast, &r));
    assert_option(&p, DHCP_SERVER_ID, us.octet, 4);
    ck_assert(ip4_equal(p.siaddr, (struct ip4){{10, 77, 0, 50}}));
    ck_assert_str_eq((const char *)p.file, "tftp://10.77.0.50/b.ipxe");
}
END_TEST

/* B23, B24, B25: relays. */
START_TEST(b24_a_relayed_request_goes_back_by_the_relay)
{
    struct request r = discover(7);
    struct dhcp_arrival at = {67, {{10, 99, 0, 2}}, 67}; /* B23: the relay's other side */
    r.giaddr = (struct ip4){{10, 99, 0, 1}};
    request_add(&r, 82, "\x01\x04\x65\x74\x68\x30", 6);
    const struct dhcp_decision *d = decide_at(c0, &at, &r);
    struct dhcp_packet p = reply_of(d);
    ck_assert(ip4_equal(d->reply[0].to, r.giaddr));
    ck_assert_uint_eq(d->reply[0].to_port, 67);
    ck_assert_uint_eq(d->reply[0].from_port, 67);
    ck_assert(ip4_equal(p.giaddr, r.giaddr) && ip4_equal(p.siaddr, us));
    assert_option(&p, DHCP_RELAY_AGENT, "\x01\x04\x65\x74\x68\x30", 6);
    const uint8_t *last = d->reply[0].packet + d->reply[0].len - 1;
    while (*last == 0) {
        last--;
    }
    ck_assert_uint_eq(*last, DHCP_END);
    ck_assert_mem_eq(last - 8, "\x52\x06\x01\x04\x65\x74\x68\x30", 8);
}
END_TEST

START_TEST(b25_a_relay_option_of_255_octets_is_echoed_whole)
{
    uint8_t circuit[255];
    memset(circuit, 0xab, sizeof circuit);
    circuit[0] = 1;
    circuit[1] = 253;
    struct request r = discover(7);
    r.giaddr = (struct ip4){{10, 99, 0, 1}};
    request_add(&r, 82, circuit, sizeof circuit);
    struct dhcp_packet p = reply_of(decide_at(c0, &by_broadcast, &r));
    assert_option(&p, DHCP_RELAY_AGENT, circuit, sizeof circuit);
    /* RFC 3046 section 2.2: echoed too when a switch, not a relay, put it in */
    r.giaddr = IP4_ANY;
    const struct dhcp_decision *d = decide_at(c0, &by_broadcast, &r);
    p = reply_of(d);
    ck_assert(ip4_equal(d->reply[0].to, IP4_BROADCAST));
    assert_option(&p, DHCP_RELAY_AGENT, circuit, sizeof circuit);
}
END_TEST

START_TEST(b31_a_client_without_address_is_reached_by_broadcast)
{
    struct request r = discover(7);
    r.flags = 0;
    assert_good_offer(decide_at(c0, &by_broadcast, &r), "x64.efi");
}
END_TEST

START_TEST(b40_b41_a_raspberry_pi_sees_its_menu)
{
    static const char want[] =
        "\x06\x01\x03\x0a\x04\0PXE\x09\x14\0\0\x11Raspberry Pi Boot\xff";
    const char *json = CONFIG("'x86-bios': 'bios.0', 'arm-rpiboot': 'bootcode.bin'", "");
    struct request r = discover(0);
    memcpy(r.mac, "\xb8\x27\xeb\x01\x02\x03", 6);
    struct dhcp_packet p = reply_of(decide_at(json, &by_broadcast, &r));
    ck_assert_uint_eq(sizeof want - 1, 32);
    assert_option(&p, DHCP_VENDOR_SPECIFIC, want, 32);
    assert_option(&p, DHCP_TFTP_SERVER, "10.77.0.1", 9);
    ck_assert(ip4_equal(p.siaddr, us));
    /* B43: a Pi 4 by its board identifier; and never the BIOS file */
    memcpy(r.mac, "\x02\x00\x00\x01\x02\x03", 6);
    request_set(&r, 97, "\0RPi4\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc", 17);
    p = reply_of(decide_at(json, &by_broadcast, &r));
    ck_assert_str_eq((const char *)p.file, "bootcode.bin");
    ck_assert_int_eq(decide_at(c0, &by_broadcast, &r)->verdict, DHCP_NO_FILE);
}
END_TEST

START_TEST(b47_http_clients_get_a_url_and_nothing_of_pxe)
{
    struct request r = discover(16);
    struct dhcp_packet p = reply_of(decide_at(c0, &by_broadcast, &r));
    assert_option(&p, DHCP_VENDOR_CLASS, "HTTPClient", 10);
    assert_option(&p, DHCP_BOOT_FILE, "http://10.77.0.1/x64.efi", 24);
    assert_no_option(&p, DHCP_VENDOR_SPECIFIC);
    ck_assert_str_eq((const char *)p.file, "http://10.77.0.1/x64.efi");
    /* never a TFTP name */
    request_set(&r, 93, "\0\x07", 2);
    ck_assert_int_eq(decide_at(c0, &by_broadcast, &r)->verdict, DHCP_NO_FILE);
}
END_TEST

/* "http" of the configuration, and the URL that the name x/y z.efi becomes. */
static const struct {
    const char *http;
    const char *url; /* NULL: no answer */
    enum dhcp_verdict verdict;
} own_urls[] = {
    {"'listen': ':8069'", "http://10.77.0.1:8069/x/y%20z.efi", DHCP_ANSWERED},
    {"'listen': '0.0.0.0:80'", "http://10.77.0.1:80/x/y%20z.efi", DHCP_ANSWERED},
    {"'listen': '10.0.0.5:80'", "http://10.0.0.5:80/x/y%20z.efi", DHCP_ANSWERED},
    {"'listen': '[fd00::1]:80'", NULL, DHCP_NO_ADDRESS},
};

static bool only_x(void *context, const char *file)
{
    (void)context;
    return strcmp(file, "x/y z.efi") == 0;
}

START_TEST(http_clients_get_files_of_our_own_server)
{
    char json[700];
    struct dhcp_site site = {.has_file = only_x};
    struct request r = discover(16);
    snprintf(
        json, sizeof json,
        "{'interfaces': ['eth0'], 'tftp': {'root': '/srv'}, 'http': {%s, "
        "'boot_files': true}, 'profiles': {'default': {'x64-uefi-http': 'x/y z.efi', "
        "'x64-uefi': 'x/y z.efi', 'arm64-uefi-http': 'gone.efi', "
        "'next_server': '10.0.0.9'}}}",
        own_urls[_i].http);
    const struct dhcp_decision *d = decide_in(json, site, &by_broadcast, &r);
    ck_assert_int_eq(d->verdict, own_urls[_i].verdict);
    if (own_urls[_i].url) {
        struct dhcp_packet p = reply_of(d);
        assert_option(&p, DHCP_VENDOR_CLASS, "HTTPClient", 10);
        assert_option(&p, DHCP_BOOT_FILE, own_urls[_i].url, strlen(own_urls[_i].url));
        ck_assert_str_eq((const char *)p.file, own_urls[_i].url);
        ck_assert_str_eq(d->file, "x/y z.efi");
    }
    /* a file of ours must be there, whoever the next server is */
    r = discover(0x13);
    ck_assert_int_eq(decide_in(json, site, &by_broadcast, &r)->verdict,
                     DHCP_FILE_MISSING);
    /* a PXE client that tells an architecture of HTTP gets no name for it */
    r = discover(16);
    request_set(&r, 60, "PXEClient:Arch:00016:UNDI:003001", 32);
    ck_assert_int_eq(decide_in(json, site, &by_broadcast, &r)->verdict, DHCP_NO_FILE);
    /* and an HTTP client none of what is for TFTP */
    request_set(&r, 60, "HTTPClient:Arch:00007:UNDI:003001", 33);
    request_set(&r, 93, "\0\x07", 2);
    ck_assert_int_eq(decide_in(json, site, &by_broadcast, &r)->verdict, DHCP_NO_FILE);
}
END_TEST

START_TEST(b51_a_url_longer_than_the_field_goes_into_option_67_alone)
{
    char url[200] = "http://10.77.0.1/";
    char json[600];
    memset(url + strlen(url), 'a', 180 - strlen(url));
    snprintf(json, sizeof json, CONFIG("'x64-uefi-http': '%s'", ""), url);
    struct request r = discover(16);
    struct dhcp_packet p = reply_of(decide_at(json, &by_broadcast, &r));
    assert_option(&p, DHCP_BOOT_FILE, url, 180);
    ck_assert_str_eq((const char *)p.file, "");
}
END_TEST

/* B59, B33, B62: iPXE. */
static const struct {
    const char *name;
    const char *ipxe; /* the profile's entry, or NULL */
    const char *user_class;
    size_t user_class_len;
    const char *option_175;
    size_t option_175_len;
    const char *file;
} ipxe_rows[] = {
    {"no iPXE", "boot.ipxe", NULL, 0, NULL, 0, "bios.0"},
    {"raw user class", "boot.ipxe", "iPXE", 4, NULL, 0, "tftp://10.77.0.1/boot.ipxe"},
    {"RFC 3004 user class", "boot.ipxe", "\4iPXE", 5, NULL, 0,
     "tftp://10.77.0.1/boot.ipxe"},
    {"several user classes", "boot.ipxe", "\3foo\4iPXE", 9, NULL, 0,
     "tftp://10.77.0.1/boot.ipxe"},
    {"another user class", "boot.ipxe", "iPXEx", 5, NULL, 0, "bios.0"},
    {"option 175 alone", "boot.ipxe", NULL, 0, "\x13\1\1", 3,
     "tftp://10.77.0.1/boot.ipxe"},
    {"no script configured", NULL, "iPXE", 4, NULL, 0, "tftp://10.77.0.1/bios.0"},
    {"a name with a blank", "a b.ipxe", "iPXE", 4, NULL, 0,
     "tftp://10.77.0.1/a%20b.ipxe"},
    {"a leading slash", "/a.ipxe", "iPXE", 4, NULL, 0, "tftp://10.77.0.1/a.ipxe"},
    {"B62 a URL it can fetch", "http://h/b.ipxe", "iPXE", 4, "\x13\1\1", 3,
     "http://h/b.ipxe"},
    {"B62 a URL it cannot", "http://h/b.ipxe", "iPXE", 4, "\x15\1\1", 3,
     "tftp://10.77.0.1/bios.0"},
    {"B62 https needs https", "https://h/b.ipxe", "iPXE", 4, "\x13\1\1", 3,
     "tftp://10.77.0.1/bios.0"},
    {"a URL, features untold", "http://h/b.ipxe", "iPXE", 4, NULL, 0, "http://h/b.ipxe"},
};

START_TEST(b59_ipxe_gets_its_script)
{
    char json[600];
    const char *script = ipxe_rows[_i].ipxe;
    snprintf(json, sizeof json, CONFIG(PROFILE_C0 "%s%s%s", ""),
             script ? ", 'ipxe': '" : "", script ? script : "", script ? "'" : "");
    struct request r = discover(0);
    if (ipxe_rows[_i].user_class) {
        request_add(&r, 77, ipxe_rows[_i].user_class, ipxe_rows[_i].user_class_len);
    }
    if (ipxe_rows[_i].option_175) {
        request_add(&r, 175, ipxe_rows[_i].option_175, ipxe_rows[_i].option_175_len);
    }
    const struct dhcp_decision *d = decide_at(json, &by_broadcast, &r);
    struct dhcp_packet p = reply_of(d);
    ck_assert_msg(!strcmp((const char *)p.file, ipxe_rows[_i].file),
                  "%s: got %s, want %s", ipxe_rows[_i].name, (const char *)p.file,
                  ipxe_rows[_i].file);
    assert_option(&p, DHCP_VENDOR_SPECIFIC, "\x06\x01\x08\xff", 4); /* no menu */
}
END_TEST

START_TEST(b61_the_same_request_gets_the_same_octets)
{
    static struct dhcp_reply first;
    struct request r = discover(7);
    first = decide_at(c0, &by_broadcast, &r)->reply[0];
    const struct dhcp_reply *again = &decide_at(c0, &by_broadcast, &r)->reply[0];
    ck_assert_uint_eq(first.len, again->len);
    ck_assert_mem_eq(first.packet, again->packet, first.len);
}
END_TEST

START_TEST(a_host_rules_over_its_profile)
{
    const char *json =
        "{'interfaces': ['eth0'], 'tftp': {'root': '/srv/tftp'}, 'profiles': {"
        "'default': {'x64-uefi': 'x64.efi'},"
        "'rescue': {'extends': 'default', 'x64-uefi': 'rescue.efi'}},"
        "'hosts': [{'mac': '52:54:00:12:34:56', 'profile': 'rescue'},"
        "{'mac': '52:54:00:00:00:01', 'action': 'ignore'},"
        "{'uuid': '00112233-4455-6677-8899-aabbccddee02', 'profile': 'rescue'}]}";
    struct request r = discover(7);
    assert_good_offer(decide_at(json, &by_broadcast, &r), "rescue.efi");
    memcpy(r.mac, "\x52\x54\0\0\0\1", 6);
    ck_assert_int_eq(decide_at(json, &by_broadcast, &r)->verdict, DHCP_HOST_IGNORED);
    struct request r4011 = request_4011(7); /* one gate for both ports */
    struct dhcp_arrival at = by_4011(4011);
    memcpy(r4011.mac, "\x52\x54\0\0\0\1", 6);
    ck_assert_int_eq(decide_at(json, &at, &r4011)->verdict, DHCP_HOST_IGNORED);
    memcpy(r.mac, "\x52\x54\0\0\0\2", 6);
    assert_good_offer(decide_at(json, &by_broadcast, &r), "x64.efi");
    r.option[3].value[16] = 2; /* the machine of the third host */
    assert_good_offer(decide_at(json, &by_broadcast, &r), "rescue.efi");
}
END_TEST

START_TEST(unknown_hosts_can_be_ignored)
{
    struct request r = discover(7);
    const char *json = "{'interfaces': ['eth0'], 'tftp': {'root': '/srv/tftp'},"
                       "'profiles': {'default': {'x64-uefi': 'x64.efi'}},"
                       "'unknown_hosts': {'action': 'ignore'}}";
    ck_assert_int_eq(decide_at(json, &by_broadcast, &r)->verdict, DHCP_UNKNOWN_HOST);
}
END_TEST

static bool nothing_is_there(void *context, const char *file)
{
    return context == NULL && file == NULL;
}

START_TEST(b48_no_offer_for_a_file_that_is_not_there)
{
    static struct dhcp_decision d;
    uint8_t buf[1500];
    struct dhcp_packet pkt;
    struct request r = discover(7);
    struct snapshot *s = config_of(c0);
    struct dhcp_site site = {.config = s, .address = us, .has_file = nothing_is_there};
    ck_assert_int_eq(dhcp_parse(buf, request_bytes(&r, buf), &pkt), DHCP_OK);
    ck_assert_int_eq(dhcp_decide(&site, &by_broadcast, &pkt, &d), DHCP_FILE_MISSING);
    ck_assert_str_eq(d.file, "x64.efi");
    ck_assert_uint_eq(d.reply_count, 0);
    snapshot_free(s);
}
END_TEST

/* R11: what a client takes, by its option 57; option 82 makes the reply large. */
static const struct {
    const char *option_57; /* two octets, or NULL */
    enum dhcp_verdict verdict;
} size_rows[] = {
    {NULL, DHCP_TOO_LARGE},       {"\x02\x40", DHCP_TOO_LARGE}, /* 576: U-Boot */
    {"\x00\x10", DHCP_TOO_LARGE}, /* nonsense counts as 576 */
    {"\x05\xc0", DHCP_ANSWERED},  {"\xff\x00", DHCP_ANSWERED}, /* EDK2's REQUEST */
};

START_TEST(r11_replies_fit_what_the_client_takes)
{
    uint8_t circuit[255] = {1, 253};
    struct request r = discover(7);
    request_without(&r, 57);
    if (size_rows[_i].option_57) {
        request_add(&r, 57, size_rows[_i].option_57, 2);
    }
    request_add(&r, 82, circuit, sizeof circuit);
    request_add(&r, 82, circuit, 60); /* RFC 3396: joined, 315 octets */
    const struct dhcp_decision *d = decide_at(c0, &by_broadcast, &r);
    ck_assert_msg(d->verdict == size_rows[_i].verdict, "row %d: got %s", _i,
                  dhcp_verdict_name(d->verdict));
}
END_TEST

START_TEST(form_both_sends_the_whole_offer_first)
{
    struct request r = discover(7);
    const struct dhcp_decision *d =
        decide_at(CONFIG(PROFILE_C0 ", 'offer': 'both'", ""), &by_broadcast, &r);
    struct dhcp_packet second;
    assert_good_offer(d, "x64.efi");
    ck_assert_uint_eq(d->reply_count, 2);
    ck_assert_int_eq(dhcp_parse(d->reply[1].packet, d->reply[1].len, &second), DHCP_OK);
    assert_no_option(&second, DHCP_VENDOR_SPECIFIC);
    ck_assert_str_eq((const char *)second.file, "x64.efi");
}
END_TEST

START_TEST(hardware_addresses_of_other_lengths_are_copied)
{
    struct request r = discover(7);
    r.hlen = (uint8_t)(_i * 8); /* 0, 8, 16 */
    struct dhcp_packet p = reply_of(decide_at(c0, &by_broadcast, &r));
    ck_assert_uint_eq(p.hlen, r.hlen);
    ck_assert_mem_eq(p.chaddr, r.mac, 6);
}
END_TEST

#define ROWS(rows) (int)(sizeof(rows) / sizeof(rows)[0])

Suite *suite_dhcp_decision(void)
{
    Suite *s = suite_create("dhcp/decision, dhcp/pxe, dhcp/reply");
    TCase *tc = tcase_create("cases");
    tcase_add_test(tc, b03_offer_is_whole_and_4011_answers_too);
    tcase_add_loop_test(tc, b01_4011_answers_go_back_to_the_source_port, 0, 4);
    tcase_add_test(tc, b07_ipxe_on_4011_sees_the_offers_server);
    tcase_add_loop_test(tc, b10_requests_for_others_meet_silence, 0, ROWS(server_rows));
    tcase_add_test(tc, a_lease_is_left_to_the_address_server_on_our_host);
    tcase_add_loop_test(tc, b84_each_architecture_gets_its_own_file, 0, ROWS(arch_rows));
    tcase_add_test(tc, b84_a_list_of_architectures_takes_the_first_with_a_file);
    tcase_add_test(tc, vector_8_digits_of_the_class_stand_in_for_option_93);
    tcase_add_test(tc, option_93_is_trusted_over_option_60);
    tcase_add_loop_test(tc, r1_only_boot_clients_are_answered, 0, ROWS(class_rows));
    tcase_add_test(tc, b20_a_client_without_option_97_is_served);
    tcase_add_loop_test(tc, r8_what_breaks_firmware_is_never_sent, 0, 5);
    tcase_add_test(tc, b19_another_server_for_the_files);
    tcase_add_test(tc, b24_a_relayed_request_goes_back_by_the_relay);
    tcase_add_test(tc, b25_a_relay_option_of_255_octets_is_echoed_whole);
    tcase_add_test(tc, b31_a_client_without_address_is_reached_by_broadcast);
    tcase_add_test(tc, b40_b41_a_raspberry_pi_sees_its_menu);
    tcase_add_test(tc, b47_http_clients_get_a_url_and_nothing_of_pxe);
    tcase_add_loop_test(tc, http_clients_get_files_of_our_own_server, 0,
                        sizeof own_urls / sizeof own_urls[0]);
    tcase_add_test(tc, b51_a_url_longer_than_the_field_goes_into_option_67_alone);
    tcase_add_loop_test(tc, b59_ipxe_gets_its_script, 0, ROWS(ipxe_rows));
    tcase_add_test(tc, b61_the_same_request_gets_the_same_octets);
    tcase_add_test(tc, a_host_rules_over_its_profile);
    tcase_add_test(tc, unknown_hosts_can_be_ignored);
    tcase_add_test(tc, b48_no_offer_for_a_file_that_is_not_there);
    tcase_add_loop_test(tc, r11_replies_fit_what_the_client_takes, 0, ROWS(size_rows));
    tcase_add_test(tc, form_both_sends_the_whole_offer_first);
    tcase_add_loop_test(tc, hardware_addresses_of_other_lengths_are_copied, 0, 3);
    suite_add_tcase(s, tc);
    return s;
}
