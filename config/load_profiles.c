#include <stdlib.h>
#include <string.h>

#include "config/load_parts.h"

/* -- what a client may be given -------------------------------------------------------- */

static bool is_url(const char *file)
{
    size_t scheme = strspn(file, "abcdefghijklmnopqrstuvwxyz0123456789+.-");
    return scheme > 0 && !strncmp(file + scheme, "://", 3);
}

/* A component ".." between slashes of either kind. */
static bool climbs(const char *file)
{
    for (const char *p = file; *p; p += strcspn(p, "/\\"), p += *p != '\0') {
        if (strcspn(p, "/\\") == 2 && p[0] == '.' && p[1] == '.') {
            return true;
        }
    }
    return false;
}

const char *boot_file_objection(const char *file, unsigned slot)
{
    bool web = !strncmp(file, "http://", 7) || !strncmp(file, "https://", 8);
    if (slot < ARCH_COUNT && arch_is_http((uint16_t)slot)) {
        return web ? NULL
                   : "clients of this architecture load by HTTP: give an http:// or "
                     "https:// URL";
    }
    if (is_url(file)) {
        return slot == SLOT_IPXE
                   ? NULL
                   : "clients of this architecture load by TFTP: give a file "
                     "beneath tftp.root, not a URL";
    }
    if (climbs(file)) {
        return "\"..\" leads out of tftp.root: give a file beneath it";
    }
    return file[strspn(file, "/\\")] == '\0' ? "is no name of a file" : NULL;
}

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
static const struct field repeat_fields[] = {
    {.key = "sname", .read = read_bool, .offset = offsetof(struct repeat_conf, sname)},
    {.key = "option_66", .read = read_bool, .offset = offsetof(struct repeat_conf, option_66)},
    {.key = "option_67", .read = read_bool, .offset = offsetof(struct repeat_conf, option_67)},
};
static const struct field_set repeat_set = {repeat_fields, 3};

/* Every key that is no boot slot. */
static const struct field option_fields[] = {
    {.key = "extends", .read = read_profile_name, .offset = offsetof(struct profile, parent)},
    ANSWER_FIELDS(offsetof(struct profile, answer)),
    {.key = "fields", .read = read_section, .inner = &repeat_set,
     .offset = offsetof(struct profile, repeat)},
    {.key = "menu", .read = read_menu, .offset = offsetof(struct profile, menu)},
    {.key = "msft_window", .read = read_bool,
     .offset = offsetof(struct profile, msft_window)},
    {.key = "vars", .read = read_vars, .offset = offsetof(struct profile, vars)},
    {.key = "done_when", .read = read_text, .min = 1, .max = 255,
     .offset = offsetof(struct profile, done_when)},
};
/* clang-format on */
#define OPTIONS (sizeof option_fields / sizeof option_fields[0])

static void complain_key_of_profile(struct reader *r, const struct json_path *at)
{
    const char *names[SLOT_COUNT + OPTIONS];
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        names[i] = slot_name(i);
    }
    for (size_t i = 0; i < OPTIONS; i++) {
        names[SLOT_COUNT + i] = option_fields[i].key;
    }
    const char *near = nearest(at->key, names, SLOT_COUNT + OPTIONS);
    if (near) {
        complain_key(r, at, "unknown key; did you mean \"%s\"?", near);
    } else {
        complain_key(
            r, at,
            "unknown key; it is no architecture such as \"x64-uefi\" or \"7\", and "
            "not \"ipxe\", \"extends\", \"offer\", \"next_server\", "
            "\"ipxe_override\", \"delay_ms\", \"after_requests\", \"fields\", "
            "\"menu\", \"vars\", \"done_when\" or "
            "\"msft_window\"");
    }
}

static bool find_slot(const char *key, unsigned *out)
{
    uint16_t arch;
    if (!strcmp(key, slot_name(SLOT_IPXE))) {
        *out = SLOT_IPXE;
        return true;
    }
    if (!arch_parse(key, &arch)) {
        return false;
    }
    *out = arch;
    return true;
}

/* Is the host of this URL an address: dotted IPv4, or IPv6 in brackets? */
static bool names_an_address(const char *url)
{
    char host[IP4_TEXT];
    struct ip4 ip;
    const char *at = strstr(url, "://") + 3;
    size_t len = strcspn(at, ":/");
    if (*at == '[') {
        return true;
    }
    if (len >= sizeof host) {
        return false;
    }
    memcpy(host, at, len);
    host[len] = '\0';
    return ip4_parse(host, &ip);
}

static void read_boot_entry(struct reader *r, const json_t *value,
                            const struct json_path *at, unsigned slot,
                            struct boot_entry *entry)
{
    bool http = slot < ARCH_COUNT && arch_is_http((uint16_t)slot);
    const char *file = string_of(r, value, at, 1, http ? BOOT_URL_MAX : BOOT_FILE_MAX);
    const char *objection = file ? boot_file_objection(file, slot) : NULL;
    if (objection) {
        complain(r, at, "%s", objection);
        return;
    }
    if (file && http && !names_an_address(file)) {
        warn(
            r, at,
            "UEFI resolves a host name only if the DHCP server gives it a DNS server: an "
            "address always works");
    }
    char *copy = file ? strdup(file) : NULL;
    if (!copy) {
        if (file) {
            no_memory(r, at);
        }
        return;
    }
    struct json_place place = place_of(r, at);
    entry->file = copy;
    entry->line = (uint32_t)place.line;
    entry->column = (uint32_t)place.column;
}

static void read_boot_entries(struct reader *r, const json_t *object,
                              const struct json_path *at, struct profile *p)
{
    const char *spelled[SLOT_COUNT] = {NULL}; /* the key that set a slot */
    json_t *all =
        (json_t *)object; /* the iteration macro takes no const; it reads only */
    const char *key;
    json_t *value;

    json_object_foreach (all, key, value) {
        struct json_path here = {.up = at, .key = key};
        unsigned slot;
        if (is_known(&FIELD_SET(option_fields), key)) {
            continue;
        }
        if (!find_slot(key, &slot)) {
            complain_key_of_profile(r, &here);
        } else if (spelled[slot]) {
            complain_key(r, &here, "the same architecture as \"%s\" of this profile",
                         spelled[slot]);
        } else {
            spelled[slot] = key;
            read_boot_entry(r, value, &here, slot, &p->boot[slot]);
        }
    }
}

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
    read_known(r, &FIELD_SET(option_fields), object, &at, p);
    p->answer.said = answer_said(object);
    if (p->menu) {
        p->menu->profile = (uint16_t)index;
    }
    read_boot_entries(r, object, &at, p);
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
