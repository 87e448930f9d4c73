#include <stdio.h>

#include "tests/unit/judge.h"
#include "tests/unit/suites.h"

/* Menus: who sees one, what stands in it, what is loaded then. */
#define ITEMS                                                                            \
    "{'name': 'Install', 'file': {'x64-uefi': 'i.efi', 'x86-bios': 'i.0'}},"             \
    "{'name': 'Rescue', 'file': 'r.bin', 'next_server': '10.77.0.50'},"                  \
    "{'name': 'Disk', 'action': 'local'}"
#define WITH_MENU(items)                                                                 \
    CONFIG("'x86-bios': 'bios.0', 'x64-uefi': 'x64.efi', 'ipxe': 'b.ipxe', 'menu': "     \
           "{'prompt': 'F8', 'timeout': 3, 'items': [" items "]}",                       \
           "")

static const char usual[] = WITH_MENU(ITEMS);

/* 43.6 = 7; servers, items and prompt in the order of the configuration. */
#define SERVERS "\x80\x00\x01\x0a\x4d\x00\x01\x80\x01\x02\x0a\x4d\x00\x01\x0a\x4d\x00\x32"
#define FULL_MENU                                                                        \
    "\x06\x01\x07\x08\x12" SERVERS "\x09\x1a\x80\x00\x07Install\x80\x01\x06Rescue"       \
    "\x00\x00\x04"                                                                       \
    "Disk\x0a\x03\x03"                                                                   \
    "F8\xff"

START_TEST(the_menu_as_firmware_wants_it)
{
    struct request r = discover(_i ? 7 : 0);
    const struct dhcp_decision *d = decide_at(usual, &by_broadcast, &r);
    struct dhcp_packet p = reply_of(d);
    assert_option(&p, DHCP_VENDOR_SPECIFIC, FULL_MENU, sizeof FULL_MENU - 1);
    ck_assert_str_eq((const char *)p.file, _i ? "i.efi" : "i.0"); /* what comes unasked */
    ck_assert(ip4_equal(p.siaddr, us));
    ck_assert_int_eq(d->step[d->step_count - 1].rule, RULE_MENU);
}
END_TEST

/* Another architecture has other items; with one left there is no menu. */
START_TEST(one_item_is_loaded_without_a_menu)
{
    struct request r = discover(11);
    const struct dhcp_decision *d = decide_at(
        WITH_MENU("{'name': 'a', 'file': {'11': 'a.efi'}, 'next_server': '10.77.0.9'},"
                  "{'name': 'b', 'file': {'7': 'b.efi'}}"),
        &by_broadcast, &r);
    struct dhcp_packet p = reply_of(d);
    assert_option(&p, DHCP_VENDOR_SPECIFIC, "\x06\x01\x08\xff", 4);
    ck_assert_str_eq((const char *)p.file, "a.efi");
    ck_assert(ip4_equal(p.siaddr, (struct ip4){{10, 77, 0, 9}}));
    ck_assert_int_eq(d->step[d->step_count - 1].rule, RULE_MENU_SINGLE);
    /* none left: as if there were no menu */
    r = discover(6);
    ck_assert_int_eq(decide_at(WITH_MENU("{'name': 'a', 'file': {'7': 'a.efi'}},"
                                         "{'name': 'd', 'action': 'local'}"),
                               &by_broadcast, &r)
                         ->verdict,
                     DHCP_NO_FILE);
}
END_TEST

START_TEST(local_boot_may_come_first)
{
    struct request r = discover(7);
    const char *json = WITH_MENU("{'name': 'd', 'action': 'local'},"
                                 "{'name': 'a', 'file': 'a.efi'}");
    struct dhcp_packet p = reply_of(decide_at(json, &by_broadcast, &r));
    assert_option(&p, DHCP_VENDOR_SPECIFIC,
                  "\x06\x01\x07\x08\x07\x80\x01\x01\x0a\x4d\x00\x01"
                  "\x09\x08\x00\x00\x01"
                  "d\x80\x01\x01"
                  "a\x0a\x03\x03"
                  "F8\xff",
                  28);
    ck_assert_str_eq((const char *)p.file, "");
}
END_TEST

/* B59, and nobody else who cannot use one. */
static const struct {
    const char *name;
    uint16_t arch;
    const char *mac;
    const char *user_class;
    const char *file;
} without_rows[] = {
    {"iPXE with a script", 0, NULL, "iPXE", "tftp://10.77.0.1/b.ipxe"},
    {"a Raspberry Pi", 0, "\xb8\x27\xeb\x01\x02\x03", NULL, "boot.bin"},
    {"UEFI HTTP Boot", 16, NULL, NULL, "http://h/x"},
};

START_TEST(b59_no_menu_for_those_who_fail_on_it)
{
    struct request r = discover(without_rows[_i].arch);
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    if (without_rows[_i].mac) {
        memcpy(r.mac, without_rows[_i].mac, 6);
    }
    if (without_rows[_i].user_class) {
        request_add(&r, 77, without_rows[_i].user_class,
                    strlen(without_rows[_i].user_class));
    }
    struct dhcp_packet p = reply_of(decide_at(
        CONFIG("'0': 'bios.0', '16': 'http://h/x', 'arm-rpiboot': 'boot.bin', 'ipxe': "
               "'b.ipxe', 'menu': {'items': [" ITEMS "]}",
               ""),
        &by_broadcast, &r));
    ck_assert_str_eq((const char *)p.file, without_rows[_i].file);
    if (dhcp_find(&p, DHCP_VENDOR_SPECIFIC, buf, &value)) {
        ck_assert(memmem(value.p, rd_left(&value), "Install", 7) == NULL);
    }
}
END_TEST

/* An iPXE without a script has the file of its architecture, not the menu's. */
START_TEST(b59_ipxe_without_a_script_sees_no_menu_either)
{
    struct request r = discover(0);
    request_add(&r, 77, "iPXE", 4);
    struct dhcp_packet p = reply_of(decide_at(
        CONFIG("'0': 'bios.0', 'menu': {'items': [" ITEMS "]}", ""), &by_broadcast, &r));
    assert_option(&p, DHCP_VENDOR_SPECIFIC, "\x06\x01\x08\xff", 4);
    ck_assert_str_eq((const char *)p.file, "tftp://10.77.0.1/bios.0");
}
END_TEST

static const struct {
    const char *name;
    uint16_t arch;
    const char *item; /* four octets: type and layer */
    enum dhcp_verdict verdict;
    const char *file;
    uint8_t server; /* last octet of siaddr */
} item_rows[] = {
    {"the first", 7, "\x80\0\0\0", DHCP_ANSWERED, "i.efi", 1},
    {"the first, BIOS", 0, "\x80\0\0\0", DHCP_ANSWERED, "i.0", 1},
    {"the second, elsewhere", 7, "\x80\1\0\0", DHCP_ANSWERED, "r.bin", 50},
    {"EBC stands in for x64", 9, "\x80\0\0\0", DHCP_ANSWERED, "i.efi", 1},
    {"the disk", 7, "\0\0\0\0", DHCP_NO_ITEM, NULL, 0},
    {"the disk by its place", 7, "\x80\2\0\0", DHCP_NO_ITEM, NULL, 0},
    {"behind the last", 7, "\x80\3\0\0", DHCP_NO_ITEM, NULL, 0},
    {"far behind", 7, "\xff\xff\0\0", DHCP_NO_ITEM, NULL, 0},
    {"not for this architecture", 11, "\x80\0\0\0", DHCP_NO_ITEM, NULL, 0},
};

START_TEST(the_item_asked_for_is_loaded)
{
    struct request r = request_4011(item_rows[_i].arch);
    struct dhcp_arrival at = by_4011(4011);
    uint8_t asked[7] = "\x47\x04....\xff";
    uint8_t told[7];
    memcpy(asked + 2, item_rows[_i].item, 4);
    memcpy(told, asked, sizeof told);
    request_add(&r, 43, asked, sizeof asked);
    const struct dhcp_decision *d = decide_at(usual, &at, &r);
    ck_assert_msg(d->verdict == item_rows[_i].verdict, "%s: got %s", item_rows[_i].name,
                  dhcp_verdict_name(d->verdict));
    if (item_rows[_i].file) {
        struct dhcp_packet p = reply_of(d);
        ck_assert_int_eq(p.type, DHCP_ACK);
        ck_assert_str_eq((const char *)p.file, item_rows[_i].file);
        ck_assert_uint_eq(p.siaddr.octet[3], item_rows[_i].server);
        assert_option(&p, DHCP_SERVER_ID, us.octet, 4);
        assert_option(&p, DHCP_VENDOR_SPECIFIC, told, sizeof told);
    }
}
END_TEST

/* A client that comes to 4011 before it has seen the menu gets it there. */
START_TEST(port_4011_shows_the_menu_too)
{
    struct request r = request_4011(7);
    struct dhcp_arrival at = by_4011(4011);
    struct dhcp_packet p = reply_of(decide_at(usual, &at, &r));
    assert_option(&p, DHCP_VENDOR_SPECIFIC, FULL_MENU, sizeof FULL_MENU - 1);
    ck_assert_str_eq((const char *)p.file, "i.efi");
    r = discover(7);
    p = reply_of(
        decide_in(usual, (struct dhcp_site){.form = OFFER_BARE}, &by_broadcast, &r));
    assert_no_option(&p, DHCP_VENDOR_SPECIFIC);
    ck_assert_str_eq((const char *)p.file, "");
}
END_TEST

static bool all_but_install(void *context, const char *file)
{
    (void)context;
    return strcmp(file, "i.efi") != 0;
}

START_TEST(items_whose_file_is_missing_are_left_out)
{
    struct request r = discover(7);
    const struct dhcp_site site = {.has_file = all_but_install};
    struct dhcp_packet p = reply_of(decide_in(usual, site, &by_broadcast, &r));
    assert_option(&p, DHCP_VENDOR_SPECIFIC,
                  "\x06\x01\x07\x08\x0b\x80\x01\x02\x0a\x4d\x00\x01\x0a\x4d\x00\x32"
                  "\x09\x10\x80\x01\x06Rescue\x00\x00\x04"
                  "Disk\x0a\x03\x03"
                  "F8\xff",
                  40);
    ck_assert_str_eq((const char *)p.file, "r.bin");
}
END_TEST

/* Servers of a profile elsewhere: each item has both, else EDK2 refuses the ACK's siaddr. */
START_TEST(siaddr_of_the_ack_is_in_the_list)
{
    struct request r = discover(7);
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    struct dhcp_packet p = reply_of(decide_at(
        CONFIG("'next_server': '10.77.0.60', 'menu': {'items': [" ITEMS "]}", ""),
        &by_broadcast, &r));
    ck_assert(ip4_equal(p.siaddr, (struct ip4){{10, 77, 0, 60}}));
    ck_assert(dhcp_find(&p, DHCP_VENDOR_SPECIFIC, buf, &value));
    ck_assert_mem_eq(value.p + 3, "\x08\x16\x80\0\2\x0a\x4d\0\1\x0a\x4d\0\x3c", 13);
}
END_TEST

/* Names that fill option 43 to its last octet, and servers that make it too much. */
START_TEST(what_does_not_fit_one_option_is_not_sent)
{
    static const struct menu_file file = {.arch = ARCH_ANY};
    static char name[71];
    struct menu conf = {.item_count = 3};
    struct dhcp_menu menu = {.conf = &conf, .shown = 7, .server = us, .next_server = us};
    uint8_t out[300];
    memset(name, 'n', 70);
    for (size_t i = 0; i < 3; i++) {
        conf.item[i] = (struct menu_item){
            .name = name, .files = (struct menu_file *)&file, .file_count = 1};
    }
    conf.prompt = name + 69 - _i; /* 1 to 5 octets */
    struct wr w = wr_over(out, sizeof out);
    dhcp_menu_write(&w, &menu);
    size_t size = menu_size(&conf, 0);
    ck_assert_uint_eq(size, 252 + (size_t)_i);
    ck_assert(wr_ok(&w) == (size <= MENU_SIZE_MAX));
    ck_assert(!wr_ok(&w) || wr_len(&w) == size + 2);
    menu.next_server = (struct ip4){{10, 77, 0, 60}};
    w = wr_over(out, sizeof out);
    dhcp_menu_write(&w, &menu);
    ck_assert(!wr_ok(&w));
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof(list)[0])

Suite *suite_dhcp_menu(void)
{
    Suite *s = suite_create("dhcp/menu");
    TCase *tc = tcase_create("menus");
    tcase_add_loop_test(tc, the_menu_as_firmware_wants_it, 0, 2);
    tcase_add_test(tc, one_item_is_loaded_without_a_menu);
    tcase_add_test(tc, local_boot_may_come_first);
    tcase_add_loop_test(tc, b59_no_menu_for_those_who_fail_on_it, 0, COUNT(without_rows));
    tcase_add_test(tc, b59_ipxe_without_a_script_sees_no_menu_either);
    tcase_add_loop_test(tc, the_item_asked_for_is_loaded, 0, COUNT(item_rows));
    tcase_add_test(tc, port_4011_shows_the_menu_too);
    tcase_add_test(tc, items_whose_file_is_missing_are_left_out);
    tcase_add_test(tc, siaddr_of_the_ack_is_in_the_list);
    tcase_add_loop_test(tc, what_does_not_fit_one_option_is_not_sent, 0, 5);
    suite_add_tcase(s, tc);
    return s;
}
