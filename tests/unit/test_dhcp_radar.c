#include <stdio.h>

#include "dhcp/frame.h"
#include "dhcp/radar.h"
#include "tests/unit/suites.h"

/* A reply as its octets: the header, then options as they stand on the wire. */
struct said {
    uint8_t yiaddr; /* last octet, 0: none */
    uint8_t siaddr; /* last octet, 0: none */
    const char *file;
    const char *options; /* without END */
    size_t options_len;
};

#define OPT(s)  (s), sizeof(s) - 1
#define OFFER   "\x35\x01\x02"
#define ACK     "\x35\x01\x05"
#define SERVER  "\x36\x04\x0a\x4d\x00\xfe"
#define PXE     "\x3c\x09PXEClient"
#define HTTP    "\x3c\x0aHTTPClient"
#define WHOLE43 "\x2b\x04\x06\x01\x08\xff"

enum { XID_OURS = 0x11, XID_OTHERS = 0x22, XID_UNKNOWN = 0x33 };

static size_t write_reply(const struct said *s, uint8_t xid, uint8_t buf[600])
{
    struct wr w = wr_over(buf, 600);
    char file[DHCP_FILE_LEN] = "";
    if (s->file) {
        memcpy(file, s->file, strlen(s->file));
    }
    wr_u32(&w, 0x02010600);
    wr_u32(&w, xid);
    wr_zero(&w, 8);
    wr_put(&w, (uint8_t[4]){s->yiaddr ? 10 : 0, s->yiaddr ? 77 : 0, 0, s->yiaddr}, 4);
    wr_put(&w, (uint8_t[4]){s->siaddr ? 10 : 0, s->siaddr ? 77 : 0, 0, s->siaddr}, 4);
    wr_zero(&w, 4);
    wr_put(&w, "\x52\x54\x00\x12\x34\x56\0\0\0\0\0\0\0\0\0\0", 16);
    wr_zero(&w, DHCP_SNAME_LEN);
    wr_put(&w, file, sizeof file);
    wr_u32(&w, 0x63825363);
    wr_put(&w, s->options, s->options_len);
    wr_u8(&w, DHCP_END);
    ck_assert(wr_ok(&w));
    return wr_len(&w);
}

static const struct mac server_mac = {{0x52, 0x54, 0, 0, 0, 0xfe}};

static struct identity ourselves(void)
{
    struct identity id = {.offered = {{10, 77, 0, 1}}};
    identity_add(&id, id.offered, (struct ip4){{255, 255, 255, 0}});
    return id;
}

/* Sees one reply of the server 10.77.0.254; the events it was the first to show. */
static size_t see(struct radar *r, const struct said *s, uint8_t xid, usec_t now,
                  const struct radar_event *fresh[RADAR_KIND_COUNT])
{
    uint8_t buf[600];
    struct dhcp_packet packet;
    struct identity us = ourselves();
    ck_assert_int_eq(dhcp_parse(buf, write_reply(s, xid, buf), &packet), DHCP_OK);
    struct radar_reply reply = {&packet, server_mac, {{10, 77, 0, 254}}, &us};
    return radar_see(r, &reply, now, fresh);
}

static const struct mac client_mac = {{0x52, 0x54, 0, 0x12, 0x34, 0x56}};

static void hear(struct radar *r, uint32_t xid, bool ours)
{
    struct radar_request request = {xid, client_mac, ours, {{10, 77, 0, 50}}};
    radar_heard(r, &request);
}

static const struct {
    const char *name;
    struct said said;
    uint8_t xid;
    const char *events; /* names, a blank between them */
} rows[] = {
    {"a plain lease", {9, 0, NULL, OPT(OFFER SERVER)}, XID_OURS, ""},
    {"B18: class in a lease, no 43",
     {9, 0, NULL, OPT(OFFER SERVER PXE)},
     XID_OURS,
     "foreign-option60"},
    {"B18: in the ACK", {9, 0, NULL, OPT(ACK SERVER PXE)}, XID_OURS, "foreign-option60"},
    {"B18: with a 43 of its own",
     {9, 0, NULL, OPT(OFFER SERVER PXE WHOLE43)},
     XID_OURS,
     "foreign-option60"},
    {"B18: a request not heard",
     {9, 0, NULL, OPT(OFFER SERVER PXE)},
     XID_UNKNOWN,
     "foreign-option60"},
    {"B18: to a machine not ours",
     {9, 0, NULL, OPT(OFFER SERVER PXE)},
     XID_OTHERS,
     "foreign-option60"},
    {"another class", {9, 0, NULL, OPT(OFFER SERVER "\x3c\x08MSFT 5.0")}, XID_OURS, ""},
    {"UEFI HTTP Boot",
     {9, 0, NULL, OPT(OFFER SERVER HTTP)},
     XID_OURS,
     "foreign-http-class"},
    {"file in the header",
     {9, 254, "pxelinux.0", OPT(OFFER SERVER)},
     XID_OURS,
     "foreign-boot-file"},
    {"file in option 67",
     {9, 0, NULL,
      OPT(OFFER SERVER "\x43\x06"
                       "undi.0")},
     XID_OURS,
     "foreign-boot-file"},
    {"a file for machines not ours",
     {9, 0, "phone.cfg", OPT(OFFER SERVER)},
     XID_OTHERS,
     ""},
    {"a file, the request not heard",
     {9, 0, "pxelinux.0", OPT(ACK SERVER)},
     XID_UNKNOWN,
     "foreign-boot-file"},
    {"options in the file field",
     {9, 0, "\x0f\x03lab\xff", OPT(OFFER SERVER "\x34\x01\x01")},
     XID_OURS,
     ""},
    {"class and file",
     {9, 0, "x.efi", OPT(OFFER SERVER PXE)},
     XID_OURS,
     "foreign-option60 foreign-boot-file"},
    {"next server itself",
     {9, 254, NULL, OPT(OFFER SERVER)},
     XID_OURS,
     "foreign-next-server"},
    {"next server is us", {9, 1, NULL, OPT(OFFER SERVER)}, XID_OURS, ""},
    {"next server for others", {9, 254, NULL, OPT(OFFER SERVER)}, XID_OTHERS, ""},
    {"B35: a second proxy",
     {0, 254, "x.efi", OPT(OFFER SERVER PXE WHOLE43)},
     XID_OURS,
     "second-proxy"},
    {"B35: a second proxy for HTTP",
     {0, 0, NULL, OPT(OFFER SERVER HTTP)},
     XID_OURS,
     "second-proxy"},
    {"another proxy for machines that are not ours",
     {0, 254, "x.efi", OPT(OFFER SERVER PXE WHOLE43)},
     XID_OTHERS,
     ""},
    {"our own offer by a second interface",
     {0, 1, "x.efi", OPT(OFFER "\x36\x04\x0a\x4d\x00\x01" PXE WHOLE43)},
     XID_OURS,
     ""},
    {"an ACK to an INFORM", {0, 0, NULL, OPT(ACK SERVER)}, XID_OURS, ""},
    {"a NAK", {0, 0, NULL, OPT("\x35\x01\x06" SERVER PXE)}, XID_OURS, ""},
    {"no-pxedhcp",
     {9, 0, NULL, OPT(OFFER SERVER "\xaf\x03\xb0\x01\x01")},
     XID_OURS,
     "ipxe-no-proxy"},
    {"no-pxedhcp behind others",
     {9, 0, NULL, OPT(OFFER SERVER "\xaf\x06\x01\x01\x05\xb0\x01\x01")},
     XID_OURS,
     "ipxe-no-proxy"},
    {"no-pxedhcp switched off",
     {9, 0, NULL, OPT(OFFER SERVER "\xaf\x03\xb0\x01\x00")},
     XID_OURS,
     ""},
    {"175 cut short", {9, 0, NULL, OPT(OFFER SERVER "\xaf\x02\xb0\x01")}, XID_OURS, ""},
};

static void list_names(const struct radar_event *const *fresh, size_t count,
                       char out[256])
{
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(out);
        snprintf(out + used, 256 - used, "%s%s", i > 0 ? " " : "",
                 radar_kind_name(fresh[i]->kind));
    }
}

START_TEST(a_reply_shows_its_conflicts_once)
{
    struct radar r = {.count = 0};
    const struct radar_event *fresh[RADAR_KIND_COUNT];
    char names[256];
    hear(&r, XID_OURS, true);
    hear(&r, XID_OTHERS, false);
    size_t count = see(&r, &rows[_i].said, rows[_i].xid, 5, fresh);
    list_names(fresh, count, names);
    ck_assert_msg(strcmp(names, rows[_i].events) == 0, "%s: got \"%s\", want \"%s\"",
                  rows[_i].name, names, rows[_i].events);
    ck_assert_uint_eq(see(&r, &rows[_i].said, rows[_i].xid, 9, fresh), 0);
    for (size_t i = 0; i < r.count; i++) {
        ck_assert_uint_eq(r.event[i].count, 2);
        ck_assert_uint_eq(r.event[i].first, 5);
        ck_assert_uint_eq(r.event[i].last, 9);
    }
}
END_TEST

START_TEST(an_event_says_who_what_and_for_whom)
{
    struct radar r = {.count = 0};
    const struct radar_event *fresh[RADAR_KIND_COUNT];
    char text[RADAR_TEXT];
    struct said option60 = {9, 0, "a\x1b\"b", OPT(OFFER SERVER PXE)};
    ck_assert_uint_eq(see(&r, &option60, XID_UNKNOWN, 1, fresh), 2);
    ck_assert_str_eq(
        radar_say(fresh[0], text),
        "the DHCP server 10.77.0.254 (52:54:00:00:00:fe) says option 60 \"PXEClient\" in "
        "its address offers, as if it were the PXE server: UEFI clients ask it alone for "
        "a boot file, pass over this proxy and stop with PXE-E16 or PXE-E18; take option "
        "60 out of its configuration");
    ck_assert_ptr_nonnull(
        strstr(radar_say(fresh[1], text), "names the boot file \"a\\x1b\"b\": iPXE"));
    struct said next = {9, 253, NULL, OPT(OFFER SERVER)};
    ck_assert_uint_eq(see(&r, &next, XID_UNKNOWN, 1, fresh), 1);
    ck_assert_ptr_nonnull(
        strstr(radar_say(fresh[0], text), "names the next server 10.77.0.253: "));
    ck_assert(!radar_is_warning(RADAR_NEXT_SERVER));
    ck_assert(radar_is_warning(RADAR_FOREIGN_OPTION60));
    for (unsigned kind = 0; kind < RADAR_KIND_COUNT; kind++) {
        struct radar_event e = {.kind = (enum radar_kind)kind};
        memset(e.file, 0xff, sizeof e.file - 1);
        ck_assert_uint_lt(strlen(radar_say(&e, text)), RADAR_TEXT - 1);
    }
}
END_TEST

/* Whoever forges replies of ever new servers fills the table and nothing else. */
START_TEST(the_table_is_bounded)
{
    struct radar r = {.count = 0};
    const struct radar_event *fresh[RADAR_KIND_COUNT];
    char options[] = OFFER "\x36\x04\x0a\x4d\x00\x00" PXE;
    struct said s = {9, 0, NULL, options, sizeof options - 1};
    for (unsigned i = 0; i < RADAR_EVENTS_MAX + 10; i++) {
        options[8] = (char)(100 + i);
        ck_assert_uint_eq(see(&r, &s, XID_OURS, i, fresh), i < RADAR_EVENTS_MAX);
    }
    ck_assert_uint_eq(r.count, RADAR_EVENTS_MAX);
    ck_assert_uint_eq(r.seen[RADAR_FOREIGN_OPTION60], RADAR_EVENTS_MAX + 10);
    options[8] = 100; /* those that are known are still counted */
    ck_assert_uint_eq(see(&r, &s, XID_OURS, 99, fresh), 0);
    ck_assert_uint_eq(r.event[0].count, 2);
}
END_TEST

START_TEST(whom_nobody_sees_any_more_makes_room)
{
    struct radar r = {.count = 0};
    const struct radar_event *fresh[RADAR_KIND_COUNT];
    char options[] = OFFER "\x36\x04\x0a\x4d\x00\x00" PXE;
    struct said s = {9, 0, NULL, options, sizeof options - 1};
    for (unsigned i = 0; i < RADAR_EVENTS_MAX; i++) {
        options[8] = (char)(100 + i);
        ck_assert_uint_eq(see(&r, &s, XID_OURS, 10 + (i + 5) % RADAR_EVENTS_MAX, fresh),
                          1);
    }
    options[8] = 1; /* the one at 27 was seen at 10 */
    ck_assert_uint_eq(see(&r, &s, XID_OURS, 9 + RADAR_MEMORY, fresh), 0);
    ck_assert_uint_eq(see(&r, &s, XID_OURS, 10 + RADAR_MEMORY, fresh), 1);
    ck_assert_ptr_eq(fresh[0], &r.event[27]);
    ck_assert_uint_eq(fresh[0]->count, 1);
    ck_assert_uint_eq(fresh[0]->server.octet[3], 1);
    ck_assert_uint_eq(r.seen[RADAR_FOREIGN_OPTION60], RADAR_EVENTS_MAX + 2);
    options[8] = 100 + 27; /* told anew */
    ck_assert_uint_eq(see(&r, &s, XID_OURS, 11 + RADAR_MEMORY, fresh), 1);
}
END_TEST

START_TEST(old_requests_are_forgotten)
{
    struct radar r = {.count = 0};
    const struct radar_event *fresh[RADAR_KIND_COUNT];
    struct said proxy = {0, 0, NULL, OPT(OFFER SERVER PXE)};
    hear(&r, XID_OURS, true);
    for (uint32_t i = 0; i < RADAR_HEARD_MAX; i++) {
        hear(&r, 1000 + i, false);
    }
    ck_assert_uint_eq(see(&r, &proxy, XID_OURS, 1, fresh), 0);
    hear(&r, XID_OURS, false);
    hear(&r, XID_OURS, true);
    ck_assert_uint_eq(see(&r, &proxy, XID_OURS, 1, fresh), 1);
}
END_TEST

/* B18 as a capture shows it: the frame of a Windows DHCP server, octet for octet. */
START_TEST(b18_from_a_frame)
{
    static const uint8_t head[] = {
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x52, 0x54, 0x00, 0x00, 0x00, 0xfe,
        0x08, 0x00,                                                             /* */
        0x45, 0x00, 0x01, 0x1b, 0x00, 0x00, 0x00, 0x00, 0x80, 0x11, 0x00, 0x00, /* */
        0x0a, 0x4d, 0x00, 0xfe, 0xff, 0xff, 0xff, 0xff,                         /* */
        0x00, 0x43, 0x00, 0x44, 0x01, 0x07, 0x00, 0x00,
    };
    uint8_t octets[sizeof head + 600];
    struct said s = {9, 0, NULL, OPT(OFFER SERVER PXE)};
    struct frame f;
    struct dhcp_packet packet;
    struct radar r = {.count = 0};
    const struct radar_event *fresh[RADAR_KIND_COUNT];
    struct identity us = ourselves();
    memcpy(octets, head, sizeof head);
    size_t len = write_reply(&s, XID_OURS, octets + sizeof head);
    octets[17] = (uint8_t)(28 + len);
    octets[16] = (uint8_t)((28 + len) >> 8);
    octets[39] = (uint8_t)(8 + len);
    octets[38] = (uint8_t)((8 + len) >> 8);
    ck_assert_int_eq(frame_parse(octets, sizeof head + len, &f), FRAME_OK);
    ck_assert_int_eq(dhcp_parse(f.payload.p, rd_left(&f.payload), &packet), DHCP_OK);
    struct radar_reply reply = {&packet, f.from, f.ip_from, &us};
    ck_assert_uint_eq(radar_see(&r, &reply, 1, fresh), 1);
    ck_assert_int_eq(fresh[0]->kind, RADAR_FOREIGN_OPTION60);
    ck_assert(ip4_equal(fresh[0]->server, (struct ip4){{10, 77, 0, 254}}));
    ck_assert(mac_equal(&fresh[0]->mac, &server_mac));
}
END_TEST

/* B67: shim and GRUB take the server of the DHCP server's ACK for their second stage. */
START_TEST(b67_second_stage_asked_of_another_server)
{
    static const char rrq[] = "\0\1grubx64.efi\0octet";
    static const struct ip4 router = {{10, 77, 0, 254}};
    static const struct ip4 next_server = {{10, 77, 0, 50}};
    struct rd request = rd_over(rrq, sizeof rrq);
    struct radar r = {.count = 0};
    char text[RADAR_TEXT];
    ck_assert_ptr_null(radar_asks(&r, &client_mac, &server_mac, router, request, 1));
    hear(&r, XID_OTHERS, false);
    ck_assert_ptr_null(radar_asks(&r, &client_mac, &server_mac, router, request, 1));
    hear(&r, XID_OURS, true);
    ck_assert_ptr_null(radar_asks(&r, &server_mac, &server_mac, router, request, 1));
    ck_assert_ptr_null(radar_asks(&r, &client_mac, &server_mac, next_server, request, 1));
    const struct radar_event *e =
        radar_asks(&r, &client_mac, &server_mac, router, request, 7);
    ck_assert_ptr_nonnull(e);
    ck_assert_ptr_null(radar_asks(&r, &client_mac, &server_mac, router, request, 9));
    ck_assert_uint_eq(e->count, 2);
    ck_assert_uint_eq(e->last, 9);
    ck_assert_str_eq(radar_kind_name(e->kind), "second-stage-elsewhere");
    ck_assert(mac_equal(&e->client, &client_mac));
    ck_assert_ptr_nonnull(strstr(radar_say(e, text),
                                 "the TFTP server 10.77.0.254 (52:54:00:00:00:fe) is "
                                 "asked for \"grubx64.efi\" by a machine"));
}
END_TEST

/* Taking another server's lease is no reason to forget that the DISCOVER was ours. */
START_TEST(a_request_does_not_hide_its_discover)
{
    static const struct ip4 router = {{10, 77, 0, 254}};
    static const struct ip4 next_server = {{10, 77, 0, 50}};
    struct radar r = {.count = 0};
    ck_assert(!radar_is_elsewhere(&r, &client_mac, router));
    hear(&r, XID_OURS, true);
    hear(&r, XID_OURS, false);
    ck_assert(radar_is_elsewhere(&r, &client_mac, router));
    ck_assert(!radar_is_elsewhere(&r, &client_mac, next_server));
    ck_assert(!radar_is_elsewhere(&r, &server_mac, router));
    hear(&r, XID_OTHERS, false); /* its next transaction is not answered */
    ck_assert(!radar_is_elsewhere(&r, &client_mac, router));
}
END_TEST

static const struct {
    struct said said;
    bool offer;
    struct radar_offer read;
} offers[] = {
    {{9, 0, NULL, OPT(OFFER SERVER)}, true, {.has_address = true}},
    {{9, 254, "x.0", OPT(OFFER SERVER)},
     true,
     {.has_address = true, .next_server = {{10, 77, 0, 254}}, .file = "x.0"}},
    {{9, 0, NULL, OPT(OFFER SERVER PXE)}, true, {.has_address = true, .pxe = true}},
    {{9, 0, NULL, OPT(OFFER SERVER HTTP)}, true, {.has_address = true, .pxe = true}},
    {{0, 0, NULL, OPT(OFFER SERVER PXE)}, true, {.pxe = true}},
    {{9, 0, NULL, OPT(OFFER SERVER "\xaf\x03\xb0\x01\x01")},
     true,
     {.has_address = true, .no_pxe = true}},
    {{9, 0, NULL, OPT(ACK SERVER)}, false, {.ours = false}},
};

START_TEST(what_an_offer_says)
{
    uint8_t buf[600];
    struct dhcp_packet packet;
    struct radar_offer got;
    struct identity us = ourselves();
    ck_assert_int_eq(
        dhcp_parse(buf, write_reply(&offers[_i].said, XID_OURS, buf), &packet), DHCP_OK);
    struct radar_reply reply = {&packet, server_mac, {{10, 77, 0, 254}}, &us};
    ck_assert_int_eq(radar_read_offer(&reply, &got), offers[_i].offer);
    if (offers[_i].offer) {
        const struct radar_offer *want = &offers[_i].read;
        ck_assert(ip4_equal(got.server, reply.ip) && !got.ours);
        ck_assert_int_eq(got.has_address, want->has_address);
        ck_assert_int_eq(got.pxe, want->pxe);
        ck_assert_int_eq(got.no_pxe, want->no_pxe);
        ck_assert(ip4_equal(got.next_server, want->next_server));
        ck_assert_str_eq(got.file, want->file);
    }
}
END_TEST

START_TEST(our_own_offer_comes_back)
{
    uint8_t buf[600];
    struct dhcp_packet packet;
    struct radar_offer got;
    struct identity us = ourselves();
    struct said proxy = {0, 0, NULL, OPT(OFFER "\x36\x04\x0a\x4d\x00\x01" PXE)};
    struct said lease = {9, 0, NULL, OPT(OFFER "\x36\x04\x0a\x4d\x00\x01")};
    ck_assert_int_eq(dhcp_parse(buf, write_reply(&proxy, XID_OURS, buf), &packet),
                     DHCP_OK);
    struct radar_reply reply = {&packet, server_mac, us.offered, &us};
    ck_assert(radar_read_offer(&reply, &got) && got.ours);
    ck_assert_int_eq(dhcp_parse(buf, write_reply(&lease, XID_OURS, buf), &packet),
                     DHCP_OK);
    ck_assert(radar_read_offer(&reply, &got) && !got.ours); /* a server on this host */
}
END_TEST

Suite *suite_dhcp_radar(void)
{
    Suite *s = suite_create("dhcp/radar");
    TCase *tc = tcase_create("radar");
    tcase_add_loop_test(tc, a_reply_shows_its_conflicts_once, 0,
                        sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, an_event_says_who_what_and_for_whom);
    tcase_add_test(tc, the_table_is_bounded);
    tcase_add_test(tc, whom_nobody_sees_any_more_makes_room);
    tcase_add_test(tc, old_requests_are_forgotten);
    tcase_add_test(tc, b18_from_a_frame);
    tcase_add_test(tc, b67_second_stage_asked_of_another_server);
    tcase_add_test(tc, a_request_does_not_hide_its_discover);
    tcase_add_loop_test(tc, what_an_offer_says, 0, sizeof offers / sizeof offers[0]);
    tcase_add_test(tc, our_own_offer_comes_back);
    suite_add_tcase(s, tc);
    return s;
}
