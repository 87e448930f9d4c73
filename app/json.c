#include "app/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

json_t *json_text(const char *text)
{
    json_t *exact = json_string(text);
    if (exact) {
        return exact;
    }
    size_t len = strlen(text);
    char *copy = malloc(len + 1);
    if (!copy) {
        return NULL;
    }
    for (size_t at = 0; at <= len; at++) {
        copy[at] = text[at];
        if ((unsigned char)text[at] >= 0x80) {
            copy[at] = '?';
        }
    }
    json_t *plain = json_string(copy);
    free(copy);
    return plain;
}

/* No terminal obeys what is plain ASCII; JSON escapes the rest of that itself. */
size_t json_for(FILE *to)
{
    return isatty(fileno(to)) ? JSON_ENSURE_ASCII : 0;
}

bool json_print(json_t *value)
{
    json_auto_t *all = value;
    bool good = all && json_dumpf(all, stdout,
                                  JSON_INDENT(2) | JSON_DIGITS | json_for(stdout)) == 0;
    putchar('\n');
    return good;
}

json_t *faults_json(const struct faults *f, const char *file, size_t most)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->count && i < most; i++) {
        const struct fault *one = &f->list[i];
        (void)json_array_append_new(
            list,
            json_pack("{s:o, s:i, s:i, s:o, s:s, s:o}", "file",
                      json_text(fault_file(f, one, file)), "line", one->line, "column",
                      one->column, "path", json_text(one->path), "severity",
                      one->severity == FAULT_ERROR ? "error" : "warning", "message",
                      json_text(one->text)));
    }
    return list;
}
