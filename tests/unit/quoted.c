#include "tests/unit/quoted.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *quoted(const char *text)
{
    char *copy = strdup(text);
    ck_assert_ptr_nonnull(copy);
    for (char *p = copy; *p; p++) {
        *p = (char)(*p == '\'' ? '"' : *p == '~' ? '\'' : *p);
    }
    return copy;
}

struct snapshot *config_of(const char *json)
{
    struct faults faults = {0};
    char *text = quoted(json);
    struct snapshot *s = config_load(text, strlen(text), &faults);
    if (!s) {
        faults_print(&faults, "test", text, strlen(text), stderr);
    }
    faults_done(&faults);
    free(text);
    ck_assert_ptr_nonnull(s);
    return s;
}

char *faults_in_lines(const struct faults *f)
{
    char *out = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&out, &len);
    for (size_t i = 0; i < f->count; i++) {
        const struct fault *one = &f->list[i];
        fprintf(to, "%s%s%d:%d: %s: %s", i > 0 ? "\n" : "",
                one->severity == FAULT_WARNING ? "warning: " : "", one->line, one->column,
                one->path, one->text);
    }
    (void)fclose(to);
    return out;
}
