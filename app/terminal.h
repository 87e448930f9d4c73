/*
 * app/terminal: what a command prints on: colours by meaning, and the progress of long work.
 *
 *     struct terminal t;
 *     terminal_open(&t, stderr, no_color);
 *     fprintf(t.out, "%sok%s\n", terminal_tone(&t, TONE_GOOD), terminal_tone(&t, TONE_PLAIN));
 *
 *     struct progress p;
 *     progress_begin(&p, &t, "boot.wim", size, NULL, clock_now());
 *     progress_set(&p, octets_so_far, clock_now());      as often as you like
 *     progress_end(&p, octets_in_all, good, clock_now());
 *
 * On a terminal the line of a progress is drawn again in place, ten times a second at most;
 * elsewhere (a file, a pipe, TERM=dumb) it is a plain line every ten seconds, and one at the
 * end.  Work whose output is data (--json) should open its terminal on stderr.
 *
 * Colours are there on a terminal, unless NO_COLOR is set to anything, TERM is "dumb" or
 * no_color is asked for (the option --no-color).  Formatting is common/human.
 *
 * Ownership: `out`, `what` and `unit` are the caller's and must stay.  Shell: stdio, ioctl(2).
 */
#ifndef APP_TERMINAL_H
#define APP_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/clock.h"
#include "common/human.h"

struct terminal {
    FILE *out;
    bool live;              /* a terminal where the cursor can be moved */
    bool colour;            /* tones are not empty */
    struct human_room room; /* width 0: not a terminal, so nothing is cut */
    unsigned height;        /* lines; 0: not a terminal */
};

enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD, TONE_WARN, TONE_DIM, TONE_STRONG };

void terminal_open(struct terminal *t, FILE *out, bool no_color);
/* Asks for width and height again (SIGWINCH). */
void terminal_measure(struct terminal *t);
/* The escape sequence that begins the tone, TONE_PLAIN ends every one; "" without colours. */
const char *terminal_tone(const struct terminal *t, enum tone tone);

struct progress {
    const struct terminal *terminal;
    const char *what;
    const char *unit;
    uint64_t total;
    usec_t began;
    usec_t shown; /* when a line was last written */
    usec_t rated; /* when the rate was last made up */
    uint64_t rated_done;
    double rate;
    bool drawn; /* a line stands there without line end */
};

/* total: 0 when it is not known; unit: what is counted ("files"), NULL for octets. */
void progress_begin(struct progress *p, const struct terminal *t, const char *what,
                    uint64_t total, const char *unit, usec_t now);
void progress_set(struct progress *p, uint64_t done, usec_t now);
/* Takes the line away, so that something else can be printed; the next set draws it anew. */
void progress_hide(struct progress *p);
/* The last line, with what was done and how fast; good: false says that it stopped there. */
void progress_end(struct progress *p, uint64_t done, bool good, usec_t now);

#endif
