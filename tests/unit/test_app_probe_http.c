#include <string.h>

#include "app/probe/http_head.h"
#include "tests/unit/suites.h"

static const struct {
    const char *url;
    const char *host; /* NULL: is refused */
    const char *port;
    const char *path;
} urls[] = {
    {"http://10.0.0.2/a.efi", "10.0.0.2", "80", "/a.efi"},
    {"http://boot.example:8069/x/y?z", "boot.example", "8069", "/x/y?z"},
    {"http://[fd77::1]:8069/a", "fd77::1", "8069", "/a"},
    {"http://host", "host", "80", "/"},
    {"https://host/a", NULL, NULL, NULL},
    {"tftp://host/a", NULL, NULL, NULL},
    {"http:///a", NULL, NULL, NULL},
    {"http://host:/a", NULL, NULL, NULL},
    {"http://host:0/a", NULL, NULL, NULL},
    {"http://host:65536/a", NULL, NULL, NULL},
    {"http://host:8o/a", NULL, NULL, NULL},
    {"http://[fd77::1/a", NULL, NULL, NULL},
    {"http://host/a b", NULL, NULL, NULL},
    {"http://host/a\r\nX: y", NULL, NULL, NULL},
    {"", NULL, NULL, NULL},
};

START_TEST(urls_are_read)
{
    struct http_url url;
    bool good = http_url_read(urls[_i].url, &url);
    ck_assert_msg(good == (urls[_i].host != NULL), "%s", urls[_i].url);
    if (good) {
        ck_assert_str_eq(url.host, urls[_i].host);
        ck_assert_str_eq(url.port, urls[_i].port);
        ck_assert_str_eq(url.path, urls[_i].path);
    }
}
END_TEST

static const struct {
    const char *text;
    enum http_read read;
    unsigned status;
    long long length; /* -1: not told */
    bool chunked;
} heads[] = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nbody", HTTP_WHOLE, 200, 12, false},
    {"HTTP/1.0 404 Not Found\n\n", HTTP_WHOLE, 404, -1, false},
    {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", HTTP_WHOLE, 200, -1, true},
    {"HTTP/1.1 200 OK\r\nContent-Length: 1", HTTP_MORE, 200, -1, false},
    {"HTTP/1.1 200 OK\r\n", HTTP_MORE, 200, -1, false},
    {"", HTTP_MORE, 0, -1, false},
    {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", HTTP_BROKEN, 200, -1, false},
    {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", HTTP_BROKEN, 200,
     -1, false},
    {"HTTP/1.1\r\n\r\n", HTTP_BROKEN, 0, -1, false},
    {"SSH-2.0-x\r\n", HTTP_BROKEN, 0, -1, false},
    {"\r\n\r\n", HTTP_BROKEN, 0, -1, false},
};

START_TEST(heads_are_read)
{
    struct http_head head;
    enum http_read got = http_head_read(heads[_i].text, strlen(heads[_i].text), &head);
    ck_assert_int_eq(got, heads[_i].read);
    if (got == HTTP_WHOLE) {
        ck_assert_uint_eq(head.status, heads[_i].status);
        ck_assert_int_eq(head.has_length ? (long long)head.length : -1, heads[_i].length);
        ck_assert_int_eq(head.chunked, heads[_i].chunked);
        const char *body = strstr(heads[_i].text, "body");
        ck_assert(!body || heads[_i].text + head.len == body);
    }
}
END_TEST

Suite *suite_app_probe_http(void)
{
    Suite *s = suite_create("app/probe/http_head");
    TCase *tc = tcase_create("reading");
    tcase_add_loop_test(tc, urls_are_read, 0, sizeof urls / sizeof urls[0]);
    tcase_add_loop_test(tc, heads_are_read, 0, sizeof heads / sizeof heads[0]);
    suite_add_tcase(s, tc);
    return s;
}
