#include <stdio.h>

#include "app/request.h"
#include "dhcp/show.h"
#include "tests/unit/golden.h"
#include "tests/unit/suites.h"

/* What is written must be, octet for octet, what the real client sent. */

#define US                                                                               \
    {                                                                                    \
        {                                                                                \
            10, 77, 0, 2                                                                 \
        }                                                                                \
    }
#define DHCPD                                                                            \
    {                                                                                    \
        {                                                                                \
            10, 77, 0, 1                                                                 \
        }                                                                                \
    }
#define CLIENT                                                                           \
    {                                                                                    \
        {                                                                                \
            10, 77, 0, 100                                                               \
        }                                                                                \
    }
#define QEMU                                                                             \
    {                                                                                    \
        {                                                                                \
            0x52, 0x54, 0x00, 0x12, 0x34, 0x56                                           \
        }                                                                                \
    }

static const uint8_t uuid[16] = {0x44, 0x33, 0x22, 0x11, 0x66, 0x55, 0x88, 0x77,
                                 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00};

/* clang-format off */
static const struct {
    const char *file;
    bool no_uuid;
    struct request_terms terms;
} rows[] = {
    {"ovmf-x64-discover", false, {REQUEST_EDK2, DHCP_DISCOVER, .xid = 0x0b5c648d, .arch = 7}},
    {"ovmf-x64-request", false, {REQUEST_EDK2, DHCP_REQUEST, .xid = 0x0b5c648d, .arch = 7,
                                 .server = DHCPD, .wanted = CLIENT}},
    {"ovmf-x64-request4011", false, {REQUEST_EDK2, DHCP_REQUEST, true, .xid = 0x20a811a9,
                                     .arch = 7, .client = CLIENT}},
    {"ovmf-x64-menu-request4011", false, {REQUEST_EDK2, DHCP_REQUEST, true, .xid = 0x7ed346e6,
                                          .arch = 7, .client = CLIENT, .has_item = true,
                                          .item = 0x8001}},
    {"ovmf-ia32-discover", false, {REQUEST_EDK2, DHCP_DISCOVER, .xid = 0xe6e2c250, .arch = 6}},
    {"aavmf-arm64-discover", false, {REQUEST_EDK2, DHCP_DISCOVER, .xid = 0x31b94de3,
                                     .arch = 11}},
    {"ovmf-x64-http-discover", false, {REQUEST_EDK2, DHCP_DISCOVER, .xid = 0x1c6da0c7,
                                       .arch = 16}},
    {"ovmf-x64-http-request", false, {REQUEST_EDK2, DHCP_REQUEST, .xid = 0x1c6da0c7,
                                      .arch = 16, .server = DHCPD, .wanted = CLIENT}},
    {"ipxe-bios-discover", false, {REQUEST_IPXE, DHCP_DISCOVER, .xid = 0xabc83f62, .secs = 4,
                                   .arch = 0}},
    {"ipxe-bios-request", false, {REQUEST_IPXE, DHCP_REQUEST, .xid = 0xabc83f62, .secs = 11,
                                  .arch = 0, .server = DHCPD, .wanted = CLIENT}},
    {"ipxe-bios-request4011", false, {REQUEST_IPXE, DHCP_REQUEST, true, .xid = 0xabc83f62,
                                      .secs = 15, .arch = 0, .client = CLIENT, .server = US}},
    {"ipxe-efi-x64-discover", false, {REQUEST_IPXE, DHCP_DISCOVER, .xid = 0x11018c5c, .secs = 4,
                                      .arch = 7}},
    {"uboot-arm64-discover-2", true, {REQUEST_UBOOT, DHCP_DISCOVER, .xid = 0x52525b2d,
                                      .arch = 11, .mac = {"RRRRRR"}}},
    {"uboot-arm64-request-2", true, {REQUEST_UBOOT, DHCP_REQUEST, .xid = 0x52525b2d, .arch = 11,
                                     .mac = {"RRRRRR"}, .server = DHCPD, .wanted = CLIENT}},
    {"uboot-arm64-discover", true, {REQUEST_UBOOT, DHCP_DISCOVER, .xid = 0x52525afc,
                                    .arch = 0x16, .mac = {"RRRRRR"}, .class = "U-Boot.armv8"}},
    {"made-rpi3-discover", false, {REQUEST_PI, DHCP_DISCOVER, .xid = 0x0b5c648d,
                                   .mac = {{0xb8, 0x27, 0xeb, 0x12, 0x34, 0x56}},
                                   .has_uuid = true, .uuid = {"DDDDDDDDDDDDDDDD"}}},
};
/* clang-format on */

#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(requests_are_those_of_the_real_clients)
{
    static char want_text[GOLDEN_TEXT];
    static char got_text[GOLDEN_TEXT];
    char name[100];
    uint8_t want[1500];
    uint8_t got[REQUEST_SIZE];
    struct request_terms terms = rows[_i].terms;
    if (!rows[_i].no_uuid && !terms.has_uuid) {
        terms.has_uuid = true;
        memcpy(terms.uuid, uuid, sizeof uuid);
    }
    if (terms.mac.octet[0] == 0) {
        terms.mac = (struct mac)QEMU;
    }
    snprintf(name, sizeof name, "%s.hex", rows[_i].file);
    size_t want_len = golden_request("tests/data/requests", name, want);
    size_t got_len = request_write(&terms, got);
    dhcp_show(want, want_len, want_text, sizeof want_text);
    dhcp_show(got, got_len, got_text, sizeof got_text);
    ck_assert_str_eq(got_text, want_text);
    ck_assert_uint_ge(got_len, 300);
    while (want_len > got_len && want[want_len - 1] == 0) {
        want_len--; /* the capture's own padding */
    }
    ck_assert_uint_le(want_len, got_len);
    ck_assert_msg(memcmp(got, want, want_len) == 0, "%s", rows[_i].file);
}
END_TEST

START_TEST(a_bios_rom_says_what_the_specification_asks_for)
{
    uint8_t buf[REQUEST_SIZE];
    uint8_t joined[DHCP_OPTION_MAX];
    struct rd value;
    struct dhcp_packet in;
    const struct request_terms terms = {.manner = REQUEST_BIOS, .type = DHCP_DISCOVER};
    ck_assert_int_eq(dhcp_parse(buf, request_write(&terms, buf), &in), DHCP_OK);
    static const uint8_t needed[] = {53, 55, 57, 60, 93, 94, 97};
    for (size_t i = 0; i < sizeof needed; i++) {
        ck_assert_msg(dhcp_find(&in, (enum dhcp_code)needed[i], joined, &value),
                      "option %u", needed[i]);
    }
    ck_assert_uint_eq(in.flags, 0x8000);
}
END_TEST

Suite *suite_app_request(void)
{
    Suite *s = suite_create("app/request");
    TCase *tc = tcase_create("manners");
    tcase_add_loop_test(tc, requests_are_those_of_the_real_clients, 0, ROWS);
    tcase_add_test(tc, a_bios_rom_says_what_the_specification_asks_for);
    suite_add_tcase(s, tc);
    return s;
}
