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
 * peer go through log_peer(), which escapes them.  An event needs a row in
 * common/log_format.c and one in docs/monitoring.md, with an ID made by `uuidgen -r`.
 *
 * Lines go to standard error as text or as JSON, or to the journal with a field for each of
 * theirs.  Once log_open() was called, lines that repeat are folded (common/log_repeats):
 * whoever runs the loop asks for log_deadline() and calls log_timeout().
 *
 * Lines that anybody can bring about are limited (log_limit()): a flood fills no disk.
 *
 * A log that takes nothing for a tenth of a second loses lines rather than stop the service;
 * how many is said as soon as it takes some again.
 *
 * Shell: write(2), sendmsg(2), memfd_create(2).  Only services and app/ log; cores never do.
 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

#include "common/clock.h"
#include "common/log_line.h"

enum log_form {
    LOG_AUTO, /* the journal when standard error is its stream (JOURNAL_STREAM), else text */
    LOG_AS_TEXT,
    LOG_AS_JSON,
    LOG_AS_JOURNAL,
};

#define LOG_JOURNAL "/run/systemd/journal/socket"

/*
 * From now on lines are written so; may be called again.  journal: the socket's path.
 * Errors: -errno when there is no such socket: lines are text on standard error then.
 */
int log_open(enum log_form form, const char *journal);

/* False: lines are for programs, or for the journal. */
bool log_is_text(void);

/* Lines less urgent than level are dropped.  Starts at LOG_INFO. */
void log_set_level(enum log_level level);

void log_begin(struct log_line *l, enum log_level level, const char *event);
void log_end(struct log_line *l);

/* A whole line of prose: start-up, shutdown, faults. */
void log_say(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * The same of something that has changed, and may change back: never folded.  Not for what
 * a peer can bring about.  An event is made so by setting `news`.
 */
void log_news(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Sums of repeated lines. */
usec_t log_deadline(void);
void log_timeout(usec_t now);
/* All of them, before the end. */
void log_flush(void);

#endif
