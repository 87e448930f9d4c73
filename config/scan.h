/*
 * config/scan: stepping over the pieces of a JSON text without understanding them.
 *
 * Finds places only; what the text means is the JSON library's business.  Works on any
 * octets without running past the end; the result is meaningful for valid JSON.
 *
 * Ownership: the text is the caller's.  Pure.
 */
#ifndef CONFIG_SCAN_H
#define CONFIG_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct scan {
    const char *text;
    size_t len;
    size_t at; /* <= len */
};

/* Past blanks: the octet that stands there, or NUL at the end. */
char scan_peek(struct scan *s);

/* Past blanks and this octet; false (only blanks skipped) when another one stands there. */
bool scan_eat(struct scan *s, char c);

/* Past a string; its opening quote must stand here. */
void scan_string(struct scan *s);

/* Past one word, string or punctuation mark; false at the end of the text. */
bool scan_token(struct scan *s);

/* Past one value, with all it contains. */
void scan_value(struct scan *s);

#endif
