#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/commands.h"
#include "app/dnsmasq.h"
#include "app/json.h"
#include "app/read_file.h"
#include "common/cleanup.h"
#include "common/tell.h"

#define IMPORT_FILE_MAX (4u << 20)

static int usage(void)
{
    tell(stderr, "usage: pxed import dnsmasq FILE...\n\n"
                 "Prints a configuration of pxed that does what the dnsmasq "
                 "configuration says about network boots;\n"
                 "what has no counterpart is told on standard error.\n");
    return EXIT_USAGE;
}

static bool read_all(struct dnsmasq *d, char **files, int count)
{
    for (int i = 0; i < count; i++) {
        AUTO(free) char *text = NULL;
        size_t len = 0;
        int error = read_file(files[i], IMPORT_FILE_MAX, &text, &len);
        if (error != 0) {
            tell(stderr, "pxed: cannot read %s: %s\n", files[i], strerror(-error));
            return false;
        }
        if (!dnsmasq_read(d, files[i], text, len)) {
            return false;
        }
    }
    return true;
}

static void print_notes(const struct dnsmasq *d)
{
    for (size_t i = 0; i < d->notes; i++) {
        const struct dnsmasq_note *n = &d->note[i];
        const char *grade = n->grade == DNSMASQ_LOST ? "not carried over" : "note";
        if (n->line > 0) {
            tell(stderr, "%s:%u: %s: %s\n", n->file, n->line, grade, n->text);
        } else {
            tell(stderr, "%s: %s: %s\n", n->file, grade, n->text);
        }
    }
    if (d->others > 0) {
        tell(stderr, "%zu settings of DNS, leases and the like are left where they are\n",
             d->others);
    }
}

int command_import(int argc, char **argv)
{
    if (argc < 3 || strcmp(argv[1], "dnsmasq") != 0 || argv[2][0] == '-') {
        return usage();
    }
    struct dnsmasq d = {0};
    bool good = read_all(&d, argv + 2, argc - 2) && dnsmasq_convert(&d);
    if (d.no_memory) {
        tell(stderr, "pxed: out of memory\n");
    }
    if (good) {
        print_notes(&d);
        good = json_print(json_incref(d.config)) && d.lost == 0;
    }
    dnsmasq_done(&d);
    return good ? EXIT_GOOD : EXIT_FAULT;
}
