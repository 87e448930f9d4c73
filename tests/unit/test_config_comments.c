#include <string.h>

#include "config/comments.h"
#include "tests/unit/suites.h"

#define NOWHERE 99

static const struct {
    const char *name;
    const char *text;
    const char *blanked;
    enum comments_fault fault;
    size_t at; /* of the fault */
} rows[] = {
    {"nothing", "", "", COMMENTS_OK, NOWHERE},
    {"no comment", "{\"a\": 1}", "{\"a\": 1}", COMMENTS_OK, NOWHERE},
    {"to the end of the line", "1 // x\n2", "1     \n2", COMMENTS_OK, NOWHERE},
    {"to the end of the text", "1 //", "1   ", COMMENTS_OK, NOWHERE},
    {"CR LF stays", "1//x\r\n2", "1   \r\n2", COMMENTS_OK, NOWHERE},
    {"block", "1/* x\n */2", "1    \n   2", COMMENTS_OK, NOWHERE},
    {"empty block", "/**/1", "    1", COMMENTS_OK, NOWHERE},
    {"stars", "/***/1", "     1", COMMENTS_OK, NOWHERE},
    {"a slash is not an end", "/*/ 1 */2", "        2", COMMENTS_OK, NOWHERE},
    {"in a string", "\"http://a/*b*/\"", "\"http://a/*b*/\"", COMMENTS_OK, NOWHERE},
    {"behind a string", "\"a\"//b", "\"a\"   ", COMMENTS_OK, NOWHERE},
    {"behind an escaped quote", "\"a\\\"//b\"", "\"a\\\"//b\"", COMMENTS_OK, NOWHERE},
    {"behind an escaped backslash", "\"\\\\\"//b", "\"\\\\\"   ", COMMENTS_OK, NOWHERE},
    {"behind an open string", "\"a\n//b", "\"a\n   ", COMMENTS_OK, NOWHERE},
    {"backslash at the end", "\"\\", "\"\\", COMMENTS_OK, NOWHERE},
    {"lone slash", "1 / 2", "1 / 2", COMMENTS_OK, NOWHERE},
    {"no end", "1 /* 2", "1 /* 2", COMMENTS_UNTERMINATED, 2},
    {"half an end", "1 /* *", "1 /* *", COMMENTS_UNTERMINATED, 2},
    {"UTF-8 mark", "\xef\xbb\xbf{}", "\xef\xbb\xbf{}", COMMENTS_BYTE_ORDER_MARK, 0},
    {"UTF-16 mark", "\xff\xfe{", "\xff\xfe{", COMMENTS_UTF16, 0},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(blanking)
{
    char text[64];
    size_t at = NOWHERE;
    size_t len = strlen(rows[_i].text);
    memcpy(text, rows[_i].text, len + 1);
    enum comments_fault got = comments_blank(text, len, &at);
    ck_assert_msg(got == rows[_i].fault && at == rows[_i].at, "%s: fault %d at %zu",
                  rows[_i].name, got, at);
    ck_assert_msg(!strcmp(text, rows[_i].blanked), "%s: got \"%s\"", rows[_i].name, text);
}
END_TEST

Suite *suite_config_comments(void)
{
    Suite *s = suite_create("config/comments");
    TCase *tc = tcase_create("comments");
    tcase_add_loop_test(tc, blanking, 0, ROWS);
    suite_add_tcase(s, tc);
    return s;
}
