/* "vars": names for use in templates. */
#include <stdlib.h>
#include <string.h>

#include "config/load_parts.h"

#define VARS_MAX      64
#define VAR_NAME_MAX  63
#define VAR_VALUE_MAX 1024
#define LETTERS       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static bool is_name(const char *text)
{
    size_t len = strlen(text);
    return len > 0 && len <= VAR_NAME_MAX && strchr(LETTERS, text[0]) &&
           strspn(text, LETTERS "0123456789-") == len;
}

static void add_var(struct reader *r, const char *name, const json_t *value,
                    const struct json_path *at, struct host_vars *vars)
{
    if (!is_name(name)) {
        complain_key(r, at,
                     "the name of a variable has letters, digits, \"_\" and \"-\", a "
                     "letter first, and %d octets at most",
                     VAR_NAME_MAX);
        return;
    }
    const char *text = string_of(r, value, at, 0, VAR_VALUE_MAX);
    if (!text) {
        return;
    }
    struct host_var var = {strdup(name), strdup(text)};
    if (!var.name || !var.value) {
        no_memory(r, at);
        free(var.name);
        free(var.value);
        return;
    }
    vars->list[vars->count++] = var;
}

void read_vars(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst)
{
    json_t *all = (json_t *)value; /* the iteration macro takes no const; it reads only */
    const char *name;
    json_t *one;
    (void)f;

    size_t count = json_object_size(value);
    if (!json_is_object(value) || count > VARS_MAX) {
        complain(r, at, "expected an object of up to %d strings, got %s with %zu",
                 VARS_MAX, json_kind(value), count);
        return;
    }
    if (count == 0) {
        return;
    }
    struct host_vars *vars = calloc(1, sizeof *vars);
    struct host_var *list = calloc(count, sizeof *list);
    if (!vars || !list) {
        no_memory(r, at);
        free(vars);
        free(list);
        return;
    }
    vars->list = list;
    json_object_foreach (all, name, one) {
        struct json_path here = {.up = at, .key = name};
        add_var(r, name, one, &here, vars);
    }
    *(struct host_vars **)dst = vars;
}
