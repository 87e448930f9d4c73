/* "options": DHCP options that are sent as they stand; "directory": where else files are. */
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "config/load_parts.h"
#include "config/system.h"

#define VALUE_MAX   255
#define OPTIONS_MAX 32
#define OCTETS_MAX  512 /* of all: a reply to a request without option 57 holds no more */
#define BCD_PATH    252

/* -- which codes are not the configuration's to send ------------------------------------ */

/* NULL, or why. */
static const char *objection_to(unsigned code)
{
    static const struct {
        uint8_t first;
        uint8_t last;
        const char *why;
    } rows[] = {
        {0, 0, "is no option but filling"},
        {1, 1, "comes with an address, which a proxy never gives"},
        {3, 3, "comes with an address, which a proxy never gives"},
        {13, 13, "makes UEFI skip asking for the size of its file"},
        {43, 43, "is made from \"offer\" and \"menu\""},
        {50, 51, "belongs to leases, which a proxy never gives"},
        {52, 52, "would hide the file's name"},
        {53, 54, "says what the packet is"},
        {55, 59, "belongs to leases, which a proxy never gives"},
        {60, 60, "says what the packet is"},
        {61, 61, "is the client's"},
        {66, 67, "is set by \"next_server\", the boot file and \"fields\""},
        {82, 82, "is the relay's, which gets its own back"},
        {93, 94, "is the client's"},
        {97, 97, "is the client's, which gets its own back"},
        {175, 175, "is set by \"ipxe_override\""},
        {255, 255, "is no option but the end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (code >= rows[i].first && code <= rows[i].last) {
            return rows[i].why;
        }
    }
    return NULL;
}

/* -- one option -------------------------------------------------------------------------- */

/* Windows reads the path of its BCD as a C string. */
static bool take_value(unsigned code, const char *text, struct raw_option *out)
{
    size_t len = strlen(text);
    if (strncmp(text, "hex:", 4) == 0) {
        len = hex_octets(text + 4, len - 4, out->value);
    } else {
        len += code == BCD_PATH;
        memcpy(out->value, text, len);
    }
    out->code = (uint8_t)code;
    out->len = (uint8_t)len;
    return len >= 1 && len <= VALUE_MAX;
}

static void add_option(struct reader *r, const json_t *value, const struct json_path *at,
                       struct raw_options *options)
{
    uint64_t code = 0;
    bool plain = at->key[0] != '0' || at->key[1] == '\0'; /* "07" is 7 once more */
    bool known = plain && text_decimal(at->key, &code) && code <= 255;
    const char *objection = known
                                ? objection_to((unsigned)code)
                                : "is no code of an option: 2 to 254, in decimal digits";
    if (objection) {
        complain_key(r, at, "%s", objection);
        return;
    }
    const char *text = string_of(r, value, at, 1, 4 + 2 * VALUE_MAX);
    if (!text) {
        return;
    }
    struct raw_option one = {.value = malloc(strlen(text) + 1)};
    if (!one.value) {
        no_memory(r, at);
        return;
    }
    if (!take_value((unsigned)code, text, &one)) {
        complain(r, at,
                 "expected 1 to %d octets, as text or as two hexadecimal digits each "
                 "behind \"hex:\"",
                 VALUE_MAX);
        free(one.value);
        return;
    }
    options->list[options->count++] = one;
}

static void check_room(struct reader *r, const struct json_path *at,
                       const struct raw_options *options)
{
    size_t octets = 0;
    for (size_t i = 0; i < options->count; i++) {
        octets += 2u + options->list[i].len;
    }
    if (octets > OCTETS_MAX) {
        complain(r, at, "%zu octets of options; a reply has room for %d", octets,
                 OCTETS_MAX);
    }
}

void read_options(struct reader *r, const struct field *f, const json_t *value,
                  const struct json_path *at, void *dst)
{
    json_t *all = (json_t *)value; /* the iteration macro takes no const; it reads only */
    const char *code;
    json_t *one;
    (void)f;

    size_t count = json_object_size(value);
    if (!json_is_object(value) || count > OPTIONS_MAX) {
        complain(r, at, "expected an object of up to %d options, got %s with %zu",
                 OPTIONS_MAX, json_kind(value), count);
        return;
    }
    struct raw_options *options = calloc(1, sizeof *options);
    struct raw_option *list = calloc(count + 1, sizeof *list);
    if (!options || !list) {
        no_memory(r, at);
        free(options);
        free(list);
        return;
    }
    options->list = list;
    json_object_foreach (all, code, one) {
        struct json_path here = {.up = at, .key = code};
        add_option(r, one, &here, options);
    }
    check_room(r, at, options);
    *(struct raw_options **)dst = options;
}

/* -- "directory" ------------------------------------------------------------------------- */

void read_directory(struct reader *r, const struct field *f, const json_t *value,
                    const struct json_path *at, void *dst)
{
    read_system_file(r, value, at, (size_t)f->max, dst);
}
