#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/json.h"
#include "app/options.h"
#include "app/orders.h"
#include "app/status_view.h"
#include "app/terminal.h"
#include "app/when.h"
#include "common/cleanup.h"
#include "common/netaddr.h"
#include "common/tell.h"

#define WAIT  30 /* seconds that pxed may hold a question */
#define RETRY 1  /* second, while there is no pxed */

struct wish {
    const char *configuration;
    const char *mac; /* NULL: of all machines */
    bool follow;
    bool json;
    bool no_color;
    bool limited;
    uint64_t most; /* lines of what is past */
};

static bool take_most(int code, const char *text, void *wish)
{
    struct wish *w = wish;
    (void)code;
    w->limited = true;
    return text_decimal(text, &w->most);
}

static bool parse_arguments(int argc, char **argv, struct wish *w)
{
    static const struct option_row rows[] = {
        {"config", 'c', OPTION_TEXT, offsetof(struct wish, configuration)},
        {"", 'n', OPTION_VALUE, 0},
        {"follow", 0, OPTION_FLAG, offsetof(struct wish, follow)},
        {"json", 0, OPTION_FLAG, offsetof(struct wish, json)},
        {"no-color", 0, OPTION_FLAG, offsetof(struct wish, no_color)},
        {NULL, 0, 0, 0},
    };
    struct mac mac;
    *w = (struct wish){.configuration = PXED_CONFIGURATION};
    if (!options_read(rows, take_most, argc, argv, w)) {
        return false;
    }
    w->mac = optind < argc ? argv[optind++] : NULL;
    return optind == argc && (!w->mac || mac_parse(w->mac, &mac));
}

/* -- a line of the log -------------------------------------------------------------------- */

static void print_column(const struct terminal *t, enum tone tone, const char *text,
                         unsigned width, enum human_fill fill)
{
    char shown[1024] = "";
    struct text out = {shown, sizeof shown, 0};
    const char *some = *text ? text : "-";
    /* Only a terminal has columns that must be kept to. */
    bool whole = t->room.width == 0 && human_columns(some, t->room.utf8) > width;
    human_fit(&out, some, (struct human_room){whole ? 0 : width, t->room.utf8}, fill);
    fprintf(t->out, "%s%s%s  ", terminal_tone(t, tone), shown,
            terminal_tone(t, TONE_PLAIN));
}

static void print_boot(const struct terminal *t, const json_t *boot)
{
    const unsigned before = 19 + 17 + 14 + 14 + 8 + 22 + 6 * 2;
    char when[32];
    char took[48] = "";
    char shown[4096] = "";
    struct text seconds = {took, sizeof took, 0};
    struct text sentence = {shown, sizeof shown, 0};
    struct human_room room = t->room;
    const json_t *value = json_object_get(boot, "seconds");
    human_duration(&seconds, json_is_number(value) ? json_number_value(value) : -1);
    print_column(t, TONE_DIM,
                 when_show(answer_text(boot, "ended"), "", when, sizeof when), 19,
                 HUMAN_LEFT);
    print_column(t, TONE_STRONG, boot_who(boot), 17, HUMAN_LEFT);
    print_column(t, TONE_PLAIN, answer_text(boot, "host"), 14, HUMAN_LEFT);
    print_column(t, TONE_PLAIN, answer_text(boot, "arch"), 14, HUMAN_LEFT);
    print_column(t, TONE_PLAIN, took, 8, HUMAN_RIGHT);
    print_column(t, boot_tone(boot), answer_text(boot, "verdict"), 22, HUMAN_LEFT);
    /* A sentence that finds no room worth having goes on in the next line of the terminal. */
    room.width = room.width > before + 20 ? room.width - before : 0;
    human_fit(&sentence, answer_text(boot, "sentence"), room, HUMAN_CUT);
    fprintf(t->out, "%s\n", shown);
}

static void print_json(const json_t *boot)
{
    (void)json_dumpf(boot, stdout, JSON_COMPACT | JSON_DIGITS | json_for(stdout));
    putchar('\n');
}

/* The oldest first; of the last `most`. */
static void print_boots(const struct wish *w, const struct terminal *t,
                        const json_t *boots, bool limited)
{
    size_t count = json_array_size(boots);
    size_t first = limited && w->most < count ? count - (size_t)w->most : 0;
    for (size_t i = first; i < count; i++) {
        const json_t *boot = json_array_get(boots, i);
        if (w->json) {
            print_json(boot);
        } else {
            print_boot(t, boot);
        }
    }
    (void)fflush(stdout);
}

/* -- asking ------------------------------------------------------------------------------- */

static json_t *question(const struct wish *w, uint64_t after, unsigned wait)
{
    json_t *q = json_pack("{s:s, s:I, s:i}", "verb", "log", "after", (json_int_t)after,
                          "wait", (int)wait);
    if (q && w->mac) {
        (void)json_object_set_new(q, "mac", json_string(w->mac));
    }
    return q;
}

/* 0 or -errno; -EREMOTEIO after a complaint: it will not tell. */
static int ask(const struct wish *w, const char *path, uint64_t after, unsigned wait,
               json_t **answer)
{
    int error =
        order_at(path, question(w, after, wait), ORDER_SHORT_MS + 1000 * wait, answer);
    if (error == 0 && !json_is_true(json_object_get(*answer, "ok"))) {
        tell(stderr, "pxed: %s\n", answer_text(*answer, "error"));
        json_decref(*answer);
        *answer = NULL;
        return -EREMOTEIO;
    }
    return error;
}

static uint64_t next_of(const json_t *answer)
{
    json_int_t next = json_integer_value(json_object_get(answer, "next"));
    return next > 0 ? (uint64_t)next : 0;
}

/* Which process answers; 0: none. */
static json_int_t pid_at(const char *path)
{
    json_t *answer = NULL;
    (void)order_at(path, json_pack("{s:s}", "verb", "version"), ORDER_SHORT_MS, &answer);
    json_int_t pid = json_integer_value(json_object_get(answer, "pid"));
    json_decref(answer);
    return pid;
}

/* -- following ---------------------------------------------------------------------------- */

/* Whom we follow, and how far we are. */
struct follower {
    json_int_t pid;
    uint64_t after;
    bool sure; /* false: it may be another process, that counts anew */
};

/* Until some pxed answers; a new one counts its boots from the start. */
static void wait_for_return(struct follower *f, const char *path, int error)
{
    json_int_t pid;
    tell(stderr, "pxed: it has gone (%s), waiting for it\n", strerror(-error));
    while ((pid = pid_at(path)) == 0) {
        (void)sleep(RETRY);
    }
    if (pid != f->pid) {
        f->after = 0;
    }
    tell(stderr, "pxed: it is back%s, process %lld\n",
         pid != f->pid ? ", started anew" : "", (long long)pid);
    f->pid = pid;
    f->sure = false;
}

static int follow(const struct wish *w, const char *path, const struct terminal *t,
                  struct follower *f)
{
    while (!ferror(stdout)) {
        json_t *answer = NULL;
        int error = ask(w, path, f->after, f->sure ? WAIT : 0, &answer);
        json_auto_t *mine = answer;
        if (error == -EREMOTEIO) {
            return EXIT_FAULT;
        }
        if (error != 0) {
            wait_for_return(f, path, error);
            continue;
        }
        /* Process ids repeat themselves (in a container they are all 1); counts that fell
         * are those of another process. */
        bool anew = next_of(mine) < f->after;
        f->after = anew ? 0 : next_of(mine);
        f->sure = !anew;
        if (!anew) {
            print_boots(w, t, json_object_get(mine, "boots"), false);
        }
    }
    return EXIT_FAULT;
}

/* All that is past, an answer at a time; *next is where they end. */
static int ask_past(const struct wish *w, const char *path, json_t *past, uint64_t *next)
{
    size_t count = 1;
    *next = 0;
    while (count > 0) {
        json_t *answer = NULL;
        int error = ask(w, path, *next, 0, &answer);
        json_auto_t *mine = answer;
        if (error != 0) {
            return error;
        }
        json_t *boots = json_object_get(mine, "boots");
        count = next_of(mine) > *next ? json_array_size(boots) : 0;
        *next = next_of(mine);
        if (count > 0 && json_array_extend(past, boots) != 0) {
            return -ENOMEM;
        }
    }
    return 0;
}

int command_log(int argc, char **argv)
{
    struct wish w;
    struct terminal t;
    struct follower f = {0};
    if (!parse_arguments(argc, argv, &w)) {
        tell(stderr, "usage: pxed log [-c FILE] [--follow] [--json] [--no-color] "
                     "[-n LINES] [MAC]\n");
        return EXIT_USAGE;
    }
    AUTO(free) char *path = order_path(w.configuration);
    if (!path) {
        return EXIT_FAULT;
    }
    f.pid = w.follow ? pid_at(path) : 0;
    json_auto_t *past = json_array();
    int error = ask_past(&w, path, past, &f.after);
    if (error != 0) {
        if (error != -EREMOTEIO) {
            order_complain(path, error);
        }
        return EXIT_FAULT;
    }
    terminal_open(&t, stdout, w.no_color);
    print_boots(&w, &t, past, w.limited);
    f.sure = true;
    if (w.follow) {
        return follow(&w, path, &t, &f);
    }
    return ferror(stdout) ? EXIT_FAULT : EXIT_GOOD;
}
