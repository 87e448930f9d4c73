#include <stdlib.h>
#include <string.h>

#include "config/load_parts.h"

#define PROMPT_MAX      200
#define ITEM_NAME_MAX   70 /* EDK2 cuts longer ones */
#define TIMEOUT_DEFAULT 10

/* -- the file of an item --------------------------------------------------------------- */

/* Takes room for it in the item's list, which is large enough. */
static void add_file(struct reader *r, struct menu_item *item, uint16_t arch,
                     const json_t *value, const struct json_path *at)
{
    const char *file = string_of(r, value, at, 1, BOOT_FILE_MAX);
    const char *objection =
        file ? boot_file_objection(file, arch == ARCH_ANY ? ARCH_X86_BIOS : arch, false)
             : NULL;
    if (objection) {
        complain(r, at, "%s", objection);
    }
    char *copy = file && !objection ? strdup(file) : NULL;
    if (!copy) {
        if (file && !objection) {
            no_memory(r, at);
        }
        return;
    }
    struct json_place place = place_of(r, at);
    item->files[item->file_count++] = (struct menu_file){
        .arch = arch,
        .file = copy,
        .line = (uint32_t)place.line,
        .column = (uint32_t)place.column,
    };
}

static void add_files(struct reader *r, struct menu_item *item, const json_t *object,
                      const struct json_path *at)
{
    json_t *all =
        (json_t *)object; /* the iteration macro takes no const; it reads only */
    const char *key;
    json_t *value;

    json_object_foreach (all, key, value) {
        struct json_path here = {.up = at, .key = key};
        uint16_t arch;
        if (!arch_parse(key, &arch)) {
            complain_key(r, &here,
                         "unknown key; it is no architecture such as \"x64-uefi\"");
        } else if (arch_is_http(arch)) {
            complain_key(r, &here, "clients that boot by HTTP know no menus");
        } else {
            add_file(r, item, arch, value, &here);
        }
    }
}

/* A name for every architecture, or an object with one for each. */
static void read_item_file(struct reader *r, const struct field *f, const json_t *value,
                           const struct json_path *at, void *dst)
{
    struct menu_item *item = dst;
    (void)f;
    if (!json_is_object(value) && !json_is_string(value)) {
        complain(r, at,
                 "expected a file, or an object { ... } with one for each "
                 "architecture, got %s",
                 json_kind(value));
        return;
    }
    size_t count = json_is_object(value) ? json_object_size(value) : 1;
    item->files = calloc(count + 1, sizeof *item->files);
    if (!item->files) {
        no_memory(r, at);
    } else if (json_is_string(value)) {
        add_file(r, item, ARCH_ANY, value, at);
    } else {
        add_files(r, item, value, at);
        if (count == 0) {
            complain(r, at, "is empty: name a file for an architecture");
        }
    }
}

/* -- items ----------------------------------------------------------------------------- */

static void read_item_action(struct reader *r, const struct field *f, const json_t *value,
                             const struct json_path *at, void *dst)
{
    static const char *const words[] = {"local", NULL};
    int action = -1;
    (void)f;
    read_word(r, value, at, words, &action);
    *(bool *)dst = action == 0;
}

/* clang-format off */
static const struct field item_fields[] = {
    {.key = "name", .read = read_text, .min = 1, .max = ITEM_NAME_MAX, .required = true,
     .offset = offsetof(struct menu_item, name)},
    {.key = "file", .read = read_item_file},
    {.key = "action", .read = read_item_action, .offset = offsetof(struct menu_item, local)},
    {.key = "next_server", .read = read_ip4,
     .offset = offsetof(struct menu_item, next_server)},
};
/* clang-format on */

static void read_item(struct reader *r, const json_t *object, const struct json_path *at,
                      struct menu_item *item)
{
    if (!json_is_object(object)) {
        complain(r, at, "expected an object { ... } about one item, got %s",
                 json_kind(object));
        return;
    }
    item->line = (uint32_t)place_of(r, at).line;
    read_fields(r, &FIELD_SET(item_fields), object, at, item);
    bool file = json_object_get(object, "file") != NULL;
    bool action = json_object_get(object, "action") != NULL;
    if (file == action) {
        complain(r, at,
                 "%s \"file\" %s \"action\": an item loads a file or boots from disk",
                 file ? "both" : "neither", file ? "and" : "nor");
    } else if (action && json_object_get(object, "next_server")) {
        complain(r, at, "\"next_server\" has no meaning where nothing is loaded");
    }
}

static void read_items(struct reader *r, const struct field *f, const json_t *value,
                       const struct json_path *at, void *dst)
{
    struct menu *menu = dst;
    (void)f;
    size_t count = json_array_size(value);
    if (!json_is_array(value)) {
        complain(r, at, "expected a list [ ... ] of items, got %s", json_kind(value));
        return;
    }
    if (count < 2) {
        complain(r, at,
                 "a menu of %zu items is none, and some firmware fails on it; name the "
                 "one file in the profile itself",
                 count);
    }
    if (count > MENU_ITEMS_MAX) {
        complain(r, at, "%zu items, at most %d are possible", count, MENU_ITEMS_MAX);
        count = MENU_ITEMS_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        struct json_path here = {.up = at, .index = i};
        read_item(r, json_array_get(value, i), &here, &menu->item[menu->item_count++]);
    }
}

/* clang-format off */
static const struct field menu_fields[] = {
    {.key = "prompt", .read = read_text, .min = 1, .max = PROMPT_MAX,
     .offset = offsetof(struct menu, prompt)},
    {.key = "timeout", .read = read_u32, .max = MENU_WAIT,
     .offset = offsetof(struct menu, timeout)},
    {.key = "items", .read = read_items, .required = true},
};
/* clang-format on */

/* -- the whole ------------------------------------------------------------------------- */

static void check_size(struct reader *r, const struct menu *menu,
                       const struct json_path *at)
{
    for (unsigned arch = 0; arch < ARCH_COUNT; arch++) {
        size_t size = menu_size(menu, (uint16_t)arch);
        if (size > MENU_SIZE_MAX) {
            complain(r, at,
                     "needs %zu octets on %s and option 43 holds %d: shorten names and "
                     "prompt, or leave items out",
                     size, arch_name((uint16_t)arch), MENU_SIZE_MAX);
            return;
        }
    }
}

void read_menu(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst)
{
    (void)f;
    if (!json_is_object(value)) {
        complain(r, at, "expected an object { ... }, got %s", json_kind(value));
        return;
    }
    struct menu *menu = calloc(1, sizeof *menu);
    if (!menu) {
        no_memory(r, at);
        return;
    }
    *(struct menu **)dst = menu;
    menu->timeout = TIMEOUT_DEFAULT;
    menu->line = (uint32_t)place_of(r, at).line;
    read_fields(r, &FIELD_SET(menu_fields), value, at, menu);
    check_size(r, menu, at);
}
