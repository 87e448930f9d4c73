#include "app/faults_json.h"

#include <stdlib.h>
#include <string.h>

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

json_t *faults_json(const struct faults *f, size_t most)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->count && i < most; i++) {
        const struct fault *one = &f->list[i];
        (void)json_array_append_new(
            list, json_pack("{s:i, s:i, s:o, s:s, s:o}", "line", one->line, "column",
                            one->column, "path", json_text(one->path), "severity",
                            one->severity == FAULT_ERROR ? "error" : "warning", "message",
                            json_text(one->text)));
    }
    return list;
}
