/*
 * app/table: aligned columns, on a terminal or anywhere else.
 *
 *     static const struct column columns[] = {{"MAC"}, {"TOOK", HUMAN_RIGHT}, {"WHY"}};
 *     struct table t;
 *     table_begin(&t, columns, 3);
 *     table_cell(&t, TONE_PLAIN, "%s", mac);    row after row, from left to right
 *     table_cell(&t, TONE_DIM, "%.1f s", took);
 *     table_cell(&t, TONE_BAD, "%s", sentence);
 *     table_print(&t, &terminal, 2);
 *     table_end(&t);
 *
 * A column where nothing stands is left out.  On a terminal a line is cut at its width, so
 * the last column should be the one that may be; elsewhere nothing is.  Text is made safe.
 *
 * Ownership: cells are copied.  Errors: cells that find no memory are left out at the end.
 * Shell: stdio, malloc.
 */
#ifndef APP_TABLE_H
#define APP_TABLE_H

#include "app/terminal.h"

#define TABLE_COLUMNS 10

struct column {
    const char *head; /* NULL in every column: no line of heads */
    enum human_fill fill;
    unsigned most; /* columns that it takes on a terminal; 0: no limit */
};

struct table_cell {
    char *text;
    enum tone tone;
};

/* A line of its own, beneath a row. */
struct table_line {
    char *text;
    size_t rows; /* those above it */
};

struct table {
    const struct column *columns;
    unsigned count;
    struct table_cell *cells;
    size_t used;
    size_t size;
    struct table_line *lines;
    size_t line_count;
};

void table_begin(struct table *t, const struct column *columns, unsigned count);
void table_cell(struct table *t, enum tone tone, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Stands beneath the row that was filled last, as it is: the caller made it fit. */
void table_line(struct table *t, const char *text);
void table_print(const struct table *t, const struct terminal *terminal, unsigned indent);
void table_end(struct table *t);

#endif
