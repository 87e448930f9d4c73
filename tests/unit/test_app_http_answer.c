#include <stdio.h>
#include <string.h>

#include "app/http_answer.h"
#include "app/http_name.h"
#include "tests/unit/suites.h"

#define LOOPS(rows) (int)(sizeof(rows) / sizeof(rows)[0])

static const struct {
    const char *target;
    const char *path; /* NULL: refused */
} targets[] = {
    {"/", "/"},
    {"/a/b.efi", "/a/b.efi"},
    {"/a?b=c", "/a"},
    {"/a#b", "/a"},
    {"/%61%2Fb", "/a/b"},
    {"/%2e%2E/x", "/../x"}, /* for tftp/path to refuse */
    {"/a%20b+c", "/a b+c"},
    {"/%ff\xfe", "/\xff\xfe"},
    {"http://host/a", "/a"},
    {"HTTP://[::1]:80/a?b", "/a"},
    {"http://host", "/"},
    {"http://host?a", "/"},
    {"/%", NULL},
    {"/%4", NULL},
    {"/%4g", NULL},
    {"/%g4", NULL},
    {"/a%00b", NULL},
    {"/%2", NULL},
    {"", NULL},
    {"*", NULL},
    {"a", NULL},
    {"https://host/a", NULL},
};

START_TEST(targets_become_paths)
{
    char path[HTTP_PATH_SIZE] = "before";
    struct http_request q = {.target = targets[_i].target};
    bool good = http_path(&q, path);
    ck_assert_int_eq(good, targets[_i].path != NULL);
    ck_assert_str_eq(path, good ? targets[_i].path : "before");
}
END_TEST

static const struct {
    const char *host;
    bool ours;
} hosts[] = {
    {NULL, true},
    {"192.0.2.7", true},
    {"192.0.2.7:80", true},
    {"[2001:db8::1]:80", true},
    {"localhost", true},
    {"LOCALHOST.:80", true},
    {"a.b.localhost", true},
    {"pxe-1", true},
    {"PXE-1:8069", true},
    {"boot.example.org", true},
    {"boot.example.org.:80", true},
    {"", false},
    {":80", false},
    {".", false},
    {"xlocalhost", false},
    {"localhost.evil.example", false},
    {"pxe-1.evil.example", false},
    {"pxe", false},
    {"boot.example.org..", false},
    {"192.0.2.7.evil.example", false},
    {"192.0.2", false},
    {"192.0.2.7@evil.example", false},
};

START_TEST(names_of_others_are_not_ours)
{
    static const struct http_names names = {1, {"boot.example.org"}};
    static const struct http_names none = {0};
    ck_assert_int_eq(http_name_is_ours(hosts[_i].host, "pxe-1", &names), hosts[_i].ours);
    ck_assert(!http_name_is_ours("", "", &none));
    ck_assert(!http_name_is_ours("boot.example.org", "", &none));
}
END_TEST

START_TEST(names_are_as_long_as_they_may_be)
{
    char name[HTTP_NAME_SIZE + 1];
    struct http_names names = {.count = 1};
    memset(name, 'a', sizeof name);
    name[HTTP_NAME_SIZE] = '\0';
    memcpy(names.list[0], name, HTTP_NAME_SIZE - 1);
    ck_assert(http_name_is_ours(names.list[0], "", &names));
    ck_assert(!http_name_is_ours(name, "", &names));
}
END_TEST

START_TEST(paths_are_as_long_as_they_may_be)
{
    char target[HTTP_PATH_SIZE + 8];
    char path[HTTP_PATH_SIZE];
    struct http_request q = {.target = target};
    memset(target, 'a', sizeof target);
    target[0] = '/';
    target[HTTP_PATH_SIZE - 1] = '\0';
    ck_assert(http_path(&q, path));
    ck_assert_uint_eq(strlen(path), HTTP_PATH_SIZE - 1);
    target[HTTP_PATH_SIZE - 1] = 'a';
    target[HTTP_PATH_SIZE] = '\0';
    ck_assert(!http_path(&q, path));
}
END_TEST

static const struct {
    const char *target;
    const char *key;
    const char *value; /* NULL: not there */
} queries[] = {
    {"/a?mac=52%3a54", "mac", "52:54"},
    {"/a?id=1&mac=x", "mac", "x"},
    {"/a?id=1&mac=x", "id", "1"},
    {"/a?mac", "mac", ""},
    {"/a?mac=", "mac", ""},
    {"/a?mac&id=2", "mac", ""},
    {"/a?a+b=c+d", "a+b", "c+d"},
    {"/a?xmac=1&macx=2", "mac", NULL},
    {"/a?mac=%zz", "mac", NULL},
    {"/a?mac=123456789012345678901234567890123", "mac", NULL},
    {"/a?", "mac", NULL},
    {"/a", "mac", NULL},
    {"/mac=1", "mac", NULL},
    {"/a?id=1#mac=2", "mac", NULL},
};

START_TEST(queries_have_values)
{
    char value[32] = "before";
    struct http_request q = {.target = queries[_i].target};
    bool good = http_query(&q, queries[_i].key, value, sizeof value);
    ck_assert_int_eq(good, queries[_i].value != NULL);
    ck_assert_str_eq(value, good ? queries[_i].value : "before");
}
END_TEST

static const struct {
    const char *field;
    uint64_t size;
    enum http_range outcome;
    uint64_t from;
    uint64_t len;
} ranges[] = {
    {NULL, 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=0-9", 10, HTTP_RANGE_PART, 0, 10},
    {"Bytes=0-", 10, HTTP_RANGE_PART, 0, 10},
    {"bytes=9-9", 10, HTTP_RANGE_PART, 9, 1},
    {"bytes=3-100", 10, HTTP_RANGE_PART, 3, 7},
    {"bytes=-3", 10, HTTP_RANGE_PART, 7, 3},
    {"bytes=-30", 10, HTTP_RANGE_PART, 0, 10},
    {"bytes=18446744073709551614-18446744073709551615", UINT64_MAX, HTTP_RANGE_PART,
     UINT64_MAX - 1, 1},
    {"bytes=10-", 10, HTTP_RANGE_NONE, 0, 0},
    {"bytes=-0", 10, HTTP_RANGE_NONE, 0, 0},
    {"bytes=0-", 0, HTTP_RANGE_NONE, 0, 0},
    {"bytes=-1", 0, HTTP_RANGE_NONE, 0, 0},
    {"bytes=18446744073709551616-", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=0-18446744073709551616", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=5-4", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=0-1,3-4", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=-1,3-4", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=0-1 ", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=+1-2", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=--1", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=1", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"bytes=-", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"lines=0-1", 10, HTTP_RANGE_WHOLE, 0, 0},
    {"", 10, HTTP_RANGE_WHOLE, 0, 0},
};

START_TEST(ranges_are_parts_of_a_body)
{
    uint64_t from = 0;
    uint64_t len = 0;
    enum http_range got = http_range_read(ranges[_i].field, ranges[_i].size, &from, &len);
    ck_assert_msg(got == ranges[_i].outcome, "%s: outcome %d", ranges[_i].field, got);
    ck_assert_uint_eq(from, ranges[_i].from);
    ck_assert_uint_eq(len, ranges[_i].len);
}
END_TEST

static const struct {
    int64_t seconds;
    const char *text;
} dates[] = {
    {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
    {-5, "Thu, 01 Jan 1970 00:00:00 GMT"},
    {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"}, /* the RFC's own */
    {951782399, "Mon, 28 Feb 2000 23:59:59 GMT"},
    {951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
    {951868800, "Wed, 01 Mar 2000 00:00:00 GMT"},
    {1796040000, "Mon, 30 Nov 2026 12:00:00 GMT"},
    {4107542400, "Mon, 01 Mar 2100 00:00:00 GMT"},
    {253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"},
};

START_TEST(dates_are_those_of_the_rfc)
{
    char buf[HTTP_DATE_SIZE];
    ck_assert_str_eq(http_date(dates[_i].seconds, buf), dates[_i].text);
}
END_TEST

static const struct {
    const char *name;
    const char *type;
} types[] = {
    {"x64/ipxe.efi", "application/efi"},
    {"EFI/BOOT/BOOTX64.EFI", "application/efi"},
    {"a.iso", "application/vnd.efi-iso"},
    {"a.img", "application/vnd.efi-img"},
    {"boot.ipxe", "text/plain"},
    {"grub.cfg", "text/plain"},
    {"vmlinuz", "application/octet-stream"},
    {"a.efi/b", "application/octet-stream"},
    {"a.", "application/octet-stream"},
};

START_TEST(types_go_by_the_ending)
{
    ck_assert_str_eq(http_type_of(types[_i].name), types[_i].type);
}
END_TEST

static const char *field_of(const struct http_answer *a, const char *name)
{
    for (size_t i = 0; i < a->header_count; i++) {
        if (!strcmp(a->header[i].name, name)) {
            return a->header[i].value;
        }
    }
    return "-";
}

#define ETAG "\"c62174996a18a05.abc-64\"" /* of the file in the test below */
#define DATE "Sat, 11 Apr 1998 13:28:01 GMT"

static const struct {
    const char *range;
    const char *if_range;
    const char *if_none_match;
    const char *if_modified_since;
    unsigned status;
    uint64_t from;
    uint64_t len;
    const char *content_range;
} files[] = {
    {NULL, NULL, NULL, NULL, 200, 0, 100, "-"},
    {"bytes=1-2", NULL, NULL, NULL, 206, 1, 2, "bytes 1-2/100"},
    {"bytes=100-", NULL, NULL, NULL, 416, 0, 0, "bytes */100"},
    {"bytes=1-2", ETAG, NULL, NULL, 206, 1, 2, "bytes 1-2/100"},
    {"bytes=1-2", DATE, NULL, NULL, 206, 1, 2, "bytes 1-2/100"},
    {"bytes=1-2", "\"x\"", NULL, NULL, 200, 0, 100, "-"},
    {NULL, NULL, ETAG, NULL, 304, 0, 0, "-"},
    {NULL, NULL, "\"x\", " ETAG, NULL, 304, 0, 0, "-"},
    {NULL, NULL, "*", NULL, 304, 0, 0, "-"},
    {NULL, NULL, "\"x\"", DATE, 200, 0, 100, "-"},
    {NULL, NULL, NULL, DATE, 304, 0, 0, "-"},
    {NULL, NULL, NULL, "Thu, 01 Jan 1970 00:00:00 GMT", 200, 0, 100, "-"},
    {NULL, NULL, NULL, "yesterday", 200, 0, 100, "-"},
    {"bytes=1-2", NULL, ETAG, NULL, 304, 0, 0, "-"},
};

START_TEST(conditions_decide_what_is_sent)
{
    struct http_request q = {.range = files[_i].range,
                             .if_range = files[_i].if_range,
                             .if_none_match = files[_i].if_none_match,
                             .if_modified_since = files[_i].if_modified_since};
    struct stamp f = {
        .size = 100, .written = 0x352f6fe1 * NSEC_PER_SEC + 5, .changed = 0xabc};
    struct http_answer a = http_answer_new();
    http_answer_file(&q, &f, &a);
    ck_assert_uint_eq(a.status, files[_i].status);
    ck_assert_uint_eq(a.len, files[_i].len);
    ck_assert_uint_eq(a.offset, files[_i].from);
    ck_assert_str_eq(field_of(&a, "Content-Range"), files[_i].content_range);
    ck_assert_str_eq(field_of(&a, "ETag"), ETAG);
    ck_assert_str_eq(field_of(&a, "Last-Modified"), DATE);
}
END_TEST

START_TEST(fields_that_do_not_fit_are_left_out)
{
    char long_value[HTTP_VALUE_SIZE + 1];
    struct http_answer a = http_answer_new();
    memset(long_value, 'x', sizeof long_value - 1);
    long_value[sizeof long_value - 1] = '\0';
    http_answer_add(&a, "A", long_value);
    ck_assert_uint_eq(a.header_count, 0);
    for (int i = 0; i < 2 * HTTP_HEADERS_MAX; i++) {
        http_answer_add(&a, "A", long_value + 1);
    }
    ck_assert_uint_eq(a.header_count, HTTP_HEADERS_MAX);
}
END_TEST

static const struct {
    const char *method;
    unsigned status;
} methods[] = {{"GET", 200}, {"HEAD", 200}, {"POST", 405}, {"get", 405}, {"", 405}};

START_TEST(two_methods_are_known)
{
    struct http_request q = {.method = methods[_i].method};
    struct http_answer a = http_answer_new();
    ck_assert_int_eq(http_answer_method(&q, &a), methods[_i].status == 200);
    ck_assert_uint_eq(a.status, methods[_i].status);
    ck_assert_int_eq(a.closes, methods[_i].status != 200);
}
END_TEST

static const struct {
    unsigned status;
    const char *name;
} refused[] = {
    {400, "bad-request"},  {403, "forbidden"},   {404, "not-found"}, {405, "read-only"},
    {416, "no-such-part"}, {503, "unavailable"}, {500, "failed"},
};

START_TEST(each_refusal_is_counted_by_its_name)
{
    ck_assert_str_eq(http_refused_name(http_refused_of(refused[_i].status)),
                     refused[_i].name);
}
END_TEST

Suite *suite_app_http_answer(void)
{
    Suite *s = suite_create("app/http_request, http_answer");
    TCase *tc = tcase_create("http");
    tcase_add_loop_test(tc, targets_become_paths, 0, LOOPS(targets));
    tcase_add_loop_test(tc, names_of_others_are_not_ours, 0, LOOPS(hosts));
    tcase_add_test(tc, names_are_as_long_as_they_may_be);
    tcase_add_test(tc, paths_are_as_long_as_they_may_be);
    tcase_add_loop_test(tc, queries_have_values, 0, LOOPS(queries));
    tcase_add_loop_test(tc, ranges_are_parts_of_a_body, 0, LOOPS(ranges));
    tcase_add_loop_test(tc, dates_are_those_of_the_rfc, 0, LOOPS(dates));
    tcase_add_loop_test(tc, types_go_by_the_ending, 0, LOOPS(types));
    tcase_add_loop_test(tc, conditions_decide_what_is_sent, 0, LOOPS(files));
    tcase_add_test(tc, fields_that_do_not_fit_are_left_out);
    tcase_add_loop_test(tc, each_refusal_is_counted_by_its_name, 0, LOOPS(refused));
    tcase_add_loop_test(tc, two_methods_are_known, 0, LOOPS(methods));
    suite_add_tcase(s, tc);
    return s;
}
