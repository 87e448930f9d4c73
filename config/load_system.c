/* "boot": the kernel, initrds and command line that a machine boots in the end. */
#include <stdlib.h>
#include <string.h>

#include "config/load_parts.h"
#include "config/system.h"

void read_system_file(struct reader *r, const json_t *value, const struct json_path *at,
                      size_t most, struct system_file *out)
{
    const char *name = string_of(r, value, at, 1, (long long)most);
    struct json_place place = place_of(r, at);
    out->line = (uint32_t)place.line;
    out->column = (uint32_t)place.column;
    if (!name) {
        return;
    }
    name += strspn(name, "/");
    const char *objection = system_name_objection(name);
    if (objection) {
        complain(r, at, "%s", objection);
        return;
    }
    out->name = strdup(name);
    if (!out->name) {
        no_memory(r, at);
    }
}

static void read_kernel(struct reader *r, const struct field *f, const json_t *value,
                        const struct json_path *at, void *dst)
{
    struct system_conf *system = dst;
    (void)f;
    read_system_file(r, value, at, SYSTEM_NAME_MAX, &system->kernel);
}

static const char *image_name(const struct system_file *file)
{
    const char *slash = strrchr(file->name, '/');
    return slash ? slash + 1 : file->name;
}

/* iPXE gives an image its base name, and the command line names it so. */
static bool is_named_alike(const struct system_conf *system,
                           const struct system_file *file)
{
    for (size_t i = 0; i < system->initrd_count; i++) {
        if (strcmp(image_name(&system->initrd[i]), image_name(file)) == 0) {
            return true;
        }
    }
    return false;
}

static void add_initrd(struct reader *r, const json_t *value, const struct json_path *at,
                       struct system_conf *system)
{
    struct system_file file = {0};
    read_system_file(r, value, at, SYSTEM_NAME_MAX, &file);
    if (!file.name) {
        return;
    }
    if (is_named_alike(system, &file)) {
        complain(r, at, "another initrd has the same name, its directory apart");
        free(file.name);
        return;
    }
    system->initrd[system->initrd_count++] = file;
}

static void read_initrd(struct reader *r, const struct field *f, const json_t *value,
                        const struct json_path *at, void *dst)
{
    struct system_conf *system = dst;
    (void)f;
    size_t count = json_array_size(value);
    if (json_is_string(value)) {
        add_initrd(r, value, at, system);
        return;
    }
    if (!json_is_array(value) || count > SYSTEM_INITRDS_MAX) {
        complain(r, at, "expected a file, or a list of up to %d, got %s with %zu",
                 SYSTEM_INITRDS_MAX, json_kind(value), count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct json_path here = {.up = at, .index = i};
        add_initrd(r, json_array_get(value, i), &here, system);
    }
}

static void read_args(struct reader *r, const struct field *f, const json_t *value,
                      const struct json_path *at, void *dst)
{
    struct system_conf *system = dst;
    const char *args = string_of(r, value, at, f->min, f->max);
    const char *objection = args ? system_args_objection(args) : NULL;
    struct json_place place = place_of(r, at);
    system->args_line = (uint32_t)place.line;
    system->args_column = (uint32_t)place.column;
    if (objection) {
        complain(r, at, "%s", objection);
    } else if (args) {
        system->args = strdup(args);
        if (!system->args) {
            no_memory(r, at);
        }
    }
}

static const struct field system_fields[] = {
    {.key = "kernel", .read = read_kernel, .required = true},
    {.key = "initrd", .read = read_initrd},
    {.key = "args", .read = read_args, .max = SYSTEM_ARGS_MAX},
};

void read_system(struct reader *r, const struct field *f, const json_t *value,
                 const struct json_path *at, void *dst)
{
    (void)f;
    if (!json_is_object(value)) {
        complain(r, at, "expected an object with \"kernel\", got %s", json_kind(value));
        return;
    }
    struct system_conf *system = calloc(1, sizeof *system);
    if (!system) {
        no_memory(r, at);
        return;
    }
    read_fields(r, &FIELD_SET(system_fields), value, at, system);
    if (!system->kernel.name) {
        system_free(system);
        return;
    }
    *(struct system_conf **)dst = system;
}

void add_system_script(struct reader *r, const struct json_path *at,
                       const struct system_conf *system, struct boot_entry *ipxe)
{
    if (!system || ipxe->file) {
        return;
    }
    ipxe->file = strdup(SYSTEM_SCRIPT);
    ipxe->line = system->kernel.line;
    ipxe->column = system->kernel.column;
    if (!ipxe->file) {
        no_memory(r, at);
    }
}
