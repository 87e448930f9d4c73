#include "app/options.h"

#include <assert.h>
#include <getopt.h>
#include <limits.h>

#define LONG (UCHAR_MAX + 1) /* what getopt calls the first row, by its name */

static bool is_letter(int code)
{
    return code > 0 && code <= UCHAR_MAX;
}

/* The two forms that getopt wants. */
static void prepare(const struct option_row *rows, struct option *options, char *letters)
{
    static const int has_arg[] = {[OPTION_FLAG] = no_argument,
                                  [OPTION_TEXT] = required_argument,
                                  [OPTION_VALUE] = required_argument,
                                  [OPTION_MAYBE] = optional_argument};
    for (int i = 0; rows[i].name; i++) {
        bool has_text = has_arg[rows[i].kind] == required_argument;
        assert(i < OPTIONS_MAX);
        if (rows[i].name[0]) {
            *options++ =
                (struct option){rows[i].name, has_arg[rows[i].kind], NULL, LONG + i};
        }
        if (is_letter(rows[i].code)) {
            *letters++ = (char)rows[i].code;
        }
        if (is_letter(rows[i].code) && has_text) {
            *letters++ = ':';
        }
    }
    *letters = '\0';
}

/* NULL: there is none ('?'). */
static const struct option_row *row_of(const struct option_row *rows, int c)
{
    for (int i = 0; rows[i].name; i++) {
        if (c == LONG + i || (is_letter(c) && c == rows[i].code)) {
            return &rows[i];
        }
    }
    return NULL;
}

bool options_read(const struct option_row *rows,
                  bool (*take)(int code, const char *text, void *out), int argc,
                  char **argv, void *out)
{
    struct option options[OPTIONS_MAX + 1] = {{NULL, 0, NULL, 0}};
    char letters[2 * OPTIONS_MAX + 1];
    int c;
    prepare(rows, options, letters);
    while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        const struct option_row *row = row_of(rows, c);
        if (!row) {
            return false;
        }
        void *member = (char *)out + row->at;
        if (row->kind == OPTION_FLAG || row->kind == OPTION_MAYBE) {
            *(bool *)member = true;
        }
        if (row->kind == OPTION_TEXT) {
            *(const char **)member = optarg;
        } else if (optarg && !take(row->code, optarg, out)) {
            return false;
        }
    }
    return true;
}
