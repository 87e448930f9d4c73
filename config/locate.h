/*
 * config/locate: where in a JSON text a value stands, and its key.
 *
 * The JSON library keeps no positions once a text is parsed, so a fault found later (a bad
 * MAC, a number out of range) is traced back by walking the text along the value's path.
 *
 * Units: offsets are octets from the start of the text; line and column count from 1, a
 * column is an octet.
 * Precondition: the text has been accepted by a JSON parser, comments blanked.  Of two
 * equal keys in one object the last is found, as that is the one the parser keeps.
 * Ownership: nothing is kept or copied.  Pure.
 */
#ifndef CONFIG_LOCATE_H
#define CONFIG_LOCATE_H

#include <stddef.h>
#include <stdint.h>

#include "config/scan.h"

#define JSON_TEXT_MAX (64u << 20) /* octets */

/* A step from the root to a value; the root itself is NULL.  Lives on the reader's stack. */
struct json_path {
    const struct json_path *up;
    const char *key; /* member name, or NULL: list item number index */
    size_t index;
    size_t offset; /* of the value when it is known already, else 0: spares the walk */
};

struct json_place {
    int line;
    int column;
};

/*
 * The value, or the nearest enclosing one that can be told apart (a key spelled with
 * escapes cannot).
 */
size_t json_locate(const char *text, size_t len, const struct json_path *path);

/* The opening quote of the member's key; the value for a list item, the root, an escape. */
size_t json_locate_key(const char *text, size_t len, const struct json_path *path);

/* All items of a list in turn, in one pass: begin at the list, then next for each item. */
struct scan json_items(const char *text, size_t len, size_t list);
size_t json_items_next(struct scan *items);

/* Write the path as "hosts[3].mac", cut to fit.  The root is "". */
void json_path_print(const struct json_path *path, char *buf, size_t size);

/*
 * Offsets to places.  A mark stands in front of every JSON_LINES_STEP octets, so that each
 * question costs one step at most, however long the text and its lines are.  Large: belongs
 * on the heap.
 */
#define JSON_LINES_STEP 4096

struct json_mark {
    uint32_t at;
    uint32_t line;  /* line breaks before it */
    uint32_t start; /* offset of the line that reaches over it */
};

struct json_lines {
    const char *text;
    size_t len;
    size_t known;            /* marks made so far */
    struct json_mark recent; /* the last answer: the next one is often near */
    struct json_mark mark[JSON_TEXT_MAX / JSON_LINES_STEP + 1];
};

/* len <= JSON_TEXT_MAX */
void json_lines_init(struct json_lines *lines, const char *text, size_t len);
struct json_place json_place(struct json_lines *lines, size_t offset);

#endif
