#include "app/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GAP       2
#define WORTH     8 /* columns that a cut cell must have to be shown */
#define CELL_SIZE 4096

void table_begin(struct table *t, const struct column *columns, unsigned count)
{
    *t = (struct table){.columns = columns, .count = count};
}

static bool has_room(struct table *t)
{
    if (t->used < t->size) {
        return true;
    }
    size_t size = t->size ? 2 * t->size : 64;
    struct table_cell *cells = realloc(t->cells, size * sizeof *cells);
    if (!cells) {
        return false;
    }
    t->cells = cells;
    t->size = size;
    return true;
}

void table_cell(struct table *t, enum tone tone, const char *fmt, ...)
{
    char text[CELL_SIZE];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    char *copy = has_room(t) ? strdup(text) : NULL;
    if (copy) {
        t->cells[t->used++] = (struct table_cell){copy, tone};
    }
}

static size_t rows_of(const struct table *t)
{
    return t->count ? t->used / t->count : 0;
}

void table_line(struct table *t, const char *text)
{
    struct table_line *lines = realloc(t->lines, (t->line_count + 1) * sizeof *t->lines);
    if (!lines) {
        return;
    }
    t->lines = lines;
    lines[t->line_count] = (struct table_line){strdup(text), rows_of(t)};
    if (lines[t->line_count].text) {
        t->line_count++;
    }
}

/* 0: nothing stands there. */
static unsigned width_of(const struct table *t, unsigned column, struct human_room room)
{
    unsigned width = 0;
    for (size_t row = 0; row < rows_of(t); row++) {
        unsigned one = human_columns(t->cells[row * t->count + column].text, room.utf8);
        width = one > width ? one : width;
    }
    const struct column *c = &t->columns[column];
    if (width > 0 && c->head && strlen(c->head) > width) {
        width = (unsigned)strlen(c->head);
    }
    return room.width && c->most && width > c->most ? c->most : width;
}

/* A line under way. */
struct line {
    const struct terminal *terminal;
    unsigned used;
    unsigned blanks; /* due before the next cell */
};

static unsigned room_left(const struct line *l)
{
    unsigned width = l->terminal->room.width;
    unsigned used = l->used + l->blanks;
    if (width == 0) {
        return UINT32_MAX;
    }
    return width > used ? width - used : 0;
}

static void print_cell(struct line *l, const struct table_cell *cell, unsigned width,
                       enum human_fill fill)
{
    char shown[2 * CELL_SIZE];
    struct text text = {shown, sizeof shown, 0};
    struct human_room room = l->terminal->room;
    unsigned left = room_left(l);
    unsigned columns = human_columns(cell->text, room.utf8);
    room.width = width < left ? width : left;
    if (columns == 0) {
        l->blanks += width + GAP;
        return;
    }
    if (room.width < width && room.width < WORTH) {
        return;
    }
    bool toned = cell->tone != TONE_PLAIN;
    if (fill != HUMAN_RIGHT && columns < room.width) {
        room.width = columns; /* blanks follow only if something else does */
    }
    shown[0] = '\0';
    human_fit(&text, cell->text, room, fill);
    fprintf(l->terminal->out, "%*s%s%s%s", (int)l->blanks, "",
            toned ? terminal_tone(l->terminal, cell->tone) : "", shown,
            toned ? terminal_tone(l->terminal, TONE_PLAIN) : "");
    l->used += l->blanks + room.width;
    l->blanks = width - room.width + GAP;
}

static void print_row(const struct table *t, const struct terminal *terminal,
                      unsigned indent, const struct table_cell *cells,
                      const unsigned *widths)
{
    struct line l = {.terminal = terminal, .blanks = indent};
    for (unsigned i = 0; i < t->count; i++) {
        if (widths[i] > 0) {
            print_cell(&l, &cells[i], widths[i], t->columns[i].fill);
        }
    }
    fputc('\n', terminal->out);
}

static void print_heads(const struct table *t, const struct terminal *terminal,
                        unsigned indent, const unsigned *widths)
{
    struct table_cell heads[TABLE_COLUMNS];
    char empty[] = "";
    bool any = false;
    for (unsigned i = 0; i < t->count; i++) {
        heads[i] = (struct table_cell){empty, TONE_DIM};
        if (t->columns[i].head) {
            heads[i].text = (char *)t->columns[i].head;
            any = true;
        }
    }
    if (any) {
        print_row(t, terminal, indent, heads, widths);
    }
}

void table_print(const struct table *t, const struct terminal *terminal, unsigned indent)
{
    unsigned widths[TABLE_COLUMNS];
    for (unsigned i = 0; i < t->count; i++) {
        widths[i] = width_of(t, i, terminal->room);
    }
    size_t line = 0;
    if (rows_of(t) > 0) {
        print_heads(t, terminal, indent, widths);
    }
    for (size_t row = 0; row < rows_of(t); row++) {
        print_row(t, terminal, indent, t->cells + row * t->count, widths);
        for (; line < t->line_count && t->lines[line].rows == row + 1; line++) {
            fprintf(terminal->out, "%s\n", t->lines[line].text);
        }
    }
}

void table_end(struct table *t)
{
    for (size_t i = 0; i < t->used; i++) {
        free(t->cells[i].text);
    }
    for (size_t i = 0; i < t->line_count; i++) {
        free(t->lines[i].text);
    }
    free(t->lines);
    free(t->cells);
    *t = (struct table){0};
}
