/* The lines of a dnsmasq configuration that name boot files and menus. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/dnsmasq_parts.h"
#include "common/netaddr.h"
#include "common/text.h"
#include "config/arch.h"

/* -- boot files ----------------------------------------------------------------------------- */

static const char *relative(const char *file)
{
    return file + strspn(file, "/");
}

/* False: it says something else already. */
static bool set_entry(struct dnsmasq_conversion *c, json_t *profile, const char *key,
                      const char *file)
{
    const char *have = json_string_value(json_object_get(profile, key));
    if (!have) {
        dnsmasq_put(c, profile, key, json_string(relative(file)));
        return true;
    }
    return strcmp(have, relative(file)) == 0;
}

static void set_arch(struct dnsmasq_conversion *c, const struct dnsmasq_line *l,
                     json_t *profile, uint16_t arch, const char *file)
{
    const char *key = arch_name(arch);
    const char *twin =
        json_string_value(json_object_get(profile, arch_name(ARCH_X64_UEFI)));
    if (arch == ARCH_EBC && twin && strcmp(twin, relative(file)) == 0) {
        return; /* the two stand in for each other */
    }
    if (!key) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "architecture %u is not assigned", arch);
    } else if (!set_entry(c, profile, key, file)) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST,
                    "%s has a boot file already: \"%s\" is left out", key, file);
    }
}

void dnsmasq_set_by_name(struct dnsmasq_conversion *c, const struct dnsmasq_line *l,
                         json_t *profile, const char *file)
{
    size_t len = strlen(file);
    bool uefi = len > 4 && strcasecmp(file + len - 4, ".efi") == 0;
    const char *key = uefi ? "x64-uefi" : "x86-bios";
    if (!set_entry(c, profile, key, file)) {
        return; /* a line for that architecture alone has said something better */
    }
    dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                "\"%s\" went to machines of every kind; it is given to %s only", file,
                key);
}

/* iPXE's script; where it differs by architecture, by way of a profile for each. */
static void set_ipxe(struct dnsmasq_conversion *c, const struct dnsmasq_line *l,
                     const struct dnsmasq_who *who, json_t *profile, const char *file)
{
    if (set_entry(c, profile, "ipxe", file)) {
        return;
    }
    for (size_t i = 0; i < who->archs && !who->group; i++) {
        const char *arch = arch_name(who->arch[i]);
        char name[64];
        snprintf(name, sizeof name, "ipxe-%s", arch ? arch : "?");
        json_t *own = json_pack("{ss,ss}", "extends", "default", "ipxe", relative(file));
        dnsmasq_put(c, dnsmasq_section(c, "profiles"), name, own);
        dnsmasq_put(c, dnsmasq_host(c, "arch", arch ? arch : "?"), "profile",
                    json_string(name));
    }
    if (who->archs == 0 || who->group) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST,
                    "iPXE has a script already: \"%s\" is left out", file);
    }
}

void dnsmasq_set_server(struct dnsmasq_conversion *c, const struct dnsmasq_line *l,
                        json_t *profile, const char *server)
{
    struct ip4 ip;
    if (!ip4_parse(server, &ip)) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST,
                    "the server \"%s\" is needed as an address (\"next_server\")",
                    server);
        return;
    }
    const char *have = json_string_value(json_object_get(profile, "next_server"));
    if (have && strcmp(have, server) != 0) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST,
                    "there is one next_server here: %s is left out", server);
        return;
    }
    if (ip4_is_any(ip) || have) {
        return;
    }
    dnsmasq_put(c, profile, "next_server", json_string(server));
    dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                "clients load from %s: if that is this host, take \"next_server\" out",
                server);
}

/* dhcp-boot=[tag:TAG,]FILE,[NAME[,ADDRESS]] */
void dnsmasq_on_boot(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    struct dnsmasq_who who;
    size_t at;
    if (!dnsmasq_tags_resolve(&c->tags, c->d, l, &who, &at) || at >= l->fields) {
        return;
    }
    const char *file = l->field[at];
    json_t *profile = dnsmasq_profile(c, who.group);
    if (who.ipxe) {
        set_ipxe(c, l, &who, profile, file);
    } else if (who.archs == 0) {
        dnsmasq_set_by_name(c, l, profile, file);
    }
    for (size_t i = 0; i < who.archs && !who.ipxe; i++) {
        set_arch(c, l, profile, who.arch[i], file);
    }
    const char *server = l->fields > at + 2   ? l->field[at + 2]
                         : l->fields > at + 1 ? l->field[at + 1]
                                              : "";
    if (*server) {
        dnsmasq_set_server(c, l, profile, server);
    }
}

/* -- pxe-service, pxe-prompt ---------------------------------------------------------------- */

static bool read_csa(const char *text, uint16_t *out)
{
    static const char *const names[] = {
        "x86PC",    "PC98",   "IA64_EFI",   "Alpha", "Arc_x86",   "Intel_Lean_Client",
        "IA32_EFI", "BC_EFI", "Xscale_EFI", NULL,    "ARM32_EFI", "ARM64_EFI",
    };
    uint64_t n;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i] && strcasecmp(text, names[i]) == 0) {
            *out = (uint16_t)i;
            return true;
        }
    }
    if (strcasecmp(text, "x86-64_EFI") == 0) {
        *out = ARCH_X64_UEFI; /* 9 there, and 7 and 9 stand in for each other here */
        return true;
    }
    if (text_decimal(text, &n) && n < ARCH_COUNT) {
        *out = (uint16_t)n;
        return true;
    }
    return false;
}

/* A basename without a suffix stands for the file of layer 0. */
static char *service_file(const char *basename)
{
    const char *slash = strrchr(basename, '/');
    bool suffix = strchr(slash ? slash : basename, '.') != NULL;
    char *file = NULL;
    return asprintf(&file, "%s%s", relative(basename), suffix ? "" : ".0") < 0 ? NULL
                                                                               : file;
}

/* pxe-service=[tag:TAG,]CSA,TEXT[,BASENAME | TYPE][,SERVER] */
void dnsmasq_on_service(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    struct dnsmasq_service s = {.line = l};
    size_t at;
    uint64_t type = 0;
    if (!dnsmasq_tags_resolve(&c->tags, c->d, l, &s.who, &at)) {
        return;
    }
    if (l->fields < at + 2 || !read_csa(l->field[at], &s.arch)) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "no client system of that name");
        return;
    }
    const char *base = l->fields > at + 2 ? l->field[at + 2] : "0";
    bool number = text_decimal(base, &type);
    if ((number && type > 0) || c->services == DNSMASQ_SERVICES) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST,
                    number ? "boot servers found by their type (%s) cannot be given"
                           : "too many boot services: \"%s\" is left out",
                    base);
        return;
    }
    s.title = l->field[at + 1];
    s.server = l->fields > at + 3 ? l->field[at + 3] : "";
    s.file = number ? NULL : service_file(base);
    c->d->no_memory = c->d->no_memory || (!number && !s.file);
    c->service[c->services++] = s;
}

static bool same_group(const struct dnsmasq_service *a, const struct dnsmasq_service *b)
{
    return (!a->who.group && !b->who.group) ||
           (a->who.group && b->who.group && strcmp(a->who.group, b->who.group) == 0);
}

/* Is there more for this machine to choose from? */
static bool is_choice(const struct dnsmasq_conversion *c, const struct dnsmasq_service *s)
{
    size_t n = 0;
    for (size_t i = 0; i < c->services; i++) {
        n += same_group(s, &c->service[i]) && c->service[i].arch == s->arch;
    }
    return n > 1 || !s->file;
}

static json_t *menu_item_of(struct dnsmasq_conversion *c, json_t *items,
                            const char *title)
{
    size_t i;
    json_t *item;
    json_array_foreach (items, i, item) {
        const char *name = json_string_value(json_object_get(item, "name"));
        if (name && strcmp(name, title) == 0) {
            return item;
        }
    }
    dnsmasq_append(c, items, json_pack("{ss}", "name", title));
    return json_array_get(items, json_array_size(items) - 1);
}

static void add_item(struct dnsmasq_conversion *c, json_t *profile,
                     const struct dnsmasq_service *s)
{
    json_t *menu = dnsmasq_member(c, profile, "menu", json_object);
    if (c->prompt && !json_object_get(menu, "timeout")) {
        struct dnsmasq_who who;
        size_t at = 0;
        uint64_t wait = 255;
        c->line = c->prompt;
        (void)dnsmasq_tags_resolve(&c->tags, c->d, c->prompt, &who, &at);
        if (at < c->prompt->fields) {
            dnsmasq_put(c, menu, "prompt", json_string(c->prompt->field[at]));
        }
        if (at + 1 < c->prompt->fields) {
            (void)text_decimal(c->prompt->field[at + 1], &wait);
        }
        dnsmasq_put(c, menu, "timeout",
                    json_integer((json_int_t)(wait < 255 ? wait : 255)));
        c->line = s->line;
    } else if (!json_object_get(menu, "timeout")) {
        dnsmasq_put(c, menu, "timeout",
                    json_integer(0)); /* without a prompt the first is taken */
    }
    json_t *item =
        menu_item_of(c, dnsmasq_member(c, menu, "items", json_array), s->title);
    if (*s->server) {
        dnsmasq_set_server(c, s->line, item, s->server);
    }
    if (!s->file) {
        dnsmasq_put(c, item, "action", json_string("local"));
        return;
    }
    const char *arch = arch_name(s->arch);
    json_t *files = dnsmasq_member(c, item, "file", json_object);
    if (arch && !json_object_get(files, arch)) {
        dnsmasq_put(c, files, arch, json_string(s->file));
    }
}

/* Is it the only item that these machines would be shown? */
static bool is_alone(const struct dnsmasq_conversion *c, const struct dnsmasq_service *s)
{
    for (size_t i = 0; i < c->services; i++) {
        if (same_group(s, &c->service[i]) && strcmp(c->service[i].title, s->title) != 0) {
            return false;
        }
    }
    return true;
}

void dnsmasq_place_services(struct dnsmasq_conversion *c)
{
    for (size_t i = 0; i < c->services; i++) {
        const struct dnsmasq_service *s = &c->service[i];
        c->line = s->line;
        json_t *profile = dnsmasq_profile(c, s->who.group);
        if (is_alone(c, s) && !s->file) {
            dnsmasq_say(c->d, s->line, DNSMASQ_LOST,
                        "a menu of one item is none: give hosts that boot from disk an "
                        "\"action\" of \"local\"");
        } else if ((is_choice(c, s) || c->prompt) && !is_alone(c, s)) {
            add_item(c, profile, s);
        } else {
            set_arch(c, s->line, profile, s->arch, s->file);
            if (*s->server) {
                dnsmasq_set_server(c, s->line, profile, s->server);
            }
        }
    }
}
