#include <stdlib.h>
#include <string.h>

#include "config/load_parts.h"

/* -- names ----------------------------------------------------------------------------- */

int32_t find_profile(const struct snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->profile_count; i++) {
        if (!strcmp(s->profiles[i].name, name)) {
            return (int32_t)i;
        }
    }
    return -1;
}

void read_profile_name(struct reader *r, const struct field *f, const json_t *value,
                       const struct json_path *at, void *dst)
{
    const char *names[CONFIG_PROFILES_MAX];
    const struct snapshot *s = r->out;
    (void)f;

    const char *name = string_of(r, value, at, 1, NAME_LEN_MAX);
    if (!name || !r->profiles_known) {
        return;
    }
    int32_t index = find_profile(s, name);
    if (index >= 0) {
        *(int32_t *)dst = index;
        return;
    }
    for (size_t i = 0; i < s->profile_count; i++) {
        names[i] = s->profiles[i].name;
    }
    const char *near = nearest(name, names, s->profile_count);
    if (near) {
        complain(r, at, "there is no profile \"%s\"; did you mean \"%s\"?", name, near);
    } else {
        complain(r, at, "there is no profile \"%s\"; \"profiles\" must hold it", name);
    }
}

/* -- one profile ----------------------------------------------------------------------- */

void read_offer(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst)
{
    static const char *const words[] = {[OFFER_AUTO] = "auto",
                                        [OFFER_PXE] = "pxe",
                                        [OFFER_BINL] = "binl",
                                        [OFFER_BOTH] = "both",
                                        NULL};
    int form = (int)*(enum offer_form *)dst;
    (void)f;
    read_word(r, value, at, words, &form);
    *(enum offer_form *)dst = (enum offer_form)form;
}

uint32_t answer_said(const json_t *object)
{
    static const char *const keys[] = {"offer", "next_server", "ipxe_override",
                                       "delay_ms",
                                       "after_requests"}; /* in the order of the bits */
    uint32_t said = 0;
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        said |= json_object_get(object, keys[i]) ? 1u << i : 0;
    }
    return said;
}

/* clang-format off */
/* Every key that is no boot slot. */
static const struct field option_fields[] = {
    {.key = "extends", .read = read_profile_name, .offset = offsetof(struct profile, parent)},
    ANSWER_FIELDS(offsetof(struct profile, answer)),
    {.key = "fields", .read = read_repeat, .offset = offsetof(struct profile, repeat)},
    {.key = "menu", .read = read_menu, .offset = offsetof(struct profile, menu)},
    {.key = "msft_window", .read = read_bool,
     .offset = offsetof(struct profile, msft_window)},
    {.key = "vars", .read = read_vars, .offset = offsetof(struct profile, vars)},
    {.key = "done_when", .read = read_text, .min = 1, .max = 255,
     .offset = offsetof(struct profile, done_when)},
    {.key = "boot", .read = read_system, .offset = offsetof(struct profile, system)},
    {.key = "options", .read = read_options, .offset = offsetof(struct profile, options)},
    {.key = "directory", .read = read_directory, .min = 1, .max = 255,
     .offset = offsetof(struct profile, directory)},
};
/* clang-format on */

static void read_profile(struct reader *r, const json_t *object,
                         const struct json_path *up, size_t index)
{
    struct profile *p = &r->out->profiles[index];
    struct json_path at = *up;

    if (!json_is_object(object)) {
        complain(r, up, "expected an object { ... }, got %s", json_kind(object));
        return;
    }
    at.offset = json_locate(r->text, r->len, up);
    p->line = (uint32_t)json_place(&r->lines, at.offset).line;
    struct field_set set = FIELD_SET_AND_SLOTS(option_fields);
    if (read_fields(r, &set, object, &at, p) > 0) {
        read_boot_entries(r, &set, object, &at, p->boot);
    }
    add_system_script(r, &at, p->system, &p->boot[SLOT_IPXE]);
    p->answer.said = answer_said(object);
    if (p->menu) {
        p->menu->profile = (uint16_t)index;
    }
}

/* -- inheritance ----------------------------------------------------------------------- */

/* True when the line of parents comes back to where it began. */
static bool in_circle(const struct snapshot *s, size_t index)
{
    int32_t up = s->profiles[index].parent;
    for (size_t steps = 0; up >= 0 && steps < s->profile_count; steps++) {
        if ((size_t)up == index) {
            return true;
        }
        up = s->profiles[up].parent;
    }
    return false;
}

/* One complaint for each circle, which is then cut open. */
static void break_circles(struct reader *r, const struct json_path *at)
{
    struct snapshot *s = r->out;
    for (size_t i = 0; i < s->profile_count; i++) {
        struct json_path profile = {.up = at, .key = s->profiles[i].name};
        struct json_path extends = {.up = &profile, .key = "extends"};
        if (in_circle(s, i)) {
            complain(r, &extends, "\"%s\" extends itself%s", s->profiles[i].name,
                     (size_t)s->profiles[i].parent == i ? "" : " by way of others");
            s->profiles[i].parent = -1;
        }
    }
}

/* The profile itself or its nearest ancestor that has this key in the file, or NULL. */
static const struct profile *who_says(const struct snapshot *s, const json_t *profiles,
                                      const struct profile *p, const char *key)
{
    while (!json_object_get(json_object_get(profiles, p->name), key)) {
        if (p->parent < 0) {
            return NULL;
        }
        p = &s->profiles[p->parent];
    }
    return p;
}

/* What a profile leaves open comes from the nearest ancestor that says it. */
static void inherit(struct snapshot *s, const json_t *profiles, struct profile *p)
{
    const struct profile *from = who_says(s, profiles, p, "fields");
    p->repeat = from ? from->repeat : (struct repeat_conf){0};
    from = who_says(s, profiles, p, "msft_window");
    p->msft_window = from ? from->msft_window : s->tftp.msft_window;
    for (int32_t up = p->parent; up >= 0; up = s->profiles[up].parent) {
        struct answer_conf answer = s->profiles[up].answer;
        answer_lay(&answer, &p->answer);
        p->answer = answer;
        p->menu = p->menu ? p->menu : s->profiles[up].menu;
        for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
            if (!p->boot[slot].file) {
                p->boot[slot] = s->profiles[up].boot[slot];
            }
        }
    }
}

static bool gives_something(const struct profile *p)
{
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        if (p->boot[slot].file) {
            return true;
        }
    }
    return p->menu != NULL;
}

/* -- all profiles ---------------------------------------------------------------------- */

static bool add_profile(struct reader *r, const struct json_path *at)
{
    struct snapshot *s = r->out;
    size_t len = strlen(at->key);
    if (len == 0 || len > NAME_LEN_MAX) {
        complain_key(r, at, "the name of a profile has 1 to %d octets", NAME_LEN_MAX);
    }
    struct profile *p = &s->profiles[s->profile_count];
    p->name = strdup(at->key);
    if (!p->name) {
        no_memory(r, at);
        return false;
    }
    p->parent = -1;
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        p->boot[slot].profile = (uint16_t)s->profile_count;
        p->boot[slot].slot = (uint16_t)slot;
    }
    s->profile_count++;
    return true;
}

void read_profiles(struct reader *r, const struct field *f, const json_t *value,
                   const struct json_path *at, void *dst)
{
    json_t *all = (json_t *)value; /* the iteration macro takes no const; it reads only */
    struct snapshot *s = r->out;
    struct json_path here = *at;
    const char *name;
    json_t *object;
    (void)f;
    (void)dst;

    size_t count = json_object_size(value);
    if (!json_is_object(value) || count > CONFIG_PROFILES_MAX) {
        r->profiles_known = false;
        s->profiles_unread = true;
        complain(r, at, "expected an object of up to %d profiles, got %s with %zu",
                 CONFIG_PROFILES_MAX, json_kind(value), count);
        return;
    }
    here.offset = json_locate(r->text, r->len, at);
    s->profile_count = 0;
    s->profiles = calloc(count + 1, sizeof *s->profiles);
    if (!s->profiles) {
        no_memory(r, at);
        r->profiles_known = false;
        s->profiles_unread = true;
        return;
    }
    json_object_foreach (all, name,
                         object) { /* all names first: they may refer forward */
        if (!add_profile(r, &(struct json_path){.up = &here, .key = name})) {
            return;
        }
    }
    size_t index = 0;
    json_object_foreach (all, name, object) {
        struct json_path profile = {.up = &here, .key = name};
        read_profile(r, object, &profile, index++);
    }
    r->default_profile = find_profile(s, DEFAULT_PROFILE);
    break_circles(r, &here);
    for (size_t i = 0; i < s->profile_count; i++) {
        struct json_path profile = {.up = &here, .key = s->profiles[i].name};
        inherit(s, value, &s->profiles[i]);
        if (!gives_something(&s->profiles[i])) {
            warn(r, &profile, "gives no boot file to anybody");
        }
    }
}
