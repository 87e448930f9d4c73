/*
 * Text of peers on its way to a log, a terminal or a scraper; and the readers of numbers and
 * addresses.
 *
 * Properties: what comes out is printable, ends with a NUL and stays within its buffer (of any
 * size); a line of the log is one line in each of its forms, and its JSON can be read by
 * another's parser and says the same level and event; what is fitted to a width has that
 * width; an address that was read is printed as one that is read as the same; a number is
 * digits and nothing else; a label of a metric cannot end its line; two words are as far from
 * each other either way; a digest in parts is that of the whole.
 */
#include <jansson.h>

#include "app/exposition.h"
#include "common/human.h"
#include "common/log_format.h"
#include "common/netaddr.h"
#include "common/sha256.h"
#include "tests/fuzz/fuzz.h"

static void shown(struct rd octets)
{
    size_t size = 8 + rd_left(&octets) % 90;
    char *buf = malloc(size);
    must(buf != NULL);
    must(text_show(octets.p, rd_left(&octets), buf, size) == buf);
    must(strnlen(buf, size) < size && fuzz_is_plain(buf));
    free(buf);
}

/* -- the log ------------------------------------------------------------------------------ */

static void check_json(const struct log_line *l, const char *text)
{
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    must(json_is_object(object));
    const char *level = json_string_value(json_object_get(object, "level"));
    must(level && strcmp(level, log_level_name(l->level)) == 0);
    const char *event = json_string_value(json_object_get(object, "event"));
    must(!l->event || (event && strcmp(event, l->event) == 0));
    json_decref(object);
}

static void log_lines(const char *text, struct rd octets, uint8_t what)
{
    static const char *const more[32] = {"a", "b",  "c",  "d",  "e",  "f",  "g",  "h",
                                         "i", "j",  "k",  "l",  "m",  "o",  "p",  "q",
                                         "r", "s",  "t",  "u",  "v",  "w",  "x",  "y",
                                         "z", "aa", "ab", "ac", "ad", "ae", "af", "ag"};
    static char out[LOG_FORMATTED];
    struct log_line l;
    struct text t = {out, sizeof out, 0};
    enum log_level level = (enum log_level)(what & 3);
    if (what & 4) {
        log_line_sentence(&l, level, text);
    } else {
        log_line_event(&l, level, what & 8 ? "tftp done" : "dhcp silent");
    }
    log_peer(&l, "file", octets.p, rd_left(&octets));
    log_text(&l, "host", text);
    log_number(&l, "n", rd_left(&octets));
    log_varying(&l);
    log_decimal(&l, "seconds", (double)what / 7, 3);
    for (uint8_t i = 0; i < what >> 3; i++) {
        log_text(&l, more[i], text);
    }
    l.repeated = what & 3;
    must(l.count <= LOG_FIELDS && l.used <= LOG_VALUES && log_line_repeats(&l, &l));
    log_as_text(&l, "17:04:05.123 ", what & 16, &t);
    must(!strchr(out, '\n') && !strchr(out, '\033'));
    t = (struct text){out, sizeof out, 0};
    log_as_json(&l, "2026-11-30T17:04:05.123Z", &t);
    must(!strchr(out, '\n'));
    check_json(&l, out);
    t = (struct text){out, sizeof out, 0};
    log_as_journal(&l, &t);
    for (const char *at = out; at && *at;
         at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        must(strncmp(at, "MESSAGE", 7) == 0 || strncmp(at, "PRIORITY=", 9) == 0 ||
             strncmp(at, "SYSLOG_IDENTIFIER=", 18) == 0 || strncmp(at, "PXE_", 4) == 0);
    }
}

/* -- the terminal ------------------------------------------------------------------------- */

static void check_shown(const char *text, bool utf8)
{
    while (*text) {
        uint32_t point;
        size_t len = text_utf8(text, &point);
        must(len > 0 && (point == '\n' || text_is_shown(point)));
        must(utf8 || len == 1);
        text += len;
    }
}

static void terminal(const char *text, uint8_t what, uint8_t width)
{
    static char out[40000];
    const struct human_room room = {width, what & 1};
    struct text t = {out, sizeof out, 0};
    out[0] = '\0';
    human_fit(&t, text, room, (enum human_fill)(what % 3));
    check_shown(out, room.utf8);
    must(width == 0 || human_columns(out, room.utf8) <= width);
    must(width == 0 || what % 3 == HUMAN_CUT || human_columns(out, room.utf8) == width);
    t = (struct text){out, sizeof out, 0};
    out[0] = '\0';
    human_wrap(&t, text, room, what >> 5);
    check_shown(out, room.utf8);
    t = (struct text){out, sizeof out, 0};
    out[0] = '\0';
    human_progress(&t,
                   &(struct human_progress){.what = text,
                                            .done = what,
                                            .total = width,
                                            .rate = what - 9.0,
                                            .left = width - 9.0},
                   room);
    check_shown(out, room.utf8);
    must(width < 20 || human_columns(out, room.utf8) <= width);
}

/* -- readers ------------------------------------------------------------------------------ */

static void addresses(const char *text, struct rd octets)
{
    struct mac mac = {{1, 2, 3, 4, 5, 6}};
    struct ip4 ip = {{1, 2, 3, 4}};
    struct mac mac_again;
    struct ip4 ip_again;
    struct ip6 ip6;
    char buf[IP_TEXT];
    uint64_t n = 77;
    if (mac_parse(text, &mac)) {
        must(mac_parse(mac_print(&mac, buf), &mac_again) && mac_equal(&mac, &mac_again));
    } else {
        must(mac.octet[0] == 1 && mac.octet[5] == 6);
    }
    if (ip4_parse(text, &ip)) {
        must(ip4_parse(ip4_print(ip, buf), &ip_again) && ip4_equal(ip, ip_again));
        must(strcmp(buf, text) == 0);
    } else {
        must(ip.octet[0] == 1 && ip.octet[3] == 4);
    }
    if (text_decimal(text, &n)) {
        must(text[0] != '\0' && strspn(text, "0123456789") == strlen(text));
        must(n == strtoull(text, NULL, 10));
    } else {
        must(n == 77);
    }
    fuzz_fill(&octets, ip6.octet, 16);
    must(strlen(ip6_print(&ip6, buf)) < IP_TEXT && fuzz_is_plain(buf));
}

static void metric(const char *text)
{
    static const struct exposition_metric one = {
        "pxed_x_total", "counter", {"a"}, "what it is"};
    static char out[8192];
    const char *const values[] = {text};
    struct exposition e = exposition_over(out, sizeof out);
    exposition_begin(&e, &one);
    exposition_count(&e, values, 1);
    unsigned lines = 0;
    for (const char *p = out; *p; p++) {
        lines += *p == '\n';
    }
    must(!exposition_whole(&e) || lines == 3);
}

static void words(const char *text)
{
    char other[64];
    snprintf(other, sizeof other, "%s",
             strchr(text, ' ') ? strchr(text, ' ') + 1 : "tftp");
    unsigned there = text_distance(text, other);
    must(there == text_distance(other, text) && there <= 99);
    must(strlen(text) > 63 || (there == 0) == (strcmp(text, other) == 0));
}

static void digests(struct rd octets, uint8_t cut)
{
    struct sha256 whole;
    struct sha256 parts;
    char one[SHA256_TEXT];
    char two[SHA256_TEXT];
    size_t len = rd_left(&octets);
    size_t first = cut < len ? cut : len;
    sha256_init(&whole);
    sha256_add(&whole, octets.p, len);
    sha256_end(&whole, one);
    sha256_init(&parts);
    sha256_add(&parts, octets.p, first);
    sha256_add(&parts, octets.p + first, len - first);
    sha256_end(&parts, two);
    must(strcmp(one, two) == 0 && sha256_parse(one, two) && strcmp(one, two) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd in = rd_over(data, size);
    if (size < 3) {
        return 0;
    }
    uint8_t what = rd_u8(&in);
    uint8_t width = rd_u8(&in);
    size_t len = rd_left(&in) < 3000 ? rd_left(&in) : 3000;
    char *text = malloc(len + 1);
    must(text != NULL);
    memcpy(text, in.p, len);
    text[len] = '\0';
    shown(in);
    log_lines(text, in, what);
    terminal(text, what, width);
    addresses(text, in);
    metric(text);
    words(text);
    digests(in, width);
    free(text);
    return 0;
}
