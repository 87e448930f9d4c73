/* What a host says over its profile, beside how it is answered. */
#include <stdlib.h>
#include <string.h>

#include "config/load_parts.h"

/* -- "fields" -------------------------------------------------------------------------- */

/* clang-format off */
static const struct field repeat_fields[] = {
    {.key = "sname", .read = read_bool, .offset = offsetof(struct repeat_conf, sname)},
    {.key = "option_66", .read = read_bool, .offset = offsetof(struct repeat_conf, option_66)},
    {.key = "option_67", .read = read_bool, .offset = offsetof(struct repeat_conf, option_67)},
};
static const struct field_set repeat_set = {.list = repeat_fields, .count = 3};
/* clang-format on */

void read_repeat(struct reader *r, const struct field *f, const json_t *value,
                 const struct json_path *at, void *dst)
{
    struct field whole = *f;
    whole.inner = &repeat_set;
    read_section(r, &whole, value, at, dst);
}

void read_own_repeat(struct reader *r, const struct field *f, const json_t *value,
                     const struct json_path *at, void *dst)
{
    struct host_own *own = dst;
    own->says_repeat = true;
    read_repeat(r, f, value, at, &own->repeat);
}

void read_own_msft_window(struct reader *r, const struct field *f, const json_t *value,
                          const struct json_path *at, void *dst)
{
    struct host_own *own = dst;
    own->says_msft_window = true;
    read_bool(r, f, value, at, &own->msft_window);
}

/* -- the whole ------------------------------------------------------------------------- */

/* The boot slots of the object, without the empty ones between them. */
static void read_boot(struct reader *r, const struct own_draft *d, const json_t *object,
                      const struct json_path *at, struct host_own *own)
{
    struct boot_entry boot[SLOT_COUNT] = {{0}};
    own->boot = calloc(d->slots + 1, sizeof *own->boot);
    if (!own->boot) {
        no_memory(r, at);
        return;
    }
    read_boot_entries(r, d->set, object, at, boot);
    add_system_script(r, at, own->system, &boot[SLOT_IPXE]);
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        if (boot[slot].file) {
            struct boot_entry *entry = &own->boot[own->boot_count++];
            *entry = boot[slot];
            entry->profile = OF_HOST;
            entry->slot = (uint16_t)slot;
        }
    }
}

struct host_own *read_own(struct reader *r, struct own_draft *d, const json_t *object,
                          const struct json_path *at)
{
    struct host_own *own = &d->own;
    if (d->slots == 0 && !own->says_repeat && !own->says_msft_window && !own->menu &&
        !own->done_when && !own->system && !own->options && !own->directory.name) {
        return NULL;
    }
    struct host_own *out = malloc(sizeof *out);
    if (!out) {
        no_memory(r, at);
        host_own_done(own);
        return NULL;
    }
    if (d->slots > 0 || own->system) {
        read_boot(r, d, object, at, own);
    }
    if (own->menu) {
        own->menu->profile = OF_HOST;
    }
    own->index = at ? (uint32_t)at->index : OF_HOST_ALONE;
    *out = *own;
    return out;
}
