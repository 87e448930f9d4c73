#include "app/host_print.h"

#include <stdarg.h>
#include <string.h>

#include "app/json.h"
#include "common/tell.h"
#include "common/text.h"
#include "config/hosts.h"

#define PATTERN_TEXT 520 /* "hex:", two digits for each of 255 octets, "*" */
#define RELAY_TEXT   (IP4_TEXT + 4)

/* -- values as the configuration writes them ------------------------------------------- */

static const char *print_mac(const struct host *h, char buf[MAC_TEXT + 2])
{
    (void)mac_print(&h->mac, buf);
    if (h->mac_len < sizeof h->mac) {
        snprintf(buf + (size_t)3 * h->mac_len, 2, "*");
    }
    return buf;
}

static bool is_plain(const struct octet_pattern *p)
{
    for (size_t i = 0; i < p->len; i++) {
        if (p->octets[i] < 0x20 || p->octets[i] > 0x7e) {
            return false;
        }
    }
    return !(p->len >= 4 && !memcmp(p->octets, "hex:", 4)) &&
           !(p->len > 0 && p->octets[p->len - 1] == '*');
}

/* NULL: nothing is asked. */
static const char *print_pattern(const struct octet_pattern *p, char buf[PATTERN_TEXT])
{
    if (!p->octets) {
        return NULL;
    }
    struct text t = {buf, PATTERN_TEXT, 0};
    buf[0] = '\0';
    if (is_plain(p)) {
        text_say(&t, "%.*s", (int)p->len, (const char *)p->octets);
    } else {
        text_say(&t, "hex:");
        text_say_hex(&t, p->octets, p->len, "");
    }
    text_say(&t, "%s", p->open ? "*" : "");
    return buf;
}

static const char *print_relay(const struct host_match *m, char buf[RELAY_TEXT])
{
    if (!m->has_relay) {
        return NULL;
    }
    (void)ip4_print(m->relay, buf);
    if (m->relay_bits < 32) {
        size_t len = strlen(buf);
        snprintf(buf + len, RELAY_TEXT - len, "/%u", m->relay_bits);
    }
    return buf;
}

static const struct host_match *match_of(const struct host *host)
{
    static const struct host_match none;
    return host->match ? host->match : &none;
}

/* -- who it is ------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void say(char buf[HOST_WHO_SIZE],
                                                      const char *fmt, ...)
{
    size_t used = strlen(buf);
    va_list ap;
    if (used > 0) {
        used += (size_t)snprintf(buf + used, HOST_WHO_SIZE - used, ", ");
    }
    va_start(ap, fmt);
    if (used < HOST_WHO_SIZE) {
        vsnprintf(buf + used, HOST_WHO_SIZE - used, fmt, ap);
    }
    va_end(ap);
}

static void say_pattern(char buf[HOST_WHO_SIZE], const char *what,
                        const struct octet_pattern *p)
{
    char text[PATTERN_TEXT];
    if (print_pattern(p, text)) {
        say(buf, "%s %s", what, text);
    }
}

char *host_who(const struct host *host, char buf[HOST_WHO_SIZE])
{
    char text[PATTERN_TEXT];
    const struct host_match *m = match_of(host);
    buf[0] = '\0';
    if (host->mac_len > 0) {
        say(buf, "%s", print_mac(host, text));
    }
    if (host->has_uuid) {
        say(buf, "UUID %s", text_uuid(host->uuid, text));
    }
    for (int i = 0; i < ARCH_COUNT; i++) {
        if (m->archs >> i & 1) {
            say(buf, "%s", arch_name((uint16_t)i));
        }
    }
    say_pattern(buf, "vendor class", &m->vendor_class);
    say_pattern(buf, "user class", &m->user_class);
    if (print_relay(m, text)) {
        say(buf, "relay %s", text);
    }
    say_pattern(buf, "circuit", &m->circuit_id);
    if (m->interface[0]) {
        say(buf, "interface %s", m->interface);
    }
    return buf;
}

/* -- a list ---------------------------------------------------------------------------- */

enum { COLUMNS = 4 };

struct row {
    char cell[COLUMNS][HOST_WHO_SIZE];
};

/* It has a profile. */
static bool boots(const struct host *h)
{
    return h->action == HOST_BOOT || h->action == HOST_HOLD;
}

static const char *profile_of(const struct configuration *c, const struct host *h)
{
    return boots(h) ? c->snapshot->profiles[h->profile].name : NULL;
}

static void fill(const struct configuration *c, const struct host *h, struct row *row)
{
    const char *name = h->name ? h->name : "-";
    const char *profile = profile_of(c, h);
    profile = profile ? profile : "-";
    (void)text_show(name, strlen(name), row->cell[0], sizeof row->cell[0]);
    (void)host_who(h, row->cell[1]);
    snprintf(row->cell[2], sizeof row->cell[2], "%s", host_action_name(h->action));
    (void)text_show(profile, strlen(profile), row->cell[3], sizeof row->cell[3]);
}

static void widen(int width[COLUMNS], const struct row *row)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        int len = (int)strlen(row->cell[i]);
        width[i] = len > width[i] ? len : width[i];
    }
}

static void print_row(const int width[COLUMNS], const struct row *row, FILE *to)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        tell(to, "%-*s  ", width[i], row->cell[i]);
    }
}

void host_list_text(const struct configuration *c, FILE *to)
{
    const struct hosts *hosts = c->snapshot->hosts;
    int width[COLUMNS] = {0};
    struct row row = {{"NAME", "WHO", "ACTION", "PROFILE"}};

    widen(width, &row);
    for (size_t i = 0; i < hosts_count(hosts); i++) {
        fill(c, hosts_at(hosts, i), &row);
        widen(width, &row);
    }
    row = (struct row){{"NAME", "WHO", "ACTION", "PROFILE"}};
    print_row(width, &row, to);
    fputs("WHERE\n", to);
    for (size_t i = 0; i < hosts_count(hosts); i++) {
        const struct host *h = hosts_at(hosts, i);
        fill(c, h, &row);
        print_row(width, &row, to);
        tell(to, "%s:%u\n", configuration_file(c, h->file), (unsigned)h->line);
    }
}

/* -- one host -------------------------------------------------------------------------- */

static void print_limit(const char *what, uint32_t limit, FILE *to)
{
    if (limit > 0) {
        tell(to, "  %-8s %u at most\n", what, (unsigned)limit);
    }
}

/* What is booted in the end, and what goes into its answers and file names. */
static void print_more(const struct configuration *c, const struct profile *p,
                       const struct host *h, FILE *to)
{
    char text[300];
    const struct system_conf *system = plan_system(c->snapshot, p, h);
    const struct raw_options *options = plan_options(c->snapshot, p, h);
    const char *directory = plan_directory(c->snapshot, p, h);
    if (system) {
        tell(to, "  in the end %s with %zu initrd%s and \"%s\"\n", system->kernel.name,
             system->initrd_count, system->initrd_count == 1 ? "" : "s",
             system->args
                 ? text_show(system->args, strlen(system->args), text, sizeof text)
                 : "");
    }
    if (directory) {
        tell(to, "  with files from %s\n", directory);
    }
    for (size_t i = 0; options && i < options->count; i++) {
        const struct raw_option *one = &options->list[i];
        tell(to, "  with DHCP option %u: %s\n", one->code,
             text_show(one->value, one->len, text, sizeof text));
    }
}

static void print_boots(const struct configuration *c, const struct host *h, FILE *to)
{
    char text[300];
    if (!boots(h)) {
        return;
    }
    const struct profile *p = &c->snapshot->profiles[h->profile];
    tell(to, "boots\n");
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        const struct boot_entry *entry = plan_boot(p, h, slot);
        if (entry) {
            tell(to, "  %-18s %s%s\n", slot_name(slot),
                 text_show(entry->file, strlen(entry->file), text, sizeof text),
                 entry->profile == OF_HOST ? ", of its own" : "");
        }
    }
    const struct menu *menu = plan_menu(p, h, ARCH_ANY);
    if (menu) {
        tell(to, "  and a menu of %zu items%s\n", menu->item_count,
             menu->profile == OF_HOST ? ", of its own" : "");
    }
    const char *done_when = plan_done_when(c->snapshot, p, h);
    if (done_when) {
        tell(to, "  done when %s has come\n",
             text_show(done_when, strlen(done_when), text, sizeof text));
    }
    print_more(c, p, h, to);
}

void host_show_text(const struct configuration *c, const struct host *h, FILE *to)
{
    char text[HOST_WHO_SIZE];
    const char *name = h->name ? h->name : "without a name";
    const char *profile = profile_of(c, h);
    tell(to, "host %s\n", text_show(name, strlen(name), text, sizeof text));
    tell(to, "  %-8s %s:%u\n", "where", configuration_file(c, h->file),
         (unsigned)h->line);
    tell(to, "  %-8s %s\n", "who", host_who(h, text));
    tell(to, "  %-8s %s%s\n", "action", host_action_name(h->action),
         h->once ? ", once" : "");
    if (profile) {
        tell(to, "  %-8s %s\n", "profile",
             text_show(profile, strlen(profile), text, sizeof text));
    }
    print_limit("block", h->max_block_size, to);
    print_limit("window", h->max_window_size, to);
    for (size_t i = 0; h->vars && i < h->vars->count; i++) {
        const char *value = h->vars->list[i].value;
        tell(to, "  %-8s %s = %s\n", i == 0 ? "vars" : "", h->vars->list[i].name,
             text_show(value, strlen(value), text, sizeof text));
    }
    print_boots(c, h, to);
}

/* -- as JSON --------------------------------------------------------------------------- */

static json_t *json_archs(uint64_t archs)
{
    json_t *list = archs ? json_array() : json_null();
    for (int i = 0; archs && i < ARCH_COUNT; i++) {
        if (archs >> i & 1) {
            (void)json_array_append_new(list, json_string(arch_name((uint16_t)i)));
        }
    }
    return list;
}

static json_t *json_vars(const struct host_vars *vars)
{
    json_t *all = json_object();
    for (size_t i = 0; vars && i < vars->count; i++) {
        (void)json_object_set_new(all, vars->list[i].name,
                                  json_string(vars->list[i].value));
    }
    return all;
}

static json_t *json_limit(uint32_t limit)
{
    return limit > 0 ? json_integer(limit) : json_null();
}

static json_t *optional(const char *text)
{
    return text ? json_text(text) : json_null();
}

static json_t *json_host(const struct configuration *c, const struct host *h)
{
    char text[PATTERN_TEXT];
    const struct host_match *m = match_of(h);
    json_t *all = json_object();
    (void)json_object_set_new(all, "name", optional(h->name));
    (void)json_object_set_new(all, "file", optional(configuration_file(c, h->file)));
    (void)json_object_set_new(all, "line", json_integer(h->line));
    (void)json_object_set_new(all, "mac",
                              optional(h->mac_len > 0 ? print_mac(h, text) : NULL));
    (void)json_object_set_new(all, "uuid",
                              optional(h->has_uuid ? text_uuid(h->uuid, text) : NULL));
    (void)json_object_set_new(all, "vendor_class",
                              optional(print_pattern(&m->vendor_class, text)));
    (void)json_object_set_new(all, "user_class",
                              optional(print_pattern(&m->user_class, text)));
    (void)json_object_set_new(all, "arch", json_archs(m->archs));
    (void)json_object_set_new(all, "relay", optional(print_relay(m, text)));
    (void)json_object_set_new(all, "circuit_id",
                              optional(print_pattern(&m->circuit_id, text)));
    (void)json_object_set_new(all, "interface",
                              optional(m->interface[0] ? m->interface : NULL));
    (void)json_object_set_new(all, "action", json_string(host_action_name(h->action)));
    (void)json_object_set_new(all, "once", json_boolean(h->once));
    (void)json_object_set_new(all, "profile", optional(profile_of(c, h)));
    (void)json_object_set_new(all, "max_block_size", json_limit(h->max_block_size));
    (void)json_object_set_new(all, "max_window_size", json_limit(h->max_window_size));
    (void)json_object_set_new(all, "vars", json_vars(h->vars));
    for (uint16_t i = 0; h->own && i < h->own->boot_count; i++) {
        const struct boot_entry *entry = &h->own->boot[i];
        (void)json_object_set_new(all, slot_name(entry->slot), json_string(entry->file));
    }
    return all;
}

json_t *host_list_json(const struct configuration *c)
{
    const struct hosts *hosts = c->snapshot->hosts;
    json_t *list = json_array();
    for (size_t i = 0; i < hosts_count(hosts); i++) {
        (void)json_array_append_new(list, json_host(c, hosts_at(hosts, i)));
    }
    return list;
}

json_t *host_show_json(const struct configuration *c, const struct host *h)
{
    json_t *all = json_host(c, h);
    json_t *files = json_object();
    for (unsigned slot = 0; boots(h) && slot < SLOT_COUNT; slot++) {
        const struct boot_entry *entry =
            plan_boot(&c->snapshot->profiles[h->profile], h, slot);
        if (entry) {
            (void)json_object_set_new(files, slot_name(slot), json_string(entry->file));
        }
    }
    (void)json_object_set_new(all, "boots", files);
    return all;
}
