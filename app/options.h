/*
 * app/options: the options of a command, as rows.
 *
 *     static const struct option_row rows[] = {
 *         {"config", 'c', OPTION_TEXT, offsetof(struct arguments, path)},
 *         {"json", 0, OPTION_FLAG, offsetof(struct arguments, json)},
 *         {"mac", 'm', OPTION_VALUE, 0},
 *         {NULL, 0, 0, 0},
 *     };
 *     options_read(rows, take, argc, argv, &arguments)
 *
 * Ownership: texts are views into argv.
 * Errors: false; an option that is none, or lacks its argument, was told on stderr, and optarg
 * is NULL; else it is the one that `take` did not.  Shell: getopt.
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#define OPTIONS_MAX 20
#define OPTION_OWN  256 /* codes of options without a letter begin here */

enum option_kind {
    OPTION_FLAG,  /* sets a bool */
    OPTION_TEXT,  /* keeps its argument in a const char * */
    OPTION_VALUE, /* take() reads its argument */
    OPTION_MAYBE, /* sets a bool; take() reads its argument, if there is one */
};

struct option_row {
    const char *name; /* "": its letter alone; NULL: the last row */
    int code;         /* its letter; from OPTION_OWN on, or 0: it has none */
    enum option_kind kind;
    size_t at; /* of the member that it sets */
};

/* take is NULL where no row needs it.  What is no option stands at optind. */
bool options_read(const struct option_row *rows,
                  bool (*take)(int code, const char *text, void *out), int argc,
                  char **argv, void *out);

#endif
