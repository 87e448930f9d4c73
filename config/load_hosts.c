#include <stdlib.h>
#include <string.h>

#include "config/hosts.h"
#include "config/load_parts.h"

/* A host, or what is said of unknown ones, while it is read. */
struct draft {
    struct host host;
    int32_t profile; /* index; -1: not said, or not known */
    struct own_draft own;
};

/* -- values ---------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    const char *all = "0123456789abcdef";
    const char *found = strchr(all, c >= 'A' && c <= 'F' ? c + 32 : c);
    return c != '\0' && found ? (int)(found - all) : -1;
}

bool hex_octet(const char *text, uint8_t *out)
{
    int high = hex_digit(text[0]);
    int low = high >= 0 ? hex_digit(text[1]) : -1;
    if (low < 0) {
        return false;
    }
    *out = (uint8_t)(high << 4 | low);
    return true;
}

/* "52:54:00:*": one to five whole octets, then the star.  The length, or 0. */
static uint8_t parse_prefix(const char *text, struct mac *out)
{
    struct mac mac = {{0}};
    uint8_t len = 0;
    while (len < sizeof mac - 1 && hex_octet(text, &mac.octet[len]) &&
           (text[2] == ':' || text[2] == '-')) {
        len++;
        text += 3;
    }
    if (len == 0 || strcmp(text, "*") != 0) {
        return 0;
    }
    *out = mac;
    return len;
}

static void read_mac(struct reader *r, const struct field *f, const json_t *value,
                     const struct json_path *at, void *dst)
{
    struct host *host = dst;
    (void)f;
    const char *text = string_of(r, value, at, 1, 255);
    if (!text) {
        return;
    }
    uint8_t len =
        mac_parse(text, &host->mac) ? sizeof host->mac : parse_prefix(text, &host->mac);
    if (len == 0) {
        complain(r, at,
                 "expected a MAC address such as \"52:54:00:12:34:56\" or the "
                 "beginning of one such as \"52:54:00:*\"");
        return;
    }
    host->mac_len = len;
    if (host->mac.octet[0] & 1) {
        warn(r, at, "is a group address, which no machine has as its own");
    }
}

/* 8-4-4-4-12 hexadecimal digits. */
static bool parse_uuid(const char *text, uint8_t out[16])
{
    if (strlen(text) != 36) {
        return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < 16; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        if (dash && text[at++] != '-') {
            return false;
        }
        if (!hex_octet(text + at, &out[i])) {
            return false;
        }
        at += 2;
    }
    return true;
}

static void read_uuid(struct reader *r, const struct field *f, const json_t *value,
                      const struct json_path *at, void *dst)
{
    struct host *host = dst;
    uint8_t uuid[16];
    (void)f;
    const char *text = string_of(r, value, at, 1, 255);
    if (!text) {
        return;
    }
    if (!parse_uuid(text, uuid)) {
        complain(r, at,
                 "expected a UUID such as \"00112233-4455-6677-8899-aabbccddeeff\"");
        return;
    }
    if (uuid_is_junk(uuid)) {
        complain(r, at,
                 "is what every board without a UUID of its own sends, so it is "
                 "never matched; use \"mac\"");
        return;
    }
    memcpy(host->uuid, uuid, sizeof host->uuid);
    host->has_uuid = true;
}

static void read_action(struct reader *r, const struct field *f, const json_t *value,
                        const struct json_path *at, void *dst)
{
    static const char *const words[] = {[HOST_BOOT] = "boot",
                                        [HOST_IGNORE] = "ignore",
                                        [HOST_LOCAL] = "local",
                                        [HOST_HOLD] = "hold",
                                        NULL};
    int action = (int)*(enum host_action *)dst;
    (void)f;
    read_word(r, value, at, words, &action);
    *(enum host_action *)dst = (enum host_action)action;
}

/* clang-format off */
static const struct field host_fields[] = {
    {.key = "name", .read = read_text, .min = 1, .max = NAME_LEN_MAX,
     .offset = offsetof(struct draft, host.name)},
    {.key = "mac", .read = read_mac, .offset = offsetof(struct draft, host)},
    {.key = "uuid", .read = read_uuid, .offset = offsetof(struct draft, host)},
    {.key = "profile", .read = read_profile_name, .offset = offsetof(struct draft, profile)},
    {.key = "action", .read = read_action, .offset = offsetof(struct draft, host.action)},
    ANSWER_FIELDS(offsetof(struct draft, host.answer)),
    {.key = "max_block_size", .read = read_u32, .min = 8, .max = 65464,
     .offset = offsetof(struct draft, host.max_block_size)},
    {.key = "max_window_size", .read = read_u32, .min = 1, .max = 65535,
     .offset = offsetof(struct draft, host.max_window_size)},
    {.key = "vendor_class", .read = read_vendor_class, .offset = offsetof(struct draft, host)},
    {.key = "user_class", .read = read_user_class, .offset = offsetof(struct draft, host)},
    {.key = "arch", .read = read_arch, .offset = offsetof(struct draft, host)},
    {.key = "relay", .read = read_relay, .offset = offsetof(struct draft, host)},
    {.key = "circuit_id", .read = read_circuit_id, .offset = offsetof(struct draft, host)},
    {.key = "interface", .read = read_interface_of_host, .offset = offsetof(struct draft, host)},
    {.key = "send_ahead", .read = read_send_ahead,
     .offset = offsetof(struct draft, host.send_ahead)},
    {.key = "once", .read = read_bool, .offset = offsetof(struct draft, host.once)},
    {.key = "vars", .read = read_vars, .offset = offsetof(struct draft, host.vars)},
    {.key = "fields", .read = read_own_repeat, .offset = offsetof(struct draft, own.own)},
    {.key = "menu", .read = read_menu, .offset = offsetof(struct draft, own.own.menu)},
    {.key = "msft_window", .read = read_own_msft_window,
     .offset = offsetof(struct draft, own.own)},
    {.key = "done_when", .read = read_text, .min = 1, .max = 255,
     .offset = offsetof(struct draft, own.own.done_when)},
    {.key = "boot", .read = read_system, .offset = offsetof(struct draft, own.own.system)},
    {.key = "options", .read = read_options, .offset = offsetof(struct draft, own.own.options)},
    {.key = "directory", .read = read_directory, .min = 1, .max = 255,
     .offset = offsetof(struct draft, own.own.directory)},
};

static const struct field unknown_fields[] = {
    {.key = "profile", .read = read_profile_name, .offset = offsetof(struct draft, profile)},
    {.key = "action", .read = read_action, .offset = offsetof(struct draft, host.action)},
};
/* clang-format on */

/* -- hosts ----------------------------------------------------------------------------- */

/* The profile of one who is to boot: said, or the default one; none of both is a fault. */
static void settle_profile(struct reader *r, const json_t *object,
                           const struct json_path *at, struct draft *d)
{
    if (d->profile < 0) {
        d->profile = r->default_profile;
    }
    bool said =
        json_object_get(object, "profile") != NULL; /* if so, it was complained of */
    if (d->profile < 0 && !said && r->profiles_known && d->host.action != HOST_IGNORE) {
        complain(r, at, "\"profile\" is missing, and no profile is named \"%s\"",
                 DEFAULT_PROFILE);
    }
    d->host.profile = (uint16_t)(d->profile < 0 ? 0 : d->profile);
}

/* Which host, and where it stands: in another file than the one that is read, too. */
static char *show_host(const struct reader *r, const struct host *host, char buf[160])
{
    char name[NAME_LEN_MAX + 9] = "the host";
    if (host->name) {
        snprintf(name, sizeof name, "host \"%s\"", host->name);
    }
    if (host->file == r->faults->file) {
        snprintf(buf, 160, "%s on line %u", name, host->line);
    } else if (host->file == 0) {
        snprintf(buf, 160, "%s on line %u of the configuration file", name, host->line);
    } else {
        const char *path = r->out->host_paths[host->file - 1];
        const char *slash = strrchr(path, '/');
        snprintf(buf, 160, "%s at %s:%u", name, slash ? slash + 1 : path, host->line);
    }
    return buf;
}

/* At the key that names a host, the first of the table that is there. */
static struct json_path naming_key(const json_t *object, const struct json_path *at)
{
    static const char *const keys[] = {"mac",  "uuid",  "vendor_class", "user_class",
                                       "arch", "relay", "circuit_id",   "interface"};
    struct json_path key = {.up = at, .key = keys[0]};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (json_object_get(object, keys[i])) {
            key.key = keys[i];
            break;
        }
    }
    return key;
}

static void complain_twin(struct reader *r, const struct json_path *key,
                          const struct host *host, const struct host *twin)
{
    char other[160];
    bool by_mac = host->mac_len > 0 && !host->has_uuid && !host->match;
    bool by_uuid = host->mac_len == 0 && host->has_uuid && !host->match;
    const char *what = by_mac    ? "the same MAC address as"
                       : by_uuid ? "the same UUID as"
                                 : "the same machines as";
    complain(r, key, "%s %s", what, show_host(r, twin, other));
}

static void free_host(struct host *host)
{
    free(host->name);
    host_match_free(host->match);
    host_vars_free(host->vars);
    host_own_free(host->own);
}

static void add_host(struct reader *r, const json_t *object, const struct json_path *at,
                     struct host *host)
{
    char text[160];
    size_t other = SIZE_MAX;
    struct json_path key = naming_key(object, at);
    enum hosts_result result = hosts_add(r->out->hosts, host, &other);
    switch (result) {
    case HOSTS_ADDED:
        if (other != SIZE_MAX) {
            warn(r, &key, "is never reached: %s is always taken before it",
                 show_host(r, hosts_at(r->out->hosts, other), text));
        }
        return;
    case HOSTS_TWIN:
        complain_twin(r, &key, host, hosts_at(r->out->hosts, other));
        break;
    case HOSTS_TOO_MANY:
        if (host->mac_len == sizeof host->mac || host->has_uuid) {
            complain(r, &key, "more than %d hosts of one MAC address or UUID",
                     HOSTS_ALIKE_MAX);
        } else {
            complain(r, &key,
                     "more than %d hosts that are neither a MAC address or its "
                     "beginning alone nor a UUID",
                     HOSTS_PATTERNS_MAX);
        }
        break;
    case HOSTS_NO_MEMORY:
        no_memory(r, at);
        break;
    }
    free_host(host);
}

/* A boot that ends with a file we do not serve never ends for us. */
static void warn_of_no_end(struct reader *r, const struct json_path *at,
                           const struct draft *d)
{
    if (!d->host.once || d->profile < 0) {
        return;
    }
    const struct profile *p = &r->out->profiles[d->profile];
    const struct boot_entry *last = plan_boot(p, &d->host, SLOT_IPXE);
    if (!plan_done_when(r->out, p, &d->host) && last && strstr(last->file, "://") &&
        strncmp(last->file, "tftp:", 5) != 0) {
        struct json_path key = {.up = at, .key = "once"};
        warn(r, &key,
             "its boot is never seen to end, as the last file of %s%s%s comes "
             "from elsewhere; \"done_when\" there names one of ours",
             last->profile == OF_HOST ? "this host" : "profile \"",
             last->profile == OF_HOST ? "" : p->name,
             last->profile == OF_HOST ? "" : "\"");
    }
}

static void read_host(struct reader *r, const json_t *object, const struct json_path *at)
{
    struct draft d = {.profile = -1};
    if (!json_is_object(object)) {
        complain(r, at, "expected an object { ... } about one host, got %s",
                 json_kind(object));
        return;
    }
    d.host.line = (uint32_t)place_of(r, at).line;
    d.host.file = r->faults->file;
    d.own.set = &FIELD_SET_AND_SLOTS(host_fields);
    d.own.slots = read_fields(r, d.own.set, object, at, &d);
    d.host.own = read_own(r, &d.own, object, at);
    d.host.answer.said = answer_said(object);
    settle_profile(r, object, at, &d);
    warn_of_no_end(r, at, &d);
    if (!json_object_get(object, naming_key(object, at).key)) {
        complain(r, at,
                 "\"mac\" or \"uuid\" is missing, or another key that says which "
                 "machine this is");
    }
    if (host_is_clear(object, &d.host)) {
        add_host(r, object, at, &d.host);
    } else {
        free_host(&d.host);
    }
}

/* offset: of the list, whose path up is. */
static void read_list(struct reader *r, const json_t *value, const struct json_path *up,
                      size_t offset)
{
    struct scan items = json_items(r->text, r->len, offset);
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_path here = {.up = up, .index = i};
        here.offset = json_items_next(&items);
        read_host(r, json_array_get(value, i), &here);
    }
}

void read_hosts(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst)
{
    (void)f;
    (void)dst;
    if (!json_is_array(value)) {
        complain(r, at, "expected a list [ ... ] of hosts, got %s", json_kind(value));
        return;
    }
    struct json_path list = *at;
    list.offset = json_locate(r->text, r->len, at);
    read_list(r, value, &list, list.offset);
}

void read_host_file(struct reader *r, const json_t *root)
{
    if (json_is_array(root)) {
        read_list(r, root, NULL, json_locate(r->text, r->len, NULL));
    } else {
        read_host(r, root, NULL);
    }
}

/* -- unknown hosts --------------------------------------------------------------------- */

void read_unknown_hosts(struct reader *r, const struct field *f, const json_t *value,
                        const struct json_path *at, void *dst)
{
    struct draft d = {.profile = -1};
    struct unknown_hosts *unknown = &r->out->unknown;
    (void)f;
    (void)dst;

    if (!value) {
        unknown->action = r->default_profile < 0 ? HOST_IGNORE : HOST_BOOT;
        unknown->profile = (uint16_t)(r->default_profile < 0 ? 0 : r->default_profile);
        return;
    }
    if (!json_is_object(value)) {
        complain(r, at, "expected an object { ... }, got %s", json_kind(value));
        return;
    }
    read_fields(r, &FIELD_SET(unknown_fields), value, at, &d);
    settle_profile(r, value, at, &d);
    unknown->action = d.host.action;
    unknown->profile = d.host.profile;
    unknown->line = (uint32_t)place_of(r, at).line;
}
