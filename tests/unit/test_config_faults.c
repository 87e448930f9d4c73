#include <string.h>

#include "config/faults.h"
#include "tests/unit/starve.h"
#include "tests/unit/suites.h"

/* What faults_print() writes for one fault at 2:column of a text whose line 2 is given. */
static const struct {
    const char *name;
    const char *line;
    int column;
    const char *shown; /* source line and caret */
} rows[] = {
    {"first octet", "abc", 1, "abc\n^\n"},
    {"middle", "abc", 2, "abc\n ^\n"},
    {"behind the line", "abc", 4, "abc\n   ^\n"},
    {"far behind the line", "abc", 40, "abc\n   ^\n"},
    {"empty line", "", 1, "\n^\n"},
    {"tabs stay tabs", "\t\ta\tb", 5, "\t\ta\tb\n\t\t \t^\n"},
    {"a character of two octets is one wide", "\xc3\xa4x", 3, "\xc3\xa4x\n ^\n"},
    {"control octets are escaped", "a\x1b[1m\x07z", 7,
     "a\\x1b[1m\\x07z\n            ^\n"},
    {"broken UTF-8 is escaped", "\xff\xc3z", 3, "\\xff\\xc3z\n        ^\n"},
    {"C1 controls are escaped", "\xc2\x9bz", 3, "\\xc2\\x9bz\n        ^\n"},
    {"a right-to-left mark is escaped", "\xe2\x80\xaez", 4,
     "\\xe2\\x80\\xaez\n            ^\n"},
    {"overlong UTF-8 is escaped", "\xc0\x80z", 3, "\\xc0\\x80z\n        ^\n"},
    {"CR of a CR LF is left out", "abc\r", 3, "abc\n  ^\n"},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

static char printed_text[4096];

static char *printed(const struct faults *f, const char *text)
{
    FILE *to = fmemopen(printed_text, sizeof printed_text, "w");
    faults_print(f, "a.json", text, text ? strlen(text) : 0, to);
    (void)fclose(to);
    return printed_text;
}

START_TEST(the_source_line_has_a_caret_under_the_column)
{
    struct faults f = {0};
    char text[256];
    char want[256];
    snprintf(text, sizeof text, "{\n%s\n}\n", rows[_i].line);
    faults_add(&f, FAULT_ERROR, 2, rows[_i].column, "a.b", "is %s", "wrong");
    snprintf(want, sizeof want, "a.json:2:%d: a.b: is wrong\n%s", rows[_i].column,
             rows[_i].shown);
    char *got = printed(&f, text);
    ck_assert_msg(!strcmp(got, want), "%s: got\n%s\nwant\n%s", rows[_i].name, got, want);
    faults_done(&f);
}
END_TEST

START_TEST(long_lines_are_cut_around_the_column)
{
    struct faults f = {0};
    char text[1002];
    memset(text, 'x', 1000);
    text[1000] = '\n';
    text[1001] = '\0';
    text[599] = '!';
    faults_add(&f, FAULT_ERROR, 1, 600, "", "here");
    char *got = printed(&f, text);
    char *line = strchr(got, '\n') + 1;
    char *caret = strchr(line, '\n') + 1;
    ck_assert_int_eq(strncmp(line, "...", 3), 0);
    ck_assert_int_eq(strncmp(caret - 4, "...\n", 4), 0);
    ck_assert_uint_lt((size_t)(caret - line), 110);
    ck_assert_int_eq(line[strchr(caret, '^') - caret], '!');
    faults_done(&f);
}
END_TEST

START_TEST(sorted_by_place_and_then_by_order)
{
    struct faults f = {0};
    faults_add(&f, FAULT_ERROR, 3, 1, "", "fifth");
    faults_add(&f, FAULT_WARNING, 1, 9, "x", "second");
    faults_add(&f, FAULT_ERROR, 2, 5, "", "third");
    faults_add(&f, FAULT_ERROR, 2, 5, "", "fourth");
    faults_add(&f, FAULT_ERROR, 0, 0, "", "first");
    ck_assert_uint_eq(f.errors, 4);
    faults_sort(&f);
    char *got = printed(&f, NULL);
    ck_assert_str_eq(got, "a.json: first\n"
                          "a.json:1:9: warning: x: second\n"
                          "a.json:2:5: third\n"
                          "a.json:2:5: fourth\n"
                          "a.json:3:1: fifth\n");
    faults_done(&f);
}
END_TEST

START_TEST(a_key_cannot_write_on_the_terminal)
{
    struct faults f = {0};
    faults_add(&f, FAULT_ERROR, 1, 1, "a\x1b[2J\n", "b\x7f\xc2\x9b");
    ck_assert_str_eq(f.list[0].path, "a?[2J?");
    ck_assert_str_eq(f.list[0].text, "b???");
    faults_done(&f);
}
END_TEST

START_TEST(long_texts_end_with_a_whole_character)
{
    struct faults f = {0};
    char text[400] = "";
    for (size_t i = 0; i + 3 < sizeof text; i += 2) {
        memcpy(text + i, "\xc3\xa4", 3);
    }
    faults_add(&f, FAULT_ERROR, 1, 1, "", "%s", text);
    size_t len = strlen(f.list[0].text);
    ck_assert_uint_eq(len % 2, 0);
    ck_assert_uint_gt(len, 250);
    faults_done(&f);
}
END_TEST

START_TEST(without_memory_they_are_counted)
{
    struct faults f = {0};
    starve_after(0);
    faults_add(&f, FAULT_ERROR, 1, 1, "", "lost");
    ck_assert(starve_end());
    faults_add(&f, FAULT_WARNING, 2, 1, "", "kept");
    ck_assert_uint_eq(f.count, 1);
    ck_assert_uint_eq(f.lost, 1);
    ck_assert_uint_eq(f.errors, 1);
    char *got = printed(&f, NULL);
    ck_assert_str_eq(got, "a.json:2:1: warning: kept\n"
                          "a.json: 1 more, for which there was no memory\n");
    faults_done(&f);
}
END_TEST

Suite *suite_config_faults(void)
{
    Suite *s = suite_create("config/faults");
    TCase *tc = tcase_create("faults");
    tcase_add_loop_test(tc, the_source_line_has_a_caret_under_the_column, 0, ROWS);
    tcase_add_test(tc, long_lines_are_cut_around_the_column);
    tcase_add_test(tc, sorted_by_place_and_then_by_order);
    tcase_add_test(tc, a_key_cannot_write_on_the_terminal);
    tcase_add_test(tc, long_texts_end_with_a_whole_character);
    tcase_add_test(tc, without_memory_they_are_counted);
    suite_add_tcase(s, tc);
    return s;
}
