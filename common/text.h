/*
 * common/text: strict reading of numbers, safe printing of what a peer sent.
 *
 * Ownership: everything is written into the caller's buffer.  Pure.
 */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits only: no sign, no blank, no overflow.  False leaves *out untouched. */
bool text_decimal(const char *text, uint64_t *out);

/*
 * Writes len octets of a peer as printable ASCII: anything outside 0x20..0x7e, and the
 * backslash, becomes \xNN.  What does not fit is cut and ends in "...".  Always
 * NUL-terminated (size >= 8).  Returns buf.
 */
char *text_show(const void *octets, size_t len, char *buf, size_t size);

/* Octets of the whole, shortest UTF-8 sequence that text begins with; 0: it is none. */
size_t text_utf8(const char *text, uint32_t *point);
/* False: a control character, or one that is not seen or turns the direction of writing. */
bool text_is_shown(uint32_t point);

/*
 * How many single-character edits (insert, delete, replace, swap of neighbours) lie between
 * two words, capped at 99.  Words over 63 characters count as 99 apart.
 */
unsigned text_distance(const char *a, const char *b);

/*
 * Text under way in a buffer of the caller, always NUL-terminated; what does not fit is cut.
 * Begun as {buffer, size, 0}, with buffer[0] = '\0' and size > 0.
 */
struct text {
    char *at;
    size_t size;
    size_t used;
};
void text_say(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Two digits for each octet, as many as fit whole, and `between` between them. */
void text_say_hex(struct text *t, const void *octets, size_t len, const char *between);

/* Octets of a peer in quotes, as text_show() shows them: 600 characters at most. */
void text_say_quoted(struct text *t, const void *octets, size_t len);

/* What is no UTF-8, or not shown, becomes \xNN; a backslash stays one. */
void text_say_safe(struct text *t, const char *text);

/* "00112233-4455-6677-8899-aabbccddeeff".  Returns buf. */
#define UUID_TEXT 37
char *text_uuid(const uint8_t uuid[16], char buf[UUID_TEXT]);

/* "1.6GB", "512B": three digits at most, powers of 1000.  Returns buf. */
char *text_bytes(uint64_t octets, char *buf, size_t size);

#endif
