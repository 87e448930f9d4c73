#include <stdlib.h>

#include "dhcp/v6_packet.h"
#include "dhcp/v6_show.h"
#include "tests/unit/suites.h"

#define BYTES(s) (s), sizeof(s) - 1

#define XID       "\1\2\3"
#define CLIENT    "\0\1\0\4\0\3\0\1"
#define ADDRESS16 "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
#define RELAY     "\14\0" ADDRESS16 ADDRESS16

static const struct {
    const char *name;
    const char *bytes;
    size_t len;
    enum dhcp6_fault fault;
} rows[] = {
    {"nothing", BYTES(""), DHCP6_TRUNCATED},
    {"a type alone", BYTES("\1"), DHCP6_TRUNCATED},
    {"half a transaction", BYTES("\1\1\2"), DHCP6_TRUNCATED},
    {"no options", BYTES("\1" XID), DHCP6_OK},
    {"a client", BYTES("\1" XID CLIENT), DHCP6_OK},
    {"an empty option", BYTES("\1" XID "\0\16\0\0"), DHCP6_OK},
    {"a type nobody knows", BYTES("\x63" XID), DHCP6_OK},
    {"one octet over", BYTES("\1" XID CLIENT "\0"), DHCP6_BAD_OPTIONS},
    {"three octets over", BYTES("\1" XID CLIENT "\0\1\0"), DHCP6_BAD_OPTIONS},
    {"option past the end", BYTES("\1" XID "\0\6\0\3\0\1"), DHCP6_BAD_OPTIONS},
    {"DUID of two octets", BYTES("\1" XID "\0\1\0\2\0\3"), DHCP6_BAD_LENGTH},
    {"DUID of none", BYTES("\1" XID "\0\2\0\0"), DHCP6_BAD_LENGTH},
    {"half an architecture", BYTES("\1" XID "\0\x3d\0\3\0\7\0"), DHCP6_BAD_LENGTH},
    {"no architecture", BYTES("\1" XID "\0\x3d\0\0"), DHCP6_BAD_LENGTH},
    {"half an enterprise", BYTES("\1" XID "\0\x10\0\3\0\0\1"), DHCP6_BAD_LENGTH},
    {"two clients", BYTES("\1" XID CLIENT CLIENT), DHCP6_REPEATED},
    {"two classes", BYTES("\1" XID "\0\x10\0\4\0\0\0\1\0\x10\0\4\0\0\1\x57"), DHCP6_OK},
    {"half a relay's header", BYTES("\14\0" ADDRESS16), DHCP6_TRUNCATED},
    {"a relay with no message", BYTES(RELAY), DHCP6_NO_MESSAGE},
    {"a relay with an identifier alone", BYTES(RELAY "\0\x12\0\1x"), DHCP6_NO_MESSAGE},
    {"a relay with an empty message", BYTES(RELAY "\0\11\0\0"), DHCP6_TRUNCATED},
    {"relayed", BYTES(RELAY "\0\11\0\4\1" XID), DHCP6_OK},
    {"relayed, malformed", BYTES(RELAY "\0\11\0\5\1" XID "\0"), DHCP6_BAD_OPTIONS},
    {"relay past the end", BYTES(RELAY "\0\11\0\7\1" XID), DHCP6_BAD_OPTIONS},
    {"a relay's reply", BYTES("\15\0" ADDRESS16 ADDRESS16), DHCP6_OK},
};

START_TEST(parse_verdicts)
{
    struct dhcp6_packet pkt = {.xid = 77};
    enum dhcp6_fault got = dhcp6_parse(rows[_i].bytes, rows[_i].len, &pkt);
    ck_assert_msg(got == rows[_i].fault, "%s: got %s, want %s", rows[_i].name,
                  dhcp6_fault_name(got), dhcp6_fault_name(rows[_i].fault));
    ck_assert_msg(got == DHCP6_OK || pkt.xid == 77, "%s: wrote *out on failure",
                  rows[_i].name);
}
END_TEST

/* A SOLICIT inside so many relays; returns its length. */
static size_t nested(unsigned relays, uint8_t out[1500])
{
    static const uint8_t innermost[] = {1, 0xaa, 0xbb, 0xcc};
    uint8_t before[1500];
    size_t len = sizeof innermost;
    memcpy(out, innermost, len);
    for (unsigned i = 0; i < relays; i++) {
        const uint8_t id[] = {(uint8_t)i, 'i'};
        memcpy(before, out, len);
        struct wr w = wr_over(out, 1500);
        wr_u8(&w, DHCP6_RELAY_FORW);
        wr_u8(&w, (uint8_t)i);
        wr_put(&w, ADDRESS16, 16);
        wr_put(&w, ADDRESS16, 16);
        dhcp6_option_write(&w, DHCP6_RELAY_MESSAGE, before, len);
        dhcp6_option_write(&w, DHCP6_INTERFACE_ID, id, sizeof id);
        len = wr_len(&w);
    }
    return len;
}

START_TEST(relays_are_unwrapped_and_wrapped)
{
    uint8_t in[1500];
    uint8_t out[1500];
    struct dhcp6_packet p;
    struct dhcp6_packet back;
    ck_assert_int_eq(dhcp6_parse(in, nested(DHCP6_RELAYS_MAX, in), &p), DHCP6_OK);
    ck_assert_uint_eq(p.relay_count, DHCP6_RELAYS_MAX);
    ck_assert_uint_eq(p.relay[0].hops, DHCP6_RELAYS_MAX - 1);
    ck_assert(p.type == DHCP6_SOLICIT && p.xid == 0xaabbcc);

    struct wr w = wr_over(out, sizeof out);
    dhcp6_relayed_write(&w, &p, "\2\xaa\xbb\xcc", 4);
    ck_assert(wr_ok(&w));
    for (uint8_t *at = out; at < w.p; at++) { /* read it as a relay would */
        if (*at == DHCP6_RELAY_REPL && (at == out || at[-4] == 0)) {
            *at = DHCP6_RELAY_FORW;
        }
    }
    ck_assert_int_eq(dhcp6_parse(out, wr_len(&w), &back), DHCP6_OK);
    ck_assert_uint_eq(back.relay_count, p.relay_count);
    for (unsigned i = 0; i < p.relay_count; i++) {
        struct rd id;
        ck_assert(dhcp6_find(back.relay[i].options, DHCP6_INTERFACE_ID, &id));
        ck_assert_uint_eq(rd_u8(&id), DHCP6_RELAYS_MAX - 1 - i);
    }
    ck_assert(back.type == DHCP6_ADVERTISE && back.xid == p.xid);
}
END_TEST

START_TEST(too_many_relays_are_refused)
{
    uint8_t in[1500];
    struct dhcp6_packet p;
    size_t len = nested(DHCP6_RELAYS_MAX + 1, in);
    ck_assert_int_eq(dhcp6_parse(in, len, &p), DHCP6_TOO_DEEP);
}
END_TEST

START_TEST(an_answer_that_does_not_fit_is_refused)
{
    uint8_t in[1500];
    uint8_t out[DHCP6_MAX_LEN];
    static const uint8_t message[DHCP6_MAX_LEN];
    struct dhcp6_packet p;
    ck_assert_int_eq(dhcp6_parse(in, nested(2, in), &p), DHCP6_OK);
    struct wr w = wr_over(out, sizeof out);
    dhcp6_relayed_write(&w, &p, message, sizeof message);
    ck_assert(!wr_ok(&w));
}
END_TEST

START_TEST(any_octets_can_be_shown)
{
    char text[64];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dhcp6_show(rows[i].bytes, rows[i].len, text, sizeof text);
        ck_assert_uint_lt(strlen(text), sizeof text);
    }
    dhcp6_show("\1\1\2\3\0\6\0\4\0\x3b\0\x3c", 12, text, sizeof text);
    ck_assert_str_eq(text, "SOLICIT xid 010203\n6 option request: 59 60\n");
}
END_TEST

Suite *suite_dhcp6_packet(void)
{
    Suite *s = suite_create("dhcp/v6_packet, v6_show");
    TCase *tc = tcase_create("packet");
    tcase_add_loop_test(tc, parse_verdicts, 0, sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, relays_are_unwrapped_and_wrapped);
    tcase_add_test(tc, too_many_relays_are_refused);
    tcase_add_test(tc, an_answer_that_does_not_fit_is_refused);
    tcase_add_test(tc, any_octets_can_be_shown);
    suite_add_tcase(s, tc);
    return s;
}
