#include <stdint.h>
#include <string.h>

#include "common/text.h"
#include "tests/unit/suites.h"

#define BYTES(s) (s), sizeof(s) - 1

static const struct {
    const char *text;
    bool good;
    uint64_t value;
} decimal_rows[] = {
    {"0", true, 0},
    {"1468", true, 1468},
    {"01428", true, 1428},
    {"18446744073709551615", true, UINT64_MAX},
    {"18446744073709551616", false, 0},
    {"", false, 0},
    {"-1", false, 0},
    {"+1428", false, 0},
    {" 1428", false, 0},
    {"1428 ", false, 0},
    {"1428abc", false, 0},
    {"0x594", false, 0},
    {"1468.0", false, 0},
};

START_TEST(decimal_takes_digits_only)
{
    uint64_t got = 77;
    bool ok = text_decimal(decimal_rows[_i].text, &got);
    ck_assert_msg(ok == decimal_rows[_i].good, "\"%s\": got %d", decimal_rows[_i].text,
                  ok);
    ck_assert_uint_eq(got, ok ? decimal_rows[_i].value : 77);
}
END_TEST

static const struct {
    const char *octets;
    size_t len;
    const char *shown;
} show_rows[] = {
    {BYTES("boot.wim"), "boot.wim"},
    {BYTES("he\x01\x1b[31mllo"), "he\\x01\\x1b[31mllo"},
    {BYTES("x64.efi\xff"), "x64.efi\\xff"},
    {BYTES("a\\b"), "a\\x5cb"},
    {BYTES("a\0b"), "a\\x00b"},
    {BYTES(""), ""},
    {BYTES("0123456789012345678901234567890"), "012345678901234567890123456..."},
    {BYTES("01234567890123456789012345\xff"), "01234567890123456789012345..."},
};

START_TEST(show_escapes_and_cuts)
{
    char buf[31];
    memset(buf, 'x', sizeof buf);
    ck_assert_str_eq(text_show(show_rows[_i].octets, show_rows[_i].len, buf, sizeof buf),
                     show_rows[_i].shown);
}
END_TEST

static const struct {
    const char *a;
    const char *b;
    unsigned distance;
} distance_rows[] = {
    {"profile", "profile", 0},
    {"profile", "profiles", 1},
    {"porfile", "profile", 1},
    {"mac", "mca", 1},
    {"", "mac", 3},
    {"x64-uefi", "x86-uefi", 2},
    {"kitten", "sitting", 3},
};

START_TEST(distance_counts_edits)
{
    ck_assert_uint_eq(text_distance(distance_rows[_i].a, distance_rows[_i].b),
                      distance_rows[_i].distance);
    ck_assert_uint_eq(text_distance(distance_rows[_i].b, distance_rows[_i].a),
                      distance_rows[_i].distance);
}
END_TEST

START_TEST(distance_gives_up_on_long_words)
{
    char word[80];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    ck_assert_uint_eq(text_distance(word, word), 99);
}
END_TEST

static const struct {
    uint64_t octets;
    const char *text;
} bytes_rows[] = {
    {0, "0B"},
    {999, "999B"},
    {1000, "1.0kB"},
    {1600000000, "1.6GB"},
    {123456789, "123MB"},
    {UINT64_MAX, "18EB"},
};

START_TEST(bytes_print_in_three_digits)
{
    char buf[16];
    ck_assert_str_eq(text_bytes(bytes_rows[_i].octets, buf, sizeof buf),
                     bytes_rows[_i].text);
}
END_TEST

START_TEST(say_adds_and_cuts)
{
    char buf[8] = "";
    struct text t = {buf, sizeof buf, 0};
    text_say(&t, "%s", "boot");
    ck_assert_str_eq(buf, "boot");
    text_say(&t, ".%s", "wim-image");
    ck_assert_str_eq(buf, "boot.wi");
    text_say(&t, "x");
    ck_assert_str_eq(buf, "boot.wi");
    ck_assert_uint_eq(t.used, 7);
}
END_TEST

START_TEST(hex_is_cut_between_octets)
{
    char buf[12] = "";
    struct text t = {buf, sizeof buf, 0};
    text_say(&t, "x ");
    text_say_hex(&t, "\x00\xab\x0c", 3, ":");
    ck_assert_str_eq(buf, "x 00:ab:0c");
    t.used = 2;
    text_say_hex(&t, "\x00\xab\x0c\xff", 4, ":");
    ck_assert_str_eq(buf, "x 00:ab:0c");
    t.used = 0;
    text_say_hex(&t, "\x00\xab\x0c", 3, "");
    ck_assert_str_eq(buf, "00ab0c");
    text_say_hex(&t, NULL, 0, " ");
    ck_assert_str_eq(buf, "00ab0c");
}
END_TEST

START_TEST(quoted_is_escaped)
{
    char buf[12] = "";
    struct text t = {buf, sizeof buf, 0};
    text_say_quoted(&t, "a\n", 2);
    ck_assert_str_eq(buf, "\"a\\x0a\"");
}
END_TEST

START_TEST(uuid_prints_as_people_write_it)
{
    static const uint8_t uuid[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0x0f};
    char buf[UUID_TEXT];
    ck_assert_str_eq(text_uuid(uuid, buf), "00112233-4455-6677-8899-aabbccddee0f");
}
END_TEST

Suite *suite_common_text(void)
{
    Suite *s = suite_create("common/text");
    TCase *tc = tcase_create("rows");
    tcase_add_loop_test(tc, decimal_takes_digits_only, 0,
                        sizeof decimal_rows / sizeof decimal_rows[0]);
    tcase_add_loop_test(tc, show_escapes_and_cuts, 0,
                        sizeof show_rows / sizeof show_rows[0]);
    tcase_add_loop_test(tc, distance_counts_edits, 0,
                        sizeof distance_rows / sizeof distance_rows[0]);
    tcase_add_test(tc, distance_gives_up_on_long_words);
    tcase_add_loop_test(tc, bytes_print_in_three_digits, 0,
                        sizeof bytes_rows / sizeof bytes_rows[0]);
    tcase_add_test(tc, say_adds_and_cuts);
    tcase_add_test(tc, hex_is_cut_between_octets);
    tcase_add_test(tc, quoted_is_escaped);
    tcase_add_test(tc, uuid_prints_as_people_write_it);
    suite_add_tcase(s, tc);
    return s;
}
