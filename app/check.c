#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/json.h"
#include "app/options.h"
#include "app/read_file.h"
#include "app/service_user.h"
#include "common/tell.h"
#include "common/text.h"

static const char help[] =
    "usage: pxed check [-c FILE] [--strict] [--json]\n"
    "\n"
    "Finds every fault of a configuration in one run and shows what each architecture\n"
    "boots.  Needs no privileges and no network.  Faults go to standard error as\n"
    "FILE:LINE:COLUMN: path: message; the table goes to standard output.\n"
    "As root, it also looks with the eyes of the user that pxed becomes.\n"
    "\n"
    "  -c, --config FILE   the configuration (" PXED_CONFIGURATION ")\n"
    "      --strict        warnings are faults too\n"
    "      --json          everything on standard output, as one JSON object:\n"
    "                        file        the configuration, as given\n"
    "                        good        true when there is no fault\n"
    "                        faults      list of {file, line, column, path, severity,\n"
    "                                    message}; file is the configuration or a host\n"
    "                                    file; severity is \"error\" or \"warning\";\n"
    "                                    line and column are 0 for the file as a whole\n"
    "                        boot_files  list of {profile, host, architecture, item,\n"
    "                                    file,\n"
    "                                    exists, size, kind, fits, signed}; host is the\n"
    "                                    name (or else the line) of the host it stands\n"
    "                                    in, or null, item is the\n"
    "                                    name of a menu's item or null, architecture is\n"
    "                                    null for a menu's file for any of them; exists\n"
    "                                    is null for what is not looked at (a URL, "
    "another\n"
    "                                    server, a file that is made for each client);\n"
    "                                    the last four are null when exists is not true\n"
    "\n"
    "Exit code: 0 good (there may be warnings), 1 a fault was found, 2 wrong usage.\n";

struct arguments {
    const char *path;
    bool json;
    bool strict;
    bool help;
};

static bool parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option_row rows[] = {
        {"config", 'c', OPTION_TEXT, offsetof(struct arguments, path)},
        {"json", 0, OPTION_FLAG, offsetof(struct arguments, json)},
        {"strict", 0, OPTION_FLAG, offsetof(struct arguments, strict)},
        {"help", 'h', OPTION_FLAG, offsetof(struct arguments, help)},
        {NULL, 0, 0, 0},
    };
    *out = (struct arguments){.path = PXED_CONFIGURATION};
    if (!options_read(rows, NULL, argc, argv, out)) {
        return false;
    }
    if (optind < argc) {
        tell(stderr, "%s: \"%s\" is one argument too many\n", argv[0], argv[optind]);
        return false;
    }
    return true;
}

static const struct snapshot *what_was_read(const struct configuration *c)
{
    return c->snapshot ? c->snapshot : c->draft;
}

/* -- as a table ------------------------------------------------------------------------ */

enum { COLUMNS = 6 };

struct row {
    char cell[COLUMNS][BOOT_URL_MAX + 1];
};

static struct row heading(void)
{
    return (struct row){
        {"ARCHITECTURE", "BOOT FILE", "SIZE", "WHAT IT IS", "FITS", "SIGNED"}};
}

static void set(struct row *row, unsigned column, const char *text)
{
    snprintf(row->cell[column], sizeof row->cell[column], "%s", text);
}

/* The host's name, or else its line. */
static const char *name_of_host(const struct host *host, char buf[80])
{
    if (host->name) {
        return text_show(host->name, strlen(host->name), buf, 80);
    }
    snprintf(buf, 80, "on line %u", (unsigned)host->line);
    return buf;
}

static void set_slot(struct row *row, const struct boot_file *b)
{
    char name[BOOT_FILE_MAX + 1];
    char owner[BOOT_FILE_MAX + 9] = "";
    const char *arch = b->slot == ARCH_ANY ? "any" : slot_name(b->slot);
    if (b->host) {
        snprintf(owner, sizeof owner, "host %s, ", name_of_host(b->host, name));
    }
    if (!b->item) {
        snprintf(row->cell[0], sizeof row->cell[0], "%s%s", owner, arch);
        return;
    }
    const char *item = b->item->name ? b->item->name : ""; /* of a faulty draft */
    (void)text_show(item, strlen(item), name, sizeof name);
    snprintf(row->cell[0], sizeof row->cell[0], "%smenu \"%.*s\", %s", owner, 80, name,
             arch);
}

static struct row row_of(const struct boot_file *b)
{
    struct row row = {0};
    bool pe = b->what.kind == BOOTFILE_EFI || b->what.kind == BOOTFILE_PE;

    set_slot(&row, b);
    (void)text_show(b->file, strlen(b->file), row.cell[1], sizeof row.cell[1]);
    set(&row, 2, "-");
    static const char *const states[] = {
        [BOOT_FILE_THERE] = "", /* it is looked into, below */
        [BOOT_FILE_MISSING] = "cannot be opened",
        [BOOT_FILE_ELSEWHERE] = "not on this server",
        [BOOT_FILE_VIRTUAL] = "made for each client",
    };
    set(&row, 3, states[b->state]);
    set(&row, 4, b->state == BOOT_FILE_MISSING ? "no" : "-");
    set(&row, 5, "-");
    if (b->state == BOOT_FILE_THERE) {
        (void)text_bytes(b->what.size, row.cell[2], sizeof row.cell[2]);
        (void)bootfile_describe(&b->what, row.cell[3], sizeof row.cell[3]);
        set(&row, 4, b->fits ? "yes" : "no");
        set(&row, 5, !pe ? "-" : b->what.is_signed ? "yes" : "no");
    }
    return row;
}

static void widen(int width[COLUMNS], const struct row *row)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        int len = (int)strlen(row->cell[i]);
        width[i] = len > width[i] ? len : width[i];
    }
}

static void print_row(const int width[COLUMNS], const struct row *row)
{
    for (unsigned i = 0; i + 1 < COLUMNS; i++) {
        tell(stdout, "  %-*s", width[i], row->cell[i]);
    }
    tell(stdout, "  %s\n", row->cell[COLUMNS - 1]);
}

static void print_profile(const struct snapshot *s, size_t index)
{
    const struct profile *p = &s->profiles[index];
    char name[256];
    tell(stdout, "profile %s", text_show(p->name, strlen(p->name), name, sizeof name));
    if (p->parent >= 0) {
        const char *parent = s->profiles[p->parent].name;
        tell(stdout, ", and what it leaves open from %s",
             text_show(parent, strlen(parent), name, sizeof name));
    }
    putchar('\n');
}

/* Those of one profile (OF_HOST: of all hosts), which begin at `next`.  Where the rest begins. */
static size_t print_files(const struct configuration *c, const int width[COLUMNS],
                          size_t next, size_t profile)
{
    struct row row = heading();
    print_row(width, &row);
    for (; next < c->files.count; next++) {
        const struct boot_file *b = &c->files.list[next];
        if (profile != OF_HOST && (b->host || b->profile != profile)) {
            break;
        }
        row = row_of(b);
        print_row(width, &row);
    }
    putchar('\n');
    return next;
}

static void print_table(const struct configuration *c)
{
    const struct snapshot *s = what_was_read(c);
    int width[COLUMNS] = {0};
    struct row row = heading();

    widen(width, &row);
    for (size_t i = 0; i < c->files.count; i++) {
        row = row_of(&c->files.list[i]);
        widen(width, &row);
    }
    size_t next = 0;
    for (size_t p = 0; s && p < s->profile_count; p++) {
        print_profile(s, p);
        next = print_files(c, width, next, p);
    }
    if (next < c->files.count) {
        tell(stdout, "hosts that load something of their own\n");
        (void)print_files(c, width, next, OF_HOST);
    }
}

static void print_sum(const struct configuration *c, const char *path)
{
    size_t faults = c->faults.errors;
    size_t warnings = c->faults.count + c->faults.lost - faults;
    if (faults == 0 && warnings == 0) {
        tell(stdout, "%s: good\n", path);
        return;
    }
    tell(stdout, "%s: %zu fault%s, %zu warning%s\n", path, faults, faults == 1 ? "" : "s",
         warnings, warnings == 1 ? "" : "s");
}

/* -- as JSON --------------------------------------------------------------------------- */

static json_t *json_boot_files(const struct configuration *c)
{
    const struct snapshot *s = what_was_read(c);
    json_t *list = json_array();
    for (size_t i = 0; i < c->files.count; i++) {
        const struct boot_file *b = &c->files.list[i];
        char host[80];
        bool there = b->state == BOOT_FILE_THERE;
        json_t *exists = b->state == BOOT_FILE_ELSEWHERE || b->state == BOOT_FILE_VIRTUAL
                             ? json_null()
                             : json_boolean(there);
        json_t *size = there ? json_integer((json_int_t)b->what.size) : json_null();
        json_t *kind =
            there ? json_string(bootfile_kind_name(b->what.kind)) : json_null();
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s?, s:s?, s:s?, s:s, s:o, s:o, s:o, s:o, s:o}",
                            "profile", s->profiles[b->profile].name, "host",
                            b->host ? name_of_host(b->host, host) : NULL, "architecture",
                            b->slot == ARCH_ANY ? NULL : slot_name(b->slot), "item",
                            b->item ? b->item->name : NULL, "file", b->file, "exists",
                            exists, "size", size, "kind", kind, "fits",
                            there ? json_boolean(b->fits) : json_null(), "signed",
                            there ? json_boolean(b->what.is_signed) : json_null()));
    }
    return list;
}

static bool print_json(const struct configuration *c, const char *path)
{
    return json_print(json_pack("{s:o, s:b, s:o, s:o}", "file", json_text(path), "good",
                                c->faults.errors == 0, "faults",
                                faults_json(&c->faults, path, SIZE_MAX), "boot_files",
                                json_boot_files(c)));
}

/* -- the command ----------------------------------------------------------------------- */

int command_check(int argc, char **argv)
{
    struct arguments arguments;
    struct configuration c;

    if (!parse_arguments(argc, argv, &arguments)) {
        tell(stderr, "%s", help);
        return EXIT_USAGE;
    }
    if (arguments.help) {
        tell(stdout, "%s", help);
        return EXIT_GOOD;
    }
    int error = configuration_read(arguments.path, FAULT_ERROR, &c);
    if (error != 0) {
        faults_add(&c.faults, FAULT_ERROR, 0, 0, "", "cannot be read: %s",
                   read_fault(arguments.path, error));
    }
    service_user_check(&c);
    if (arguments.strict) {
        faults_harden(&c.faults);
    }
    if (!arguments.json) {
        faults_print(&c.faults, arguments.path, c.text, c.len, stderr);
        print_table(&c);
        print_sum(&c, arguments.path);
    } else if (!print_json(&c, arguments.path)) {
        tell(stderr, "%s: out of memory\n", arguments.path);
    }
    bool good = c.faults.errors == 0;
    configuration_done(&c);
    return good ? EXIT_GOOD : EXIT_FAULT;
}
