#include <stdlib.h>
#include <string.h>

#include "config/locate.h"
#include "tests/unit/suites.h"

static const char text[] = "{\n"
                           "  \"a\": 1,\n"
                           "  \"list\": [ {\"k\": \"]}\\\"\"}, [2, 3],\t\"x\" ],\n"
                           "  \"b.c\": {\"d/e\": true},\n"
                           "  \"twice\": 1, \"twice\": 2,\n"
                           "  \"\\u0061bc\": 5\n"
                           "}\n";

/* A path of up to three steps: a key, or an index when the key is NULL; "" ends it. */
static const struct {
    const char *name;
    struct {
        const char *key;
        size_t index;
    } step[3];
    int line;
    int column;
    int key_line;
    int key_column;
} rows[] = {
    {"root", {{"", 0}}, 1, 1, 1, 1},
    {"member", {{"a", 0}, {"", 0}}, 2, 8, 2, 3},
    {"list", {{"list", 0}, {"", 0}}, 3, 11, 3, 3},
    {"first item", {{"list", 0}, {NULL, 0}, {"", 0}}, 3, 13, 3, 13},
    {"member of an item", {{"list", 0}, {NULL, 0}, {"k", 0}}, 3, 19, 3, 14},
    {"item behind brackets in a string", {{"list", 0}, {NULL, 1}, {"", 0}}, 3, 28, 3, 28},
    {"item of an item", {{"list", 0}, {NULL, 1}, {NULL, 1}}, 3, 32, 3, 32},
    {"item behind a tab", {{"list", 0}, {NULL, 2}, {"", 0}}, 3, 36, 3, 36},
    {"key with a dot", {{"b.c", 0}, {"", 0}}, 4, 10, 4, 3},
    {"key with a slash", {{"b.c", 0}, {"d/e", 0}, {"", 0}}, 4, 18, 4, 11},
    {"of two equal keys the last", {{"twice", 0}, {"", 0}}, 5, 24, 5, 15},
    {"key spelled with an escape: around it", {{"abc", 0}, {"", 0}}, 1, 1, 1, 1},
    {"no such item: around it", {{"list", 0}, {NULL, 9}, {"", 0}}, 3, 11, 3, 11},
    {"no such member: around it", {{"b.c", 0}, {"x", 0}, {"", 0}}, 4, 10, 4, 10},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(places)
{
    static struct json_lines lines;
    struct json_path path[3];
    const struct json_path *at = NULL;
    for (size_t i = 0; i < 3; i++) {
        const char *key = rows[_i].step[i].key;
        if (key && key[0] == '\0') {
            break;
        }
        path[i] =
            (struct json_path){.up = at, .key = key, .index = rows[_i].step[i].index};
        at = &path[i];
    }
    json_lines_init(&lines, text, strlen(text));
    struct json_place value = json_place(&lines, json_locate(text, strlen(text), at));
    struct json_place key = json_place(&lines, json_locate_key(text, strlen(text), at));
    ck_assert_msg(value.line == rows[_i].line && value.column == rows[_i].column,
                  "%s: value at %d:%d", rows[_i].name, value.line, value.column);
    ck_assert_msg(key.line == rows[_i].key_line && key.column == rows[_i].key_column,
                  "%s: key at %d:%d", rows[_i].name, key.line, key.column);
}
END_TEST

START_TEST(a_known_offset_spares_the_walk)
{
    struct json_path list = {.key = "no such key"};
    struct json_path item = {.up = &list, .index = 1};
    list.offset = (size_t)(strchr(text, '[') - text);
    ck_assert_uint_eq(json_locate(text, strlen(text), &item),
                      (size_t)(strstr(text, "[2, 3]") - text));
}
END_TEST

START_TEST(items_come_one_by_one)
{
    const char *list = strchr(text, '[');
    struct scan items = json_items(text, strlen(text), (size_t)(list - text));
    for (size_t i = 0; i < 3; i++) {
        struct json_path up = {.key = "list"};
        struct json_path at = {.up = &up, .index = i};
        ck_assert_uint_eq(json_items_next(&items), json_locate(text, strlen(text), &at));
    }
}
END_TEST

START_TEST(lines_are_counted_right_in_any_order)
{
    static struct json_lines lines;
    enum { LEN = 5 * JSON_LINES_STEP + 17 };
    static char big[LEN];
    static struct json_place want[LEN + 1];
    unsigned seed = 7;
    struct json_place at = {1, 1};
    for (size_t i = 0; i < LEN; i++) {
        seed = seed * 1103515245 + 12345;
        big[i] = (seed >> 16) % (i < LEN / 2 ? 40 : 9000) == 0 ? '\n' : 'x';
        want[i] = at;
        at.column++;
        if (big[i] == '\n') {
            at = (struct json_place){at.line + 1, 1};
        }
    }
    want[LEN] = at;
    json_lines_init(&lines, big, LEN);
    for (unsigned n = 0; n < 20000; n++) {
        seed = seed * 1103515245 + 12345;
        size_t offset = (seed >> 8) % (LEN + 1);
        struct json_place got = json_place(&lines, offset);
        ck_assert_int_eq(got.line, want[offset].line);
        ck_assert_int_eq(got.column, want[offset].column);
    }
}
END_TEST

START_TEST(paths_are_printed_as_people_write_them)
{
    char buf[32];
    struct json_path hosts = {.key = "hosts"};
    struct json_path third = {.up = &hosts, .index = 3};
    struct json_path mac = {.up = &third, .key = "mac"};
    json_path_print(&mac, buf, sizeof buf);
    ck_assert_str_eq(buf, "hosts[3].mac");
    json_path_print(&mac, buf, 8);
    ck_assert_str_eq(buf, "hosts[3");
    json_path_print(NULL, buf, sizeof buf);
    ck_assert_str_eq(buf, "");
}
END_TEST

START_TEST(broken_text_ends_every_walk)
{
    static const char *const texts[] = {"",        "{",        "[",    "{\"a\"",
                                        "{\"a\":", "{\"a\":[", "\"\\", "{\"a\":{\"b\":\"",
                                        "}",       "]]",       "{,",   "[,,"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct json_path a = {.key = "a"};
        struct json_path b = {.up = &a, .key = "b"};
        struct json_path item = {.up = &a, .index = 7};
        size_t len = strlen(texts[i]);
        char *exact = malloc(len + 1); /* so that a sanitizer sees one octet too many */
        memcpy(exact, texts[i], len);
        ck_assert_uint_le(json_locate(exact, len, &b), len);
        ck_assert_uint_le(json_locate_key(exact, len, &b), len);
        ck_assert_uint_le(json_locate(exact, len, &item), len);
        free(exact);
    }
}
END_TEST

Suite *suite_config_locate(void)
{
    Suite *s = suite_create("config/locate");
    TCase *tc = tcase_create("locate");
    tcase_add_loop_test(tc, places, 0, ROWS);
    tcase_add_test(tc, a_known_offset_spares_the_walk);
    tcase_add_test(tc, items_come_one_by_one);
    tcase_add_test(tc, lines_are_counted_right_in_any_order);
    tcase_add_test(tc, paths_are_printed_as_people_write_them);
    tcase_add_test(tc, broken_text_ends_every_walk);
    suite_add_tcase(s, tc);
    return s;
}
