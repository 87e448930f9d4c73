#include <stdio.h>

#include "app/probe/choice.h"
#include "dhcp/reply.h"
#include "tests/unit/suites.h"

#define DHCPD ((struct ip4){{10, 77, 0, 1}})
#define PXED  ((struct ip4){{10, 77, 0, 2}})
#define OTHER ((struct ip4){{10, 77, 0, 3}})

/* -- answers ------------------------------------------------------------------------------ */

static struct answer nobody(void)
{
    return (struct answer){.count = 0};
}

static struct answer lease(void)
{
    return (struct answer){.from = DHCPD,
                           .from_port = 67,
                           .type = DHCP_OFFER,
                           .address = {{10, 77, 0, 150}},
                           .server = DHCPD,
                           .ends = true};
}

/* All in the offer, as pxed has it. */
static struct answer proxy(struct ip4 from, const char *file)
{
    struct answer a = {.from = from,
                       .from_port = 67,
                       .type = DHCP_OFFER,
                       .server = from,
                       .next_server = from,
                       .ends = true,
                       .is_pxe = true,
                       .pxe = {.is_there = true, .rules = true, .control = 8}};
    snprintf(a.file, sizeof a.file, "%s", file);
    return a;
}

/* To be asked on port 4011. */
static struct answer binl(struct ip4 from)
{
    struct answer a = proxy(from, "");
    a.pxe = (struct answer_pxe){0};
    return a;
}

static struct answer reply_4011(struct ip4 from, const char *file)
{
    struct answer a = proxy(from, file);
    a.at_4011 = true;
    a.asked = from;
    a.from_port = 4011;
    a.type = DHCP_ACK;
    a.pxe = (struct answer_pxe){0};
    return a;
}

static struct answer with_file(struct answer a, const char *file)
{
    snprintf(a.file, sizeof a.file, "%s", file);
    a.next_server = a.from;
    return a;
}

static struct answer with_menu(struct answer a, uint16_t first, uint8_t control)
{
    a.pxe = (struct answer_pxe){.is_there = true,
                                .rules = true,
                                .control = control,
                                .items = 2,
                                .servers = 1,
                                .item_list = {{first, "One"}, {0x8002, "Two"}},
                                .server_list = {{first, PXED}}};
    return a;
}

static struct answer http(struct answer a, const char *url)
{
    a.is_pxe = false;
    a.is_http = true;
    a.has_option_67 = true;
    snprintf(a.option_67, sizeof a.option_67, "%s", url);
    return a;
}

static struct choice_facts facts;
static struct choice got;

/* Up to four answers; the list ends with one of type 0. */
static void choose(enum request_manner manner, uint16_t arch, const struct answer *list)
{
    facts.manner = manner;
    facts.arch = arch;
    for (facts.count = 0; list[facts.count].type != 0; facts.count++) {
        facts.answer[facts.count] = list[facts.count];
    }
    choice_make(&facts, &got);
}

#define CHOOSE(manner, arch, ...)                                                        \
    choose(manner, arch, (const struct answer[]){__VA_ARGS__, nobody()})

static void was_asked(struct ip4 server)
{
    facts.asked[facts.asked_count++] = (struct choice_question){.server = server};
}

static void forget(void)
{
    memset(&facts, 0, sizeof facts);
}

static void check(enum choice_step step, struct ip4 server, const char *file)
{
    char ip[IP4_TEXT];
    ck_assert_msg(got.step == step, "step %d: %s", (int)got.step, got.why);
    ck_assert_msg(ip4_equal(got.server, server), "%s: %s", ip4_print(got.server, ip),
                  got.why);
    ck_assert_str_eq(got.file, file);
}

static void check_stops(const char *screen, const char *why)
{
    ck_assert_msg(got.step == CHOICE_NOTHING, "step %d: %s", (int)got.step, got.why);
    ck_assert_msg(strncmp(got.screen, screen, strlen(screen)) == 0, "%s", got.screen);
    ck_assert_msg(strstr(got.why, why) != NULL, "%s", got.why);
    ck_assert_msg(got.why[strlen(got.why) - 1] == '.', "%s", got.why);
}

/* -- EDK2 --------------------------------------------------------------------------------- */

START_TEST(uefi_takes_all_from_the_offer)
{
    CHOOSE(REQUEST_EDK2, 7, lease(), proxy(PXED, "x64.efi"));
    check(CHOICE_TFTP, PXED, "x64.efi");
    ck_assert_uint_eq(got.address, 0);
    ck_assert_uint_eq(got.boot, 1);
    ck_assert_str_eq(got.why,
                     "It takes its address from 10.77.0.1 and its boot file from "
                     "10.77.0.2, whose offer says all (option 43.6, bit 3).");
}
END_TEST

START_TEST(uefi_prefers_the_proxy_to_a_dhcp_servers_file)
{
    CHOOSE(REQUEST_EDK2, 7, with_file(lease(), "other.efi"), proxy(PXED, "x64.efi"));
    check(CHOICE_TFTP, PXED, "x64.efi");
}
END_TEST

START_TEST(uefi_takes_the_first_of_two_proxies)
{
    CHOOSE(REQUEST_EDK2, 7, proxy(OTHER, "o.efi"), lease(), proxy(PXED, "x64.efi"));
    check(CHOICE_TFTP, OTHER, "o.efi");
    ck_assert_str_eq(got.passed[2], "came after another PXE server's offer");
}
END_TEST

START_TEST(uefi_asks_on_4011_without_option_43)
{
    CHOOSE(REQUEST_EDK2, 7, lease(), binl(PXED));
    check(CHOICE_ASK, PXED, "");
    ck_assert(!got.has_item);
    was_asked(PXED);
    CHOOSE(REQUEST_EDK2, 7, lease(), binl(PXED), reply_4011(PXED, "x64.efi"));
    check(CHOICE_TFTP, PXED, "x64.efi");
    ck_assert_uint_eq(got.boot, 2);
    CHOOSE(REQUEST_EDK2, 7, lease(), binl(PXED));
    check_stops("PXE-E16", "10.77.0.2 has to be asked on port 4011");
}
END_TEST

START_TEST(uefi_asks_the_next_proxy_when_one_is_mute)
{
    was_asked(OTHER);
    CHOOSE(REQUEST_EDK2, 7, lease(), binl(OTHER), binl(PXED));
    check(CHOICE_ASK, PXED, "");
}
END_TEST

START_TEST(uefi_is_caught_by_option_60_of_the_dhcp_server)
{
    struct answer a = lease();
    a.is_pxe = true;
    CHOOSE(REQUEST_EDK2, 7, a, proxy(PXED, "x64.efi"));
    check(CHOICE_ASK, DHCPD, "");
    was_asked(DHCPD);
    CHOOSE(REQUEST_EDK2, 7, a, proxy(PXED, "x64.efi"));
    check_stops("PXE-E16", "option 60 \"PXEClient\" in its offer");
}
END_TEST

START_TEST(uefi_goes_to_the_first_server_of_43_8)
{
    struct answer a = proxy(PXED, "x64.efi");
    a.pxe.servers = 1;
    a.pxe.server_list[0] = (struct answer_boot_server){0, OTHER};
    CHOOSE(REQUEST_EDK2, 7, lease(), a);
    check(CHOICE_TFTP, OTHER, "x64.efi");
}
END_TEST

START_TEST(uefi_prefers_option_67_and_falls_back_to_option_54)
{
    struct answer a = proxy(PXED, "header.efi");
    a.has_option_67 = true;
    snprintf(a.option_67, sizeof a.option_67, "67.efi");
    a.next_server = IP4_ANY;
    CHOOSE(REQUEST_EDK2, 7, lease(), a);
    check(CHOICE_TFTP, PXED, "67.efi");
}
END_TEST

START_TEST(uefi_stops_without_an_address)
{
    CHOOSE(REQUEST_EDK2, 7, proxy(PXED, "x64.efi"));
    check_stops("PXE-E16", "no DHCP server gives it an address");
    CHOOSE(REQUEST_BIOS, 0, proxy(PXED, "bios.0"));
    check_stops("PXE-E52", "no DHCP server gives it an address");
}
END_TEST

START_TEST(nobody_names_a_file)
{
    CHOOSE(REQUEST_EDK2, 7, lease());
    check_stops("PXE-E16", "10.77.0.1 gives it an address, but nobody names a boot file");
    CHOOSE(REQUEST_BIOS, 0, lease());
    check_stops("PXE-E53", "nobody names a boot file");
    CHOOSE(REQUEST_IPXE, 7, lease());
    check_stops("Nothing to boot", "nobody names a boot file");
}
END_TEST

START_TEST(nobody_answers)
{
    static const struct {
        enum request_manner manner;
        uint16_t arch;
        const char *screen;
    } rows[] = {{REQUEST_EDK2, 7, "PXE-E16"}, {REQUEST_EDK2, 16, "PXE-E16"},
                {REQUEST_BIOS, 0, "PXE-E51"}, {REQUEST_IPXE, 7, "No configuration"},
                {REQUEST_UBOOT, 11, "Retry"}, {REQUEST_PI, 0, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHOOSE(rows[i].manner, rows[i].arch, nobody());
        check_stops(rows[i].screen, "Nobody answered");
    }
}
END_TEST

START_TEST(malformed_offers_are_not_seen)
{
    static const char *const words[] = {"port 67",   "END",       "OFFER",
                                        "option 54", "option 60", "multicast"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct answer a = proxy(PXED, "x64.efi");
        a.from_port = i == 0 ? 4011 : 67;
        a.ends = i != 1;
        a.type = i == 2 ? DHCP_ACK : DHCP_OFFER;
        a.server = i == 3 ? IP4_ANY : PXED;
        a.is_pxe = i != 4;
        if (i == 5) {
            a.pxe = (struct answer_pxe){.is_there = true, .mtftp = true};
        }
        CHOOSE(REQUEST_EDK2, 7, lease(), a);
        check_stops("PXE-E16", "nobody names a boot file");
        ck_assert_msg(got.passed[1] && strstr(got.passed[1], words[i]), "%s: %s",
                      words[i], got.passed[1] ? got.passed[1] : "taken");
    }
}
END_TEST

/* -- menus -------------------------------------------------------------------------------- */

START_TEST(a_menus_first_item_is_asked_for)
{
    struct answer a = with_menu(proxy(PXED, ""), 0x8001, 7);
    CHOOSE(REQUEST_EDK2, 7, lease(), a);
    check(CHOICE_ASK, PXED, "");
    ck_assert(got.has_item);
    ck_assert_uint_eq(got.item, 0x8001);
    was_asked(PXED);
    CHOOSE(REQUEST_EDK2, 7, lease(), a, reply_4011(PXED, "one.efi"));
    check(CHOICE_TFTP, PXED, "one.efi");
    CHOOSE(REQUEST_EDK2, 7, lease(), a);
    check_stops("PXE-E55", "does not answer on port 4011");
}
END_TEST

START_TEST(a_menu_may_lead_to_the_disk)
{
    CHOOSE(REQUEST_EDK2, 7, lease(), with_menu(proxy(PXED, ""), 0, 7));
    ck_assert_int_eq(got.step, CHOICE_LOCAL);
}
END_TEST

START_TEST(menus_that_lead_nowhere)
{
    struct answer a = with_menu(proxy(PXED, ""), 0x8001, 7);
    a.pxe.servers = 0;
    CHOOSE(REQUEST_EDK2, 7, lease(), a);
    check_stops("", "names no server");
    CHOOSE(REQUEST_EDK2, 7, lease(), with_menu(proxy(PXED, ""), 0x8001, 0));
    check_stops("", "by multicast");
    a = proxy(PXED, "x64.efi");
    a.pxe.control = 0;
    CHOOSE(REQUEST_EDK2, 7, lease(), a);
    check_stops("PXE-E21", "has none");
}
END_TEST

START_TEST(a_file_and_bit_3_go_before_a_menu)
{
    CHOOSE(REQUEST_EDK2, 7, lease(), with_menu(proxy(PXED, "x64.efi"), 0x8001, 15));
    check(CHOICE_TFTP, PXED, "x64.efi");
}
END_TEST

/* -- HTTP Boot ---------------------------------------------------------------------------- */

START_TEST(http_boot_takes_the_url)
{
    CHOOSE(REQUEST_EDK2, 16, lease(), http(proxy(PXED, ""), "http://10.77.0.2/a.efi"));
    check(CHOICE_URL, IP4_ANY, "http://10.77.0.2/a.efi");
}
END_TEST

START_TEST(http_boot_needs_a_name_server_for_names)
{
    struct answer a = lease();
    CHOOSE(REQUEST_EDK2, 16, a, http(proxy(PXED, ""), "http://boot.example/a.efi"));
    check_stops("PXE-E16", "no name server");
    a.has_dns = true;
    CHOOSE(REQUEST_EDK2, 16, a, http(proxy(PXED, ""), "http://boot.example/a.efi"));
    check(CHOICE_URL, IP4_ANY, "http://boot.example/a.efi");
}
END_TEST

START_TEST(http_boot_passes_over_what_is_no_url_of_its_own)
{
    CHOOSE(REQUEST_EDK2, 16, lease(), proxy(PXED, "x64.efi"));
    check_stops("PXE-E16", "Nobody names a URL");
    CHOOSE(REQUEST_EDK2, 16, lease(), http(proxy(PXED, ""), "tftp://10.77.0.2/a.efi"));
    check_stops("PXE-E16", "Nobody names a URL");
    ck_assert_str_eq(got.passed[1], "names no http:// URL");
    CHOOSE(REQUEST_EDK2, 16, http(proxy(PXED, ""), "http://10.77.0.2/a.efi"));
    check_stops("PXE-E16", "No DHCP server");
}
END_TEST

/* -- others ------------------------------------------------------------------------------- */

START_TEST(ipxe_takes_the_last_proxy_and_the_headers_file)
{
    struct answer a = proxy(PXED, "header.ipxe");
    a.has_option_67 = true;
    snprintf(a.option_67, sizeof a.option_67, "67.ipxe");
    CHOOSE(REQUEST_IPXE, 7, lease(), proxy(OTHER, "o.ipxe"), a);
    check(CHOICE_TFTP, PXED, "header.ipxe");
    ck_assert_str_eq(got.passed[1], "another PXE server's offer came later");
}
END_TEST

START_TEST(ipxe_prefers_a_dhcp_servers_file)
{
    struct answer a = proxy(PXED, "boot.ipxe");
    CHOOSE(REQUEST_IPXE, 7, with_file(lease(), "other.0"), a);
    check(CHOICE_TFTP, DHCPD, "other.0");
    ck_assert(strstr(got.why, "ipxe_override") != NULL);
    a.priority = 1;
    CHOOSE(REQUEST_IPXE, 7, with_file(lease(), "other.0"), a);
    check(CHOICE_TFTP, PXED, "boot.ipxe");
}
END_TEST

START_TEST(ipxe_takes_urls)
{
    CHOOSE(REQUEST_IPXE, 7, lease(), proxy(PXED, "http://10.77.0.9/boot.ipxe"));
    check(CHOICE_URL, PXED, "http://10.77.0.9/boot.ipxe");
    CHOOSE(REQUEST_IPXE, 7, lease(), proxy(PXED, "tftp://10.77.0.9/boot.ipxe"));
    check(CHOICE_TFTP, ((struct ip4){{10, 77, 0, 9}}), "boot.ipxe");
}
END_TEST

START_TEST(ipxe_asks_on_4011_and_goes_on_without_an_answer)
{
    CHOOSE(REQUEST_IPXE, 7, with_file(lease(), "dhcpd.0"), binl(PXED));
    check(CHOICE_ASK, PXED, "");
    was_asked(PXED);
    struct answer wrong_port = reply_4011(PXED, "x.ipxe");
    wrong_port.from_port = 67;
    CHOOSE(REQUEST_IPXE, 7, with_file(lease(), "dhcpd.0"), binl(PXED), wrong_port);
    check(CHOICE_TFTP, DHCPD, "dhcpd.0");
    CHOOSE(REQUEST_IPXE, 7, lease(), binl(PXED), reply_4011(PXED, "x.ipxe"));
    check(CHOICE_TFTP, PXED, "x.ipxe");
}
END_TEST

START_TEST(ipxe_heeds_175_176)
{
    struct answer a = lease();
    a.no_proxy = true;
    CHOOSE(REQUEST_IPXE, 7, a, proxy(PXED, "boot.ipxe"));
    check_stops("Nothing to boot", "nobody names a boot file");
    ck_assert(strstr(got.passed[1], "175.176") != NULL);
}
END_TEST

START_TEST(u_boot_looks_at_the_dhcp_server_alone)
{
    CHOOSE(REQUEST_UBOOT, 11, lease(), proxy(PXED, "aa64.efi"));
    check_stops("*** ERROR: `serverip' not set", "no next server");
    ck_assert(strstr(got.passed[1], "CONFIG_SERVERIP_FROM_PROXYDHCP") != NULL);
    CHOOSE(REQUEST_UBOOT, 11, with_file(lease(), "aa64.efi"));
    check(CHOICE_TFTP, DHCPD, "aa64.efi");
    CHOOSE(REQUEST_UBOOT, 11, with_file(lease(), ""));
    check(CHOICE_TFTP, DHCPD, "boot.scr.uimg");
}
END_TEST

START_TEST(a_pi_looks_for_its_words)
{
    struct answer a = proxy(PXED, "");
    CHOOSE(REQUEST_PI, 0, lease(), a);
    check_stops("", "Raspberry Pi Boot");
    a.pxe.pi = true;
    CHOOSE(REQUEST_PI, 0, lease(), a);
    check(CHOICE_TFTP, PXED, "start4.elf");
    facts.serial = "12345678";
    CHOOSE(REQUEST_PI, 0, lease(), a);
    check(CHOICE_TFTP, PXED, "12345678/start4.elf");
    ck_assert_str_eq(got.other_file, "start4.elf");
}
END_TEST

/* -- reading ------------------------------------------------------------------------------ */

static struct answer read_reply(const void *vendor, size_t len, const char *class)
{
    uint8_t buf[1500];
    struct wr w = wr_over(buf, sizeof buf);
    static const uint8_t chaddr[16] = {2};
    const struct dhcp_packet to = {.htype = 1, .hlen = 6, .chaddr = chaddr};
    static const uint8_t type = DHCP_OFFER;
    static const uint8_t ipxe[] = {1, 1, 0xff, 176, 1, 1};
    struct dhcp_packet in;
    struct answer a = {.from = PXED};
    dhcp_write_reply(&w, &to, false, PXED, "", "header.efi");
    dhcp_option_write(&w, DHCP_MSG_TYPE, &type, 1);
    dhcp_option_write(&w, DHCP_VENDOR_CLASS, class, strlen(class));
    dhcp_option_write(&w, DHCP_VENDOR_SPECIFIC, vendor, len);
    dhcp_option_write(&w, DHCP_BOOT_FILE, "67.efi", 7);
    dhcp_option_write(&w, DHCP_ETHERBOOT, ipxe, sizeof ipxe);
    dhcp_write_end(&w);
    ck_assert_int_eq(dhcp_parse(buf, wr_len(&w), &in), DHCP_OK);
    answer_read(&in, &a);
    return a;
}

START_TEST(an_answer_is_read)
{
    static const uint8_t vendor[] = {
        6,  1, 7,                                /* control */
        8,  7, 0x80, 1,   1,   10,  77,  0,   3, /* a server */
        9,  6, 0x80, 1,   3,   'O', 'n', 'e',    /* an item */
        10, 3, 5,    'F', '8',                   /* the prompt */
        71, 4, 0x80, 1,   0,   0,   255,
    };
    struct answer a = read_reply(vendor, sizeof vendor, "PXEClient:and more");
    ck_assert(a.is_pxe && !a.is_http && a.ends && a.has_option_67 && a.no_proxy);
    ck_assert_int_eq(a.priority, -1);
    ck_assert_str_eq(a.file, "header.efi");
    ck_assert_str_eq(a.option_67, "67.efi");
    ck_assert(a.pxe.rules && !a.pxe.mtftp && a.pxe.has_prompt && a.pxe.has_item);
    ck_assert_uint_eq(a.pxe.control, 7);
    ck_assert_uint_eq(a.pxe.timeout, 5);
    ck_assert_uint_eq(a.pxe.items, 1);
    ck_assert_str_eq(a.pxe.item_list[0].text, "One");
    ck_assert_uint_eq(a.pxe.servers, 1);
    ck_assert(ip4_equal(a.pxe.server_list[0].ip, OTHER));
    ck_assert_int_eq(answer_kind(&a), ANSWER_PROXY);
    ck_assert(ip4_equal(answer_server(&a), PXED));
}
END_TEST

START_TEST(hostile_option_43)
{
    static const uint8_t menus[][12] = {{9, 255, 1, 2, 3},
                                        {9, 3, 0, 1, 200},
                                        {8, 3, 0, 1, 255},
                                        {8, 8, 0, 1, 9, 1, 2, 3, 4, 5}};
    for (size_t i = 0; i < sizeof menus / sizeof menus[0]; i++) {
        struct answer a = read_reply(menus[i], sizeof menus[i], "HTTPClient");
        ck_assert(a.is_http && a.pxe.items == 0 && a.pxe.servers == 0);
    }
    struct answer pi = read_reply("\x09\x14\0\0\x11Raspberry Pi Boot", 22, "PXEClient");
    ck_assert(pi.pxe.pi);
}
END_TEST

/* The same packet again is counted; another word of its sender is an answer of its own. */
START_TEST(an_answer_is_the_same_only_in_all_it_says)
{
    const struct answer one = proxy(PXED, "a.efi");
    struct answer other[9];
    for (size_t i = 0; i < 9; i++) {
        other[i] = one;
    }
    other[0].count = 3; /* the caller's own */
    ck_assert(answer_same(&one, &other[0]));
    other[1].from = OTHER;
    other[2].at_4011 = true;
    other[3].type = DHCP_ACK;
    other[4].address = DHCPD;
    other[5].next_server = OTHER;
    other[6].file[0] = 'b';
    other[7].option_67[0] = 'b';
    other[8].pxe.items = 2;
    for (size_t i = 1; i < 9; i++) {
        ck_assert_msg(!answer_same(&one, &other[i]), "difference %zu", i);
    }
}
END_TEST

Suite *suite_app_probe_choice(void)
{
    Suite *s = suite_create("app/probe/choice, app/probe/answer");
    TCase *tc = tcase_create("choice");
    tcase_add_checked_fixture(tc, forget, NULL);
    tcase_add_test(tc, uefi_takes_all_from_the_offer);
    tcase_add_test(tc, uefi_prefers_the_proxy_to_a_dhcp_servers_file);
    tcase_add_test(tc, uefi_takes_the_first_of_two_proxies);
    tcase_add_test(tc, uefi_asks_on_4011_without_option_43);
    tcase_add_test(tc, uefi_asks_the_next_proxy_when_one_is_mute);
    tcase_add_test(tc, uefi_is_caught_by_option_60_of_the_dhcp_server);
    tcase_add_test(tc, uefi_goes_to_the_first_server_of_43_8);
    tcase_add_test(tc, uefi_prefers_option_67_and_falls_back_to_option_54);
    tcase_add_test(tc, uefi_stops_without_an_address);
    tcase_add_test(tc, nobody_names_a_file);
    tcase_add_test(tc, nobody_answers);
    tcase_add_test(tc, malformed_offers_are_not_seen);
    tcase_add_test(tc, a_menus_first_item_is_asked_for);
    tcase_add_test(tc, a_menu_may_lead_to_the_disk);
    tcase_add_test(tc, menus_that_lead_nowhere);
    tcase_add_test(tc, a_file_and_bit_3_go_before_a_menu);
    tcase_add_test(tc, http_boot_takes_the_url);
    tcase_add_test(tc, http_boot_needs_a_name_server_for_names);
    tcase_add_test(tc, http_boot_passes_over_what_is_no_url_of_its_own);
    tcase_add_test(tc, ipxe_takes_the_last_proxy_and_the_headers_file);
    tcase_add_test(tc, ipxe_prefers_a_dhcp_servers_file);
    tcase_add_test(tc, ipxe_takes_urls);
    tcase_add_test(tc, ipxe_asks_on_4011_and_goes_on_without_an_answer);
    tcase_add_test(tc, ipxe_heeds_175_176);
    tcase_add_test(tc, u_boot_looks_at_the_dhcp_server_alone);
    tcase_add_test(tc, a_pi_looks_for_its_words);
    tcase_add_test(tc, an_answer_is_read);
    tcase_add_test(tc, an_answer_is_the_same_only_in_all_it_says);
    tcase_add_test(tc, hostile_option_43);
    suite_add_tcase(s, tc);
    return s;
}
