#include "config/fields.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"

#define NAMES_MAX 80 /* keys of the largest set, boot slots included */

/* -- complaints ------------------------------------------------------------------------ */

__attribute__((format(printf, 5, 0))) static void
vcomplain(struct reader *r, enum fault_severity severity, size_t offset, const char *path,
          const char *fmt, va_list ap)
{
    char text[256];
    struct json_place place = json_place(&r->lines, offset);
    vsnprintf(text, sizeof text, fmt, ap);
    faults_add(r->faults, severity, place.line, place.column, path, "%s", text);
}

void complain(struct reader *r, const struct json_path *at, const char *fmt, ...)
{
    char path[128];
    va_list ap;
    json_path_print(at, path, sizeof path);
    va_start(ap, fmt);
    vcomplain(r, FAULT_ERROR, json_locate(r->text, r->len, at), path, fmt, ap);
    va_end(ap);
}

void complain_key(struct reader *r, const struct json_path *at, const char *fmt, ...)
{
    char path[128];
    va_list ap;
    json_path_print(at, path, sizeof path);
    va_start(ap, fmt);
    vcomplain(r, FAULT_ERROR, json_locate_key(r->text, r->len, at), path, fmt, ap);
    va_end(ap);
}

void complain_at(struct reader *r, size_t offset, const char *path, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vcomplain(r, FAULT_ERROR, offset, path, fmt, ap);
    va_end(ap);
}

void warn(struct reader *r, const struct json_path *at, const char *fmt, ...)
{
    char path[128];
    va_list ap;
    json_path_print(at, path, sizeof path);
    va_start(ap, fmt);
    vcomplain(r, FAULT_WARNING, json_locate(r->text, r->len, at), path, fmt, ap);
    va_end(ap);
}

void no_memory(struct reader *r, const struct json_path *at)
{
    complain(r, at, "out of memory");
}

struct json_place place_of(struct reader *r, const struct json_path *at)
{
    return json_place(&r->lines, json_locate(r->text, r->len, at));
}

const char *json_kind(const json_t *value)
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "an object",
        [JSON_ARRAY] = "a list",
        [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a number with a fraction",
        [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",
        [JSON_NULL] = "null",
    };
    return kinds[json_typeof(value)];
}

const char *nearest(const char *word, const char *const *names, size_t count)
{
    unsigned best = strlen(word) <= 4 ? 2 : 3; /* one more than what is near enough */
    const char *found = NULL;

    for (size_t i = 0; i < count; i++) {
        unsigned far = strcasecmp(word, names[i]) ? text_distance(word, names[i]) : 0;
        if (far < best && far < strlen(names[i])) {
            best = far;
            found = names[i];
        }
    }
    return found;
}

/* -- objects --------------------------------------------------------------------------- */

/* "ipxe", "name", ...: as many whole names as fit into `size`, and a mark if there are more. */
static void list_keys(const struct field_set *set, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < set->count; i++) {
        const char *key = set->list[i].key;
        const char *between = i > 0 ? ", " : "";
        if (used + strlen(key) + sizeof ", \"\", ..." >= size) {
            snprintf(list + used, size - used, "%s...", between);
            return;
        }
        used += (size_t)snprintf(list + used, size - used, "%s\"%s\"", between, key);
    }
}

static void complain_unknown(struct reader *r, const struct field_set *set,
                             const struct json_path *at)
{
    const char *names[NAMES_MAX];
    char list[256];
    size_t count = set->count;

    assert(set->count + SLOT_COUNT <= NAMES_MAX);
    for (size_t i = 0; i < set->count; i++) {
        names[i] = set->list[i].key;
    }
    for (unsigned slot = 0; set->slots && slot < SLOT_COUNT; slot++) {
        names[count] = slot_name(slot);
        count += names[count] != NULL;
    }
    const char *near = nearest(at->key, names, count);
    if (near) {
        complain_key(r, at, "unknown key; did you mean \"%s\"?", near);
    } else if (set->slots) {
        list_keys(set, list, 96);
        complain_key(r, at,
                     "unknown key; it is no architecture such as \"x64-uefi\" or \"7\"; "
                     "also known here: \"ipxe\", %s",
                     list);
    } else {
        list_keys(set, list, sizeof list);
        complain_key(r, at, "unknown key; known here: %s", list);
    }
}

/* The row of this key, or one behind the last. */
static size_t row_of(const struct field_set *set, const char *key)
{
    size_t i = 0;
    while (i < set->count && strcmp(set->list[i].key, key) != 0) {
        i++;
    }
    return i;
}

bool is_known(const struct field_set *set, const char *key)
{
    return row_of(set, key) < set->count;
}

/* Which rows have their key in the object: bit i is row i. */
static uint64_t find_rows(struct reader *r, const struct field_set *set,
                          const json_t *object, const struct json_path *at, size_t *slots)
{
    json_t *all =
        (json_t *)object; /* the iteration macro takes no const; it reads only */
    const char *key;
    json_t *value;
    uint64_t there = 0;

    assert(set->count <= 64);
    json_object_foreach (all, key, value) {
        unsigned slot;
        size_t row = row_of(set, key);
        if (row < set->count) {
            there |= UINT64_C(1) << row;
        } else if (set->slots && slot_parse(key, &slot)) {
            ++*slots;
        } else {
            complain_unknown(r, set, &(struct json_path){.up = at, .key = key});
        }
    }
    return there;
}

size_t read_fields(struct reader *r, const struct field_set *set, const json_t *object,
                   const struct json_path *at, void *base)
{
    size_t slots = 0;
    uint64_t there = find_rows(r, set, object, at, &slots);
    for (size_t i = 0; i < set->count; i++) {
        if (set->list[i].required && !(there >> i & 1)) {
            complain(r, at, "\"%s\" is missing", set->list[i].key);
        }
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct field *f = &set->list[i];
        struct json_path here = {.up = at, .key = f->key};
        if (there >> i & 1) {
            f->read(r, f, json_object_get(object, f->key), &here,
                    (char *)base + f->offset);
        }
    }
    return slots;
}

void read_section(struct reader *r, const struct field *f, const json_t *value,
                  const struct json_path *at, void *dst)
{
    if (!json_is_object(value)) {
        complain(r, at, "expected an object { ... }, got %s", json_kind(value));
        return;
    }
    read_fields(r, f->inner, value, at, dst);
}

/* -- values ---------------------------------------------------------------------------- */

void read_bool(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst)
{
    (void)f;
    if (!json_is_boolean(value)) {
        complain(r, at, "expected true or false, got %s", json_kind(value));
        return;
    }
    *(bool *)dst = json_is_true(value);
}

void read_send_ahead(struct reader *r, const struct field *f, const json_t *value,
                     const struct json_path *at, void *dst)
{
    const char *text = json_string_value(value);
    long long blocks = json_integer_value(value);
    (void)f;
    if (text && !strcmp(text, "off")) {
        *(uint32_t *)dst = SEND_AHEAD_OFF;
    } else if (text && !strcmp(text, "auto")) {
        *(uint32_t *)dst = SEND_AHEAD_AUTO;
    } else if (json_is_integer(value) && blocks >= 1 && blocks <= SEND_AHEAD_MAX) {
        *(uint32_t *)dst = (uint32_t)blocks;
    } else {
        complain(r, at, "expected \"off\", \"auto\" or a number of blocks in 1..%d",
                 SEND_AHEAD_MAX);
    }
}

void read_u32(struct reader *r, const struct field *f, const json_t *value,
              const struct json_path *at, void *dst)
{
    if (!json_is_integer(value)) {
        complain(r, at, "expected a whole number, got %s", json_kind(value));
        return;
    }
    long long n = json_integer_value(value);
    if (n < f->min || n > f->max) {
        complain(r, at, "%lld is outside %lld..%lld", n, f->min, f->max);
        return;
    }
    *(uint32_t *)dst = (uint32_t)n;
}

static bool has_control(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7f) {
            return true;
        }
    }
    return false;
}

const char *string_of(struct reader *r, const json_t *value, const struct json_path *at,
                      long long min, long long max)
{
    if (!json_is_string(value)) {
        complain(r, at, "expected a string, got %s", json_kind(value));
        return NULL;
    }
    const char *text = json_string_value(value);
    size_t len = json_string_length(value);
    if (has_control(text, len)) {
        complain(r, at, "holds a control character, which has no use here");
        return NULL;
    }
    if (len == 0 && min > 0) {
        complain(r, at, "is empty");
        return NULL;
    }
    if ((long long)len < min || (long long)len > max) {
        complain(r, at, "is %zu octets long, which is outside %lld..%lld", len, min, max);
        return NULL;
    }
    return text;
}

void read_text(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst)
{
    const char *text = string_of(r, value, at, f->min, f->max);
    if (!text) {
        return;
    }
    char *copy = strdup(text);
    if (!copy) {
        no_memory(r, at);
        return;
    }
    free(*(char **)dst);
    *(char **)dst = copy;
}

void read_word(struct reader *r, const json_t *value, const struct json_path *at,
               const char *const *words, int *dst)
{
    char list[128] = "";
    const char *text = string_of(r, value, at, 1, 255);
    if (!text) {
        return;
    }
    for (int i = 0; words[i]; i++) {
        if (!strcmp(words[i], text)) {
            *dst = i;
            return;
        }
        size_t used = strlen(list);
        const char *between = words[i + 1] ? ", " : " or ";
        snprintf(list + used, sizeof list - used, "%s\"%s\"", i > 0 ? between : "",
                 words[i]);
    }
    complain(r, at, "expected %s, got \"%s\"", list, text);
}

void read_ip4(struct reader *r, const struct field *f, const json_t *value,
              const struct json_path *at, void *dst)
{
    struct ip4 ip;
    const char *text = string_of(r, value, at, 1, 255);
    (void)f;
    if (!text) {
        return;
    }
    if (!ip4_parse(text, &ip)) {
        complain(r, at, "expected an IPv4 address such as \"10.0.0.2\"");
        return;
    }
    if (ip.octet[0] >= 224) { /* multicast, reserved, broadcast */
        complain(r, at, "%s is no address that a machine can have", text);
        return;
    }
    *(struct ip4 *)dst = ip;
}
