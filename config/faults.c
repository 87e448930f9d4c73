#include "config/faults.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXCERPT_MAX 100 /* octets of a source line that are shown */

/* Keys and values end up on somebody's terminal: no escape sequence may get there. */
static void tame(char *text)
{
    for (unsigned char *p = (unsigned char *)text; *p; p++) {
        bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0; /* U+0080..U+009F */
        if (*p < 0x20 || *p == 0x7f || c1) {
            *p = '?';
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

static int by_place(const void *left, const void *right)
{
    const struct fault *a = left;
    const struct fault *b = right;
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

/* A place that moves forward through the text, line by line. */
struct source {
    const char *p;
    const char *end;
    int line;
};

static void go_to_line(struct source *s, const char *text, int line)
{
    if (line < s->line) {
        s->p = text;
        s->line = 1;
    }
    while (s->line < line && s->p < s->end) {
        const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));
        s->p = nl ? nl + 1 : s->end;
        s->line++;
    }
}

/* Octets of the printable UTF-8 character here, or 0: to be shown escaped. */
static size_t character(const unsigned char *p, size_t left)
{
    static const struct {
        unsigned char mask;
        unsigned char lead;
        uint32_t least;
    } forms[] = {{0, 0, 0},
                 {0x80, 0x00, 0x20},
                 {0xe0, 0xc0, 0xa0},
                 {0xf0, 0xe0, 0x800},
                 {0xf8, 0xf0, 0x10000}};

    for (size_t n = 1; n <= 4 && n <= left; n++) {
        if ((p[0] & forms[n].mask) != forms[n].lead) {
            continue;
        }
        uint32_t code = p[0] & (unsigned char)~forms[n].mask;
        for (size_t i = 1; i < n; i++) {
            if ((p[i] & 0xc0) != 0x80) {
                return 0;
            }
            code = code << 6 | (p[i] & 0x3f);
        }
        /* DEL, and the marks that make a terminal write backwards, are no characters. */
        bool hidden = code == 0x7f || (code >= 0x200b && code <= 0x200f) ||
                      (code >= 0x2028 && code <= 0x202e) ||
                      (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
        return code < forms[n].least || hidden ? 0 : n;
    }
    return 0;
}

/* One character of the line, and in the caret's line as much white space if mark is true. */
static size_t show_one(const char *p, size_t left, bool only_space, FILE *to)
{
    if (*p == '\t') {
        (void)fputc('\t', to);
        return 1;
    }
    size_t n = character((const unsigned char *)p, left);
    if (only_space) {
        fprintf(to, "%*s", n ? 1 : 4, "");
    } else if (n) {
        fprintf(to, "%.*s", (int)n, p);
    } else {
        fprintf(to, "\\x%02x", (unsigned char)*p);
    }
    return n ? n : 1;
}

/* The part [from, to) of the line that is shown, and the octet the caret stands under. */
static void show_excerpt(const char *line, size_t len, size_t at, FILE *out)
{
    size_t from = 0;
    size_t to = len;
    if (len > EXCERPT_MAX) {
        from = at > EXCERPT_MAX / 2 ? at - EXCERPT_MAX / 2 : 0;
        to = len - from > EXCERPT_MAX ? from + EXCERPT_MAX : len;
    }
    while (from > 0 && from < at && ((unsigned char)line[from] & 0xc0) == 0x80) {
        from++;
    }
    while (to < len && to > at && ((unsigned char)line[to] & 0xc0) == 0x80) {
        to--;
    }
    for (int pass = 0; pass < 2; pass++) {
        size_t stop = pass == 0 ? to : at;
        fputs(from == 0 ? "" : pass == 0 ? "..." : "   ", out);
        for (size_t i = from; i < stop;) {
            i += show_one(line + i, to - i, pass == 1, out);
        }
        fputs(pass == 1 ? "^\n" : to < len ? "...\n" : "\n", out);
    }
}

static void show_source(struct source *s, const char *text, const struct fault *fault,
                        FILE *to)
{
    go_to_line(s, text, fault->line);
    const char *nl = s->p < s->end ? memchr(s->p, '\n', (size_t)(s->end - s->p)) : NULL;
    size_t len = (size_t)((nl ? nl : s->end) - s->p);
    if (len > 0 && s->p[len - 1] == '\r') {
        len--;
    }
    size_t at = (size_t)fault->column - 1;
    show_excerpt(s->p, len, at < len ? at : len, to);
}

void faults_print(const struct faults *f, const char *file, const char *text, size_t len,
                  FILE *to)
{
    struct source source = {text, text ? text + len : NULL, 1};
    for (size_t i = 0; i < f->count; i++) {
        const struct fault *fault = &f->list[i];
        bool placed = fault->line > 0 && fault->column > 0;
        fputs(file, to);
        if (placed) {
            fprintf(to, ":%d:%d", fault->line, fault->column);
        }
        fprintf(to, ": %s%s%s%s\n", fault->severity == FAULT_WARNING ? "warning: " : "",
                fault->path, fault->path[0] ? ": " : "", fault->text);
        if (text && placed) {
            show_source(&source, text, fault, to);
        }
    }
    if (f->lost > 0) {
        fprintf(to, "%s: %zu more, for which there was no memory\n", file, f->lost);
    }
}

void faults_done(struct faults *f)
{
    free(f->list);
    *f = (struct faults){0};
}
