#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/host_print.h"
#include "app/host_store.h"
#include "app/json.h"
#include "app/options.h"
#include "app/read_file.h"
#include "common/cleanup.h"
#include "common/tell.h"
#include "config/comments.h"
#include "config/hosts.h"
#include "config/locate.h"

static const char help[] =
    "usage: pxed host list [-c FILE] [--json]\n"
    "       pxed host show MAC [-c FILE] [--json]\n"
    "       pxed host set --mac MAC [--name N] [--profile P] [--action A] [--uuid U]\n"
    "                     [--var NAME=TEXT]... [--key NAME=VALUE]... [-c FILE]\n"
    "       pxed host rm MAC [-c FILE]\n"
    "\n"
    "Looks at the host table, and edits the directory of host files: each host set here\n"
    "has a file of its own there, named by its MAC address.  What would make the\n"
    "configuration faulty is refused, and nothing is changed.  `pxed run` takes a "
    "change\n"
    "up when it reloads.\n"
    "\n"
    "  list   the whole table, and where each host stands\n"
    "  show   the hosts that this MAC address finds, and what they boot\n"
    "  set    makes or changes a host; what is not named stays as it was, an empty "
    "value\n"
    "         or a variable or key without \"=\" is taken away; --key is for all other "
    "keys\n"
    "         of a host: --key x64-uefi=special.efi --key once=true; a value that is "
    "JSON\n"
    "         is taken as such, anything else as text\n"
    "  rm     removes the host's file\n"
    "\n"
    "      --json   list of {name, file, line, mac, uuid, vendor_class, user_class, "
    "arch,\n"
    "               relay, circuit_id, interface, action, once, profile,\n"
    "               max_block_size, max_window_size, vars}, as in the configuration, "
    "null for what is "
    "not\n"
    "               said, and boot files of its own by their keys; of show with boots, "
    "an object from architecture to file\n"
    "\n"
    "Exit code: 0 good, 1 a fault was found or there is no such host, 2 wrong usage.\n";

#define VARS_MAX 64
#define KEYS_MAX 64

struct arguments {
    const char *path;
    bool json;
    bool help;
    struct mac mac;
    bool has_mac;
    const char *text[4]; /* by keys[]; NULL: not named */
    const char *var[VARS_MAX];
    size_t var_count;
    const char *key[KEYS_MAX];
    size_t key_count;
};

static const char *const keys[] = {"name", "uuid", "profile", "action"};
#define KEYS (sizeof keys / sizeof keys[0])

/* -- arguments ------------------------------------------------------------------------- */

enum { OPTION_VAR = OPTION_OWN, OPTION_KEY };

static bool take_mac(const char *text, struct arguments *out)
{
    if (out->has_mac || !mac_parse(text, &out->mac)) {
        tell(stderr, "pxed host: \"%s\" is no MAC address, or one too many\n", text);
        return false;
    }
    out->has_mac = true;
    return true;
}

static bool take_key(const char *text, struct arguments *out)
{
    if (out->key_count == KEYS_MAX) {
        tell(stderr, "pxed host: more than %d keys\n", KEYS_MAX);
        return false;
    }
    if (strcspn(text, "=") == 3 && strncmp(text, "mac", 3) == 0) {
        tell(stderr, "pxed host: the file is named by its MAC address: use --mac\n");
        return false;
    }
    out->key[out->key_count++] = text;
    return true;
}

static bool take(int code, const char *text, void *arguments)
{
    struct arguments *out = arguments;
    if (code == 'm') {
        return take_mac(text, out);
    }
    if (code == OPTION_KEY) {
        return take_key(text, out);
    }
    if (out->var_count == VARS_MAX) {
        tell(stderr, "pxed host: more than %d variables\n", VARS_MAX);
        return false;
    }
    out->var[out->var_count++] = text;
    return true;
}

static bool parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option_row rows[] = {
        {"config", 'c', OPTION_TEXT, offsetof(struct arguments, path)},
        {"json", 0, OPTION_FLAG, offsetof(struct arguments, json)},
        {"help", 'h', OPTION_FLAG, offsetof(struct arguments, help)},
        {"mac", 'm', OPTION_VALUE, 0},
        {"name", 0, OPTION_TEXT, offsetof(struct arguments, text[0])},
        {"uuid", 0, OPTION_TEXT, offsetof(struct arguments, text[1])},
        {"profile", 0, OPTION_TEXT, offsetof(struct arguments, text[2])},
        {"action", 0, OPTION_TEXT, offsetof(struct arguments, text[3])},
        {"var", OPTION_VAR, OPTION_VALUE, 0},
        {"key", OPTION_KEY, OPTION_VALUE, 0},
        {NULL, 0, 0, 0},
    };
    *out = (struct arguments){.path = PXED_CONFIGURATION};
    if (!options_read(rows, take, argc, argv, out)) {
        return false;
    }
    for (; optind < argc; optind++) {
        if (!take_mac(argv[optind], out)) {
            return false;
        }
    }
    return true;
}

/* -- reading --------------------------------------------------------------------------- */

/* As it would be with the change (NULL: as it is).  False after saying why it cannot be used. */
static bool read_configuration(const struct arguments *a,
                               const struct host_change *change,
                               struct configuration *out)
{
    int error = configuration_read_changed(a->path, change, FAULT_WARNING, out);
    if (error != 0) {
        tell(stderr, "%s: cannot be read: %s\n", a->path, strerror(-error));
        return false;
    }
    if (!out->snapshot) {
        faults_print(&out->faults, a->path, out->text, out->len, stderr);
    }
    return out->snapshot != NULL;
}

static int list(const struct arguments *a)
{
    struct configuration c;
    bool good = read_configuration(a, NULL, &c);
    if (good && a->json) {
        good = json_print(host_list_json(&c));
    } else if (good) {
        host_list_text(&c, stdout);
    }
    configuration_done(&c);
    return good ? EXIT_GOOD : EXIT_FAULT;
}

static bool is_exactly(const struct host *h, const struct mac *mac)
{
    return h->mac_len == sizeof *mac && mac_equal(&h->mac, mac);
}

/* Hosts of exactly this MAC; without any, the one that a machine about which nothing else is
   known would be. */
static size_t show_hosts(const struct configuration *c, const struct arguments *a)
{
    const struct hosts *hosts = c->snapshot->hosts;
    json_auto_t *all = json_array();
    size_t shown = 0;
    const struct host_facts facts = {.mac = &a->mac};
    const struct host *other = hosts_find(hosts, &facts);
    for (size_t i = 0; i < hosts_count(hosts); i++) {
        const struct host *h = hosts_at(hosts, i);
        if (!is_exactly(h, &a->mac) && h != other) {
            continue;
        }
        shown++;
        if (a->json) {
            (void)json_array_append_new(all, host_show_json(c, h));
        } else {
            host_show_text(c, h, stdout);
        }
    }
    if (a->json) {
        (void)json_print(json_incref(all));
    }
    return shown;
}

static int show(const struct arguments *a)
{
    char mac[MAC_TEXT];
    struct configuration c;
    bool good = read_configuration(a, NULL, &c);
    if (good && show_hosts(&c, a) == 0) {
        tell(stderr, "pxed host: no host of the table is found by %s\n",
             mac_print(&a->mac, mac));
        good = false;
    }
    configuration_done(&c);
    return good ? EXIT_GOOD : EXIT_FAULT;
}

/* -- changing -------------------------------------------------------------------------- */

/* One change of one file. */
struct edit {
    const struct arguments *a;
    char *dir; /* of the host files */
    int dir_fd;
    char name[MAC_TEXT + 8];
};

/* Where the host files are; needs no more of the configuration than that it can be read. */
static bool find_directory(struct edit *e)
{
    struct configuration c;
    int error = configuration_read(e->a->path, FAULT_WARNING, &c);
    const struct snapshot *s = c.snapshot ? c.snapshot : c.draft;
    if (error != 0) {
        tell(stderr, "%s: cannot be read: %s\n", e->a->path, strerror(-error));
    } else if (s && s->host_files) {
        e->dir = strdup(s->host_files);
    } else if (s) {
        tell(stderr, "%s: \"host_files\" is missing: the directory for hosts\n",
             e->a->path);
    } else {
        faults_print(&c.faults, e->a->path, c.text, c.len, stderr);
    }
    configuration_done(&c);
    return e->dir != NULL;
}

static bool begin(const struct arguments *a, struct edit *e)
{
    char mac[MAC_TEXT];
    *e = (struct edit){.a = a, .dir_fd = -1};
    (void)mac_print(&a->mac, mac);
    for (char *p = mac; *p; p++) {
        *p = (char)(*p == ':' ? '-' : *p);
    }
    snprintf(e->name, sizeof e->name, "%s.json", mac);
    if (!find_directory(e)) {
        return false;
    }
    e->dir_fd = host_store_open(e->dir);
    if (e->dir_fd < 0) {
        tell(stderr, "%s: cannot be opened: %s\n", e->dir, strerror(-e->dir_fd));
    }
    return e->dir_fd >= 0;
}

static void end(struct edit *e)
{
    free(e->dir);
    if (e->dir_fd >= 0) {
        (void)close(e->dir_fd);
    }
}

static bool names_host(const json_t *host, const struct mac *mac)
{
    struct mac written;
    const char *text = json_string_value(json_object_get(host, "mac"));
    return text && mac_parse(text, &written) && mac_equal(&written, mac);
}

/* The host in the file: NULL after a complaint.  *there is false when there is no file. */
static json_t *read_host(const struct edit *e, bool *there)
{
    AUTO(free) char *text = NULL;
    size_t len = 0;
    size_t at;
    int error = read_file_at(e->dir_fd, e->name, JSON_TEXT_MAX, &text, &len);
    *there = error != -ENOENT;
    if (error == -ENOENT) {
        return json_object();
    }
    if (error != 0) {
        tell(stderr, "%s/%s: cannot be read: %s\n", e->dir, e->name, strerror(-error));
        return NULL;
    }
    (void)comments_blank(text, len, &at);
    json_t *host = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(host) || !names_host(host, &e->a->mac)) {
        tell(stderr, "%s/%s: does not hold this one host alone; edit it by hand\n",
             e->dir, e->name);
        json_decref(host);
        return NULL;
    }
    return host;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text && text[0]) {
        (void)json_object_set_new(object, key, json_string(text));
    } else if (text) {
        (void)json_object_del(object, key);
    }
}

/* "NAME=VALUE" sets, "NAME" and "NAME=" take away. */
static void set_key(json_t *host, const char *key)
{
    size_t len = strcspn(key, "=");
    const char *text = key + len + (key[len] == '=');
    char name[256]; /* what is cut here is no key, too */
    snprintf(name, sizeof name, "%.*s", (int)(len < 255 ? len : 255), key);
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (text[0] == '\0') {
        (void)json_object_del(host, name);
    } else {
        (void)json_object_set_new(host, name, value ? value : json_string(text));
    }
}

/* "NAME=TEXT" sets, "NAME" takes away. */
static void set_var(json_t *host, const char *var)
{
    const char *sign = strchr(var, '=');
    char name[256]; /* what is cut here is too long for the checker, too */
    snprintf(name, sizeof name, "%.*s", (int)(sign ? sign - var : 255), var);
    json_t *vars = json_object_get(host, "vars");
    if (!vars) {
        (void)json_object_set_new(host, "vars", json_object());
        vars = json_object_get(host, "vars");
    }
    if (sign) {
        (void)json_object_set_new(vars, name, json_string(sign + 1));
    } else {
        (void)json_object_del(vars, name);
    }
    if (json_object_size(vars) == 0) {
        (void)json_object_del(host, "vars");
    }
}

/* The file as it is to be, malloc'd, or NULL. */
static char *new_text(const struct arguments *a, json_t *host, size_t *len)
{
    char mac[MAC_TEXT];
    char *text = NULL;
    set_text(host, "mac", mac_print(&a->mac, mac));
    for (size_t i = 0; i < KEYS; i++) {
        set_text(host, keys[i], a->text[i]);
    }
    for (size_t i = 0; i < a->var_count; i++) {
        set_var(host, a->var[i]);
    }
    for (size_t i = 0; i < a->key_count; i++) {
        set_key(host, a->key[i]);
    }
    AUTO(free) char *json = json_dumps(host, JSON_INDENT(2));
    int written = json ? asprintf(&text, "%s\n", json) : -1;
    *len = written < 0 ? 0 : (size_t)written;
    return written < 0 ? NULL : text;
}

/* A boot file that is not there, and the like: what is said of this host's own file. */
static void print_warnings(const struct edit *e, const struct configuration *c)
{
    for (size_t i = 0; i < c->faults.count; i++) {
        struct faults one = c->faults;
        one.list += i;
        one.count = 1;
        const char *file = fault_file(&c->faults, one.list, "");
        const char *slash = strrchr(file, '/');
        if (slash && strcmp(slash + 1, e->name) == 0) {
            faults_print(&one, e->a->path, c->text, c->len, stderr);
        }
    }
}

/* False after a complaint: the configuration would have faults. */
static bool would_be_good(const struct edit *e, const struct host_change *change)
{
    struct configuration c;
    bool good = read_configuration(e->a, change, &c);
    if (good) {
        print_warnings(e, &c);
    } else {
        tell(stderr, "pxed host: nothing was changed\n");
    }
    configuration_done(&c);
    return good;
}

static bool report(const struct edit *e, int error, const char *done)
{
    if (error != 0) {
        tell(stderr, "%s/%s: cannot be %s: %s\n", e->dir, e->name, done,
             strerror(-error));
        return false;
    }
    tell(stdout, "%s/%s: %s\n", e->dir, e->name, done);
    return true;
}

static bool put(const struct edit *e)
{
    bool there;
    struct host_change change = {.name = e->name};
    json_auto_t *host = read_host(e, &there);
    if (!host) {
        return false;
    }
    AUTO(free) char *text = new_text(e->a, host, &change.len);
    change.text = text;
    if (!text) {
        tell(stderr, "pxed host: not UTF-8 text, or out of memory\n");
        return false;
    }
    return would_be_good(e, &change) &&
           report(e, host_store_put(e->dir_fd, e->name, text, change.len), "written");
}

/* Where the host stands that has no file of its own. */
static void say_where(const struct edit *e)
{
    char mac[MAC_TEXT];
    struct configuration c;
    bool found = false;
    bool good = read_configuration(e->a, NULL, &c);
    for (size_t i = 0; good && i < hosts_count(c.snapshot->hosts); i++) {
        const struct host *h = hosts_at(c.snapshot->hosts, i);
        if (is_exactly(h, &e->a->mac)) {
            found = true;
            tell(stderr, "%s:%u: here this host stands; remove it by hand\n",
                 configuration_file(&c, h->file), (unsigned)h->line);
        }
    }
    if (good && !found) {
        tell(stderr, "pxed host: there is no host %s\n", mac_print(&e->a->mac, mac));
    }
    configuration_done(&c);
}

static bool take_away(const struct edit *e)
{
    bool there;
    const struct host_change change = {.name = e->name};
    json_auto_t *host = read_host(e, &there);
    if (host && !there) {
        say_where(e);
    }
    return host && there && would_be_good(e, &change) &&
           report(e, host_store_remove(e->dir_fd, e->name), "removed");
}

static int change(const struct arguments *a, bool (*how)(const struct edit *e))
{
    struct edit e;
    bool good = begin(a, &e) && how(&e);
    end(&e);
    return good ? EXIT_GOOD : EXIT_FAULT;
}

static int set(const struct arguments *a)
{
    return change(a, put);
}

static int rm(const struct arguments *a)
{
    return change(a, take_away);
}

/* -- the command ----------------------------------------------------------------------- */

static const struct verb {
    const char *word;
    int (*run)(const struct arguments *a);
    bool wants_mac;
    bool sets; /* takes --name, --profile... */
    bool json;
} verbs[] = {
    {"list", list, false, false, true},
    {"show", show, true, false, true},
    {"set", set, true, true, false},
    {"rm", rm, true, false, false},
};

static const struct verb *find_verb(const char *word)
{
    for (size_t i = 0; word && i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(word, verbs[i].word) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

static bool fits(const struct verb *v, const struct arguments *a)
{
    bool sets = a->var_count > 0 || a->key_count > 0;
    for (size_t i = 0; i < KEYS; i++) {
        sets = sets || a->text[i];
    }
    return v->wants_mac == a->has_mac && (v->sets || !sets) && (v->json || !a->json);
}

int command_host(int argc, char **argv)
{
    struct arguments a;
    const struct verb *v = find_verb(argv[1]);
    bool parsed = argc > 1 && parse_arguments(argc - (v ? 1 : 0), argv + (v ? 1 : 0), &a);
    if (parsed && a.help) {
        tell(stdout, "%s", help);
        return EXIT_GOOD;
    }
    if (!v || !parsed || !fits(v, &a)) {
        tell(stderr, "%s", help);
        return EXIT_USAGE;
    }
    return v->run(&a);
}
