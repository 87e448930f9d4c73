#include "app/http_coming.h"
#include "tests/unit/suites.h"

static struct http_coming coming;

static struct endpoint peer_of(uint8_t last, uint16_t port)
{
    return endpoint_ip4((struct ip4){{192, 0, 2, last}}, port);
}

static void add(int fd, uint8_t last, usec_t now)
{
    struct endpoint peer = peer_of(last, (uint16_t)(1024 + fd));
    ck_assert(http_coming_has_room(&coming, now));
    http_coming_add(&coming, fd, &peer, now);
}

START_TEST(they_are_taken_by_their_descriptor)
{
    struct endpoint one = peer_of(1, 0);
    struct endpoint peer = {0};
    add(3, 1, 0);
    add(4, 1, 0);
    add(5, 2, 0);
    ck_assert_uint_eq(http_coming_of(&coming, &one), 2);
    http_coming_take(&coming, 4, &peer);
    ck_assert_uint_eq(peer.port, 1028);
    ck_assert(endpoint_same_ip(&peer, &one));
    http_coming_take(&coming, 4, &peer); /* no more there */
    ck_assert_uint_eq(peer.port, 1028);
    ck_assert_uint_eq(http_coming_of(&coming, &one), 1);
    ck_assert_uint_eq(coming.count, 2);
}
END_TEST

START_TEST(those_that_never_come_make_room)
{
    struct endpoint old = peer_of(1, 0);
    struct endpoint new = peer_of(2, 0);
    for (int i = 0; i < HTTP_COMING_MAX; i++) {
        add(i, i % 2 ? 1 : 2, i % 2);
    }
    ck_assert(!http_coming_has_room(&coming, HTTP_COMING_PATIENCE));
    ck_assert(http_coming_has_room(&coming, HTTP_COMING_PATIENCE + 1));
    ck_assert_uint_eq(http_coming_of(&coming, &old), HTTP_COMING_MAX / 2);
    ck_assert_uint_eq(http_coming_of(&coming, &new), 0);
}
END_TEST

Suite *suite_app_http_coming(void)
{
    Suite *s = suite_create("app/http_coming");
    TCase *tc = tcase_create("http_coming");
    tcase_add_test(tc, they_are_taken_by_their_descriptor);
    tcase_add_test(tc, those_that_never_come_make_room);
    suite_add_tcase(s, tc);
    return s;
}
