/*
 * common/log_repeats: folds lines that say the same again into one that says how often.
 *
 *     if (log_repeats_note(&r, line, now)) log it
 *     while (log_repeats_due(&r, now, &sum)) log the sum, which has its `repeated` set
 *     log_repeats_deadline(&r)
 *
 * The first of equal lines is told at once; those of the LOG_REPEATS_SPAN after it are
 * counted and told as one when that time is over, and so on as long as they come.  Errors
 * are folded like anything else.
 *
 * Ownership: values only; LOG_REPEATS_MAX different lines are remembered, those that nothing
 * repeated make room first.  A table full of repeated ones tells every other line.  Pure.
 */
#ifndef COMMON_LOG_REPEATS_H
#define COMMON_LOG_REPEATS_H

#include "common/clock.h"
#include "common/log_line.h"

#define LOG_REPEATS_MAX  32
#define LOG_REPEATS_SPAN (30 * USEC_PER_SEC)

struct log_repeated {
    usec_t told; /* when it, or a sum of it, was last logged */
    unsigned folded;
    struct log_line line; /* the newest */
};

struct log_repeats {
    unsigned count;
    struct log_repeated entry[LOG_REPEATS_MAX];
};

/* True: log this one; false: it was counted. */
bool log_repeats_note(struct log_repeats *r, const struct log_line *line, usec_t now);
/* One whose time is over and that was repeated.  USEC_NEVER gives them all. */
bool log_repeats_due(struct log_repeats *r, usec_t now, struct log_line *sum);
usec_t log_repeats_deadline(const struct log_repeats *r);

#endif
