#include "app/screen.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

#define SHOW    "\033[?1049h\033[?25l" /* the alternate screen, no cursor */
#define HIDE    "\033[?25h\033[?1049l" /* as it was */
#define HOME    "\033[H"
#define TO_END  "\033[K" /* of the line */
#define TO_LAST "\033[J" /* of the screen */

static volatile sig_atomic_t asked_to_end;
static volatile sig_atomic_t asked_to_stop;

static void on_end(int number)
{
    (void)number;
    asked_to_end = 1;
}

static void on_stop(int number)
{
    (void)number;
    asked_to_stop = 1;
}

/* Nothing but to end the wait. */
static void on_resize(int number)
{
    (void)number;
}

/* Signals come in screen_wait() alone, so that no question and no frame is cut short. */
static void take_signals(struct screen *s)
{
    static const struct {
        int number;
        void (*handler)(int number);
    } rows[] = {
        {SIGINT, on_end},   {SIGTERM, on_end},     {SIGHUP, on_end},
        {SIGTSTP, on_stop}, {SIGWINCH, on_resize},
    };
    sigset_t ours;
    sigemptyset(&ours);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sigaction action = {.sa_handler = rows[i].handler};
        sigaction(rows[i].number, &action, NULL);
        sigaddset(&ours, rows[i].number);
    }
    sigprocmask(SIG_BLOCK, &ours, &s->signals);
}

static void write_out(const struct screen *s, const char *text)
{
    fputs(text, s->terminal->out);
    fflush(s->terminal->out);
}

static void take_terminal(struct screen *s)
{
    if (!s->terminal->live) {
        return;
    }
    if (isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &s->modes) == 0) {
        struct termios modes = s->modes;
        modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        s->changed = tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0;
        s->typing = s->changed;
    }
    write_out(s, SHOW);
    s->taken = true;
}

static void give_back(struct screen *s)
{
    if (s->taken) {
        write_out(s, HIDE);
    }
    if (s->changed) {
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &s->modes);
    }
    s->taken = false;
    s->changed = false;
    s->typing = false;
}

void screen_enter(struct screen *s, struct terminal *t)
{
    *s = (struct screen){.terminal = t};
    asked_to_end = 0;
    asked_to_stop = 0;
    take_signals(s);
    take_terminal(s);
}

void screen_leave(struct screen *s)
{
    give_back(s);
    sigprocmask(SIG_SETMASK, &s->signals, NULL);
}

/* What makes the terminal show text in place of the last frame. */
static void print_over(FILE *out, const char *text, unsigned rows)
{
    fputs(HOME, out);
    for (unsigned row = 1; *text && row <= rows; row++) {
        size_t len = strcspn(text, "\n");
        bool last = row == rows || text[len] == '\0' || text[len + 1] == '\0';
        fprintf(out, "%.*s" TO_END "%s", (int)len, text, last ? "" : "\r\n");
        text += len + (text[len] == '\n');
    }
    fputs(TO_LAST, out);
}

/* In one go, so that no half of a frame is ever seen. */
static void write_frame(const struct screen *s, const char *text)
{
    AUTO(free) char *frame = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&frame, &len);
    if (!memory) {
        return;
    }
    print_over(memory, text, s->terminal->height);
    if (fclose(memory) != 0) {
        return;
    }
    for (size_t sent = 0; sent < len;) {
        ssize_t n = write(fileno(s->terminal->out), frame + sent, len - sent);
        if (n <= 0) {
            return;
        }
        sent += (size_t)n;
    }
}

void screen_draw(struct screen *s, const char *text)
{
    if (s->taken) {
        write_frame(s, text);
        return;
    }
    fprintf(s->terminal->out, "%s%s", s->drawn ? "\n" : "", text);
    fflush(s->terminal->out);
    s->drawn = true;
}

/* As Ctrl-Z does to others, but with the terminal given back meanwhile. */
static void stop(struct screen *s)
{
    asked_to_stop = 0;
    give_back(s);
    raise(SIGSTOP);
    take_terminal(s);
}

/* False: q, or the terminal is gone. */
static bool read_key(void)
{
    char key;
    ssize_t n = read(STDIN_FILENO, &key, 1);
    return n < 0 ? errno == EINTR : n == 1 && key != 'q' && key != 'Q';
}

bool screen_wait(struct screen *s, unsigned msec)
{
    struct pollfd typed = {.fd = s->typing ? STDIN_FILENO : -1, .events = POLLIN};
    struct timespec patience = {msec / 1000, (long)(msec % 1000) * 1000000};
    int n = asked_to_end ? 0 : ppoll(&typed, 1, &patience, &s->signals);
    if (asked_to_stop) {
        stop(s);
    }
    terminal_measure(s->terminal);
    return !asked_to_end && (n <= 0 || read_key());
}
