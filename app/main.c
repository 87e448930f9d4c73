#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/commands.h"
#include "common/tell.h"

static const struct command {
    const char *word;
    int (*run)(int argc, char **argv);
    const char *synopsis;
    const char *purpose;
    bool has_help; /* of its own, with more to say than this */
} commands[] = {
    {"run", command_run, "run     [-c FILE] [-v]", "serve in the foreground", false},
    {"check", command_check, "check   [-c FILE] [--strict] [--json]",
     "all faults of the configuration, and what each architecture boots", true},
    {"explain", command_explain, "explain [-c FILE] --mac MAC ... | --pcap FILE [--json]",
     "which answer a client gets, and which lines of the configuration led to it", true},
    {"status", command_status,
     "status  [-c FILE] [--watch[=SECONDS]] [--json | --quiet] [--no-color]",
     "boots under way with their transfers, what went wrong and why; --watch: live",
     false},
    {"log", command_log,
     "log     [-c FILE] [--follow] [--json] [--no-color] [-n LINES] [MAC]",
     "a line for each boot that has ended: who, how long, and what became of it", false},
    {"doctor", command_doctor, "doctor  [-c FILE] [--probe] [--json]",
     "what of this machine and its network keeps others from booting, and the remedy",
     true},
    {"probe", command_probe, "probe   -i INTERFACE [--profile P] [--arch A] [--json] ...",
     "plays a boot client on a network: every answer, what it would boot, how fast",
     true},
    {"reload", command_reload, "reload  [-c FILE]",
     "has the running pxed read its configuration again; prints the faults", false},
    {"learned", command_learned, "learned [-c FILE] [--json | --forget]",
     "what the running pxed found out: windows, forms of offer, conflicts", false},
    {"approve", command_approve, "approve [-c FILE] [MAC]",
     "lets a held machine boot; without MAC: lists those that wait", false},
    {"reset", command_reset, "reset   [-c FILE] [MAC]",
     "lets a \"once\" host boot again; without MAC: lists those that have", false},
    {"host", command_host, "host    list | show MAC | set --mac MAC ... | rm MAC",
     "the host table, and safe changes of the host files", true},
    {"import", command_import, "import  dnsmasq FILE...",
     "a configuration made from dnsmasq's, and what of it has no counterpart", false},
    {"init", command_init, "init    [DIR] [--interface I] [--address IP] ...",
     "a boot root and a configuration, made from the boot loaders that are installed",
     true},
    {"schema", command_schema, "schema",
     "the JSON Schema of the configuration, for editors", false},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static void print_usage(FILE *to)
{
    fprintf(to,
            "pxed: answers PXE clients beside an existing DHCP server and serves their "
            "boot files\n\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(to, "  pxed %s\n          %s\n", commands[i].synopsis,
                commands[i].purpose);
    }
    fprintf(to, "\nFILE defaults to " PXED_CONFIGURATION ".\n");
}

static int print_help(const struct command *c)
{
    const char *options = c->synopsis + strlen(c->word);
    options += strspn(options, " ");
    printf("usage: pxed %s%s%s\n\n%s\n", c->word, *options ? " " : "", options,
           c->purpose);
    return EXIT_GOOD;
}

/* getopt_long(3) repeats options as they are. */
static bool holds_control(const char *argument)
{
    for (const char *c = argument; *c; c++) {
        if (*c == 0x7f || (*c > 0 && *c < 0x20 && *c != '\t' && *c != '\n')) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    bool asks = argc == 3 && strcmp(argv[2], "--help") == 0;
#ifdef M_MXFAST
    /* Status documents are many small pieces, all freed at once: kept apart until a large one
     * is freed they cost a fifth of the document's time. */
    (void)mallopt(M_MXFAST, 0);
#endif
    for (int i = 1; i < argc; i++) {
        if (holds_control(argv[i])) {
            tell(stderr, "pxed: there are control characters in \"%s\"\n", argv[i]);
            return EXIT_USAGE;
        }
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(word, commands[i].word) == 0) {
            if (asks && !commands[i].has_help) {
                return print_help(&commands[i]);
            }
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        puts("pxed " PXED_VERSION);
        return EXIT_GOOD;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        strcmp(word, "help") == 0) {
        print_usage(stdout);
        return EXIT_GOOD;
    }
    if (argc > 1) {
        tell(stderr, "pxed: unknown command \"%s\"\n\n", word);
    }
    print_usage(stderr);
    return EXIT_USAGE;
}
