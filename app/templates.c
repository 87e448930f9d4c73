#include "app/templates.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/eyes.h"
#include "app/read_file.h"
#include "common/cleanup.h"
#include "config/template.h"

#define FAULTS_MAX 20 /* of one template */

static void complain(const struct virtual_file *f, const char *key, struct faults *faults,
                     const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "files.%s%s%s", f->name, key[0] ? "." : "", key);
    faults_add(faults, FAULT_ERROR, (int)f->line, (int)f->column, path, "%s", text);
}

/* A name with variables: the first fault in it is told. */
static void check_name(const struct snapshot *s, const struct virtual_file *f,
                       const char *name, const char *key, struct faults *faults)
{
    char words[200];
    size_t from = 0;
    struct template_place place;
    enum template_fault fault = template_check(s, name, strlen(name), &from, &place);
    if (fault != TEMPLATE_OK) {
        complain(f, key, faults, template_explain(fault, &place, words, sizeof words));
    }
}

static void check_text(const struct snapshot *s, const struct virtual_file *f,
                       struct faults *faults)
{
    size_t from = 0;
    struct template_place place;
    enum template_fault fault;
    for (unsigned i = 0;
         i < FAULTS_MAX &&
         (fault = template_check(s, f->text, f->len, &from, &place)) != TEMPLATE_OK;
         i++) {
        char words[160];
        char text[256];
        (void)template_explain(fault, &place, words, sizeof words);
        snprintf(text, sizeof text, "%.80s:%d:%d: %s", f->template, place.line,
                 place.column, words);
        complain(f, "template", faults, text);
    }
}

static void read_template(const struct snapshot *s, struct virtual_file *f,
                          const char *configuration, struct faults *faults)
{
    struct eyes theirs;
    AUTO(free) char *path = path_beside(configuration, f->template);
    bool taken = eyes_take(&theirs, s->user);
    int error = path ? read_file(path, TEMPLATE_TEXT_MAX, &f->text, &f->len) : -ENOMEM;
    eyes_back(&theirs);
    if (error == 0) {
        check_text(s, f, faults);
        return;
    }
    char text[256];
    if (error == -EFBIG) {
        snprintf(text, sizeof text, "%.160s has more than %u KiB", f->template,
                 TEMPLATE_TEXT_MAX >> 10);
    } else if (error == -EACCES && taken) {
        snprintf(text, sizeof text, "user \"%s\", whom pxed becomes, may not read %.100s",
                 theirs.user, f->template);
    } else {
        snprintf(text, sizeof text, "cannot read %.160s: %s", f->template,
                 path ? read_fault(path, error) : strerror(-error));
    }
    complain(f, "template", faults, text);
}

void templates_load(struct snapshot *s, const char *path, struct faults *faults)
{
    for (size_t i = 0; i < s->file_count; i++) {
        struct virtual_file *f = &s->files[i];
        check_name(s, f, f->name, "", faults);
        if (f->file) {
            check_name(s, f, f->file, "file", faults);
        }
        if (f->template) {
            read_template(s, f, path, faults);
        }
    }
}
