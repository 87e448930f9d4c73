/* "files": names that clients may ask for, and what they get. */
#include <stdlib.h>
#include <string.h>

#include "config/load_parts.h"

#define NAME_MAX_OCTETS 255
#define PATH_MAX_OCTETS 4095

/* NULL, or why clients could never ask for this. */
static const char *name_objection(const char *name)
{
    if (strchr(name, '\\')) {
        return "is written with \"/\", not with backslashes";
    }
    for (const char *p = name;; p++) {
        size_t len = strcspn(p, "/");
        if (len == 0) {
            return "holds a doubled or closing \"/\"";
        }
        if ((len == 1 && p[0] == '.') || (len == 2 && p[0] == '.' && p[1] == '.')) {
            return "holds \".\" or \"..\", which clients cannot ask for";
        }
        p += len;
        if (*p == '\0') {
            return NULL;
        }
    }
}

/* A path in `files` is one from the root, with or without a slash in front. */
static char *copy_of_name(struct reader *r, const struct json_path *at, const char *name,
                          bool is_key)
{
    while (*name == '/') {
        name++;
    }
    size_t len = strlen(name);
    const char *objection = len == 0 ? "is no name of a file" : name_objection(name);
    if (!objection && len > NAME_MAX_OCTETS) {
        objection = "is longer than 255 octets";
    }
    if (objection && is_key) {
        complain_key(r, at, "%s", objection);
    } else if (objection) {
        complain(r, at, "%s", objection);
    }
    char *copy = objection ? NULL : strdup(name);
    if (!copy && !objection) {
        no_memory(r, at);
    }
    return copy;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* By what programs ask for: see "kind" for all others. */
static enum template_kind kind_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    size_t len = strlen(base);
    if (len > 5 && strcmp(base + len - 5, ".ipxe") == 0) {
        return TEMPLATE_IPXE;
    }
    if (begins(base, "grub.cfg")) {
        return TEMPLATE_GRUB;
    }
    return begins(name, "pxelinux.cfg/") || strstr(name, "/pxelinux.cfg/")
               ? TEMPLATE_PXELINUX
               : TEMPLATE_PLAIN;
}

static void read_kind(struct reader *r, const struct field *f, const json_t *value,
                      const struct json_path *at, void *dst)
{
    static const char *const words[] = {[TEMPLATE_PLAIN] = "plain",
                                        [TEMPLATE_IPXE] = "ipxe",
                                        [TEMPLATE_GRUB] = "grub",
                                        [TEMPLATE_PXELINUX] = "pxelinux",
                                        NULL};
    int kind = (int)*(enum template_kind *)dst;
    (void)f;
    read_word(r, value, at, words, &kind);
    *(enum template_kind *)dst = (enum template_kind)kind;
}

static void read_target(struct reader *r, const struct field *f, const json_t *value,
                        const struct json_path *at, void *dst)
{
    struct virtual_file *file = dst;
    const char *text = string_of(r, value, at, f->min, f->max);
    struct json_place place = place_of(r, at);
    file->line = (uint32_t)place.line;
    file->column = (uint32_t)place.column;
    if (text) {
        file->file = copy_of_name(r, at, text, false);
    }
}

static void read_template(struct reader *r, const struct field *f, const json_t *value,
                          const struct json_path *at, void *dst)
{
    struct virtual_file *file = dst;
    struct json_place place = place_of(r, at);
    file->line = (uint32_t)place.line;
    file->column = (uint32_t)place.column;
    read_text(r, f, value, at, &file->template);
}

/* clang-format off */
static const struct field file_fields[] = {
    {.key = "file", .read = read_target, .min = 1, .max = NAME_MAX_OCTETS},
    {.key = "template", .read = read_template, .min = 1, .max = PATH_MAX_OCTETS},
    {.key = "kind", .read = read_kind, .offset = offsetof(struct virtual_file, kind)},
};
/* clang-format on */

static bool is_twin(const struct snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->file_count; i++) {
        const char *other = s->files[i].name;
        if (other && strcmp(other, name) == 0) {
            return true;
        }
    }
    return false;
}

static void read_entry(struct reader *r, const json_t *object, const struct json_path *at)
{
    struct snapshot *s = r->out;
    char *name = copy_of_name(r, at, at->key, true);
    if (!name) {
        return;
    }
    if (!json_is_object(object)) {
        complain(r, at, "expected an object with \"file\" or \"template\", got %s",
                 json_kind(object));
        free(name);
        return;
    }
    if (is_twin(s, name)) {
        complain_key(r, at, "the same name as one above");
        free(name);
        return;
    }
    struct virtual_file *file = &s->files[s->file_count++];
    file->name = name;
    file->kind = kind_of(name);
    read_fields(r, &FIELD_SET(file_fields), object, at, file);
    bool target = json_object_get(object, "file") != NULL;
    bool template = json_object_get(object, "template") != NULL;
    if (target == template) {
        complain(r, at, "%s \"file\" %s \"template\": one of them says what is served",
                 target ? "both" : "neither", target ? "and" : "nor");
    } else if (target && json_object_get(object, "kind")) {
        complain(r, at, "\"kind\" has a meaning with \"template\" only");
    }
}

void read_files(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst)
{
    json_t *all = (json_t *)value; /* the iteration macro takes no const; it reads only */
    struct snapshot *s = r->out;
    const char *name;
    json_t *one;
    (void)f;
    (void)dst;

    size_t count = json_object_size(value);
    if (!json_is_object(value) || count > CONFIG_FILES_MAX) {
        complain(r, at, "expected an object of up to %d files, got %s with %zu",
                 CONFIG_FILES_MAX, json_kind(value), count);
        return;
    }
    s->files = calloc(count + 1, sizeof *s->files);
    if (!s->files) {
        no_memory(r, at);
        return;
    }
    json_object_foreach (all, name, one) {
        struct json_path here = {.up = at, .key = name};
        read_entry(r, one, &here);
    }
}
