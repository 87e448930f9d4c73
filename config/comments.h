/*
 * config/comments: turns comments of a JSON text into blanks, in place.
 *
 * Both forms, // to the end of the line and slash-star to star-slash, outside strings.
 * Line breaks stay and nothing moves, so every place in the text remains exact.
 *
 * Errors: enum comments_fault, with *at the offset of what is wrong; the text up to there
 * is blanked, *at is written only then.  Pure.
 */
#ifndef CONFIG_COMMENTS_H
#define CONFIG_COMMENTS_H

#include <stddef.h>

enum comments_fault {
    COMMENTS_OK = 0,
    COMMENTS_BYTE_ORDER_MARK, /* the text begins with the UTF-8 one */
    COMMENTS_UTF16,           /* the text begins with one of UTF-16 */
    COMMENTS_UNTERMINATED,    /* slash-star without star-slash */
};

enum comments_fault comments_blank(char *text, size_t len, size_t *at);

#endif
