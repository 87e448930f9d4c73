/*
 * common/log: one line for one finished thing, as an event and its fields.
 *
 *     struct log_line l;
 *     log_begin(&l, LOG_INFO, "tftp done");
 *     log_text(&l, "file", name);
 *     log_number(&l, "resent", n);
 *     log_end(&l);
 *
 * prints `tftp done file=boot.wim resent=0`.  Values with blanks are quoted; octets of a
 * peer go through log_peer(), which escapes them.  Lines go to standard error, with the
 * journal's "<N>" priority in front when JOURNAL_STREAM is set, with a clock time when not.
 *
 * Ownership: values are copied into the line (LOG_LINE_SIZE octets; what is over is cut).
 * Shell: write(2).  Only services and app/ log; cores never do.
 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

#define LOG_LINE_SIZE 1024

struct log_line {
    enum log_level level;
    bool wanted; /* false: below the chosen level, nothing is formatted */
    size_t len;
    char text[LOG_LINE_SIZE];
};

/* Lines less urgent than level are dropped.  Starts at LOG_INFO. */
void log_set_level(enum log_level level);
bool log_level_parse(const char *text, enum log_level *out);

void log_begin(struct log_line *l, enum log_level level, const char *event);
/* value: NULL prints "-". */
void log_text(struct log_line *l, const char *key, const char *value);
void log_peer(struct log_line *l, const char *key, const void *octets, size_t len);
void log_number(struct log_line *l, const char *key, uint64_t value);
void log_decimal(struct log_line *l, const char *key, double value, int digits);
void log_end(struct log_line *l);

/* A whole line of prose: start-up, shutdown, faults. */
void log_say(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
