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
    size_t other = 12345;
    enum hosts_result result = hosts_add(table, &h, &other);
    ck_assert(result == HOSTS_ADDED || result == HOSTS_TWIN);
    return result == HOSTS_TWIN ? other : SIZE_MAX;
}

static long find_by(const struct hosts *table, struct host_facts facts)
{
    const struct host *h = hosts_find(table, &facts);
    ck_assert(!h || hosts_at(table, hosts_index(table, h)) == h);
    return h ? (long)hosts_index(table, h) : -1;
}

static long find(const struct hosts *table, const char *mac, const uint8_t *uuid)
{
    return find_by(table,
                   (struct host_facts){.mac = (const struct mac *)mac, .uuid = uuid});
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
    struct host all[] = {by_mac("\x52\x54\x00\x00\x00\x01", 6),
                         by_uuid(uuid_text),
                         by_mac("\x52", 1),
                         {.match = NULL}};
    for (unsigned n = 0, fed = 0; !fed; n++) {
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
            all[3].match = calloc(1, sizeof *all[3].match);
            all[3].match->archs = 1 << 7;
            size_t other = 0;
            starve_after(n);
            struct hosts *t = hosts_new(600);
            enum hosts_result result =
                t ? hosts_add(t, &all[k], &other) : HOSTS_NO_MEMORY;
            fed = !starve_end();
            ck_assert(result == (fed ? HOSTS_ADDED : HOSTS_NO_MEMORY));
            if (t && result != HOSTS_ADDED) {
                ck_assert_uint_eq(hosts_count(t), 0);
                ck_assert_int_eq(find(t, "\x52\x54\x00\x00\x00\x01", uuid_text), -1);
                ck_assert_uint_eq(add(t, all[k]), SIZE_MAX);
            }
            uint16_t arch = 7;
            struct host_facts facts = {
                .mac = &all[0].mac, .uuid = uuid_smbios, .archs = &arch, .arch_count = 1};
            ck_assert(!t || find_by(t, facts) == 0);
            if (k != 3 || !t) {
                free(all[3].match);
            }
            hosts_free(t);
        }
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
        size_t other;
        starve_after(0);
        bool added = hosts_add(t, &h, &other) == HOSTS_ADDED;
        ck_assert(starve_end() || added);
        if (!added) {
            ck_assert_uint_eq(add(t, h), SIZE_MAX);
        }
        ck_assert_int_eq(hosts_count(t), i + 1);
        ck_assert_int_eq(find(t, mac, NULL), i);
    }
    hosts_free(t);
}
END_TEST

/* -- more than MAC and UUID ------------------------------------------------------------- */

static struct octet_pattern pattern(const char *text, size_t len, bool open)
{
    struct octet_pattern p = {
        .octets = malloc(len + 1), .len = (uint16_t)len, .open = open};
    memcpy(p.octets, text, len);
    return p;
}

static struct host_match *match(struct host_match m)
{
    struct host_match *copy = malloc(sizeof *copy);
    *copy = m;
    return copy;
}

static struct rd octets(const char *text)
{
    return rd_over(text, strlen(text));
}

START_TEST(every_key_must_hold)
{
    const uint16_t x64[] = {ARCH_X64_UEFI};
    const uint16_t bios_or_x64[] = {ARCH_X86_BIOS, ARCH_X64_UEFI};
    struct mac mac = {{0x52, 0x54, 0, 0, 0, 1}};
    struct host_facts all = {
        .mac = &mac,
        .uuid = uuid_text,
        .vendor_class = octets("PXEClient:Arch:00007"),
        .user_classes = octets("iPXE"),
        .circuit_id = octets("port 7"),
        .archs = x64,
        .arch_count = 1,
        .relay = {{10, 0, 5, 1}},
        .interface = "eth0",
    };
    struct host h = by_mac("\x52\x54\x00\x00\x00\x01", 6);
    h.has_uuid = true;
    memcpy(h.uuid, uuid_smbios, 16);
    struct host_match m = {
        .vendor_class = pattern("PXEClient", 9, true),
        .user_class = pattern("iPXE", 4, false),
        .circuit_id = pattern("port", 4, true),
        .archs = UINT64_C(1) << ARCH_X64_UEFI,
        .has_relay = true,
        .relay_bits = 24,
        .relay = {{10, 0, 5, 0}},
        .interface = "eth0",
    };
    h.match = &m;
    ck_assert(match_holds(&h, &all));
    struct host_facts f = all;
    f.archs = bios_or_x64;
    f.arch_count = 2;
    ck_assert(match_holds(&h, &f)); /* one of several is enough */
#define LACKS(member, ...)                                                               \
    f = all;                                                                             \
    f.member = __VA_ARGS__;                                                              \
    ck_assert_msg(!match_holds(&h, &f), #member " = " #__VA_ARGS__)
    LACKS(mac, NULL);
    LACKS(mac, &(struct mac){{0x52, 0x54, 0, 0, 0, 2}});
    LACKS(uuid, NULL);
    LACKS(vendor_class, octets("PXEClien"));
    LACKS(vendor_class, rd_nothing());
    LACKS(user_classes, octets("iPXE2"));
    LACKS(user_classes, octets("\x05iPXE2"));
    LACKS(user_classes, octets("\x05iPXE"));
    LACKS(circuit_id, octets("Port 7"));
    LACKS(arch_count, 0);
    LACKS(archs, &bios_or_x64[0]);
    LACKS(relay, (struct ip4){{10, 0, 6, 0}});
    LACKS(relay, IP4_ANY);
    LACKS(interface, NULL);
    LACKS(interface, "eth1");
#undef LACKS
    f = all;
    f.user_classes = octets("\x01x\x04iPXE");
    ck_assert(match_holds(&h, &f));
    f.wide_classes = true;
    ck_assert(!match_holds(&h, &f));
    f.user_classes = rd_over("\0\x01x\0\x04iPXE", 9);
    ck_assert(match_holds(&h, &f));
    free(m.vendor_class.octets);
    free(m.user_class.octets);
    free(m.circuit_id.octets);
}
END_TEST

START_TEST(x64_firmware_of_before_the_erratum_is_x64)
{
    struct host_match m = {.archs = UINT64_C(1) << ARCH_X64_UEFI};
    struct host h = {.match = &m};
    uint16_t arch = ARCH_EBC;
    struct host_facts f = {.archs = &arch, .arch_count = 1};
    ck_assert(match_holds(&h, &f));
    m.archs = UINT64_C(1) << ARCH_EBC;
    ck_assert(match_holds(&h, &f));
    arch = ARCH_X64_UEFI;
    ck_assert(!match_holds(&h, &f));
    arch = 64;
    ck_assert(!match_holds(&h, &f));
}
END_TEST

START_TEST(a_relay_is_matched_to_the_bit)
{
    static const struct {
        uint8_t bits;
        struct ip4 relay;
        bool holds;
    } rows[] = {
        {32, {{10, 0, 5, 128}}, true},     {32, {{10, 0, 5, 129}}, false},
        {25, {{10, 0, 5, 255}}, true},     {25, {{10, 0, 5, 127}}, false},
        {1, {{127, 255, 255, 255}}, true}, {1, {{128, 0, 0, 0}}, false},
        {0, {{192, 0, 2, 1}}, true},       {0, {{0, 0, 0, 0}}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct host_match m = {
            .has_relay = true, .relay_bits = rows[i].bits, .relay = {{10, 0, 5, 128}}};
        struct host h = {.match = &m};
        struct host_facts f = {.relay = rows[i].relay};
        ck_assert_msg(match_holds(&h, &f) == rows[i].holds, "row %zu", i);
    }
}
END_TEST

START_TEST(hosts_of_one_mac_are_told_apart_by_what_else_they_ask)
{
    struct hosts *t = hosts_new(0);
    const uint16_t arch[] = {ARCH_X64_UEFI, ARCH_ARM64_UEFI, ARCH_X86_BIOS};
    struct host h = by_mac("\x52\x54\x00\x00\x00\x01", 6);
    h.match = match((struct host_match){.archs = UINT64_C(1) << ARCH_X64_UEFI});
    ck_assert_uint_eq(add(t, h), SIZE_MAX);
    h.match = match((struct host_match){.archs = UINT64_C(1) << ARCH_ARM64_UEFI});
    ck_assert_uint_eq(add(t, h), SIZE_MAX);
    ck_assert_uint_eq(add(t, h), 1); /* its twin */
    struct host_facts f = {.mac = &h.mac, .archs = &arch[0], .arch_count = 1};
    ck_assert_int_eq(find_by(t, f), 0);
    f.archs = &arch[1];
    ck_assert_int_eq(find_by(t, f), 1);
    f.archs = &arch[2];
    ck_assert_int_eq(find_by(t, f), -1);
    add(t, by_mac("\x52\x54", 2));
    ck_assert_int_eq(find_by(t, f), 2);
    hosts_free(t);
}
END_TEST

START_TEST(who_is_never_reached_is_told)
{
    struct hosts *t = hosts_new(0);
    size_t other;
    struct host h = by_mac("\x52\x54\x00", 3);
    ck_assert(hosts_add(t, &h, &other) == HOSTS_ADDED && other == SIZE_MAX);
    h = by_mac("\x52\x54\x00\x01", 4);
    ck_assert(hosts_add(t, &h, &other) == HOSTS_ADDED && other == 0);
    h = by_mac("\x52\x54", 2);
    ck_assert(hosts_add(t, &h, &other) == HOSTS_ADDED && other == SIZE_MAX);
    h = by_mac("\x52\x54\x00\x01\x02", 5);
    h.match = match((struct host_match){.archs = 1});
    ck_assert(hosts_add(t, &h, &other) == HOSTS_ADDED && other == 0);
    h = by_mac("\x52\x54\x00\x01\x02\x03", 6);
    ck_assert(hosts_add(t, &h, &other) == HOSTS_ADDED && other == SIZE_MAX);
    h.match = match((struct host_match){.archs = 1});
    ck_assert(hosts_add(t, &h, &other) == HOSTS_ADDED && other == 4);
    hosts_free(t);
}
END_TEST

/* Hosts that ask for a circuit id each: of one MAC, of one UUID, and of neither. */
START_TEST(lists_that_are_searched_in_turn_are_bounded)
{
    static const size_t most[] = {HOSTS_ALIKE_MAX, HOSTS_ALIKE_MAX, HOSTS_PATTERNS_MAX};
    struct host h = _i == 0   ? by_mac("\x52\x54\x00\x00\x00\x01", 6)
                    : _i == 1 ? by_uuid(uuid_text)
                              : by_mac("\x52", 1);
    struct hosts *t = hosts_new(0);
    size_t other;
    for (unsigned n = 0; n < most[_i]; n++) {
        char id[2] = {(char)(n >> 8), (char)n};
        h.match = match((struct host_match){.circuit_id = pattern(id, 2, false)});
        ck_assert(hosts_add(t, &h, &other) == HOSTS_ADDED);
    }
    struct host_match m = {.archs = 1};
    h.match = &m;
    ck_assert(hosts_add(t, &h, &other) == HOSTS_TOO_MANY);
    ck_assert_uint_eq(hosts_count(t), most[_i]);
    struct host bare = by_mac("\x53", 1); /* found by its octets, so never too many */
    ck_assert(hosts_add(t, &bare, &other) == HOSTS_ADDED);
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

/* Few different octets, so that everything collides with everything. */
static void roll(uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)dice(2);
    }
}

static void roll_uuid(uint8_t uuid[16])
{
    memset(uuid, 0, 16);
    roll(uuid, 8);
}

/* A request: what the fields of host_facts point to, spelled out. */
struct question {
    uint8_t mac[6];
    uint8_t uuid[16];
    bool has_mac;
    bool has_uuid;
    char vendor_class[4];
    char classes[3][3]; /* the third is empty when they are sent bare */
    bool bare;
    char circuit_id[4];
    uint16_t archs[2];
    size_t arch_count;
    uint8_t relay;
    const char *interface;
};

/* A word of up to three letters, of which there are two. */
static void roll_word(char *out, unsigned letters)
{
    unsigned len = dice(letters + 1);
    memset(out, 0, letters + 1);
    for (unsigned i = 0; i < len; i++) {
        out[i] = (char)('a' + dice(2));
    }
}

static struct question roll_question(void)
{
    static const uint16_t known[] = {0, 7, 9, 11, 41};
    struct question q = {.has_mac = dice(8) != 0, .has_uuid = dice(3) != 0};
    roll(q.mac, 6);
    q.mac[dice(6)] = (uint8_t)dice(3);
    roll_uuid(q.uuid);
    roll_word(q.vendor_class, 3);
    roll_word(q.circuit_id, 3);
    roll_word(q.classes[0], 2);
    q.bare = dice(2);
    if (!q.bare) {
        roll_word(q.classes[1], 2);
    }
    q.arch_count = dice(3);
    q.archs[0] = known[dice(5)];
    q.archs[1] = known[dice(5)];
    q.relay = (uint8_t)dice(4);
    q.interface = dice(2) ? "eth0" : "eth1";
    return q;
}

static struct octet_pattern roll_pattern(bool open)
{
    char word[4];
    roll_word(word, 2);
    return pattern(word, strlen(word), open);
}

static struct host_match *roll_match(void)
{
    struct host_match m = {0};
    if (dice(4) == 0) {
        m.vendor_class = roll_pattern(true);
    }
    if (dice(4) == 0) {
        m.user_class = roll_pattern(dice(2));
    }
    if (dice(4) == 0) {
        m.circuit_id = roll_pattern(dice(2));
    }
    if (dice(3) == 0) {
        m.archs = UINT64_C(1) << (dice(2) ? 7 : 9) | (dice(2) ? UINT64_C(1) << 41 : 1);
    }
    if (dice(4) == 0) {
        m.has_relay = true;
        m.relay_bits = (uint8_t)(30 + dice(3));
        m.relay.octet[3] = (uint8_t)(dice(4) & (0xffu << (32 - m.relay_bits)));
    }
    if (dice(4) == 0) {
        strcpy(m.interface, dice(2) ? "eth0" : "eth1");
    }
    return match(m);
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

/* The pattern as text: does a word meet it? */
static bool word_meets(const struct octet_pattern *p, const char *word)
{
    char want[8] = "";
    if (!p->octets) {
        return true;
    }
    memcpy(want, p->octets, p->len);
    return p->open ? strstr(word, want) == word : !strcmp(word, want);
}

static bool meets_rest(const struct host_match *m, const struct question *q)
{
    bool arch = m->archs == 0;
    for (size_t i = 0; i < q->arch_count; i++) {
        arch = arch || (m->archs >> q->archs[i] & 1) ||
               (q->archs[i] == 9 && (m->archs >> 7 & 1));
    }
    bool class = word_meets(&m->user_class, q->classes[0]) ||
                 (!q->bare && word_meets(&m->user_class, q->classes[1]));
    /* An empty class is none in a list; the list as a whole is no class of these. */
    if (!q->bare && m->user_class.octets) {
        class = (q->classes[0][0] && word_meets(&m->user_class, q->classes[0])) ||
                (q->classes[1][0] && word_meets(&m->user_class, q->classes[1])) ||
                (m->user_class.len == 0 && m->user_class.open);
    }
    unsigned step = m->has_relay ? 1u << (32 - m->relay_bits) : 1;
    bool relay =
        !m->has_relay || (q->relay != 0 && q->relay / step == m->relay.octet[3] / step);
    return arch && class && relay && word_meets(&m->vendor_class, q->vendor_class) &&
           word_meets(&m->circuit_id, q->circuit_id) &&
           (!m->interface[0] || !strcmp(m->interface, q->interface));
}

static bool meets(const struct host *h, const struct question *q)
{
    for (unsigned i = 0; i < h->mac_len; i++) {
        if (!q->has_mac || h->mac.octet[i] != q->mac[i]) {
            return false;
        }
    }
    return (!h->has_uuid || (q->has_uuid && same_uuid(h->uuid, q->uuid))) &&
           (h->mac_len > 0 || h->has_uuid || h->match) &&
           (!h->match || meets_rest(h->match, q));
}

static long find_slowly(const struct hosts *t, const struct question *q)
{
    for (unsigned turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < hosts_count(t); i++) {
            const struct host *h = hosts_at(t, i);
            unsigned of_turn = h->mac_len == 6 ? 0 : h->has_uuid ? 1 : 2;
            if (turn == of_turn && meets(h, q)) {
                return (long)i;
            }
        }
    }
    return -1;
}

static long find_quickly(const struct hosts *t, const struct question *q)
{
    char list[8] = "";
    size_t len = 0;
    for (unsigned i = 0; !q->bare && i < 2; i++) {
        list[len] = (char)strlen(q->classes[i]);
        memcpy(list + len + 1, q->classes[i], strlen(q->classes[i]));
        len += 1 + strlen(q->classes[i]);
    }
    struct host_facts f = {
        .mac = q->has_mac ? (const struct mac *)q->mac : NULL,
        .uuid = q->has_uuid ? q->uuid : NULL,
        .vendor_class = octets(q->vendor_class),
        .circuit_id = octets(q->circuit_id),
        .user_classes = q->bare ? octets(q->classes[0]) : rd_over(list, len),
        .archs = q->archs,
        .arch_count = q->arch_count,
        .relay = {{0, 0, 0, q->relay}},
        .interface = q->interface,
    };
    return find_by(t, f);
}

START_TEST(finds_what_a_slow_matcher_finds)
{
    seed = (unsigned)_i + 1;
    struct hosts *t = hosts_new(dice(2) ? TABLE : 0);
    unsigned odds = 1 + dice(4); /* the fewer, the more patterns */
    for (unsigned i = 0; i < TABLE; i++) {
        struct host h = {.mac_len = (uint8_t)(dice(4) ? dice(7) : 6),
                         .has_uuid = dice(3) == 0};
        roll(h.mac.octet, 6);
        roll_uuid(h.uuid);
        h.match = dice(odds) == 0 ? roll_match() : NULL;
        size_t other;
        if (hosts_add(t, &h, &other) != HOSTS_ADDED) {
            host_match_free(h.match);
        } else {
            ck_assert(other == SIZE_MAX || other + 1 < hosts_count(t));
        }
    }
    for (unsigned i = 0; i < QUESTIONS; i++) {
        struct question q = roll_question();
        ck_assert_int_eq(find_quickly(t, &q), find_slowly(t, &q));
    }
    hosts_free(t);
}
END_TEST

/* Whoever is told to be never reached is not, whatever is asked. */
START_TEST(nobody_who_is_never_reached_is_found)
{
    bool dead[TABLE] = {false};
    seed = (unsigned)_i + 100;
    struct hosts *t = hosts_new(0);
    for (unsigned i = 0; i < TABLE; i++) {
        struct host h = {.mac_len = (uint8_t)dice(7), .has_uuid = dice(6) == 0};
        roll(h.mac.octet, 6);
        roll_uuid(h.uuid);
        h.match = dice(2) ? roll_match() : NULL;
        size_t other;
        if (hosts_add(t, &h, &other) != HOSTS_ADDED) {
            host_match_free(h.match);
        } else {
            dead[hosts_count(t) - 1] = other != SIZE_MAX;
        }
    }
    for (unsigned i = 0; i < QUESTIONS; i++) {
        struct question q = roll_question();
        long found = find_quickly(t, &q);
        ck_assert(found < 0 || !dead[found]);
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
    tcase_add_test(tc, octets_behind_a_prefix_do_not_count);
    tcase_add_test(tc, a_uuid_matches_in_either_byte_order);
    tcase_add_test(tc, junk_uuids_never_match);
    tcase_add_test(tc, twins_are_named_and_not_added);
    tcase_add_test(tc, a_failed_allocation_leaves_the_table_as_it_was);
    tcase_add_test(tc, a_table_that_cannot_grow_loses_nothing);
    tcase_add_test(tc, every_key_must_hold);
    tcase_add_test(tc, x64_firmware_of_before_the_erratum_is_x64);
    tcase_add_test(tc, a_relay_is_matched_to_the_bit);
    tcase_add_test(tc, hosts_of_one_mac_are_told_apart_by_what_else_they_ask);
    tcase_add_test(tc, who_is_never_reached_is_told);
    tcase_add_loop_test(tc, lists_that_are_searched_in_turn_are_bounded, 0, 3);
    tcase_add_loop_test(tc, finds_what_a_slow_matcher_finds, 0, 40);
    tcase_add_loop_test(tc, nobody_who_is_never_reached_is_found, 0, 10);
    suite_add_tcase(s, tc);
    return s;
}
