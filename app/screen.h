/*
 * app/screen: a terminal taken over for a view that is drawn again and again.
 *
 *     struct screen s;
 *     screen_enter(&s, &terminal);
 *     do screen_draw(&s, text) while (screen_wait(&s, ms));
 *     screen_leave(&s);
 *
 * Each frame is written over the last one, line by line, so nothing flickers; what is below
 * the last line of the terminal is left out.  The view ends with q, Ctrl-C, SIGTERM or
 * SIGHUP; Ctrl-Z gives the terminal back for as long as the process is stopped.
 *
 * Not on a terminal: frames are printed one after another, with a blank line between.
 *
 * Ownership: the terminal is borrowed.  One screen at a time.  Shell: termios, signals.
 */
#ifndef APP_SCREEN_H
#define APP_SCREEN_H

#include <signal.h>
#include <termios.h>

#include "app/terminal.h"

struct screen {
    struct terminal *terminal;
    bool taken;   /* the terminal shows the view */
    bool typing;  /* standard input is a terminal: keys are heard */
    bool changed; /* its modes were changed */
    bool drawn;   /* a frame was printed: a blank line is due */
    struct termios modes;
    sigset_t signals; /* the mask of before */
};

void screen_enter(struct screen *s, struct terminal *t);
void screen_draw(struct screen *s, const char *text);
/* False: the view is to end.  Comes back early when the size changes or on any key. */
bool screen_wait(struct screen *s, unsigned msec);
void screen_leave(struct screen *s);

#endif
