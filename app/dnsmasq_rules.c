/* dnsmasq_convert(): the lines, one after the other, into a configuration of ours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/dnsmasq_tags.h"
#include "common/netaddr.h"
#include "common/text.h"
#include "config/arch.h"

#define SERVICES_MAX 48

/* A pxe-service line: an item of a menu, or the only file there is. */
struct service {
    const struct dnsmasq_line *line;
    struct dnsmasq_who who;
    uint16_t arch;
    const char *title;
    char *file;         /* NULL: from disk */
    const char *server; /* "": ours */
};

struct conversion {
    struct dnsmasq *d;
    struct dnsmasq_tags tags;
    struct service service[SERVICES_MAX];
    size_t services;
    const struct dnsmasq_line *prompt;
    const struct dnsmasq_line *line; /* at hand */
    bool tftp;
    unsigned proxies; /* subnets that it was the proxy of */
};

/* -- writing into the configuration --------------------------------------------------------- */

static void put(struct conversion *c, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0) {
        c->d->no_memory = true;
    } else if (c->line) {
        dnsmasq_from(c->d, value, c->line);
    }
}

static void append(struct conversion *c, json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) != 0) {
        c->d->no_memory = true;
    } else {
        dnsmasq_from(c->d, value, c->line);
    }
}

/* The member of that name, made by json_object() or json_array() if it is missing. */
static json_t *member(struct conversion *c, json_t *object, const char *key,
                      json_t *(*make)(void))
{
    if (!json_object_get(object, key)) {
        put(c, object, key, make());
    }
    return json_object_get(object, key);
}

static json_t *section(struct conversion *c, const char *key)
{
    return member(c, c->d->config, key, json_object);
}

/* A machine for the table, unless it stands there already. */
static json_t *host_of(struct conversion *c, const char *key, const char *value)
{
    json_t *hosts = member(c, c->d->config, "hosts", json_array);
    size_t i;
    json_t *host;
    json_array_foreach (hosts, i, host) {
        const char *have = json_string_value(json_object_get(host, key));
        if (have && strcasecmp(have, value) == 0) {
            return host;
        }
    }
    append(c, hosts, json_pack("{ss}", key, value));
    return json_array_get(hosts, json_array_size(hosts) - 1);
}

/* A member of each host of a group of machines. */
static void say_of_group(struct conversion *c, const char *group, const char *key,
                         const char *value)
{
    const struct dnsmasq_line *at_hand = c->line;
    for (size_t i = 0; i < c->tags.count; i++) {
        const struct dnsmasq_tag *tag = &c->tags.tag[i];
        if (tag->kind == TAG_MACHINE && strcmp(tag->name, group) == 0) {
            c->line = tag->line;
            put(c, host_of(c, tag->key, tag->value), key, json_string(value));
        }
    }
    c->line = at_hand;
}

/* The profile of a group of machines; making it gives them to it. */
static json_t *profile_of(struct conversion *c, const char *group)
{
    json_t *profiles = section(c, "profiles");
    if (!group) {
        return member(c, profiles, "default", json_object);
    }
    json_t *have = json_object_get(profiles, group);
    if (have) {
        return have;
    }
    (void)member(c, profiles, "default", json_object);
    put(c, profiles, group, json_pack("{ss}", "extends", "default"));
    say_of_group(c, group, "profile", group);
    return json_object_get(profiles, group);
}

/* -- boot files ----------------------------------------------------------------------------- */

static const char *relative(const char *file)
{
    return file + strspn(file, "/");
}

/* False: it says something else already. */
static bool set_entry(struct conversion *c, json_t *profile, const char *key,
                      const char *file)
{
    const char *have = json_string_value(json_object_get(profile, key));
    if (!have) {
        put(c, profile, key, json_string(relative(file)));
        return true;
    }
    return strcmp(have, relative(file)) == 0;
}

static void set_arch(struct conversion *c, const struct dnsmasq_line *l, json_t *profile,
                     uint16_t arch, const char *file)
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

/* A file without a word for whom: by its name it is for one family of machines only. */
static void set_by_name(struct conversion *c, const struct dnsmasq_line *l,
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
static void set_ipxe(struct conversion *c, const struct dnsmasq_line *l,
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
        put(c, section(c, "profiles"), name, own);
        put(c, host_of(c, "arch", arch ? arch : "?"), "profile", json_string(name));
    }
    if (who->archs == 0 || who->group) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST,
                    "iPXE has a script already: \"%s\" is left out", file);
    }
}

static void set_server(struct conversion *c, const struct dnsmasq_line *l,
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
    put(c, profile, "next_server", json_string(server));
    dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                "clients load from %s: if that is this host, take \"next_server\" out",
                server);
}

/* dhcp-boot=[tag:TAG,]FILE,[NAME[,ADDRESS]] */
static void on_boot(struct conversion *c, struct dnsmasq_line *l)
{
    struct dnsmasq_who who;
    size_t at;
    if (!dnsmasq_tags_resolve(&c->tags, c->d, l, &who, &at) || at >= l->fields) {
        return;
    }
    const char *file = l->field[at];
    json_t *profile = profile_of(c, who.group);
    if (who.ipxe) {
        set_ipxe(c, l, &who, profile, file);
    } else if (who.archs == 0) {
        set_by_name(c, l, profile, file);
    }
    for (size_t i = 0; i < who.archs && !who.ipxe; i++) {
        set_arch(c, l, profile, who.arch[i], file);
    }
    const char *server = l->fields > at + 2   ? l->field[at + 2]
                         : l->fields > at + 1 ? l->field[at + 1]
                                              : "";
    if (*server) {
        set_server(c, l, profile, server);
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
static void on_service(struct conversion *c, struct dnsmasq_line *l)
{
    struct service s = {.line = l};
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
    if ((number && type > 0) || c->services == SERVICES_MAX) {
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

static bool same_group(const struct service *a, const struct service *b)
{
    return (!a->who.group && !b->who.group) ||
           (a->who.group && b->who.group && strcmp(a->who.group, b->who.group) == 0);
}

/* Is there more for this machine to choose from? */
static bool is_choice(const struct conversion *c, const struct service *s)
{
    size_t n = 0;
    for (size_t i = 0; i < c->services; i++) {
        n += same_group(s, &c->service[i]) && c->service[i].arch == s->arch;
    }
    return n > 1 || !s->file;
}

static json_t *menu_item_of(struct conversion *c, json_t *items, const char *title)
{
    size_t i;
    json_t *item;
    json_array_foreach (items, i, item) {
        const char *name = json_string_value(json_object_get(item, "name"));
        if (name && strcmp(name, title) == 0) {
            return item;
        }
    }
    append(c, items, json_pack("{ss}", "name", title));
    return json_array_get(items, json_array_size(items) - 1);
}

static void add_item(struct conversion *c, json_t *profile, const struct service *s)
{
    json_t *menu = member(c, profile, "menu", json_object);
    if (c->prompt && !json_object_get(menu, "timeout")) {
        struct dnsmasq_who who;
        size_t at = 0;
        uint64_t wait = 255;
        c->line = c->prompt;
        (void)dnsmasq_tags_resolve(&c->tags, c->d, c->prompt, &who, &at);
        if (at < c->prompt->fields) {
            put(c, menu, "prompt", json_string(c->prompt->field[at]));
        }
        if (at + 1 < c->prompt->fields) {
            (void)text_decimal(c->prompt->field[at + 1], &wait);
        }
        put(c, menu, "timeout", json_integer((json_int_t)(wait < 255 ? wait : 255)));
        c->line = s->line;
    } else if (!json_object_get(menu, "timeout")) {
        put(c, menu, "timeout",
            json_integer(0)); /* without a prompt the first is taken */
    }
    json_t *item = menu_item_of(c, member(c, menu, "items", json_array), s->title);
    if (*s->server) {
        set_server(c, s->line, item, s->server);
    }
    if (!s->file) {
        put(c, item, "action", json_string("local"));
        return;
    }
    const char *arch = arch_name(s->arch);
    json_t *files = member(c, item, "file", json_object);
    if (arch && !json_object_get(files, arch)) {
        put(c, files, arch, json_string(s->file));
    }
}

/* Is it the only item that these machines would be shown? */
static bool is_alone(const struct conversion *c, const struct service *s)
{
    for (size_t i = 0; i < c->services; i++) {
        if (same_group(s, &c->service[i]) && strcmp(c->service[i].title, s->title) != 0) {
            return false;
        }
    }
    return true;
}

static void place_services(struct conversion *c)
{
    for (size_t i = 0; i < c->services; i++) {
        const struct service *s = &c->service[i];
        c->line = s->line;
        json_t *profile = profile_of(c, s->who.group);
        if (is_alone(c, s) && !s->file) {
            dnsmasq_say(c->d, s->line, DNSMASQ_LOST,
                        "a menu of one item is none: give hosts that boot from disk an "
                        "\"action\" of \"local\"");
        } else if ((is_choice(c, s) || c->prompt) && !is_alone(c, s)) {
            add_item(c, profile, s);
        } else {
            set_arch(c, s->line, profile, s->arch, s->file);
            if (*s->server) {
                set_server(c, s->line, profile, s->server);
            }
        }
    }
}

/* -- the rest of what concerns boots -------------------------------------------------------- */

static void on_interface(struct conversion *c, struct dnsmasq_line *l)
{
    json_t *list = member(c, c->d->config, "interfaces", json_array);
    for (size_t i = 0; i < l->fields; i++) {
        if (strchr(l->field[i], '*')) {
            dnsmasq_say(c->d, l, DNSMASQ_LOST, "name each interface that \"%s\" means",
                        l->field[i]);
        } else if (strcmp(l->field[i], "lo") != 0) {
            append(c, list, json_string(l->field[i]));
        }
    }
}

static void on_range(struct conversion *c, struct dnsmasq_line *l)
{
    for (size_t i = 0; i < l->fields; i++) {
        if (strcmp(l->field[i], "proxy") == 0) {
            c->proxies++;
            return;
        }
    }
    dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                "pxed gives no addresses: leave this range with a DHCP server");
}

static void on_enable(struct conversion *c, struct dnsmasq_line *l)
{
    c->tftp = true;
    if (l->fields > 0) {
        dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                    "files are served on all of \"interfaces\", to hosts attached there");
    }
}

static void on_root(struct conversion *c, struct dnsmasq_line *l)
{
    json_t *tftp = section(c, "tftp");
    if (json_object_get(tftp, "root") || l->fields > 1) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "there is one root for all interfaces");
    }
    if (l->fields > 0 && !json_object_get(tftp, "root")) {
        put(c, tftp, "root", json_string(l->field[0]));
    }
}

static void on_ports(struct conversion *c, struct dnsmasq_line *l)
{
    uint64_t first;
    uint64_t last;
    char text[32];
    if (l->fields < 2 || !text_decimal(l->field[0], &first) ||
        !text_decimal(l->field[1], &last) || last < first || last > 65535) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "no range of ports");
        return;
    }
    if (last - first > 63) {
        last = first + 63;
        dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                    "transfers share their ports: 64 of them, to %u, are enough",
                    (unsigned)last);
    }
    snprintf(text, sizeof text, "%u-%u", (unsigned)first, (unsigned)last);
    put(c, section(c, "tftp"), "data_ports", json_string(text));
}

static void on_single(struct conversion *c, struct dnsmasq_line *l)
{
    (void)l;
    put(c, section(c, "tftp"), "data_ports", json_string("single"));
}

/* A number of `tftp`, with so many octets of headers taken off. */
static void tftp_number(struct conversion *c, struct dnsmasq_line *l, const char *key,
                        uint64_t less)
{
    uint64_t n;
    if (l->fields > 0 && text_decimal(l->field[0], &n) && n > less && n < 100000) {
        put(c, section(c, "tftp"), key, json_integer((json_int_t)(n - less)));
    } else {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "no number that \"tftp.%s\" could be", key);
    }
}

static void on_max(struct conversion *c, struct dnsmasq_line *l)
{
    tftp_number(c, l, "max_transfers", 0);
}

static void on_mtu(struct conversion *c, struct dnsmasq_line *l)
{
    tftp_number(c, l, "max_block_size", 32);
}

static void on_no_blocksize(struct conversion *c, struct dnsmasq_line *l)
{
    (void)l;
    put(c, section(c, "tftp"), "max_block_size", json_integer(512));
}

static void on_user(struct conversion *c, struct dnsmasq_line *l)
{
    if (l->fields > 0) {
        put(c, c->d->config, "user", json_string(l->field[0]));
    }
}

/* dhcp-reply-delay=[tag:TAG,]SECONDS */
static void on_delay(struct conversion *c, struct dnsmasq_line *l)
{
    struct dnsmasq_who who;
    size_t at;
    uint64_t n;
    if (!dnsmasq_tags_resolve(&c->tags, c->d, l, &who, &at)) {
        return;
    }
    if (at < l->fields && text_decimal(l->field[at], &n) && n <= 10) {
        put(c, profile_of(c, who.group), "delay_ms", json_integer((json_int_t)n * 1000));
    } else {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "a delay is at most 10 seconds");
    }
}

static void on_ignore(struct conversion *c, struct dnsmasq_line *l)
{
    struct dnsmasq_who who;
    size_t at;
    if (!dnsmasq_tags_resolve(&c->tags, c->d, l, &who, &at)) {
        return;
    }
    if (who.known) {
        put(c, section(c, "unknown_hosts"), "action", json_string("ignore"));
        return;
    }
    if (who.group) {
        say_of_group(c, who.group, "action", "ignore");
    } else {
        dnsmasq_say(c->d, l, DNSMASQ_LOST,
                    "only machines can be ignored: give hosts an "
                    "\"action\" of \"ignore\"");
    }
}

/* dhcp-host=MAC[,set:TAG][,IP][,NAME][,LEASE][,ignore] */
static void read_known(struct conversion *c, const struct dnsmasq_line *l)
{
    struct mac mac;
    const char *at = NULL;
    const char *name = NULL;
    bool ignored = false;
    for (size_t i = 0; i < l->fields; i++) {
        const char *field = l->field[i];
        struct ip4 ip;
        if (mac_parse(field, &mac)) {
            at = field;
        } else if (strcmp(field, "ignore") == 0) {
            ignored = true;
        } else if (!strchr(field, ':') && !ip4_parse(field, &ip) && *field &&
                   strspn(field, "0123456789") == 0 && strcmp(field, "infinite") != 0) {
            name = field;
        }
    }
    json_t *host = at ? host_of(c, "mac", at) : NULL;
    if (!host) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "a host is known by its MAC address only");
        return;
    }
    if (name) {
        put(c, host, "name", json_string(name));
    }
    if (ignored) {
        put(c, host, "action", json_string("ignore"));
    }
}

static void on_known_host(struct conversion *c, struct dnsmasq_line *l)
{
    read_known(c, l);
}

/* dhcp-option: what of it is ours is what names boot files. */
static void on_option(struct conversion *c, struct dnsmasq_line *l)
{
    struct dnsmasq_who who;
    size_t at;
    if (!dnsmasq_tags_resolve(&c->tags, c->d, l, &who, &at) || at >= l->fields) {
        return;
    }
    const char *option = l->field[at];
    const char *value = l->fields > at + 1 ? l->field[at + 1] : "";
    if (strcmp(option, "67") == 0 || strcmp(option, "option:bootfile-name") == 0) {
        json_t *profile = profile_of(c, who.group);
        set_by_name(c, l, profile, value);
        put(c, member(c, profile, "fields", json_object), "option_67", json_true());
    } else if (strcmp(option, "66") == 0 || strcmp(option, "option:tftp-server") == 0) {
        json_t *profile = profile_of(c, who.group);
        set_server(c, l, profile, value);
        put(c, member(c, profile, "fields", json_object), "option_66", json_true());
    } else if (strcasecmp(option, "vendor:PXEClient") == 0) {
        dnsmasq_say(c->d, l, DNSMASQ_NOTE, "PXE vendor options are made as needed");
    } else if (strncmp(option, "209", 3) == 0 || strncmp(option, "210", 3) == 0) {
        dnsmasq_say(
            c->d, l, DNSMASQ_LOST,
            "PXELINUX finds its configuration by the names it tries: option %s has "
            "no counterpart",
            option);
    } else {
        c->d->others++;
    }
}

static void on_prompt(struct conversion *c, struct dnsmasq_line *l)
{
    c->prompt = l;
}

static void on_include(struct conversion *c, struct dnsmasq_line *l)
{
    dnsmasq_say(c->d, l, DNSMASQ_LOST,
                "not followed: name the files of \"%s\" on the command line, too",
                l->fields > 0 ? l->field[0] : "");
}

static void on_nothing(struct conversion *c, struct dnsmasq_line *l)
{
    (void)c;
    (void)l;
}

static void on_unique(struct conversion *c, struct dnsmasq_line *l)
{
    dnsmasq_say(
        c->d, l, DNSMASQ_LOST,
        "a directory for each client: say so in \"files\", with ${ip} or ${mac-dash}");
}

static void on_secure(struct conversion *c, struct dnsmasq_line *l)
{
    dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                "every file is served that the user of pxed may read, whoever owns it");
}

static void on_relay(struct conversion *c, struct dnsmasq_line *l)
{
    dnsmasq_say(c->d, l, DNSMASQ_LOST,
                "pxed relays nothing: keep the relay, and name this host in it, too");
}

/* Tags come from a first pass over all lines. */
static void convert_line(struct conversion *c, struct dnsmasq_line *l)
{
    static const struct {
        const char *key;
        void (*take)(struct conversion *, struct dnsmasq_line *);
    } rows[] = {
        {"interface", on_interface},
        {"dhcp-range", on_range},
        {"dhcp-boot", on_boot},
        {"pxe-service", on_service},
        {"pxe-prompt", on_prompt},
        {"enable-tftp", on_enable},
        {"tftp-root", on_root},
        {"tftp-port-range", on_ports},
        {"tftp-single-port", on_single},
        {"tftp-max", on_max},
        {"tftp-mtu", on_mtu},
        {"tftp-no-blocksize", on_no_blocksize},
        {"tftp-unique-root", on_unique},
        {"tftp-secure", on_secure},
        {"tftp-no-fail", on_nothing},
        {"tftp-lowercase", on_nothing},
        {"user", on_user},
        {"dhcp-reply-delay", on_delay},
        {"dhcp-ignore", on_ignore},
        {"dhcp-host", on_known_host},
        {"dhcp-option", on_option},
        {"dhcp-option-force", on_option},
        {"dhcp-relay", on_relay},
        {"conf-file", on_include},
        {"conf-dir", on_include},
        {"dhcp-match", on_nothing},
        {"dhcp-vendorclass", on_nothing},
        {"dhcp-userclass", on_nothing},
        {"dhcp-mac", on_nothing},
        {"dhcp-circuitid", on_nothing},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(l->key, rows[i].key) == 0) {
            c->line = l;
            rows[i].take(c, l);
            return;
        }
    }
    c->d->others++;
}

/* What dnsmasq takes for granted and our file must say. */
/* A host that says neither profile nor action is of the profile "default". */
static bool lacks_default(const json_t *config)
{
    const json_t *hosts = json_object_get(config, "hosts");
    bool any = false;
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const json_t *host = json_array_get(hosts, i);
        any |= !json_object_get(host, "profile") && !json_object_get(host, "action");
    }
    return any && !json_object_get(json_object_get(config, "profiles"), "default");
}

static void complete(struct conversion *c)
{
    static const struct dnsmasq_line whole = {.file = "dnsmasq"};
    json_t *config = c->d->config;
    if (json_array_size(json_object_get(config, "interfaces")) == 0) {
        dnsmasq_say(c->d, &whole, DNSMASQ_LOST,
                    "no \"interface\" line: name those of pxed in \"interfaces\"");
    }
    json_t *tftp = section(c, "tftp");
    if (!c->tftp) {
        put(c, tftp, "enabled", json_false());
        dnsmasq_say(c->d, &whole, DNSMASQ_NOTE,
                    "no \"enable-tftp\": another server gives the files");
    } else if (!json_object_get(tftp, "root")) {
        dnsmasq_say(c->d, &whole, DNSMASQ_LOST,
                    "no \"tftp-root\": name \"tftp.root\", and take "
                    "\"enabled\" out");
    }
    if (lacks_default(config)) {
        (void)member(c, section(c, "profiles"), "default", json_object);
        dnsmasq_say(c->d, &whole, DNSMASQ_NOTE,
                    "no line says what its machines boot: so does \"default\"");
    }
    if (c->tftp && c->proxies > 1) {
        dnsmasq_say(c->d, &whole, DNSMASQ_NOTE,
                    "files go to the subnets attached to \"interfaces\": name the others "
                    "in \"tftp.allow\"");
    }
    if (c->proxies == 0) {
        dnsmasq_say(c->d, &whole, DNSMASQ_NOTE,
                    "dnsmasq gave addresses too: it goes on with that, and pxed answers "
                    "beside it; take its boot lines out");
    }
}

/* In the order of the files and their lines. */
static int earlier(const void *a, const void *b)
{
    const struct dnsmasq_note *x = a;
    const struct dnsmasq_note *y = b;
    int by_file = strcmp(x->file, y->file);
    return by_file != 0 ? by_file : (x->line > y->line) - (x->line < y->line);
}

bool dnsmasq_convert(struct dnsmasq *d)
{
    struct conversion *c = calloc(1, sizeof *c);
    d->config = json_object();
    if (!c || !d->config) {
        d->no_memory = true;
        free(c);
        return false;
    }
    c->d = d;
    (void)member(c, d->config, "interfaces", json_array);
    (void)section(c, "tftp");
    (void)section(c, "profiles");
    for (size_t i = 0; i < d->lines; i++) {
        (void)dnsmasq_tags_read(&c->tags, d, &d->line[i]);
    }
    /* Lines for somebody come before those for everybody, as there. */
    for (int tagged = 1; tagged >= 0; tagged--) {
        for (size_t i = 0; i < d->lines; i++) {
            struct dnsmasq_line *l = &d->line[i];
            bool has = l->fields > 0 && (strncmp(l->field[0], "tag:", 4) == 0 ||
                                         strncmp(l->field[0], "net:", 4) == 0);
            if (has == (tagged == 1)) {
                convert_line(c, l);
            }
        }
    }
    place_services(c);
    c->line = NULL;
    complete(c);
    dnsmasq_fit(d);
    if (d->notes > 1) {
        qsort(d->note, d->notes, sizeof d->note[0], earlier);
    }
    for (size_t i = 0; i < c->services; i++) {
        free(c->service[i].file);
    }
    free(c);
    return !d->no_memory;
}
