#include <stdio.h>

#include "tests/unit/judge.h"
#include "tests/unit/suites.h"

/* How an answer is shaped and timed by profile and host: cases of the field. */

START_TEST(b17_local_means_silence_at_both_doors)
{
    const char *json = CONFIG(PROFILE_C0, "{'mac': '52:54:00:*', 'action': 'local'}");
    struct request r = discover(7);
    struct dhcp_arrival at = by_4011(4011);
    struct dhcp_decision *d = decide_at(json, &by_broadcast, &r);
    ck_assert_int_eq(d->verdict, DHCP_HOST_LOCAL);
    ck_assert_uint_eq(d->reply_count, 0);
    ck_assert_str_eq(dhcp_verdict_name(d->verdict), "host-local");
    r = request_4011(7); /* B65: one gate */
    ck_assert_int_eq(decide_at(json, &at, &r)->verdict, DHCP_HOST_LOCAL);
    json = "{'interfaces': ['eth0'], 'tftp': {'root': '/t'}, 'profiles': {'default': {"
           "'7': 'a'}}, 'unknown_hosts': {'action': 'local'}}";
    ck_assert_int_eq(decide_at(json, &at, &r)->verdict, DHCP_HOST_LOCAL);
}
END_TEST

START_TEST(b81_an_allow_list_keeps_others_out)
{
    const char *json =
        "{'interfaces': ['eth0'], 'tftp': {'root': '/t'}, 'profiles': {'default': {"
        "'7': 'a'}}, 'hosts': [{'mac': '52:54:00:*'}], 'unknown_hosts': {'action': "
        "'ignore'}}";
    struct request r = discover(7);
    ck_assert_int_eq(decide_at(json, &by_broadcast, &r)->verdict, DHCP_ANSWERED);
    r.mac[2] = 1;
    ck_assert_int_eq(decide_at(json, &by_broadcast, &r)->verdict, DHCP_UNKNOWN_HOST);
}
END_TEST

/* A host over its profile, in each key; what it does not say stays the profile's. */
START_TEST(b19_b70_a_host_is_handed_over_to_another_server)
{
    const char *json =
        "{'interfaces': ['eth0'], 'tftp': {'root': '/t'}, 'profiles': {'default': {"
        "'7': 'a.efi'}, 'wds': {'7': 'boot\\\\x64\\\\wdsmgfw.efi'}}, 'hosts': [{'mac': "
        "'52:54:00:12:34:56', 'profile': 'wds', 'next_server': '10.77.0.50'}]}";
    struct request r = discover(7);
    struct dhcp_packet p = reply_of(decide_at(json, &by_broadcast, &r));
    ck_assert(ip4_equal(p.siaddr, (struct ip4){{10, 77, 0, 50}}));
    assert_option(&p, DHCP_SERVER_ID, us.octet, 4);
    ck_assert_str_eq((const char *)p.file, "boot\\x64\\wdsmgfw.efi");
    r.mac[5]++;
    p = reply_of(decide_at(json, &by_broadcast, &r));
    ck_assert(ip4_equal(p.siaddr, us));
    ck_assert_str_eq((const char *)p.file, "a.efi");
}
END_TEST

START_TEST(a_host_overrides_offer_and_ipxe_priority)
{
    const char *json = CONFIG(PROFILE_C0 ", 'offer': 'pxe', 'delay_ms': 40",
                              "{'mac': '52:54:00:12:34:56', 'offer': 'binl', "
                              "'ipxe_override': true, 'delay_ms': 0}");
    struct request r = discover(7);
    const struct dhcp_decision *d = decide_at(json, &by_broadcast, &r);
    struct dhcp_packet p = reply_of(d);
    assert_no_option(&p, DHCP_VENDOR_SPECIFIC);
    ck_assert_str_eq((const char *)p.file, "x64.efi"); /* vector 2 */
    ck_assert_uint_eq(d->delay_ms, 0);
    ck_assert_int_eq(d->form, OFFER_BINL);
    request_add(&r, 77, "iPXE", 4);
    p = reply_of(decide_at(json, &by_broadcast, &r));
    assert_option(&p, DHCP_ETHERBOOT, "\1\1\1\xff", 4);
    r.mac[5]++;
    d = decide_at(json, &by_broadcast, &r);
    p = reply_of(d);
    assert_no_option(&p, DHCP_ETHERBOOT);
    ck_assert_uint_eq(d->delay_ms, 40);
}
END_TEST

/* B36, B83: fields that repeat others, each alone and all together; off unless asked for. */
static const struct {
    const char *fields;
    bool sname;
    bool option_66;
    bool option_67;
} field_rows[] = {
    {"", false, false, false},
    {"'sname': true", true, false, false},
    {"'option_66': true", false, true, false},
    {"'option_67': true", false, false, true},
    {"'sname': true, 'option_66': true, 'option_67': true", true, true, true},
    {"'sname': false, 'option_66': false, 'option_67': false", false, false, false},
};

START_TEST(b36_b83_each_field_can_be_had_or_left_out)
{
    char json[1000];
    struct request r = discover(7);
    snprintf(json, sizeof json, CONFIG(PROFILE_C0 ", 'fields': {%s}", ""),
             field_rows[_i].fields);
    struct dhcp_packet p = reply_of(decide_at(json, &by_broadcast, &r));
    ck_assert_str_eq((const char *)p.sname, field_rows[_i].sname ? "10.77.0.1" : "");
    ck_assert_str_eq((const char *)p.file, "x64.efi");
    if (field_rows[_i].option_66) {
        assert_option(&p, DHCP_TFTP_SERVER, "10.77.0.1", 9);
    } else {
        assert_no_option(&p, DHCP_TFTP_SERVER);
    }
    if (field_rows[_i].option_67) {
        assert_option(&p, DHCP_BOOT_FILE, "x64.efi", 8);
    } else {
        assert_no_option(&p, DHCP_BOOT_FILE);
    }
}
END_TEST

START_TEST(b83_repeated_fields_say_the_same)
{
    const char *json =
        CONFIG("'0': 'a', 'ipxe': 'b', 'next_server': '10.77.0.50', 'fields': "
               "{'sname': true, 'option_66': true, 'option_67': true}",
               "");
    struct request r = discover(0);
    request_add(&r, 77, "iPXE", 4);
    struct dhcp_packet p = reply_of(decide_at(json, &by_broadcast, &r));
    ck_assert_str_eq((const char *)p.sname, "10.77.0.50");
    assert_option(&p, DHCP_TFTP_SERVER, "10.77.0.50", 10);
    ck_assert_str_eq((const char *)p.file, "tftp://10.77.0.50/b");
    assert_option(&p, DHCP_BOOT_FILE, "tftp://10.77.0.50/b", 20);
}
END_TEST

/* B37: whoever runs on behind option 67 finds zeros. */
START_TEST(b37_option_67_ends_in_zeros)
{
    const char *json = CONFIG(PROFILE_C0 ", 'fields': {'option_67': true}", "");
    struct request r = _i ? request_4011(7) : discover(7);
    struct dhcp_arrival at = by_4011(4011);
    const struct dhcp_decision *d = decide_at(json, _i ? &at : &by_broadcast, &r);
    const uint8_t *found =
        memmem(d->reply[0].packet, d->reply[0].len, "\x43\x08x64.efi\0", 10);
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(found[10], DHCP_PAD);
}
END_TEST

/* B43: a Raspberry Pi does not skip pads between options, so it has none. */
START_TEST(b43_no_pad_between_options_for_a_raspberry_pi)
{
    const char *json = CONFIG("'arm-rpiboot': 'b', 'fields': {'option_67': true}", "");
    struct request r = discover(0);
    memcpy(r.mac, "\xb8\x27\xeb\x01\x02\x03", 6);
    const struct dhcp_decision *d = decide_at(json, &by_broadcast, &r);
    const uint8_t *p = d->reply[0].packet + DHCP_HEADER_LEN;
    while (*p != DHCP_END) {
        ck_assert_uint_ne(*p, DHCP_PAD);
        p += 2 + p[1];
    }
}
END_TEST

/* B70: what Windows Boot Manager and wdsmgfw.efi read, in each answer that may be looked at. */
static const struct {
    const char *name;
    const char *host;
    bool on_4011;
    const char *bcd;
    size_t bcd_len;
} option_rows[] = {
    {"offer", "", false, "\\Boot\\BCD", 10},
    {"port 4011", "", true, "\\Boot\\BCD", 10},
    {"a host's own", "{'mac': '52:54:00:*', 'options': {'252': 'B'}}", false, "B", 2},
    {"a host without", "{'mac': '52:54:00:*', 'options': {}}", true, NULL, 0},
};

START_TEST(b70_options_are_sent_as_they_stand)
{
    char json[900];
    struct dhcp_arrival at = by_4011(4011);
    bool late = option_rows[_i].on_4011;
    struct request r = late ? request_4011(7) : discover(7);
    snprintf(
        json, sizeof json,
        CONFIG("'7': 'bootmgfw.efi', 'fields': {'option_67': true}, 'options': {'252': "
               "'\\\\Boot\\\\BCD', '250': 'hex:0d0208000e0101ff'}",
               "%s"),
        option_rows[_i].host);
    const struct dhcp_decision *d = decide_at(json, late ? &at : &by_broadcast, &r);
    struct dhcp_packet p = reply_of(d);
    if (!option_rows[_i].bcd) {
        assert_no_option(&p, 252);
        return;
    }
    assert_option(&p, 252, option_rows[_i].bcd, option_rows[_i].bcd_len);
    if (option_rows[_i].host[0] == '\0') {
        assert_option(&p, DHCP_WDS, "\x0d\x02\x08\x00\x0e\x01\x01\xff", 8);
        for (const uint8_t *o = d->reply[0].packet + DHCP_HEADER_LEN; *o != DHCP_END;
             o += 2 + o[1]) {
            ck_assert_uint_ne(*o, DHCP_PAD); /* wdsmgfw.efi takes none */
        }
    }
    assert_option(&p, DHCP_BOOT_FILE, "bootmgfw.efi", 13);
}
END_TEST

/* B42: a Raspberry Pi loses what comes at once. */
static const struct {
    const char *name;
    const char *profile;
    bool pi;
    bool on_4011;
    uint32_t delay_ms;
} delay_rows[] = {
    {"an ordinary client", "", false, false, 0},
    {"a Raspberry Pi", "", true, false, 1500},
    {"a Raspberry Pi, another delay", ", 'delay_ms': 300", true, false, 300},
    {"a Raspberry Pi, at once", ", 'delay_ms': 0", true, false, 0},
    {"who is to lose", ", 'delay_ms': 10000", false, false, 10000},
    {"who has come to us", ", 'delay_ms': 10000", false, true, 0},
};

START_TEST(b42_delays)
{
    char json[600];
    struct dhcp_arrival at = by_4011(4011);
    bool late = delay_rows[_i].on_4011;
    struct request r = late ? request_4011(0) : discover(0);
    if (delay_rows[_i].pi) {
        memcpy(r.mac, "\xb8\x27\xeb\x01\x02\x03", 6);
    }
    snprintf(json, sizeof json, CONFIG("'0': 'a', 'arm-rpiboot': 'b' %s", ""),
             delay_rows[_i].profile);
    const struct dhcp_decision *d = decide_at(json, late ? &at : &by_broadcast, &r);
    (void)reply_of(d);
    ck_assert_msg(d->delay_ms == delay_rows[_i].delay_ms, "%s: got %u",
                  delay_rows[_i].name, d->delay_ms);
}
END_TEST

static const struct {
    unsigned asked;
    enum dhcp_verdict verdict;
} asked_rows[] = {
    {0, DHCP_ANSWERED},  /* not counted */ {1, DHCP_TOO_EARLY},
    {2, DHCP_TOO_EARLY}, {3, DHCP_ANSWERED},
    {4, DHCP_ANSWERED},
};

START_TEST(who_is_to_lose_answers_late_askers_only)
{
    const char *json = CONFIG(PROFILE_C0 ", 'after_requests': 3", "");
    struct request r = discover(7);
    struct dhcp_arrival at = by_4011(4011);
    const struct dhcp_site site = {.asked = asked_rows[_i].asked};
    const struct dhcp_decision *d = decide_in(json, site, &by_broadcast, &r);
    ck_assert_int_eq(d->verdict, asked_rows[_i].verdict);
    r = request_4011(7); /* who comes to 4011 has made its choice */
    ck_assert_int_eq(decide_in(json, site, &at, &r)->verdict, DHCP_ANSWERED);
}
END_TEST

/* What the site says of the form, and for whom it counts. */
static const struct {
    const char *name;
    const char *offer;
    uint16_t arch;
    const char *user_class;
    enum offer_form site;
    enum offer_form form;
    unsigned replies;
    bool on_ladder;
} form_rows[] = {
    {"nothing said", "auto", 7, NULL, OFFER_AUTO, OFFER_PXE, 1, true},
    {"bare", "auto", 7, NULL, OFFER_BARE, OFFER_BARE, 1, true},
    {"both", "auto", 7, NULL, OFFER_BOTH, OFFER_BOTH, 2, true},
    {"pxe is said", "pxe", 7, NULL, OFFER_BARE, OFFER_PXE, 1, false},
    {"binl is said", "binl", 7, NULL, OFFER_BOTH, OFFER_BINL, 1, false},
    {"both is said", "both", 7, NULL, OFFER_BARE, OFFER_BOTH, 2, false},
    {"iPXE", "auto", 7, "iPXE", OFFER_BARE, OFFER_PXE, 1, false},
    {"iPXE, both is said", "both", 7, "iPXE", OFFER_PXE, OFFER_BOTH, 2, false},
    {"HTTP", "both", 16, NULL, OFFER_BARE, OFFER_PXE, 1, false},
};

START_TEST(the_form_is_the_sites_only_where_it_is_auto)
{
    char json[600];
    struct request r = discover(form_rows[_i].arch);
    const struct dhcp_site site = {.form = form_rows[_i].site};
    if (form_rows[_i].user_class) {
        request_add(&r, 77, form_rows[_i].user_class, strlen(form_rows[_i].user_class));
    }
    snprintf(json, sizeof json, CONFIG(PROFILE_C0 ", 'offer': '%s'", ""),
             form_rows[_i].offer);
    const struct dhcp_decision *d = decide_in(json, site, &by_broadcast, &r);
    ck_assert_msg(d->form == form_rows[_i].form &&
                      d->on_ladder == form_rows[_i].on_ladder,
                  "%s: got %s", form_rows[_i].name, offer_form_name(d->form));
    ck_assert_uint_eq(d->reply_count, form_rows[_i].replies);
}
END_TEST

START_TEST(a_bare_offer_names_no_file)
{
    struct request r = discover(7);
    const struct dhcp_site site = {.form = OFFER_BARE};
    struct dhcp_packet p =
        reply_of(decide_in(CONFIG(PROFILE_C0 ", 'fields': {'option_67': true}", ""), site,
                           &by_broadcast, &r));
    assert_no_option(&p, DHCP_VENDOR_SPECIFIC);
    assert_no_option(&p, DHCP_BOOT_FILE);
    ck_assert_str_eq((const char *)p.file, "");
    ck_assert(ip4_equal(p.siaddr, us));
    assert_option(&p, DHCP_VENDOR_CLASS, "PXEClient", 9);
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof(list)[0])

Suite *suite_dhcp_answers(void)
{
    Suite *s = suite_create("dhcp/decision: answers by profile and host");
    TCase *tc = tcase_create("answers");
    tcase_add_test(tc, b17_local_means_silence_at_both_doors);
    tcase_add_test(tc, b81_an_allow_list_keeps_others_out);
    tcase_add_test(tc, b19_b70_a_host_is_handed_over_to_another_server);
    tcase_add_test(tc, a_host_overrides_offer_and_ipxe_priority);
    tcase_add_loop_test(tc, b36_b83_each_field_can_be_had_or_left_out, 0,
                        COUNT(field_rows));
    tcase_add_test(tc, b83_repeated_fields_say_the_same);
    tcase_add_loop_test(tc, b37_option_67_ends_in_zeros, 0, 2);
    tcase_add_test(tc, b43_no_pad_between_options_for_a_raspberry_pi);
    tcase_add_loop_test(tc, b70_options_are_sent_as_they_stand, 0, COUNT(option_rows));
    tcase_add_loop_test(tc, b42_delays, 0, COUNT(delay_rows));
    tcase_add_loop_test(tc, who_is_to_lose_answers_late_askers_only, 0,
                        COUNT(asked_rows));
    tcase_add_loop_test(tc, the_form_is_the_sites_only_where_it_is_auto, 0,
                        COUNT(form_rows));
    tcase_add_test(tc, a_bare_offer_names_no_file);
    suite_add_tcase(s, tc);
    return s;
}
