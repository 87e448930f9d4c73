#include "config/url.h"
#include "tests/unit/suites.h"

static const struct {
    const char *url;
    enum url_host host;
} rows[] = {
    {"http://10.0.0.1/x", URL_HOST_IP4},
    {"http://10.0.0.1:8069/x", URL_HOST_IP4},
    {"tftp://255.255.255.255", URL_HOST_IP4},
    {"http://255.255.255.255.255/x", URL_HOST_NAME},
    {"http://10.0.0.256/x", URL_HOST_NAME},
    {"http://10.0.0/x", URL_HOST_NAME},
    {"http://boot.example/10.0.0.1", URL_HOST_NAME},
    {"http://[fd77::2]/x", URL_HOST_IP6},
    {"http://[fd77::2]:8069/x", URL_HOST_IP6},
    {"http:///x", URL_HOST_NAME},
    {"http://", URL_HOST_NAME},
    {"10.0.0.1", URL_HOST_NAME},
    {"", URL_HOST_NAME},
};

START_TEST(hosts_of_urls)
{
    ck_assert_msg(url_host(rows[_i].url) == rows[_i].host, "%s", rows[_i].url);
}
END_TEST

Suite *suite_config_url(void)
{
    Suite *s = suite_create("config/url");
    TCase *tc = tcase_create("url");
    tcase_add_loop_test(tc, hosts_of_urls, 0, sizeof rows / sizeof rows[0]);
    suite_add_tcase(s, tc);
    return s;
}
