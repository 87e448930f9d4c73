/*
 * app/status_view: what the parts of `pxed status` share: members of the document, which may
 * lack any of them or have it of another type, and how a part begins.
 *
 * Ownership: what is returned is a view of the document, or a value.  Private to
 * app/status_*, and `pxed log`.  Shell: stdio, jansson.
 */
#ifndef APP_STATUS_VIEW_H
#define APP_STATUS_VIEW_H

#include <jansson.h>

#include "app/terminal.h"

/* The document, and where it goes. */
struct view {
    const struct terminal *to;
    const json_t *document;
    const char *now; /* its time */
    bool begun;      /* a blank line is due before the next part */
};

/* Short text, by value. */
struct view_words {
    char text[48];
};

const json_t *view_member(const json_t *object, const char *key);
/* "-" where nothing is said. */
const char *view_said(const json_t *object, const char *key);
double view_number(const json_t *object, const char *key, double missing);
uint64_t view_count(const json_t *object, const char *key);
struct view_words view_duration(double seconds);
/* "2:00 ago": how long before the document this member's time is. */
struct view_words view_age(const struct view *v, const json_t *object, const char *key);

void view_part(struct view *v, enum tone tone, const char *title);
/* A label in front of a text that may take several lines. */
void view_note(const struct view *v, const char *label, enum tone tone,
               const char *words);

/* app/status_attention.c: what needs somebody, if anything does. */
void view_attention(struct view *v);

/* Of one boot: its machine's MAC or address; what its end deserves. */
const char *boot_who(const json_t *boot);
enum tone boot_tone(const json_t *boot);

#endif
