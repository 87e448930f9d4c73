#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/json.h"
#include "app/options.h"
#include "app/orders.h"
#include "app/screen.h"
#include "app/status_print.h"
#include "common/cleanup.h"
#include "common/tell.h"

#define RECENT_SHOWN  10
#define INTERVAL_MOST 3600 /* seconds */

struct wish {
    const char *configuration;
    bool watch;
    bool json;
    bool quiet;
    bool no_color;
    unsigned interval; /* seconds */
};

static bool take_interval(int code, const char *text, void *wish)
{
    struct wish *w = wish;
    uint64_t seconds;
    (void)code;
    if (!text_decimal(text, &seconds) || seconds == 0 || seconds > INTERVAL_MOST) {
        return false;
    }
    w->interval = (unsigned)seconds;
    return true;
}

static bool parse_arguments(int argc, char **argv, struct wish *w)
{
    static const struct option_row rows[] = {
        {"config", 'c', OPTION_TEXT, offsetof(struct wish, configuration)},
        {"watch", 0, OPTION_MAYBE, offsetof(struct wish, watch)},
        {"json", 0, OPTION_FLAG, offsetof(struct wish, json)},
        {"quiet", 0, OPTION_FLAG, offsetof(struct wish, quiet)},
        {"no-color", 0, OPTION_FLAG, offsetof(struct wish, no_color)},
        {NULL, 0, 0, 0},
    };
    *w = (struct wish){.configuration = PXED_CONFIGURATION, .interval = 1};
    return options_read(rows, take_interval, argc, argv, w) && optind == argc &&
           !(w->quiet && (w->watch || w->json));
}

/* files: of each boot.  0 or -errno; -EREMOTEIO: it answers, but does not know how it is. */
static int ask(const char *path, bool files, json_t **document)
{
    int error = order_at(path, json_pack("{s:s, s:b}", "verb", "status", "files", files),
                         ORDER_SHORT_MS, document);
    if (error == 0 && !json_is_true(json_object_get(*document, "ok"))) {
        error = -EREMOTEIO;
    }
    (void)json_object_del(*document, "ok");
    return error;
}

static void complain(const char *path, int error, const json_t *answer)
{
    if (answer) {
        tell(stderr, "pxed: %s\n", answer_text(answer, "error"));
    } else {
        order_complain(path, error);
    }
}

static int show_once(const struct wish *w, const char *path)
{
    json_t *answer = NULL;
    struct terminal t;
    int error = ask(path, w->json, &answer);
    json_auto_t *document = answer;
    if (error != 0) {
        if (!w->quiet) {
            complain(path, error, document);
        }
        return EXIT_FAULT;
    }
    if (w->quiet) {
        return EXIT_GOOD;
    }
    if (w->json) {
        return json_print(json_incref(document)) ? EXIT_GOOD : EXIT_FAULT;
    }
    terminal_open(&t, stdout, w->no_color);
    status_print(document, &t, RECENT_SHOWN);
    return fflush(stdout) == 0 ? EXIT_GOOD : EXIT_FAULT;
}

/* -- watching ----------------------------------------------------------------------------- */

static void print_frame(const struct wish *w, const char *path, const struct terminal *t)
{
    json_t *answer = NULL;
    int error = ask(path, w->json, &answer);
    json_auto_t *document = answer;
    if (error != 0) {
        fputs(terminal_tone(t, TONE_BAD), t->out);
        tell(t->out, "pxed does not answer at %s: %s", path,
             document ? answer_text(document, "error") : strerror(-error));
        fprintf(t->out, "%s\n", terminal_tone(t, TONE_PLAIN));
    } else if (w->json) {
        (void)json_dumpf(document, t->out, JSON_COMPACT | JSON_DIGITS | json_for(t->out));
        fputc('\n', t->out);
    } else {
        status_print(document, t, RECENT_SHOWN);
    }
}

/* A frame as text, a column narrower than the terminal: its last one may wrap. */
static char *make_frame(const struct wish *w, const char *path, const struct terminal *t)
{
    char *text = NULL;
    size_t len;
    struct terminal memory = *t;
    memory.out = open_memstream(&text, &len);
    if (!memory.out) {
        return NULL;
    }
    memory.room.width -= memory.room.width > 1;
    print_frame(w, path, &memory);
    if (fclose(memory.out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static int watch(const struct wish *w, const char *path)
{
    struct terminal t;
    struct screen s;
    bool go_on = true;
    terminal_open(&t, stdout, w->no_color);
    if (w->json) {
        t.live = false;
        t.colour = false;
    }
    screen_enter(&s, &t);
    while (go_on) {
        AUTO(free) char *frame = make_frame(w, path, &t);
        if (frame) {
            screen_draw(&s, frame);
        }
        go_on = !ferror(stdout) && screen_wait(&s, 1000 * w->interval);
    }
    screen_leave(&s);
    return ferror(stdout) ? EXIT_FAULT : EXIT_GOOD;
}

int command_status(int argc, char **argv)
{
    struct wish w;
    if (!parse_arguments(argc, argv, &w)) {
        tell(stderr, "usage: pxed status [-c FILE] [--watch[=SECONDS]] [--json] "
                     "[--no-color]\n"
                     "       pxed status [-c FILE] --quiet    only the exit code: 0, "
                     "it serves\n");
        return EXIT_USAGE;
    }
    AUTO(free) char *path = order_path(w.configuration);
    if (!path) {
        return EXIT_FAULT;
    }
    return w.watch ? watch(&w, path) : show_once(&w, path);
}
