#include <stdlib.h>
#include <string.h>

#include "config/hosts.h"
#include "tests/unit/starve.h"
#include "tests/unit/suites.h"

static const uint8_t uuid_text[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                      0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
static const uint8_t uuid_smbios[16] = {0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66,
                                        0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

static struct host by_mac(const char *octets, uint8_t len)
{
    struct host h = {.mac_len = len};
    memcpy(h.mac.octet, octets, len);
    return h;
}

static struct host by_uuid(const uint8_t uuid[16])
{
    struct host h = {.has_uuid = true};
    memcpy(h.uuid, uuid, 16);
    return h;
}

/* Adds it; the index of its twin, or SIZE_MAX. */
static size_t add(struct hosts *table, struct host h)
{
    size_t twin = 12345;
    ck_assert(hosts_add(table, &h, &twin));
    return twin;
}

static long find(const struct hosts *table, const char *mac, const uint8_t *uuid)
{
    const struct host *h = hosts_find(table, (const struct mac *)mac, uuid);
    for (size_t i = 0; h && i < hosts_count(table); i++) {
        if (hosts_at(table, i) == h) {
            return (long)i;
        }
    }
    return -1;
}

START_TEST(exact_mac_then_uuid_then_prefix)
{
    struct hosts *t = hosts_new(0);
    add(t, by_mac("\x52\x54", 2));                 /* 0 */
    add(t, by_uuid(uuid_text));                    /* 1 */
    add(t, by_mac("\x52\x54\x00\x00\x00\x01", 6)); /* 2 */
    ck_assert_int_eq(find(t, "\x52\x54\x00\x00\x00\x01", uuid_text), 2);
    ck_assert_int_eq(find(t, "\x52\x54\x00\x00\x00\x02", uuid_text), 1);
    ck_assert_int_eq(find(t, "\x52\x54\x00\x00\x00\x02", NULL), 0);
    ck_assert_int_eq(find(t, "\x52\x55\x00\x00\x00\x02", NULL), -1);
    ck_assert_int_eq(find(t, NULL, uuid_text), 1);
    ck_assert_int_eq(find(t, NULL, NULL), -1);
    hosts_free(t);
}
END_TEST

START_TEST(prefixes_match_in_file_order)
{
    struct hosts *t = hosts_new(2);
    add(t, by_mac("\x52\x54\x00", 3));
    add(t, by_mac("\x52", 1));
    add(t, by_mac("\x52\x54\x00\x01", 4));
    ck_assert_int_eq(find(t, "\x52\x54\x00\x01\x00\x00", NULL), 0); /* not the longest */
    ck_assert_int_eq(find(t, "\x52\x54\x01\x01\x00\x00", NULL), 1);
    hosts_free(t);
}
END_TEST

START_TEST(a_short_prefix_in_front_hides_a_longer_one)
{
    struct hosts *t = hosts_new(0);
    struct host longer = by_mac("\x52\x54\x00\x01", 4);
    struct host exact = by_mac("\x52\x54\x00\x01\x00\x00", 6);
    struct host other = by_mac("\x52\x55\x00", 3);
    ck_assert_ptr_null(hosts_shadow(t, &longer));
    add(t, by_mac("\x52\x54", 2));
    ck_assert_ptr_eq(hosts_shadow(t, &longer), hosts_at(t, 0));
    ck_assert_ptr_null(hosts_shadow(t, &exact)); /* is found before any prefix */
    ck_assert_ptr_null(hosts_shadow(t, &other));
    struct host same = by_mac("\x52\x54", 2);
    ck_assert_ptr_null(hosts_shadow(t, &same)); /* a twin is another complaint */
    hosts_free(t);
}
END_TEST

START_TEST(octets_behind_a_prefix_do_not_count)
{
    struct hosts *t = hosts_new(0);
    struct host h = {.mac = {{0x52, 0x54, 0x00, 9, 9, 9}}, .mac_len = 3};
    add(t, h);
    ck_assert_int_eq(find(t, "\x52\x54\x00\x01\x02\x03", NULL), 0);
    ck_assert_uint_eq(add(t, by_mac("\x52\x54\x00", 3)), 0);
    hosts_free(t);
}
END_TEST

START_TEST(a_uuid_matches_in_either_byte_order)
{
    struct hosts *t = hosts_new(0);
    add(t, by_uuid(uuid_text));
    ck_assert_int_eq(find(t, NULL, uuid_smbios), 0);
    ck_assert_uint_eq(add(t, by_uuid(uuid_smbios)), 0);
    hosts_free(t);
}
END_TEST

START_TEST(junk_uuids_never_match)
{
    uint8_t junk[16];
    for (unsigned octet = 0; octet < 256; octet++) {
        struct hosts *t = hosts_new(0);
        memset(junk, (int)octet, sizeof junk);
        ck_assert(uuid_is_junk(junk));
        add(t, by_uuid(junk));
        ck_assert_int_eq(find(t, NULL, junk), -1);
        hosts_free(t);
    }
    ck_assert(!uuid_is_junk(uuid_text));
}
END_TEST

START_TEST(twins_are_named_and_not_added)
{
    struct hosts *t = hosts_new(0);
    ck_assert_uint_eq(add(t, by_mac("\x52\x54\x00\x00\x00\x01", 6)), SIZE_MAX);
    ck_assert_uint_eq(add(t, by_uuid(uuid_text)), SIZE_MAX);
    ck_assert_uint_eq(add(t, by_mac("\x52\x54\x00", 3)), SIZE_MAX);
    ck_assert_uint_eq(add(t, by_mac("\x52\x54\x00\x00\x00\x01", 6)), 0);
    ck_assert_uint_eq(add(t, by_uuid(uuid_text)), 1);
    ck_assert_uint_eq(add(t, by_mac("\x52\x54\x00", 3)), 2);
    ck_assert_uint_eq(hosts_count(t), 3);
    hosts_free(t);
}
END_TEST

START_TEST(a_failed_allocation_leaves_the_table_as_it_was)
{
    for (unsigned n = 0, fed = 0; !fed; n++) {
        struct host h = by_mac("\x52\x54\x00\x00\x00\x01", 6);
        size_t twin = 0;
        h.has_uuid = true;
        memcpy(h.uuid, uuid_text, 16);
        starve_after(n);
        struct hosts *t = hosts_new(600);
        bool added = t && hosts_add(t, &h, &twin);
        fed = !starve_end();
        ck_assert(added == (bool)fed);
        if (t && !added) {
            ck_assert_uint_eq(hosts_count(t), 0);
            ck_assert_int_eq(find(t, "\x52\x54\x00\x00\x00\x01", uuid_text), -1);
            ck_assert_uint_eq(add(t, h), SIZE_MAX);
        }
        if (t) {
            ck_assert_int_eq(find(t, "\x52\x54\x00\x00\x00\x01", NULL), 0);
            ck_assert_int_eq(find(t, NULL, uuid_smbios), 0);
        }
        hosts_free(t);
    }
}
END_TEST

/* Growth of the hash table fails in the midst of it: what is in stays findable. */
START_TEST(a_table_that_cannot_grow_loses_nothing)
{
    struct hosts *t = hosts_new(0);
    for (unsigned i = 0; i < 5000; i++) {
        char mac[6] = {2, 0, 0, 0, (char)(i >> 8), (char)i};
        struct host h = by_mac(mac, 6);
        size_t twin;
        starve_after(0);
        bool added = hosts_add(t, &h, &twin);
        ck_assert(starve_end() || added);
        if (!added) {
            ck_assert_uint_eq(add(t, h), SIZE_MAX);
        }
        ck_assert_int_eq(hosts_count(t), i + 1);
        ck_assert_ptr_eq(hosts_find(t, (const struct mac *)mac, NULL), hosts_at(t, i));
    }
    hosts_free(t);
}
END_TEST

/* -- against a matcher that is too slow and too simple to be wrong ------------------------ */

enum { TABLE = 300, QUESTIONS = 3000 };

static unsigned seed;

static unsigned dice(unsigned sides)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % sides;
}

static bool same_uuid(const uint8_t a[16], const uint8_t b[16])
{
    static const unsigned order[16] = {3, 2, 1,  0,  5,  4,  7,  6,
                                       8, 9, 10, 11, 12, 13, 14, 15};
    bool straight = true;
    bool swapped = true;
    bool junk = true;
    for (unsigned i = 0; i < 16; i++) {
        straight = straight && a[i] == b[i];
        swapped = swapped && a[i] == b[order[i]];
        junk = junk && a[i] == a[0];
    }
    return (straight || swapped) && !junk;
}

static long find_slowly(const struct hosts *t, const uint8_t mac[6],
                        const uint8_t uuid[16])
{
    for (size_t i = 0; i < hosts_count(t); i++) {
        if (hosts_at(t, i)->mac_len == 6 && !memcmp(hosts_at(t, i)->mac.octet, mac, 6)) {
            return (long)i;
        }
    }
    for (size_t i = 0; i < hosts_count(t); i++) {
        if (hosts_at(t, i)->has_uuid && same_uuid(hosts_at(t, i)->uuid, uuid)) {
            return (long)i;
        }
    }
    for (size_t i = 0; i < hosts_count(t); i++) {
        const struct host *h = hosts_at(t, i);
        if (h->mac_len > 0 && h->mac_len < 6 && !memcmp(h->mac.octet, mac, h->mac_len)) {
            return (long)i;
        }
    }
    return -1;
}

/* Few different octets, so that everything collides with everything. */
static void roll(uint8_t *octets, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        octets[i] = (uint8_t)dice(2);
    }
}

static void roll_uuid(uint8_t uuid[16])
{
    memset(uuid, 0, 16);
    roll(uuid, 8);
}

START_TEST(finds_what_a_slow_matcher_finds)
{
    seed = (unsigned)_i + 1;
    struct hosts *t = hosts_new(dice(2) ? TABLE : 0);
    for (unsigned i = 0; i < TABLE; i++) {
        struct host h = {.mac_len = (uint8_t)dice(7), .has_uuid = dice(3) == 0};
        roll(h.mac.octet, 6);
        roll_uuid(h.uuid);
        size_t twin;
        ck_assert(hosts_add(t, &h, &twin));
        ck_assert(twin == SIZE_MAX || twin < hosts_count(t));
    }
    for (unsigned i = 0; i < QUESTIONS; i++) {
        uint8_t mac[6];
        uint8_t uuid[16];
        roll(mac, 6);
        mac[dice(6)] = (uint8_t)dice(3);
        roll_uuid(uuid);
        ck_assert_int_eq(find(t, (const char *)mac, uuid), find_slowly(t, mac, uuid));
    }
    hosts_free(t);
}
END_TEST

Suite *suite_config_hosts(void)
{
    Suite *s = suite_create("config/hosts");
    TCase *tc = tcase_create("hosts");
    tcase_add_test(tc, exact_mac_then_uuid_then_prefix);
    tcase_add_test(tc, prefixes_match_in_file_order);
    tcase_add_test(tc, a_short_prefix_in_front_hides_a_longer_one);
    tcase_add_test(tc, octets_behind_a_prefix_do_not_count);
    tcase_add_test(tc, a_uuid_matches_in_either_byte_order);
    tcase_add_test(tc, junk_uuids_never_match);
    tcase_add_test(tc, twins_are_named_and_not_added);
    tcase_add_test(tc, a_failed_allocation_leaves_the_table_as_it_was);
    tcase_add_test(tc, a_table_that_cannot_grow_loses_nothing);
    tcase_add_loop_test(tc, finds_what_a_slow_matcher_finds, 0, 20);
    suite_add_tcase(s, tc);
    return s;
}
