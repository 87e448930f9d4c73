#include "config/load.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "config/hosts.h"
#include "config/load_parts.h"
#include "config/syntax.h"

#define DATA_PORTS_MAX 64
#define PORT_LEAST     1024 /* below: privileges are gone when data ports are bound */
#define PORT_MOST      65535

/* -- interfaces ------------------------------------------------------------------------ */

static void read_interface_name(struct reader *r, const struct field *f,
                                const json_t *value, const struct json_path *at,
                                void *dst)
{
    const char *name = string_of(r, value, at, f->min, 255);
    if (!name) {
        return;
    }
    if ((long long)strlen(name) > f->max) {
        complain(r, at, "an interface name has at most %lld octets", f->max);
        return;
    }
    if (strpbrk(name, " \t/:") || !strcmp(name, ".") || !strcmp(name, "..")) {
        complain(r, at, "\"%s\" is no name that an interface can have", name);
        return;
    }
    snprintf(dst, sizeof((struct interface_conf *)0)->name, "%s", name);
}

static void read_listen(struct reader *r, const struct field *f, const json_t *value,
                        const struct json_path *at, void *dst)
{
    static const char *const words[] = {
        [LISTEN_CAPTURE] = "capture", [LISTEN_UDP] = "udp", NULL};
    int mode = LISTEN_CAPTURE;
    (void)f;
    read_word(r, value, at, words, &mode);
    *(enum listen_mode *)dst = (enum listen_mode)mode;
}

/* clang-format off */
static const struct field interface_fields[] = {
    {.key = "name", .read = read_interface_name, .min = 1, .max = 15, .required = true,
     .offset = offsetof(struct interface_conf, name)},
    {.key = "address", .read = read_ip4, .offset = offsetof(struct interface_conf, address)},
    {.key = "listen", .read = read_listen, .offset = offsetof(struct interface_conf, listen)},
};
/* clang-format on */

static void read_interface(struct reader *r, const json_t *item,
                           const struct json_path *at)
{
    struct interface_conf one = {0};
    struct snapshot *s = r->out;

    if (json_is_string(item)) {
        read_interface_name(r, &interface_fields[0], item, at, one.name);
    } else if (json_is_object(item)) {
        read_fields(r, &FIELD_SET(interface_fields), item, at, &one);
    } else {
        complain(r, at, "expected an interface name, or an object with \"name\", got %s",
                 json_kind(item));
    }
    if (one.name[0] == '\0') {
        return;
    }
    for (size_t i = 0; i < s->interface_count; i++) {
        if (!strcmp(s->interfaces[i].name, one.name)) {
            complain(r, at, "interface \"%s\" is already in the list", one.name);
            return;
        }
    }
    s->interfaces[s->interface_count++] = one;
}

static void read_interfaces(struct reader *r, const struct field *f, const json_t *value,
                            const struct json_path *at, void *dst)
{
    (void)f;
    (void)dst;
    if (!json_is_array(value)) {
        complain(r, at, "expected a list of interfaces such as [\"eth0\"], got %s",
                 json_kind(value));
        return;
    }
    size_t count = json_array_size(value);
    if (count == 0) {
        warn(r, at, "nothing is served: name the interface towards the clients");
    }
    if (count > CONFIG_INTERFACES_MAX) {
        complain(r, at, "%zu interfaces, at most %d are possible", count,
                 CONFIG_INTERFACES_MAX);
        count = CONFIG_INTERFACES_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        struct json_path here = {.up = at, .index = i};
        read_interface(r, json_array_get(value, i), &here);
    }
}

/* -- dhcp, tftp ------------------------------------------------------------------------ */

/* "40000-40003", or one number alone; digits only. */
static bool parse_range(const char *text, uint64_t *first, uint64_t *last)
{
    char start[8];
    const char *dash = strchr(text, '-');
    size_t len = dash ? (size_t)(dash - text) : strlen(text);

    if (len >= sizeof start) {
        return false;
    }
    memcpy(start, text, len);
    start[len] = '\0';
    if (!text_decimal(start, first)) {
        return false;
    }
    *last = *first;
    return !dash || text_decimal(dash + 1, last);
}

static void take_range(struct reader *r, const struct json_path *at, long long first,
                       long long last)
{
    struct tftp_conf *tftp = &r->out->tftp;
    long long wrong = first < PORT_LEAST || first > PORT_MOST ? first : last;

    if (wrong < PORT_LEAST || wrong > PORT_MOST) {
        complain(r, at, "port %lld is outside %d..%d", wrong, PORT_LEAST, PORT_MOST);
    } else if (first > last) {
        complain(r, at, "the first port is above the last; write %lld-%lld", last, first);
    } else if (last - first >= DATA_PORTS_MAX) {
        complain(r, at, "%lld ports, at most %d are possible", last - first + 1,
                 DATA_PORTS_MAX);
    } else {
        tftp->data_port_first = (uint16_t)first;
        tftp->data_port_last = (uint16_t)last;
    }
}

static void read_data_ports(struct reader *r, const struct field *f, const json_t *value,
                            const struct json_path *at, void *dst)
{
    (void)f;
    (void)dst;
    uint64_t first;
    uint64_t last;

    if (json_is_integer(value)) {
        take_range(r, at, json_integer_value(value), json_integer_value(value));
        return;
    }
    if (!json_is_string(value)) {
        complain(r, at, "expected \"40000-40003\", \"single\" or one port number, got %s",
                 json_kind(value));
        return;
    }
    const char *text = string_of(r, value, at, 1, 255);
    if (text && !strcmp(text, "single")) {
        r->out->tftp.single_port = true;
    } else if (text && !parse_range(text, &first, &last)) {
        complain(r, at, "expected \"40000-40003\", \"single\" or one port number");
    } else if (text) {
        take_range(r, at, first > PORT_MOST ? PORT_MOST + 1 : (long long)first,
                   last > PORT_MOST ? PORT_MOST + 1 : (long long)last);
    }
}

/* clang-format off */
static const struct field dhcp_fields[] = {
    {.key = "enabled", .read = read_bool, .offset = offsetof(struct dhcp_conf, enabled)},
    {.key = "ipv6", .read = read_bool, .offset = offsetof(struct dhcp_conf, ipv6)},
    {.key = "next_server_is_us", .read = read_bool,
     .offset = offsetof(struct dhcp_conf, next_server_is_us)},
};

static const struct field tftp_fields[] = {
    {.key = "enabled", .read = read_bool, .offset = offsetof(struct tftp_conf, enabled)},
    {.key = "root", .read = read_text, .min = 1, .max = 4095,
     .offset = offsetof(struct tftp_conf, root)},
    {.key = "max_block_size", .read = read_u32, .min = 8, .max = 65464,
     .offset = offsetof(struct tftp_conf, max_block_size)},
    {.key = "max_window_size", .read = read_u32, .min = 1, .max = 65535,
     .offset = offsetof(struct tftp_conf, max_window_size)},
    {.key = "first_window_size", .read = read_u32, .min = 1, .max = 65535,
     .offset = offsetof(struct tftp_conf, first_window_size)},
    {.key = "send_ahead", .read = read_send_ahead,
     .offset = offsetof(struct tftp_conf, send_ahead)},
    {.key = "msft_window", .read = read_bool,
     .offset = offsetof(struct tftp_conf, msft_window)},
    {.key = "max_transfers", .read = read_u32, .min = 1, .max = 100000,
     .offset = offsetof(struct tftp_conf, max_transfers)},
    {.key = "data_ports", .read = read_data_ports},
    {.key = "allow", .read = read_allow, .offset = offsetof(struct tftp_conf, allow)},
};

static const struct field evidence_fields[] = {
    {.key = "enabled", .read = read_bool, .offset = offsetof(struct evidence_conf, enabled)},
    {.key = "max_files", .read = read_u32, .min = 1, .max = 10000,
     .offset = offsetof(struct evidence_conf, max_files)},
    {.key = "max_octets", .read = read_u32, .min = 65536, .max = 1 << 30,
     .offset = offsetof(struct evidence_conf, max_octets)},
};

static const struct field_set evidence_set = {.list = evidence_fields, .count = 3};
static const struct field_set dhcp_set = {.list = dhcp_fields, .count = 3};
static const struct field_set tftp_set = {.list = tftp_fields, .count = 10};
static_assert(sizeof tftp_fields / sizeof tftp_fields[0] == 10, "tftp_set counts its rows");

/* A path, absolute since it is made before the process looks anywhere; or "off". */
static void read_path_or_off(struct reader *r, const struct field *f, const json_t *value,
                             const struct json_path *at, void *dst)
{
    char **path = dst;
    const char *text = string_of(r, value, at, f->min, f->max);
    if (text && strcmp(text, "off") != 0 && text[0] != '/') {
        complain(r, at, "expected an absolute path or \"off\"");
        return;
    }
    if (!text) {
        return;
    }
    free(*path);
    *path = NULL;
    if (strcmp(text, "off") != 0) {
        read_text(r, f, value, at, dst);
    }
}

static void read_confinement(struct reader *r, const struct field *f, const json_t *value,
                             const struct json_path *at, void *dst)
{
    static const char *const words[] = {"off", "auto", NULL};
    int confined = *(bool *)dst;
    (void)f;
    read_word(r, value, at, words, &confined);
    *(bool *)dst = confined != 0;
}

/* Where packaging/schema is, which an editor wants to know and nobody else. */
static void read_schema(struct reader *r, const struct field *f, const json_t *value,
                        const struct json_path *at, void *dst)
{
    (void)dst;
    (void)string_of(r, value, at, f->min, f->max);
}

static void read_host_files(struct reader *r, const struct field *f, const json_t *value,
                            const struct json_path *at, void *dst)
{
    struct json_place place = place_of(r, at);
    read_text(r, f, value, at, dst);
    r->out->host_files_line = (uint32_t)place.line;
    r->out->host_files_column = (uint32_t)place.column;
}

/*
 * Hosts name profiles, so profiles come first here, wherever they stand in the file; before
 * these "http", which says whether a profile may name files for HTTP clients.
 */
static const struct field top_fields[] = {
    {.key = "interfaces", .read = read_interfaces, .required = true},
    {.key = "user", .read = read_text, .min = 1, .max = 31,
     .offset = offsetof(struct snapshot, user)},
    {.key = "hotplug", .read = read_bool, .offset = offsetof(struct snapshot, hotplug)},
    {.key = "dhcp", .read = read_section, .inner = &dhcp_set,
     .offset = offsetof(struct snapshot, dhcp)},
    {.key = "tftp", .read = read_section, .inner = &tftp_set,
     .offset = offsetof(struct snapshot, tftp)},
    {.key = "evidence", .read = read_section, .inner = &evidence_set,
     .offset = offsetof(struct snapshot, evidence)},
    {.key = "http", .read = read_http, .offset = offsetof(struct snapshot, http)},
    {.key = "profiles", .read = read_profiles},
    {.key = "hosts", .read = read_hosts},
    {.key = "host_files", .read = read_host_files, .min = 1, .max = 4095,
     .offset = offsetof(struct snapshot, host_files)},
    {.key = "unknown_hosts", .read = read_unknown_hosts},
    {.key = "files", .read = read_files},
    {.key = "control", .read = read_path_or_off, .min = 1, .max = 107,
     .offset = offsetof(struct snapshot, control)},
    {.key = "state_dir", .read = read_path_or_off, .min = 1, .max = 1023,
     .offset = offsetof(struct snapshot, state_dir)},
    {.key = "watch", .read = read_bool, .offset = offsetof(struct snapshot, watch)},
    {.key = "confinement", .read = read_confinement,
     .offset = offsetof(struct snapshot, confined)},
    {.key = "log", .read = read_log, .offset = offsetof(struct snapshot, log)},
    {.key = "$schema", .read = read_schema, .min = 1, .max = 4095},
};
/* clang-format on */

/* -- the whole ------------------------------------------------------------------------- */

static void check_tftp_root(struct reader *r, const json_t *root)
{
    const json_t *tftp = json_object_get(root, "tftp");
    struct json_path at = {.key = "tftp"};

    if (!serves_files(r->out) || (tftp && !json_is_object(tftp))) {
        return;
    }
    if (!tftp) {
        complain(r, NULL,
                 "\"tftp\" is missing: it says with \"root\" where the boot files "
                 "are, or \"enabled\": false");
        return;
    }
    struct json_path root_at = {.up = &at, .key = "root"};
    struct json_place place = place_of(r, &root_at);
    r->out->tftp.root_line = (uint32_t)place.line;
    r->out->tftp.root_column = (uint32_t)place.column;
    if (!json_object_get(tftp, "root")) {
        complain(r, &at, "\"root\" is missing: the directory of the boot files");
    }
}

static void read_top(struct reader *r, const json_t *root)
{
    if (!json_is_object(root)) {
        complain(r, NULL, "the configuration must be one object { ... }, not %s",
                 json_kind(root));
        return;
    }
    read_fields(r, &FIELD_SET(top_fields), root, NULL, r->out);
    if (!json_object_get(root, "unknown_hosts")) {
        read_unknown_hosts(r, NULL, NULL, NULL, NULL);
    }
    check_tftp_root(r, root);
    if (!r->out->dhcp.enabled && !r->out->tftp.enabled && !r->out->http.boot_files) {
        complain(r, NULL,
                 "neither \"dhcp\" nor \"tftp\" is enabled: nothing is left to do");
    }
}

static struct snapshot *new_snapshot(void)
{
    struct snapshot *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->hotplug = true;
    s->confined = true;
    s->log = (struct log_conf){.form = LOG_AUTO, .level = LOG_INFO};
    s->dhcp = (struct dhcp_conf){.enabled = true, .ipv6 = true};
    s->tftp = (struct tftp_conf){.enabled = true,
                                 .max_block_size = 1468, /* MTU 1500 less 32 of headers */
                                 .max_window_size = 64,
                                 .first_window_size = 16,
                                 .send_ahead = SEND_AHEAD_AUTO,
                                 .max_transfers = 4096,
                                 .allow.attached = true};
    s->evidence =
        (struct evidence_conf){.enabled = true, .max_files = 50, .max_octets = 16 << 20};
    http_conf_init(&s->http);
    s->user = strdup("pxed");
    s->control = strdup(CONFIG_CONTROL_DEFAULT);
    s->state_dir = strdup("/var/lib/pxed");
    s->hosts = hosts_new(0);
    if (!s->user || !s->control || !s->state_dir || !s->hosts) {
        snapshot_free(s);
        return NULL;
    }
    return s;
}

static struct snapshot *read_text_of(struct reader *r, char *text)
{
    json_auto_t *root = syntax_read(r, text);
    if (!root) {
        return NULL;
    }
    r->out = new_snapshot();
    if (!r->out) {
        no_memory(r, NULL);
        return NULL;
    }
    read_top(r, root);
    return r->out;
}

struct snapshot *config_read(const char *text, size_t len, struct faults *faults)
{
    if (len > JSON_TEXT_MAX) {
        faults_add(faults, FAULT_ERROR, 1, 1, "", "more than %u MiB of text",
                   JSON_TEXT_MAX >> 20);
        return NULL;
    }
    struct snapshot *s = NULL;
    char *copy = malloc(len + 1);
    struct reader *r = calloc(1, sizeof *r);
    if (copy && r) {
        memcpy(copy, len > 0 ? text : "", len);
        r->text = copy;
        r->len = len;
        r->faults = faults;
        r->default_profile = -1;
        r->profiles_known = true;
        json_lines_init(&r->lines, copy, len);
        s = read_text_of(r, copy);
    } else {
        faults_add(faults, FAULT_ERROR, 1, 1, "", "out of memory");
    }
    free(copy);
    free(r);
    faults_sort(faults);
    return s;
}

/* -- files of hosts -------------------------------------------------------------------- */

static void read_file_of_hosts(struct reader *r, const struct fault_source *file)
{
    char *copy = file->len <= JSON_TEXT_MAX ? malloc(file->len + 1) : NULL;
    if (!copy) {
        faults_add(r->faults, FAULT_ERROR, 1, 1, "",
                   file->len <= JSON_TEXT_MAX ? "out of memory"
                                              : "more than 64 MiB of text");
        return;
    }
    memcpy(copy, file->text, file->len);
    r->text = copy;
    r->len = file->len;
    json_lines_init(&r->lines, copy, file->len);
    json_t *root = syntax_read(r, copy);
    if (root) {
        read_host_file(r, root);
        json_decref(root);
    }
    free(copy);
}

static bool add_path(struct snapshot *s, const char *name)
{
    s->host_paths[s->host_path_count] = strdup(name);
    return s->host_paths[s->host_path_count] && ++s->host_path_count;
}

void config_read_hosts(struct snapshot *s, const struct fault_source *files, size_t count,
                       struct faults *faults)
{
    struct reader *r = calloc(1, sizeof *r);
    s->host_paths = (char **)calloc(count + 1, sizeof *s->host_paths);
    bool good = r && s->host_paths;
    if (good) {
        r->faults = faults;
        r->out = s;
        r->host_file = true;
        r->default_profile = find_profile(s, DEFAULT_PROFILE);
        r->profiles_known = !s->profiles_unread;
    }
    faults->sources = files;
    for (size_t i = 0; good && i < count; i++) {
        faults->file = (uint32_t)i + 1;
        good = add_path(s, files[i].name);
        if (good && files[i].text) {
            read_file_of_hosts(r, &files[i]);
        }
    }
    faults->file = 0;
    if (!good) {
        faults_add(faults, FAULT_ERROR, 1, 1, "", "out of memory");
    }
    free(r);
    faults_sort(faults);
}

struct snapshot *config_load(const char *text, size_t len, struct faults *faults)
{
    size_t before = faults->errors;
    struct snapshot *s = config_read(text, len, faults);
    if (faults->errors > before) {
        snapshot_free(s);
        return NULL;
    }
    return s;
}
