#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/embed.h"
#include "app/init_build.h"
#include "app/init_place.h"
#include "app/init_print.h"
#include "app/init_where.h"
#include "app/json.h"
#include "app/options.h"
#include "common/cleanup.h"
#include "common/tell.h"

/* The configuration that `make install` puts there, which serves nobody. */
EMBED(init_shipped, "packaging/default/pxed.json");

#define ROOT_USUAL "/srv/tftp"
#define FROM_MAX   16

static const char help[] =
    "usage: pxed init [DIR] [--interface I] [--address IP] [--loader L] [--from DIR]...\n"
    "                 [--force] [--no-color] [--json]\n"
    "\n"
    "Makes a boot root and a configuration from the boot loaders of the Debian packages\n"
    "that are installed: for each architecture a chain that reaches a menu.  Says what "
    "it\n"
    "found, and which packages have more.  In DIR, which needs no privileges, they are\n"
    "DIR/root and DIR/pxed.json; without DIR " ROOT_USUAL " and\n" PXED_CONFIGURATION
    ".  Run it again when packages have changed: what you have changed,\n"
    "or had before, is left alone.\n"
    "\n"
    "  -i, --interface I   where PXE clients are answered (the only one there is)\n"
    "  -a, --address IP    this server, as built into GRUB's images (the interface's)\n"
    "  -l, --loader L      preferred: ipxe, grub, pxelinux, or shim: shim and signed "
    "GRUB\n"
    "                      for Secure Boot by TFTP, which needs the DHCP server to name\n"
    "                      this server as its next server\n"
    "      --from DIR      look for the files of packages beneath DIR, where they were\n"
    "                      unpacked; several are asked in this order (/)\n"
    "      --force         replaces files of others, too\n"
    "      --no-color      no colours\n"
    "      --json          one JSON object on standard output instead of text:\n"
    "                        configuration, root   where they are\n"
    "                        interface, address    what was chosen\n"
    "                        good      the configuration has no faults\n"
    "                        made      number of files that are new or changed\n"
    "                        same      number of those found as they are made now\n"
    "                        kept      list of the names of those left alone\n"
    "                        parts     list of {file, package, there}\n"
    "                        boots     list of {architecture, file, loader}, null for "
    "none\n"
    "\n"
    "Exit code: 0 good, 1 it could not be made or has faults, 2 wrong usage.\n";

struct arguments {
    const char *dir;
    const char *interface;
    struct ip4 address;
    enum init_loader loader;
    const char *from[FROM_MAX];
    size_t from_count;
    bool force;
    bool no_color;
    bool json;
    bool help;
};

/* -- arguments ---------------------------------------------------------------------------- */

static bool complain(const char *what, const char *text)
{
    tell(stderr, "pxed init: \"%s\" is no %s\n", text, what);
    return false;
}

/* It becomes part of a JSON text as it is. */
static bool is_interface_name(const char *name)
{
    size_t len = strlen(name);
    return len > 0 && len < IF_NAMESIZE && !strpbrk(name, "\"\\/ \t\n");
}

static bool take(int code, const char *text, void *arguments)
{
    struct arguments *out = arguments;
    switch (code) {
    case 'i':
        out->interface = text;
        return is_interface_name(text) || complain("name of an interface", text);
    case 'a':
        return (ip4_parse(text, &out->address) && !ip4_is_any(out->address)) ||
               complain("IPv4 address", text);
    case 'l':
        return init_loader_parse(text, &out->loader) || complain("loader", text);
    default:
        if (out->from_count == FROM_MAX) {
            return complain("room for another --from", text);
        }
        out->from[out->from_count++] = text;
        return true;
    }
}

static bool parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option_row rows[] = {
        {"interface", 'i', OPTION_VALUE, 0},
        {"address", 'a', OPTION_VALUE, 0},
        {"loader", 'l', OPTION_VALUE, 0},
        {"from", 0, OPTION_VALUE, 0},
        {"force", 0, OPTION_FLAG, offsetof(struct arguments, force)},
        {"no-color", 0, OPTION_FLAG, offsetof(struct arguments, no_color)},
        {"json", 0, OPTION_FLAG, offsetof(struct arguments, json)},
        {"help", 'h', OPTION_FLAG, offsetof(struct arguments, help)},
        {NULL, 0, 0, 0},
    };
    *out = (struct arguments){.loader = LOADER_ANY};
    if (!options_read(rows, take, argc, argv, out)) {
        return false;
    }
    if (optind < argc) {
        out->dir = argv[optind++];
    }
    if (optind < argc) {
        tell(stderr, "%s: \"%s\" is one argument too many\n", argv[0], argv[optind]);
        return false;
    }
    if (out->from_count == 0) {
        out->from[out->from_count++] = "/";
    }
    return true;
}

/* -- where -------------------------------------------------------------------------------- */

struct paths {
    char root[PATH_MAX];
    char configuration[PATH_MAX];
    const char *named; /* the root, as the configuration names it */
};

static bool choose_paths(const char *dir, struct paths *out)
{
    char here[PATH_MAX] = "";
    if (!dir) {
        snprintf(out->root, sizeof out->root, ROOT_USUAL);
        snprintf(out->configuration, sizeof out->configuration, PXED_CONFIGURATION);
        out->named = ROOT_USUAL;
        return true;
    }
    if (dir[0] != '/' && !getcwd(here, sizeof here)) {
        return false;
    }
    const char *slash = dir[0] == '/' ? "" : "/";
    int len = snprintf(out->root, sizeof out->root, "%s%s%s/root", here, slash, dir);
    snprintf(out->configuration, sizeof out->configuration, "%s%s%s/pxed.json", here,
             slash, dir);
    out->named = "root";
    return len + 8 < PATH_MAX;
}

/* -- the work ----------------------------------------------------------------------------- */

static size_t count_parts(const bool there[])
{
    size_t count = 0;
    for (size_t i = 0; i < init_part_count; i++) {
        count += there[i];
    }
    return count;
}

static bool make_parts(struct init_build *b, const struct terminal *t)
{
    const bool *there = b->terms->there;
    struct progress progress;
    size_t total = count_parts(there);
    size_t done = 0;
    bool good = true;

    progress_begin(&progress, t, "boot root", total, "parts", clock_now());
    for (size_t i = 0; i < init_part_count && good; i++) {
        if (there[i]) {
            good = init_make(b, &init_parts[i]);
            done += good;
            progress_set(&progress, done, clock_now());
        }
    }
    progress_end(&progress, done, good, clock_now());
    return good;
}

static bool place_all(struct init_place *p, const struct init_terms *terms,
                      const struct paths *paths)
{
    char octets[INIT_TEXT_SIZE] = "";
    struct text text = {octets, sizeof octets, 0};
    init_configuration(&text, terms);
    init_place_adopt(p, paths->configuration, init_shipped_octets, init_shipped_len);
    return init_place_files(p) &&
           init_place_configuration(p, paths->configuration, octets, text.used);
}

/* Of the file that is there now, whoever made it. */
static bool check_outcome(const char *path)
{
    struct configuration c;
    int error = configuration_read(path, FAULT_ERROR, &c);
    if (error == 0) {
        faults_print(&c.faults, path, c.text, c.len, stderr);
    } else {
        tell(stderr, "pxed init: %s: %s\n", path, strerror(-error));
    }
    bool good = error == 0 && c.faults.errors == 0;
    configuration_done(&c);
    return good;
}

/* The first loaders of all: without one there is nothing to configure. */
static bool boots_anything(const struct init_terms *terms)
{
    for (size_t i = 0; i < init_chain_count; i++) {
        if (init_chain_choose(init_chains[i].arch, terms->preferred, terms->there)) {
            return true;
        }
    }
    tell(stderr, "pxed init: no boot loader found; install one of the packages above, "
                 "ipxe for a start\n");
    return false;
}

static bool init(const struct arguments *a, const struct init_where *where,
                 const struct terminal *t, const struct paths *paths)
{
    bool there[INIT_PARTS_MAX] = {false};
    struct init_place place;
    struct init_terms terms = {.interface = where->interface,
                               .address = where->address,
                               .address_said = !ip4_is_any(a->address),
                               .root = paths->named,
                               .preferred = a->loader,
                               .there = there};
    struct init_build build = {a->from, a->from_count, place.staging, &terms, ""};

    init_find(&build, there);
    init_print_packages(t, there);
    if (!boots_anything(&terms)) {
        return false;
    }
    bool made = init_place_begin(&place, paths->root, a->force) &&
                make_parts(&build, t) && place_all(&place, &terms, paths);
    if (!made) {
        tell(stderr, "pxed init: %s\n", build.why[0] ? build.why : place.why);
    }
    init_place_end(&place);
    bool good = made && check_outcome(paths->configuration);
    struct init_outcome outcome = {&terms, &place, paths->root, paths->configuration,
                                   good};
    if (made) {
        init_print_outcome(t, &outcome);
    }
    if (made && a->json) {
        good = json_print(init_json(&outcome)) && good;
    }
    json_decref(place.kept);
    return good;
}

int command_init(int argc, char **argv)
{
    struct arguments a;
    struct terminal t;
    struct init_where where;
    struct paths paths;
    char why[512];

    if (!parse_arguments(argc, argv, &a)) {
        tell(stderr, "%s", help);
        return EXIT_USAGE;
    }
    if (a.help) {
        printf("%s", help);
        return EXIT_GOOD;
    }
    if (!init_where_find(a.interface, a.address, &where, why, sizeof why)) {
        tell(stderr, "pxed init: %s\n", why);
        return EXIT_USAGE;
    }
    if (!choose_paths(a.dir, &paths)) {
        tell(stderr, "pxed init: the path of %s is too long\n", a.dir);
        return EXIT_USAGE;
    }
    (void)umask(022); /* the user that pxed becomes is to read it all */
    terminal_open(&t, a.json ? stderr : stdout, a.no_color);
    return init(&a, &where, &t, &paths) ? EXIT_GOOD : EXIT_FAULT;
}
