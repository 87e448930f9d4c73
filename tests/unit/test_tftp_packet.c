#include "tests/unit/suites.h"
#include "tftp/options.h"
#include "tftp/refusal.h"

#define BYTES(s) (s), sizeof(s) - 1

static char long_name[1100]; /* an RRQ whose name has 1024 octets */

static const struct {
    const char *name;
    const char *bytes;
    size_t len;
    enum tftp_fault fault;
} rows[] = {
    {"A-08 nothing", BYTES(""), TFTP_SHORT},
    {"A-08 half an opcode", BYTES("\0"), TFTP_SHORT},
    {"A-08 ACK without number", BYTES("\0\4"), TFTP_SHORT},
    {"A-10 ERROR of three octets", BYTES("\0\5\0"), TFTP_SHORT},
    {"opcode 0", BYTES("\0\0"), TFTP_UNKNOWN_OP},
    {"opcode 7", BYTES("\0\7"), TFTP_UNKNOWN_OP},
    {"read request", BYTES("\0\1boot.wim\0octet\0"), TFTP_OK},
    {"A-14 mode in any case", BYTES("\0\1boot.wim\0OcTeT\0"), TFTP_OK},
    {"netascii", BYTES("\0\1boot.wim\0netascii\0"), TFTP_OK},
    {"A-14 mail", BYTES("\0\1boot.wim\0mail\0"), TFTP_BAD_MODE},
    {"A-14 empty mode", BYTES("\0\1boot.wim\0\0"), TFTP_BAD_MODE},
    {"A-14 octets", BYTES("\0\1boot.wim\0octets\0"), TFTP_BAD_MODE},
    {"A-03 mode without NUL", BYTES("\0\1sash\0octet"), TFTP_OK},
    {"mode missing", BYTES("\0\1sash\0"), TFTP_SHORT},
    {"name without NUL", BYTES("\0\1sash"), TFTP_SHORT},
    {"empty name", BYTES("\0\1\0octet\0"), TFTP_EMPTY_NAME},
    {"A-13 name of 1024", long_name, sizeof long_name, TFTP_LONG_NAME},
    {"ERROR without NUL", BYTES("\0\5\0\0stop"), TFTP_OK},
    {"ERROR without text", BYTES("\0\5\0\x8"), TFTP_OK},
    {"ACK with a fifth octet", BYTES("\0\4\0\1\x10"), TFTP_OK},
};

START_TEST(parse_verdicts)
{
    memset(long_name, 'a', sizeof long_name);
    memcpy(long_name, "\0\1", 2);
    memcpy(long_name + 2 + 1024, "\0octet\0", 7);
    struct tftp_packet pkt = {.block = 0xbeef};
    enum tftp_fault got = tftp_parse(rows[_i].bytes, rows[_i].len, &pkt);
    ck_assert_msg(got == rows[_i].fault, "%s: got %u, want %u", rows[_i].name, got,
                  rows[_i].fault);
    if (got != TFTP_OK) {
        ck_assert_msg(pkt.block == 0xbeef, "%s: wrote *out on failure", rows[_i].name);
    }
}
END_TEST

/* Options of a request in, the OACK out. */
static const struct {
    const char *name;
    const char *options;
    size_t len;
    const char *oack; /* after the opcode; empty: nothing is agreed */
    size_t oack_len;
} option_rows[] = {
    {"EDK2 probe", BYTES("tsize\0000\0blksize\0001468\0windowsize\0004\0"),
     BYTES("tsize\00018\0blksize\0001468\0windowsize\0004\0")},
    {"nothing asked", BYTES(""), BYTES("")},
    {"A-15 the client's spelling", BYTES("BlkSize\0001024\0"),
     BYTES("BlkSize\0001024\0")},
    {"A-16 unknown options only", BYTES("foo\0bar\0"), BYTES("")},
    {"A-07 option without value", BYTES("blksize\0"), BYTES("")},
    {"A-04 junk tail", BYTES("blksize\0001024\0\x17\x99"), BYTES("blksize\0001024\0")},
    {"A-01 garbage after a NUL", BYTES("\0tsize\0000\0"), BYTES("")},
    {"first of repeated ones", BYTES("blksize\000512\0blksize\0001024\0"),
     BYTES("blksize\000512\0")},
    {"B-01 blksize 0", BYTES("blksize\0000\0"), BYTES("")},
    {"B-01 blksize 7", BYTES("blksize\0007\0"), BYTES("")},
    {"B-01 blksize 8", BYTES("blksize\0008\0"), BYTES("blksize\0008\0")},
    {"B-02 blksize 65464", BYTES("blksize\00065464\0"), BYTES("blksize\0001468\0")},
    {"B-02 blksize 65465", BYTES("blksize\00065465\0"), BYTES("blksize\0001468\0")},
    {"B-02 blksize 65536", BYTES("blksize\00065536\0"), BYTES("blksize\0001468\0")},
    {"B-03 signed", BYTES("blksize\000+1428\0"), BYTES("")},
    {"B-03 negative", BYTES("blksize\000-1\0"), BYTES("")},
    {"B-03 hexadecimal", BYTES("blksize\0000x594\0"), BYTES("")},
    {"B-03 trailing text", BYTES("blksize\0001428abc\0"), BYTES("")},
    {"B-03 empty value", BYTES("blksize\0\0"), BYTES("")},
    {"B-07 tsize 123", BYTES("tsize\000123\0"), BYTES("tsize\00018\0")},
    {"B-11 timeout 0", BYTES("timeout\0000\0"), BYTES("")},
    {"B-11 timeout 1", BYTES("timeout\0001\0"), BYTES("timeout\0001\0")},
    {"B-11 timeout 255", BYTES("timeout\000255\0"), BYTES("timeout\000255\0")},
    {"B-11 timeout 256", BYTES("timeout\000256\0"), BYTES("")},
    {"B78 windowsize 0", BYTES("windowsize\0000\0"), BYTES("")},
    {"B78 windowsize 65535", BYTES("windowsize\00065535\0"), BYTES("windowsize\00064\0")},
    {"B55 tsize alone", BYTES("tsize\0000\0"), BYTES("tsize\00018\0")},
    {"msftwindow is off", BYTES("windowsize\0004\0msftwindow\00031416\0"),
     BYTES("windowsize\0004\0")},
    {"U-Boot", BYTES("timeout\0005\0blksize\0001468\0"),
     BYTES("timeout\0005\0blksize\0001468\0")},
};

START_TEST(options_answer_only_what_was_asked)
{
    const struct tftp_limits limits = {.max_block_size = 1468, .max_window_size = 64};
    uint8_t buf[256];
    struct wr w = wr_over(buf, sizeof buf);
    struct tftp_opts asked =
        tftp_opts_parse(rd_over(option_rows[_i].options, option_rows[_i].len));
    struct tftp_opts agreed = tftp_opts_agree(&asked, &limits, 18);
    tftp_opts_write(&agreed, &w);
    ck_assert(wr_ok(&w));
    ck_assert_msg(wr_len(&w) == 2 + option_rows[_i].oack_len,
                  "%s: got %zu octets, want %zu", option_rows[_i].name, wr_len(&w),
                  2 + option_rows[_i].oack_len);
    ck_assert_msg(!memcmp(buf + 2, option_rows[_i].oack, option_rows[_i].oack_len),
                  "%s: other options than wanted", option_rows[_i].name);
}
END_TEST

/* Where it is on. */
static const struct {
    const char *options;
    size_t len;
    const char *oack;
    size_t oack_len;
} msft_rows[] = {
    {BYTES("windowsize\0004\0msftwindow\00031416\0"),
     BYTES("windowsize\0004\0msftwindow\00027182\0")},
    {BYTES("MsftWindow\00031416\0WindowSize\00099\0"),
     BYTES("MsftWindow\00027182\0WindowSize\00064\0")},
    {BYTES("msftwindow\00031416\0"), BYTES("")},
    {BYTES("windowsize\0000\0msftwindow\00031416\0"), BYTES("")},
    {BYTES("windowsize\0004\0msftwindow\00031415\0"), BYTES("windowsize\0004\0")},
    {BYTES("windowsize\0004\0msftwindow\00031417\0"), BYTES("windowsize\0004\0")},
    {BYTES("windowsize\0004\0msftwindow\00027182\0"), BYTES("windowsize\0004\0")},
};

START_TEST(msftwindow_is_answered_beside_a_windowsize_only)
{
    const struct tftp_limits limits = {.max_window_size = 64, .msft_window = true};
    uint8_t buf[256];
    struct wr w = wr_over(buf, sizeof buf);
    struct tftp_opts asked =
        tftp_opts_parse(rd_over(msft_rows[_i].options, msft_rows[_i].len));
    struct tftp_opts agreed = tftp_opts_agree(&asked, &limits, 18);
    tftp_opts_write(&agreed, &w);
    ck_assert_uint_eq(wr_len(&w), 2 + msft_rows[_i].oack_len);
    ck_assert(!memcmp(buf + 2, msft_rows[_i].oack, msft_rows[_i].oack_len));
}
END_TEST

START_TEST(the_fifth_octet_of_an_ack_is_the_next_window)
{
    struct tftp_packet pkt;
    ck_assert_int_eq(tftp_parse(BYTES("\0\4\1\2"), &pkt), TFTP_OK);
    ck_assert(pkt.block == 0x102 && !pkt.has_window);
    ck_assert_int_eq(tftp_parse(BYTES("\0\4\1\2\377"), &pkt), TFTP_OK);
    ck_assert(pkt.has_window && pkt.window == 255);
    ck_assert_int_eq(tftp_parse(BYTES("\0\4\1\2\7\10"), &pkt), TFTP_OK);
    ck_assert(pkt.has_window && pkt.window == 7);
}
END_TEST

START_TEST(b08_tsize_counts_past_4_gib)
{
    const struct tftp_limits none = {0};
    struct tftp_opts asked = tftp_opts_parse(rd_over(BYTES("tsize\0000\0")));
    struct tftp_opts agreed = tftp_opts_agree(&asked, &none, UINT64_C(5368709121));
    uint8_t buf[64];
    struct wr w = wr_over(buf, sizeof buf);
    tftp_opts_write(&agreed, &w);
    ck_assert_mem_eq(buf, "\0\6tsize\0005368709121\0", 19);
}
END_TEST

START_TEST(an_unknown_size_is_left_out)
{
    const struct tftp_limits none = {0};
    struct tftp_opts asked = tftp_opts_parse(rd_over(BYTES("tsize\0000\0")));
    struct tftp_opts agreed = tftp_opts_agree(&asked, &none, UINT64_MAX);
    ck_assert_uint_eq(agreed.count, 0);
}
END_TEST

static const struct {
    enum tftp_fault fault;
    const char *name;
    enum tftp_error code;
} refused[] = {
    {TFTP_SHORT, "malformed", TFTP_ERR_ILLEGAL_OP},
    {TFTP_UNKNOWN_OP, "malformed", TFTP_ERR_ILLEGAL_OP},
    {TFTP_EMPTY_NAME, "no-name", TFTP_ERR_NOT_FOUND},
    {TFTP_LONG_NAME, "name-too-long", TFTP_ERR_NOT_FOUND},
    {TFTP_BAD_MODE, "bad-mode", TFTP_ERR_ILLEGAL_OP},
};

START_TEST(each_fault_of_a_request_has_its_error)
{
    const struct tftp_refusal *r = tftp_refusal(tftp_refused_packet(refused[_i].fault));
    ck_assert_str_eq(r->name, refused[_i].name);
    ck_assert_int_eq(r->code, refused[_i].code);
}
END_TEST

Suite *suite_tftp_packet(void)
{
    Suite *s = suite_create("tftp/packet, tftp/options");
    TCase *tc = tcase_create("rows");
    tcase_add_loop_test(tc, parse_verdicts, 0, sizeof rows / sizeof rows[0]);
    tcase_add_loop_test(tc, options_answer_only_what_was_asked, 0,
                        sizeof option_rows / sizeof option_rows[0]);
    tcase_add_loop_test(tc, msftwindow_is_answered_beside_a_windowsize_only, 0,
                        sizeof msft_rows / sizeof msft_rows[0]);
    tcase_add_loop_test(tc, each_fault_of_a_request_has_its_error, 0,
                        sizeof refused / sizeof refused[0]);
    tcase_add_test(tc, the_fifth_octet_of_an_ack_is_the_next_window);
    tcase_add_test(tc, b08_tsize_counts_past_4_gib);
    tcase_add_test(tc, an_unknown_size_is_left_out);
    suite_add_tcase(s, tc);
    return s;
}
