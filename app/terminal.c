#include "app/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_USUAL  80
#define HEIGHT_USUAL 24
#define WIDTH_MOST   400

#define DRAW_EVERY (USEC_PER_SEC / 10)
#define LINE_EVERY (10 * USEC_PER_SEC)

/* -- the terminal ------------------------------------------------------------------------- */

/* Whether what is written in this user's locale is UTF-8. */
static bool writes_utf8(void)
{
    locale_t theirs = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (theirs == (locale_t)0) {
        return false;
    }
    bool utf8 = strcmp(nl_langinfo_l(CODESET, theirs), "UTF-8") == 0;
    freelocale(theirs);
    return utf8;
}

void terminal_measure(struct terminal *t)
{
    struct winsize size;
    t->room.width = 0;
    t->height = 0;
    if (!isatty(fileno(t->out))) {
        return;
    }
    t->room.width = WIDTH_USUAL;
    t->height = HEIGHT_USUAL;
    if (ioctl(fileno(t->out), TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
        t->room.width = size.ws_col < WIDTH_MOST ? size.ws_col : WIDTH_MOST;
        t->height = size.ws_row;
    }
}

void terminal_open(struct terminal *t, FILE *out, bool no_color)
{
    const char *kind = getenv("TERM");
    const char *refused = getenv("NO_COLOR");
    bool able = kind && strcmp(kind, "dumb") != 0;
    *t = (struct terminal){.out = out, .room.utf8 = writes_utf8()};
    terminal_measure(t);
    t->live = t->room.width > 0 && able;
    t->colour = t->live && !no_color && !(refused && *refused);
}

const char *terminal_tone(const struct terminal *t, enum tone tone)
{
    static const char *const tones[] = {
        [TONE_PLAIN] = "\033[0m", [TONE_GOOD] = "\033[32m", [TONE_BAD] = "\033[1;31m",
        [TONE_WARN] = "\033[33m", [TONE_DIM] = "\033[2m",   [TONE_STRONG] = "\033[1m",
    };
    return t->colour ? tones[tone] : "";
}

/* -- progress ----------------------------------------------------------------------------- */

void progress_begin(struct progress *p, const struct terminal *t, const char *what,
                    uint64_t total, const char *unit, usec_t now)
{
    *p = (struct progress){
        .terminal = t,
        .what = what,
        .unit = unit,
        .total = total,
        .began = now,
        .shown = now,
        .rated = now,
    };
}

/* The rate of about the last two seconds, so that the time left follows a link that changes. */
static void make_up_rate(struct progress *p, uint64_t done, usec_t now)
{
    double span = (double)(now - p->rated) / (double)USEC_PER_SEC;
    if (span < 0.1 || done < p->rated_done) {
        return;
    }
    double newest = (double)(done - p->rated_done) / span;
    double weight = p->rate > 0 ? span / (span + 2.0) : 1.0;
    p->rate += weight * (newest - p->rate);
    p->rated = now;
    p->rated_done = done;
}

static void draw(struct progress *p, uint64_t done, usec_t now)
{
    char line[2048];
    struct text text = {line, sizeof line, 0};
    struct human_room room = p->terminal->room;
    double left = -1;
    if (p->total > done && p->rate > 0) {
        left = (double)(p->total - done) / p->rate;
    }
    struct human_progress view = {p->what, done, p->total, p->rate, left, p->unit};
    room.width = p->terminal->live ? room.width - 1 : 0; /* the last column may wrap */
    line[0] = '\0';
    human_progress(&text, &view, room);
    if (p->terminal->live) {
        fprintf(p->terminal->out, "\r%s\033[K", line);
    } else {
        fprintf(p->terminal->out, "%s\n", line);
    }
    fflush(p->terminal->out);
    p->drawn = p->terminal->live;
    p->shown = now;
}

void progress_set(struct progress *p, uint64_t done, usec_t now)
{
    usec_t every = p->terminal->live ? DRAW_EVERY : LINE_EVERY;
    if (now >= p->shown + every) {
        make_up_rate(p, done, now);
        draw(p, done, now);
    }
}

void progress_hide(struct progress *p)
{
    if (p->drawn) {
        fprintf(p->terminal->out, "\r\033[K");
        fflush(p->terminal->out);
        p->drawn = false;
    }
}

void progress_end(struct progress *p, uint64_t done, bool good, usec_t now)
{
    char line[512];
    char amount[16];
    struct text text = {line, sizeof line, 0};
    double seconds = (double)(now - p->began) / (double)USEC_PER_SEC;
    progress_hide(p);
    human_fit(&text, p->what, (struct human_room){200, p->terminal->room.utf8},
              HUMAN_CUT);
    text_say(&text, ": %s", good ? "" : "stopped after ");
    if (p->unit) {
        text_say(&text, "%llu %s", (unsigned long long)done, p->unit);
    } else {
        text_say(&text, "%s", text_bytes(done, amount, sizeof amount));
    }
    text_say(&text, " in ");
    human_duration(&text, seconds);
    if (!p->unit && seconds > 0 && done > 0) {
        text_say(&text, ", ");
        human_rate(&text, (double)done / seconds);
    }
    fprintf(p->terminal->out, "%s\n", line);
    fflush(p->terminal->out);
}
