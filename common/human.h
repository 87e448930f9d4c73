/*
 * common/human: numbers, text and progress as people read them on a terminal.
 *
 *     boot.wim  [############--------]  62%  1.0GB of 1.6GB  95MB/s  7.4s left
 *
 * Widths are columns: a Chinese character takes two, a combining mark none.  Text may be
 * anybody's: control characters, those that turn the direction of writing, and what is no
 * UTF-8 are shown as "?", so that nothing reaches a terminal but what is meant to be seen.
 *
 * Ownership: everything is written into the caller's struct text.  Pure.
 * Spec: Unicode 15 (East Asian Width) for the ranges of scripts that are written wide.
 */
#ifndef COMMON_HUMAN_H
#define COMMON_HUMAN_H

#include <stdbool.h>

#include "common/text.h"

/* "0.04s", "7.4s", "59s", "1:23", "1:02:03", "3d 4h".  Not known (< 0, not a number): "-". */
void human_duration(struct text *t, double seconds);
/* "95MB/s"; not known (<= 0): "-". */
void human_rate(struct text *t, double octets_per_second);

/* What a line may hold. */
struct human_room {
    unsigned width; /* columns; 0: no limit */
    bool utf8;      /* false: the terminal shows ASCII only */
};

/* Columns that text takes once it was made safe to show. */
unsigned human_columns(const char *text, bool utf8);

enum human_fill { HUMAN_CUT, HUMAN_LEFT, HUMAN_RIGHT };

/*
 * Text made safe and cut to room.width, an ellipsis where it was cut.  HUMAN_LEFT and
 * HUMAN_RIGHT fill up with blanks to exactly that width, with the text on that side.
 */
void human_fit(struct text *t, const char *text, struct human_room room,
               enum human_fill fill);

/*
 * Text made safe and broken between words into lines of room.width, each but the first after
 * indent blanks (which count).  A word that is longer than a line is cut.  Without line end
 * at the end; width 0: one line.
 */
void human_wrap(struct text *t, const char *text, struct human_room room,
                unsigned indent);

/* part of whole as a bar of room.width columns, brackets included (at least 3). */
void human_bar(struct text *t, uint64_t part, uint64_t whole, struct human_room room);

struct human_progress {
    const char *what;
    uint64_t done;
    uint64_t total;   /* 0: not known */
    double rate;      /* a second; <= 0: not known */
    double left;      /* seconds to go; < 0: not known */
    const char *unit; /* what is counted ("files"); NULL: octets */
};

/*
 * One line, without line end: the bar takes what room there is, and gives way first, then
 * the name.  With room.width 0: a plain line without bar, for files and pipes.
 */
void human_progress(struct text *t, const struct human_progress *p,
                    struct human_room room);

#endif
