#include "config/faults.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/tell.h"
#include "common/text.h"

#define EXCERPT_MAX 100 /* octets of a source line that are shown */

/* Keys and values end up on somebody's terminal: no escape sequence may get there. */
static void tame(char *text)
{
    for (unsigned char *p = (unsigned char *)text; *p; p++) {
        if (*p < 0x20 || *p == 0x7f) {
            *p = '?';
        } else if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) { /* U+0080..U+009F */
            p[0] = '?';
            p[1] = '?';
        }
    }
}

/* Cutting to the size of the field may have split the last UTF-8 character. */
static void drop_half_character(char *text, size_t size)
{
    size_t len = strlen(text);
    if (len + 1 < size) {
        return;
    }
    while (len > 0 && ((unsigned char)text[len - 1] & 0xc0) == 0x80) {
        len--;
    }
    if (len > 0 && (unsigned char)text[len - 1] >= 0xc0) {
        len--;
    }
    text[len] = '\0';
}

static struct fault *new_fault(struct faults *f)
{
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 16;
        struct fault *list = realloc(f->list, room * sizeof *list);
        if (!list) {
            return NULL;
        }
        f->list = list;
        f->room = room;
    }
    return &f->list[f->count++];
}

void faults_add(struct faults *f, enum fault_severity severity, int line, int column,
                const char *path, const char *fmt, ...)
{
    f->errors += severity == FAULT_ERROR;
    struct fault *fault = new_fault(f);
    if (!fault) {
        f->lost++;
        return;
    }
    fault->severity = severity;
    fault->file = f->file;
    fault->line = line;
    fault->column = column;
    fault->order = f->count - 1;
    snprintf(fault->path, sizeof fault->path, "%s", path);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(fault->text, sizeof fault->text, fmt, ap);
    va_end(ap);
    drop_half_character(fault->path, sizeof fault->path);
    drop_half_character(fault->text, sizeof fault->text);
    tame(fault->path);
    tame(fault->text);
}

void faults_harden(struct faults *f)
{
    for (size_t i = 0; i < f->count; i++) {
        f->errors += f->list[i].severity != FAULT_ERROR;
        f->list[i].severity = FAULT_ERROR;
    }
}

static int by_place(const void *left, const void *right)
{
    const struct fault *a = left;
    const struct fault *b = right;
    if (a->file != b->file) {
        return a->file < b->file ? -1 : 1;
    }
    if (a->line != b->line) {
        return a->line < b->line ? -1 : 1;
    }
    if (a->column != b->column) {
        return a->column < b->column ? -1 : 1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

void faults_sort(struct faults *f)
{
    if (f->count > 1) {
        qsort(f->list, f->count, sizeof *f->list, by_place);
    }
}

/* -- printing -------------------------------------------------------------------------- */

/* One line of the text; moves forward from fault to fault. */
struct source {
    const char *text;
    const char *end;
    const char *line;
    const char *line_end; /* at its line break, or end */
    int number;
};

static void enter_line(struct source *s, const char *line)
{
    const char *nl = line < s->end ? memchr(line, '\n', (size_t)(s->end - line)) : NULL;
    s->line = line;
    s->line_end = nl ? nl : s->end;
}

static void go_to_line(struct source *s, int number)
{
    if (number < s->number) {
        s->number = 0;
    }
    if (s->number == 0) {
        enter_line(s, s->text);
        s->number = 1;
    }
    for (; s->number < number && s->line_end < s->end; s->number++) {
        enter_line(s, s->line_end + 1);
    }
}

/* Octets of the character here, or 0: to be shown escaped. */
static size_t character(const char *p, size_t left)
{
    char octets[5] = "";
    uint32_t point = 0;
    memcpy(octets, p, left < 4 ? left : 4);
    size_t n = text_utf8(octets, &point);
    return text_is_shown(point) ? n : 0;
}

/* One character of the line, or white space as wide.  Octets of the line it took. */
static size_t show_one(const char *p, size_t left, bool only_space, struct text *out)
{
    if (*p == '\t') {
        text_say(out, "\t");
        return 1;
    }
    size_t n = character(p, left);
    if (only_space) {
        text_say(out, "%*s", n ? 1 : 4, "");
    } else if (n) {
        text_say(out, "%.*s", (int)n, p);
    } else {
        text_say(out, "\\x%02x", (unsigned char)*p);
    }
    return n ? n : 1;
}

static bool mid_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The line around octet at: the text, or as much white space with a caret behind it. */
static void show_excerpt(const char *line, size_t len, size_t at, bool caret, FILE *out)
{
    char octets[EXCERPT_MAX * 4 + 16] = ""; /* each as \xNN, the dots, the end */
    struct text shown = {octets, sizeof octets, 0};
    size_t from = len > EXCERPT_MAX && at > EXCERPT_MAX / 2 ? at - EXCERPT_MAX / 2 : 0;
    size_t to = len - from > EXCERPT_MAX ? from + EXCERPT_MAX : len;

    while (from < at && from > 0 && mid_character(line[from])) {
        from++;
    }
    while (to > at && to < len && mid_character(line[to])) {
        to--;
    }
    text_say(&shown, "%*s", from > 0 && caret ? 3 : 0, from > 0 && !caret ? "..." : "");
    for (size_t i = from; i < (caret ? at : to);) {
        i += show_one(line + i, to - i, caret, &shown);
    }
    text_say(&shown, caret ? "^\n" : to < len ? "...\n" : "\n");
    fputs(octets, out); /* at once: standard error has no buffer */
}

static void show_source(struct source *s, const struct fault *fault, FILE *to)
{
    go_to_line(s, fault->line);
    size_t len = (size_t)(s->line_end - s->line);
    if (len > 0 && s->line[len - 1] == '\r') {
        len--;
    }
    size_t at = (size_t)fault->column - 1;
    show_excerpt(s->line, len, at < len ? at : len, false, to);
    show_excerpt(s->line, len, at < len ? at : len, true, to);
}

const char *fault_file(const struct faults *f, const struct fault *fault,
                       const char *file)
{
    return fault->file > 0 ? f->sources[fault->file - 1].name : file;
}

char *fault_say(const struct faults *f, const struct fault *fault, const char *file,
                char *buf, size_t size)
{
    char place[32] = "";
    if (fault->line > 0 && fault->column > 0) {
        snprintf(place, sizeof place, ":%d:%d", fault->line, fault->column);
    }
    snprintf(buf, size, "%s%s: %s%s%s", fault_file(f, fault, file), place, fault->path,
             fault->path[0] ? ": " : "", fault->text);
    return buf;
}

static void print_fault(const struct fault *fault, const char *file,
                        struct source *source, FILE *to)
{
    bool placed = fault->line > 0 && fault->column > 0;
    char place[32] = "";
    if (placed) {
        snprintf(place, sizeof place, ":%d:%d", fault->line, fault->column);
    }
    tell(to, "%s%s: %s%s%s%s\n", file, place,
         fault->severity == FAULT_WARNING ? "warning: " : "", fault->path,
         fault->path[0] ? ": " : "", fault->text);
    if (source->text && placed) {
        show_source(source, fault, to);
    }
}

void faults_print(const struct faults *f, const char *file, const char *text, size_t len,
                  FILE *to)
{
    struct fault_source here = {file, text, len};
    struct source source = {.text = text, .end = text ? text + len : NULL};
    uint32_t number = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct fault *fault = &f->list[i];
        if (fault->file != number) {
            number = fault->file;
            here = number > 0 ? f->sources[number - 1]
                              : (struct fault_source){file, text, len};
            source = (struct source){.text = here.text,
                                     .end = here.text ? here.text + here.len : NULL};
        }
        print_fault(fault, here.name, &source, to);
    }
    if (f->lost > 0) {
        tell(to, "%s: %zu more, for which there was no memory\n", file, f->lost);
    }
}

void faults_done(struct faults *f)
{
    free(f->list);
    *f = (struct faults){0};
}
