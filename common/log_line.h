/*
 * common/log_line: one line of the log under way: an event and its fields, or a sentence.
 *
 * Values are made safe as they come in: control characters and what is no UTF-8 become
 * \xNN, so that no form of the log (common/log_format) can be forged by a value.
 *
 * Ownership: values are copied into the line (LOG_VALUES octets in all; what is over is
 * cut); event and keys must be literals.  Pure.
 */
#ifndef COMMON_LOG_LINE_H
#define COMMON_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/*
 * What anybody can bring about by naming himself anew each time: there are only so many lines
 * of these at once, and so many a second, then one that says so.
 */
enum log_limit {
    LOG_UNLIMITED,
    LOG_OF_STRANGER, /* a machine that no host names */
    LOG_OF_NOTHING,  /* a request for a file that comes to nothing */
    LOG_LIMITS,
};

#define LOG_VALUES 2048
#define LOG_FIELDS 32

struct log_field {
    const char *key;
    uint16_t at; /* of its value in values[] */
    bool number;
};

struct log_line {
    enum log_level level;
    bool wanted; /* false: below the chosen level, nothing is kept */
    bool news;   /* something has changed: told however soon it comes again */
    enum log_limit limit;
    const char *event; /* NULL: a sentence, the first value */
    unsigned count;
    unsigned telling;  /* fields that tell it apart from its repeats */
    unsigned repeated; /* > 0: stands for so many that were not logged */
    size_t used;
    struct log_field field[LOG_FIELDS];
    char values[LOG_VALUES];
};

void log_line_event(struct log_line *l, enum log_level level, const char *event);
void log_line_sentence(struct log_line *l, enum log_level level, const char *sentence);

void log_limit(struct log_line *l, enum log_limit limit);

/* value: NULL is left out as "-". */
void log_text(struct log_line *l, const char *key, const char *value);
/* Octets of a peer, shown as ASCII. */
void log_peer(struct log_line *l, const char *key, const void *octets, size_t len);
void log_number(struct log_line *l, const char *key, uint64_t value);
void log_decimal(struct log_line *l, const char *key, double value, int digits);
/* Fields from here on may differ between a line and its repeats: ports, measurements. */
void log_varying(struct log_line *l);

const char *log_value(const struct log_line *l, unsigned field);

/* Whether b repeats a: all but the fields that vary. */
bool log_line_repeats(const struct log_line *a, const struct log_line *b);

#endif
