#include "common/human.h"

#include <string.h>

/* -- numbers ------------------------------------------------------------------------------ */

void human_duration(struct text *t, double seconds)
{
    if (!(seconds >= 0) || seconds > 1e9) {
        text_say(t, "-");
        return;
    }
    unsigned whole = (unsigned)seconds;
    if (seconds < 0.995) {
        text_say(t, "%.2fs", seconds);
    } else if (seconds < 9.95) {
        text_say(t, "%.1fs", seconds);
    } else if (whole < 60) {
        text_say(t, "%us", whole);
    } else if (whole < 3600) {
        text_say(t, "%u:%02u", whole / 60, whole % 60);
    } else if (whole < 86400) {
        text_say(t, "%u:%02u:%02u", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        text_say(t, "%ud %uh", whole / 86400, whole / 3600 % 24);
    }
}

void human_rate(struct text *t, double octets_per_second)
{
    char shown[16];
    if (!(octets_per_second > 0) || octets_per_second > 1e18) {
        text_say(t, "-");
        return;
    }
    text_say(t, "%s/s", text_bytes((uint64_t)octets_per_second, shown, sizeof shown));
}

/* -- columns ------------------------------------------------------------------------------ */

struct span {
    uint32_t first;
    uint32_t last;
};

static bool within(uint32_t point, const struct span *spans, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (point >= spans[i].first && point <= spans[i].last) {
            return true;
        }
    }
    return false;
}
#define WITHIN(point, spans) within(point, spans, sizeof(spans) / sizeof(spans)[0])

static unsigned width_of(uint32_t point)
{
    static const struct span marks[] = {
        {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f},
        {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x20d0, 0x20ff},
        {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    };
    static const struct span wide[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
        {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
        {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
        {0x20000, 0x3fffd},
    };
    if (WITHIN(point, marks)) {
        return 0;
    }
    return WITHIN(point, wide) ? 2 : 1;
}

/* One character on its way to the terminal. */
struct glyph {
    size_t octets; /* taken from the text, at least 1 */
    unsigned width;
    bool plain; /* false: "?" stands for it */
};

static struct glyph next_glyph(const char *text, bool utf8)
{
    if (*text >= ' ' && *text <= '~') {
        return (struct glyph){1, 1, true}; /* nearly all are */
    }
    uint32_t point = 0;
    size_t octets = text_utf8(text, &point);
    if (octets == 0 || !text_is_shown(point) || (!utf8 && octets > 1)) {
        return (struct glyph){octets ? octets : 1, 1, false};
    }
    return (struct glyph){octets, width_of(point), true};
}

unsigned human_columns(const char *text, bool utf8)
{
    unsigned columns = 0;
    while (*text) {
        struct glyph g = next_glyph(text, utf8);
        columns += g.width;
        text += g.octets;
    }
    return columns;
}

static void say_blanks(struct text *t, unsigned count)
{
    text_say(t, "%*s", (int)count, "");
}

/* As many characters as fit; returns the columns they took. */
static unsigned say_glyphs(struct text *t, const char *text, unsigned width, bool utf8)
{
    unsigned used = 0;
    const char *said = text;
    while (*text) {
        struct glyph g = next_glyph(text, utf8);
        if (used + g.width > width) {
            break;
        }
        if (!g.plain) {
            text_say(t, "%.*s?", (int)(text - said), said);
            said = text + g.octets;
        }
        used += g.width;
        text += g.octets;
    }
    text_say(t, "%.*s", (int)(text - said), said);
    return used;
}

void human_fit(struct text *t, const char *text, struct human_room room,
               enum human_fill fill)
{
    unsigned width = room.width ? room.width : UINT32_MAX;
    unsigned columns = human_columns(text, room.utf8);
    if (columns > width) {
        unsigned dots = room.utf8 || width < 2 ? 1 : 2;
        columns = say_glyphs(t, text, width - dots, room.utf8);
        text_say(t, "%s", room.utf8 ? "…" : dots == 2 ? ".." : ".");
        columns += dots;
    } else {
        if (fill == HUMAN_RIGHT && room.width) {
            say_blanks(t, width - columns);
            columns = width;
        }
        (void)say_glyphs(t, text, UINT32_MAX, room.utf8);
    }
    if (fill != HUMAN_CUT && room.width && columns < width) {
        say_blanks(t, width - columns);
    }
}

/* Octets of the first word, and of the blanks in front of it. */
static size_t next_word(const char *text, size_t *blanks)
{
    *blanks = 0;
    while (text[*blanks] == ' ') {
        ++*blanks;
    }
    return strcspn(text + *blanks, " ");
}

void human_wrap(struct text *t, const char *text, struct human_room room, unsigned indent)
{
    if (room.width == 0) {
        human_fit(t, text, room, HUMAN_CUT);
        return;
    }
    unsigned least = indent + 8; /* of a narrow terminal */
    unsigned width = room.width > least ? room.width : least;
    unsigned column = indent;
    for (;;) {
        char word[256];
        size_t blanks;
        size_t len = next_word(text, &blanks);
        if (len == 0) {
            return;
        }
        size_t kept = len < sizeof word ? len : sizeof word - 1;
        memcpy(word, text + blanks, kept);
        word[kept] = '\0';
        text += blanks + len;
        unsigned columns = human_columns(word, room.utf8);
        if (column > indent && column + 1 + columns > width) {
            text_say(t, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            text_say(t, " ");
            column++;
        }
        room.width = width - column;
        human_fit(t, word, room, HUMAN_CUT);
        column += columns < room.width ? columns : room.width;
    }
}

/* -- progress ----------------------------------------------------------------------------- */

static unsigned share(uint64_t part, uint64_t whole, unsigned of)
{
    if (whole == 0) {
        return 0;
    }
    return part >= whole ? of : (unsigned)((double)part / (double)whole * of);
}

void human_bar(struct text *t, uint64_t part, uint64_t whole, struct human_room room)
{
    unsigned inner = room.width > 3 ? room.width - 2 : 1;
    unsigned full = share(part, whole, inner);
    text_say(t, "[");
    for (unsigned i = 0; i < inner; i++) {
        if (room.utf8) {
            text_say(t, "%s", i < full ? "━" : "─");
        } else {
            text_say(t, "%s", i < full ? "#" : "-");
        }
    }
    text_say(t, "]");
}

static void say_amount(struct text *t, uint64_t amount, const char *unit)
{
    char shown[16];
    if (unit) {
        text_say(t, "%llu", (unsigned long long)amount);
    } else {
        text_say(t, "%s", text_bytes(amount, shown, sizeof shown));
    }
}

static void say_figures(struct text *t, const struct human_progress *p, const char *gap)
{
    if (p->total) {
        text_say(t, "%3u%%%s", share(p->done, p->total, 100), gap);
    }
    say_amount(t, p->done, p->unit);
    if (p->total) {
        text_say(t, " of ");
        say_amount(t, p->total, p->unit);
    }
    if (p->unit) {
        text_say(t, " %s", p->unit);
    }
    if (p->rate > 0 && !p->unit) {
        text_say(t, "%s", gap);
        human_rate(t, p->rate);
    }
    if (p->left >= 0) {
        text_say(t, "%s", gap);
        human_duration(t, p->left);
        text_say(t, " left");
    }
}

#define BAR_LEAST  10
#define BAR_MOST   42
#define NAME_LEAST 6

void human_progress(struct text *t, const struct human_progress *p,
                    struct human_room room)
{
    char shown[160];
    struct text figures = {shown, sizeof shown, 0};
    say_figures(&figures, p, room.width ? "  " : ", ");
    if (room.width == 0) {
        size_t blanks = 0; /* in front of the per cent */
        while (shown[blanks] == ' ') {
            blanks++;
        }
        human_fit(t, p->what, room, HUMAN_CUT);
        text_say(t, ": %s", shown + blanks);
        return;
    }
    unsigned name = human_columns(p->what, room.utf8);
    unsigned rest = room.width > figures.used ? room.width - (unsigned)figures.used : 0;
    bool bar =
        p->total && rest >= BAR_LEAST + (name < NAME_LEAST ? name : NAME_LEAST) + 3;
    unsigned most = bar ? rest - BAR_LEAST - 3 : rest > 1 ? rest - 1 : 0;
    name = name < most ? name : most;
    if (name) {
        human_fit(t, p->what, (struct human_room){name, room.utf8}, HUMAN_LEFT);
        text_say(t, bar ? "  " : " ");
    }
    if (bar) {
        unsigned width = rest - name - 3;
        room.width = width < BAR_MOST ? width : BAR_MOST;
        human_bar(t, p->done, p->total, room);
        text_say(t, " %s", shown);
        return;
    }
    human_fit(t, shown, room, HUMAN_CUT);
}
