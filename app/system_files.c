#include "app/system_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "app/boot_files.h"
#include "common/cleanup.h"
#include "config/hosts.h"
#include "config/template.h"

#define SEEN_MAX 16 /* names found good lately: many hosts name the same few */

/* One run over all that name a system. */
struct check {
    const struct snapshot *s;
    enum fault_severity severity;
    struct faults *faults;
    int root; /* descriptor; -1: files are not looked at */
    const char *seen[SEEN_MAX];
    unsigned next;
};

/* Whose "boot" or "directory" it is. */
struct owner {
    const struct host *host; /* NULL: the profile's */
    size_t profile;
    bool elsewhere; /* another server has its files */
};

/* Where in it a value stands. */
struct spot {
    const char *key;
    uint32_t line;
    uint32_t column;
};

static void object(const struct check *c, const struct owner *o, const struct spot *at,
                   enum fault_severity severity, const char *text)
{
    char path[128];
    uint32_t before = c->faults->file;
    const char *name = o->host ? o->host->name : c->s->profiles[o->profile].name;
    snprintf(path, sizeof path, "%s.%s.%s", o->host ? "hosts" : "profiles",
             name ? name : "", at->key);
    c->faults->file = o->host ? o->host->file : 0;
    faults_add(c->faults, severity, (int)at->line, (int)at->column, path, "%s", text);
    c->faults->file = before;
}

/* -- variables --------------------------------------------------------------------------- */

/* True when this text holds none that are unknown. */
static bool check_variables(const struct check *c, const struct owner *o,
                            const struct spot *at, const char *text)
{
    char words[200];
    size_t from = 0;
    struct template_place place;
    enum template_fault fault =
        o->host ? template_check_host(c->s, o->host, text, &place)
                : template_check(c->s, text, strlen(text), &from, &place);
    if (fault != TEMPLATE_OK) {
        object(c, o, at, FAULT_ERROR,
               template_explain(fault, &place, words, sizeof words));
    }
    return fault == TEMPLATE_OK;
}

/* -- files ------------------------------------------------------------------------------- */

static bool was_seen(const struct check *c, const char *name)
{
    for (unsigned i = 0; i < SEEN_MAX; i++) {
        if (c->seen[i] && strcmp(c->seen[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* NULL, or why this is not to be loaded as a kernel or an initrd. */
static const char *objection_of(const struct bootfile *b, bool is_kernel)
{
    if (b->kind == BOOTFILE_EMPTY) {
        return "is empty";
    }
    if (b->cut_short) {
        return "ends too early: it was not copied to its end";
    }
    bool kernel = b->kind == BOOTFILE_LINUX || b->kind == BOOTFILE_EFI;
    return is_kernel && !kernel ? "is no kernel: neither a bzImage nor an EFI program"
                                : NULL;
}

static void check_file(struct check *c, const struct owner *o, const char *key,
                       const struct system_file *file)
{
    char text[256];
    char why[256];
    struct bootfile what;
    bool is_kernel = strcmp(key, "boot.kernel") == 0;
    struct spot at = {key, file->line, file->column};
    if (!check_variables(c, o, &at, file->name) || o->elsewhere || c->root < 0 ||
        !template_is_plain(file->name) || was_seen(c, file->name)) {
        return;
    }
    int error = boot_file_look(c->root, file->name, &what);
    if (error != 0) {
        boot_file_missing(c->root, c->s->tftp.root, file->name, -error, text,
                          sizeof text);
        object(c, o, &at, c->severity, text);
        return;
    }
    const char *objection = objection_of(&what, is_kernel);
    if (objection) {
        snprintf(text, sizeof text, "\"%.100s\" %s (it looks like: %s)", file->name,
                 objection, bootfile_describe(&what, why, sizeof why));
        object(c, o, &at, c->severity, text);
        return;
    }
    c->seen[c->next++ % SEEN_MAX] = file->name;
}

static void check_directory(const struct check *c, const struct owner *o,
                            const struct system_file *directory)
{
    char text[256];
    struct bootfile what;
    struct spot at = {"directory", directory->line, directory->column};
    if (!directory->name || !check_variables(c, o, &at, directory->name) || c->root < 0 ||
        !template_is_plain(directory->name)) {
        return;
    }
    int error = boot_file_look(c->root, directory->name, &what);
    if (error == 0) {
        snprintf(text, sizeof text, "\"%.100s\" is a file, not a directory",
                 directory->name);
    } else {
        boot_file_missing(c->root, c->s->tftp.root, directory->name, -error, text,
                          sizeof text);
    }
    if (error != -EISDIR) {
        object(c, o, &at, c->severity, text);
    }
}

static void check_system(struct check *c, const struct owner *o,
                         const struct system_conf *system)
{
    check_file(c, o, "boot.kernel", &system->kernel);
    for (size_t i = 0; i < system->initrd_count; i++) {
        check_file(c, o, "boot.initrd", &system->initrd[i]);
    }
    if (system->args) {
        struct spot at = {"boot.args", system->args_line, system->args_column};
        (void)check_variables(c, o, &at, system->args);
    }
}

static void check_host(struct check *c, const struct host *h)
{
    if (!h->own || h->profile >= c->s->profile_count) {
        return;
    }
    struct answer_conf answer = plan_answer(&c->s->profiles[h->profile], h);
    struct owner o = {h, h->profile, !ip4_is_any(answer.next_server)};
    check_directory(c, &o, &h->own->directory);
    if (h->own->system) {
        check_system(c, &o, h->own->system);
    }
}

void system_files_check(const struct snapshot *s, enum fault_severity severity,
                        struct faults *faults)
{
    AUTO(close)
    int root = serves_files(s) && s->tftp.root
                   ? open(s->tftp.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                   : -1;
    struct check c = {.s = s, .severity = severity, .faults = faults, .root = root};
    for (size_t i = 0; i < s->profile_count; i++) {
        const struct profile *p = &s->profiles[i];
        struct owner o = {NULL, i, !ip4_is_any(p->answer.next_server)};
        check_directory(&c, &o, &p->directory);
        if (p->system) {
            check_system(&c, &o, p->system);
        }
    }
    for (size_t i = 0; i < hosts_count(s->hosts); i++) {
        check_host(&c, hosts_at(s->hosts, i));
    }
}
