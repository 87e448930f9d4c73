#include "app/init_print.h"

#include <string.h>

#include "app/init_build.h"
#include "common/tell.h"

/* Whether this row is the first that stands for its package, or for its architecture. */
static bool first_of_package(size_t row)
{
    for (size_t i = 0; i < row; i++) {
        if (init_parts[i].package &&
            strcmp(init_parts[i].package, init_parts[row].package) == 0) {
            return false;
        }
    }
    return true;
}

static bool first_of_arch(size_t row)
{
    return row == 0 || strcmp(init_chains[row - 1].arch, init_chains[row].arch) != 0;
}

/* -- packages ----------------------------------------------------------------------------- */

/* The files of a package that are there, or those that are not; their number. */
static unsigned list_files(const char *package, bool wanted, const bool there[],
                           struct text *t)
{
    unsigned count = 0;
    for (size_t i = 0; i < init_part_count; i++) {
        const struct init_part *part = &init_parts[i];
        if (part->package && strcmp(part->package, package) == 0 && there[i] == wanted) {
            text_say(t, "%s%s", count++ ? ", " : "", part->target);
        }
    }
    return count;
}

/* Their number. */
static unsigned print_packages(const struct terminal *t, const bool there[], bool wanted)
{
    unsigned count = 0;
    for (size_t i = 0; i < init_part_count; i++) {
        char octets[1024] = "";
        struct text files = {octets, sizeof octets, 0};
        const char *package = init_parts[i].package;
        if (package && first_of_package(i) &&
            list_files(package, wanted, there, &files) > 0) {
            fprintf(t->out, "  %s%-27s%s %s\n",
                    terminal_tone(t, wanted ? TONE_GOOD : TONE_WARN), package,
                    terminal_tone(t, TONE_PLAIN), octets);
            count++;
        }
    }
    return count;
}

static unsigned print_program(const struct terminal *t, enum init_kind kind)
{
    const char *program = init_program(kind);
    if (init_has_program(program)) {
        return 0;
    }
    fprintf(t->out, "  %s%-27s%s the program %s, which makes %s\n",
            terminal_tone(t, TONE_WARN), init_program_package(kind),
            terminal_tone(t, TONE_PLAIN), program,
            kind == INIT_GRUB ? "GRUB images" : "disks for Secure Boot");
    return 1;
}

void init_print_packages(const struct terminal *t, const bool there[])
{
    fprintf(t->out, "found\n");
    if (print_packages(t, there, true) == 0) {
        fprintf(t->out, "  nothing\n");
    }
    fprintf(t->out, "not found; these packages have more\n");
    unsigned missing = print_packages(t, there, false);
    missing += print_program(t, INIT_GRUB);
    missing += print_program(t, INIT_DISK);
    fprintf(t->out, "%s\n", missing ? "" : "  nothing is missing\n");
}

/* -- the outcome -------------------------------------------------------------------------- */

/* The first package that would give this architecture something to boot; NULL: none. */
static const char *package_for(const char *arch, const bool there[])
{
    for (size_t i = 0; i < init_chain_count; i++) {
        for (size_t n = 0; n < 2 && strcmp(init_chains[i].arch, arch) == 0; n++) {
            const char *file = init_chains[i].file[n];
            size_t part = file ? init_part_of(file) : 0;
            if (file && !there[part] && init_parts[part].package) {
                return init_parts[part].package;
            }
        }
    }
    return NULL;
}

static void print_no_chain(const struct terminal *t, const char *arch, const bool there[])
{
    const char *package = package_for(arch, there);
    fprintf(t->out, "  %s%-16s%s nothing%s%s\n", terminal_tone(t, TONE_WARN), arch,
            terminal_tone(t, TONE_PLAIN), package ? "; a package for it: " : "",
            package ? package : "");
}

static void print_chains(const struct terminal *t, const struct init_terms *terms)
{
    fprintf(t->out, "what boots\n");
    for (size_t i = 0; i < init_chain_count; i++) {
        const char *arch = init_chains[i].arch;
        const struct init_chain *c =
            init_chain_choose(arch, terms->preferred, terms->there);
        if (!first_of_arch(i)) {
            continue;
        }
        if (c) {
            fprintf(t->out, "  %s%-16s%s %-18s %s\n", terminal_tone(t, TONE_GOOD), arch,
                    terminal_tone(t, TONE_PLAIN), c->file[0], c->words);
        } else {
            print_no_chain(t, arch, terms->there);
        }
    }
}

static void print_kept(const struct terminal *t, const struct init_place *p)
{
    size_t index;
    json_t *name;
    if (json_array_size(p->kept) > 0) {
        fprintf(t->out, "left alone, since pxed init did not make them or they were "
                        "changed (--force replaces them)\n");
    }
    json_array_foreach (p->kept, index, name) {
        fprintf(t->out, "  %s", terminal_tone(t, TONE_WARN));
        tell(t->out, "%s", json_string_value(name));
        fprintf(t->out, "%s\n", terminal_tone(t, TONE_PLAIN));
    }
}

static void print_next_server(const struct terminal *t, const struct init_terms *terms)
{
    char address[IP4_TEXT];
    if (init_needs_next_server(terms)) {
        fprintf(t->out,
                "%snow let the DHCP server name %s as next server%s, and no file: GRUB "
                "behind shim\nlooks nowhere else (docs/chains.md)\n",
                terminal_tone(t, TONE_WARN), ip4_print(terms->address, address),
                terminal_tone(t, TONE_PLAIN));
    }
}

void init_print_outcome(const struct terminal *t, const struct init_outcome *o)
{
    print_chains(t, o->terms);
    fprintf(t->out, "\n");
    print_kept(t, o->place);
    tell(t->out, "%zu files made, %zu as before, in %s\n", o->place->made, o->place->same,
         o->root);
    print_next_server(t, o->terms);
    if (o->good) {
        fputs(terminal_tone(t, TONE_GOOD), t->out);
        tell(t->out, "%s is good", o->configuration);
        fputs(terminal_tone(t, TONE_PLAIN), t->out);
        tell(t->out, "; serve it: pxed run -c %s\n", o->configuration);
    }
}

static json_t *json_chains(const struct init_terms *terms)
{
    json_t *list = json_array();
    for (size_t i = 0; i < init_chain_count; i++) {
        const char *arch = init_chains[i].arch;
        const struct init_chain *c =
            init_chain_choose(arch, terms->preferred, terms->there);
        if (first_of_arch(i)) {
            (void)json_array_append_new(
                list, json_pack("{s:s, s:s?, s:s?}", "architecture", arch, "file",
                                c ? c->file[0] : NULL, "loader",
                                c ? init_loader_name(c->loader) : NULL));
        }
    }
    return list;
}

static json_t *json_parts(const bool there[])
{
    json_t *list = json_array();
    for (size_t i = 0; i < init_part_count; i++) {
        const struct init_part *part = &init_parts[i];
        const char *package =
            part->package ? part->package : init_program_package(part->kind);
        (void)json_array_append_new(list,
                                    json_pack("{s:s, s:s?, s:b}", "file", part->target,
                                              "package", package, "there", there[i]));
    }
    return list;
}

json_t *init_json(const struct init_outcome *o)
{
    char address[IP4_TEXT];
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:O, s:o, s:o}",
                     "configuration", o->configuration, "root", o->root, "interface",
                     o->terms->interface, "address",
                     ip4_print(o->terms->address, address), "good", o->good, "made",
                     (json_int_t)o->place->made, "same", (json_int_t)o->place->same,
                     "kept", o->place->kept, "parts", json_parts(o->terms->there),
                     "boots", json_chains(o->terms));
}
