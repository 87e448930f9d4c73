#include "common/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool text_decimal(const char *text, uint64_t *out)
{
    uint64_t v = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*text - '0'), &v)) {
            return false;
        }
    }
    *out = v;
    return true;
}

char *text_show(const void *octets, size_t len, char *buf, size_t size)
{
    static const char hex[] = "0123456789abcdef";
    const uint8_t *in = octets;
    size_t used = 0;
    size_t room = size - sizeof "..."; /* so that the mark of a cut always fits */
    for (size_t i = 0; i < len; i++) {
        bool plain = in[i] >= 0x20 && in[i] <= 0x7e && in[i] != '\\';
        if (used + (plain ? 1 : 4) > room) {
            memcpy(buf + used, "...", sizeof "...");
            return buf;
        }
        if (plain) {
            buf[used++] = (char)in[i];
        } else {
            buf[used++] = '\\';
            buf[used++] = 'x';
            buf[used++] = hex[in[i] >> 4];
            buf[used++] = hex[in[i] & 15];
        }
    }
    buf[used] = '\0';
    return buf;
}

size_t text_utf8(const char *text, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    size_t len = at[0] < 0x80             ? 1
                 : (at[0] & 0xe0) == 0xc0 ? 2
                 : (at[0] & 0xf0) == 0xe0 ? 3
                 : (at[0] & 0xf8) == 0xf0 ? 4
                                          : 0;
    uint32_t value = len == 1 ? at[0] : at[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0; /* the NUL at the end, too */
        }
        value = value << 6 | (at[i] & 0x3fu);
    }
    if (len == 0 || value < least[len] || value > 0x10ffff ||
        (value >= 0xd800 && value <= 0xdfff)) {
        return 0;
    }
    *point = value;
    return len;
}

bool text_is_shown(uint32_t point)
{
    static const struct {
        uint32_t first;
        uint32_t last;
    } hidden[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c}, {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (point >= hidden[i].first && point <= hidden[i].last) {
            return false;
        }
    }
    return true;
}

void text_say(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->at + t->used, t->size - t->used, fmt, ap);
    va_end(ap);
    if (n > 0) {
        size_t room = t->size - t->used - 1;
        t->used += (size_t)n < room ? (size_t)n : room;
    }
}

/* All of it or nothing, so that a cut never leaves half a character. */
static bool say_whole(struct text *t, const char *octets, size_t len)
{
    if (len > t->size - t->used - 1) {
        return false;
    }
    memcpy(t->at + t->used, octets, len);
    t->used += len;
    t->at[t->used] = '\0';
    return true;
}

void text_say_hex(struct text *t, const void *octets, size_t len, const char *between)
{
    const uint8_t *at = octets;
    bool room = true;
    for (size_t i = 0; i < len && room; i++) {
        char one[8];
        int n = snprintf(one, sizeof one, "%.4s%02x", i > 0 ? between : "", at[i]);
        room = say_whole(t, one, (size_t)n);
    }
}

void text_say_quoted(struct text *t, const void *octets, size_t len)
{
    char shown[600];
    text_say(t, "\"%s\"", text_show(octets, len, shown, sizeof shown));
}

char *text_uuid(const uint8_t uuid[16], char buf[UUID_TEXT])
{
    static const size_t ends[] = {4, 6, 8, 10, 16};
    struct text t = {buf, UUID_TEXT, 0};
    size_t at = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        text_say(&t, "%s", at > 0 ? "-" : "");
        text_say_hex(&t, uuid + at, ends[i] - at, "");
        at = ends[i];
    }
    return buf;
}

void text_say_safe(struct text *t, const char *text)
{
    bool room = true;
    while (*text && room) {
        uint32_t point = 0;
        char escaped[8];
        size_t len = text_utf8(text, &point);
        if (len > 0 && text_is_shown(point)) {
            room = say_whole(t, text, len);
            text += len;
            continue;
        }
        snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*text);
        room = say_whole(t, escaped, 4);
        text++; /* the rest of a sequence that is not shown is escaped as well */
    }
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

#define WORD_MAX 63

unsigned text_distance(const char *a, const char *b)
{
    size_t n = strlen(a);
    size_t m = strlen(b);
    if (n > WORD_MAX || m > WORD_MAX) {
        return 99;
    }
    /* Optimal string alignment: three rows of the edit matrix at a time. */
    unsigned rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= m; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *up = rows[(i - 1) % 3];
        const unsigned *up2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned cost = a[i - 1] != b[j - 1];
            row[j] = min3(up[j] + 1, row[j - 1] + 1, up[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                up2[j - 2] + 1 < row[j]) {
                row[j] = up2[j - 2] + 1;
            }
        }
    }
    return rows[n % 3][m];
}

char *text_bytes(uint64_t octets, char *buf, size_t size)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    unsigned unit = 0;
    uint64_t scale = 1;
    while (octets / scale >= 1000 && unit < 6) {
        scale *= 1000;
        unit++;
    }
    uint64_t whole = octets / scale;
    if (unit > 0 && whole < 10) {
        snprintf(buf, size, "%u.%u%s", (unsigned)whole,
                 (unsigned)(octets % scale / (scale / 10)), units[unit]);
    } else {
        snprintf(buf, size, "%u%s", (unsigned)whole, units[unit]);
    }
    return buf;
}
