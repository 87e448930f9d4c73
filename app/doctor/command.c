#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/doctor/look.h"
#include "app/json.h"
#include "app/options.h"
#include "app/orders.h"
#include "app/privileges.h"
#include "app/probe/exchange.h"
#include "app/read_file.h"
#include "app/service_user.h"
#include "app/terminal.h"
#include "common/cleanup.h"
#include "common/tell.h"
#include "config/arch.h"

#define FAULTS_SHOWN 8
#define WIRE_TIME    (4 * USEC_PER_SEC)

static const char help[] =
    "usage: pxed doctor [-c FILE] [--probe] [--json] [--no-color]\n"
    "\n"
    "Looks at this machine and its network: what keeps others from booting by it, and "
    "what\n"
    "to do about it.  The configuration, ports and who holds them, interfaces, the "
    "packet\n"
    "filter, rights, limits, the clock.  Changes nothing.  As root it sees all of it.\n"
    "\n"
    "  -c, --config FILE   the configuration (" PXED_CONFIGURATION ")\n"
    "  -p, --probe         ask on the wire, too, who else answers boot clients there: "
    "sends a\n"
    "                      DISCOVER on each interface, and waits 4 seconds\n"
    "      --no-color      no colours\n"
    "      --json          one JSON object instead of text:\n"
    "                        file      the configuration\n"
    "                        good      true: nothing was found that stops boots\n"
    "                        findings  list of {check, severity, what, remedy}; severity "
    "is\n"
    "                                  \"good\", \"note\", \"warning\" or \"fault\"; "
    "remedy is "
    "null\n"
    "                                  where there is none\n"
    "\n"
    "Exit code: 0 nothing stops boots (there may be warnings), 1 something does, 2 "
    "wrong\n"
    "usage.\n";

struct arguments {
    const char *path;
    bool probe;
    bool json;
    bool no_color;
    bool help;
};

static bool parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option_row rows[] = {
        {"config", 'c', OPTION_TEXT, offsetof(struct arguments, path)},
        {"probe", 'p', OPTION_FLAG, offsetof(struct arguments, probe)},
        {"json", 0, OPTION_FLAG, offsetof(struct arguments, json)},
        {"no-color", 0, OPTION_FLAG, offsetof(struct arguments, no_color)},
        {"help", 'h', OPTION_FLAG, offsetof(struct arguments, help)},
        {NULL, 0, 0, 0},
    };
    *out = (struct arguments){.path = PXED_CONFIGURATION};
    return options_read(rows, NULL, argc, argv, out) && optind == argc;
}

/* -- the checks --------------------------------------------------------------------------- */

struct doctor {
    const struct arguments *arguments;
    struct configuration config;
    const struct snapshot *s; /* what could be read of it; NULL: nothing */
    struct findings found;
};

static void check_configuration(struct doctor *d)
{
    const struct faults *f = &d->config.faults;
    if (f->lost > 0) {
        finding_add(&d->found, FINDING_FAULT, "configuration", "%s: out of memory",
                    d->arguments->path);
    } else if (f->count == 0) {
        finding_add(&d->found, FINDING_GOOD, "configuration", "%s is good",
                    d->arguments->path);
    }
    for (size_t i = 0; i < f->count && i < FAULTS_SHOWN; i++) {
        const struct fault *one = &f->list[i];
        struct finding *finding = finding_add(
            &d->found, one->severity == FAULT_ERROR ? FINDING_FAULT : FINDING_WARNING,
            "configuration", "%s:%d: %s", fault_file(f, one, d->arguments->path),
            one->line, one->text);
        if (i + 1 == FAULTS_SHOWN && f->count > FAULTS_SHOWN) {
            finding_remedy(finding, "and more: pxed check shows them all");
        }
    }
}

static void tell_lost(struct doctor *d, const json_t *lost)
{
    size_t i;
    const json_t *one;
    json_array_foreach (lost, i, one) {
        struct finding *f = finding_add(&d->found, FINDING_WARNING, "service", "%s",
                                        answer_text(one, "sentence"));
        finding_remedy(f, "%s", answer_text(one, "remedy"));
    }
}

static void check_service(struct doctor *d)
{
    json_t *answer = NULL;
    if (!d->s->control) {
        finding_add(&d->found, FINDING_NOTE, "service",
                    "\"control\" is \"off\": whether pxed runs cannot be asked");
        return;
    }
    int error =
        order_at(d->s->control, json_pack("{s:s, s:b}", "verb", "status", "files", 0),
                 ORDER_SHORT_MS, &answer);
    json_auto_t *document = answer;
    if (error == 0) {
        finding_add(&d->found, FINDING_GOOD, "service", "pxed is running");
        tell_lost(d, json_object_get(document, "lost"));
    } else if (error == -ENOENT || error == -ECONNREFUSED) {
        struct finding *f =
            finding_add(&d->found, FINDING_NOTE, "service",
                        "no pxed is running that listens at %s", d->s->control);
        finding_remedy(f, "systemctl enable --now pxed, or pxed run");
    } else {
        finding_add(&d->found, FINDING_NOTE, "service", "%s cannot be asked: %s",
                    d->s->control, strerror(-error));
    }
}

#define SUBNETS_SEEN 256

static void check_ports(struct doctor *d)
{
    struct port_need needs[PORT_NEEDS_MAX];
    struct port_holder holders[PORT_HOLDERS_MAX];
    size_t count = port_needs(d->s, needs);
    size_t found = look_at_ports(needs, count, holders);
    bool by_udp = false;
    for (size_t i = 0; i < d->s->interface_count; i++) {
        by_udp |= d->s->interfaces[i].listen == LISTEN_UDP;
    }
    if (d->s->dhcp.enabled) {
        judge_port_67(by_udp, holders, found, &d->found);
    }
    for (size_t i = 0; i < count; i++) {
        judge_port(&needs[i], holders, found, &d->found);
    }
}

static void check_interfaces(struct doctor *d)
{
    for (size_t i = 0; i < d->s->interface_count; i++) {
        struct interface_state state;
        int of_all;
        int of_it;
        look_at_interface(&d->s->interfaces[i], &state);
        judge_interface(&state, d->s->tftp.max_block_size, d->s->hotplug,
                        d->s->dhcp.enabled && d->s->dhcp.ipv6, &d->found);
        look_at_rp_filter(state.name, &of_all, &of_it);
        judge_rp_filter(state.name, of_all, of_it, &d->found);
    }
}

static void check_allow(struct doctor *d)
{
    struct subnet attached[SUBNETS_SEEN];
    size_t count = look_at_subnets(d->s, attached, SUBNETS_SEEN);
    judge_allow(d->s, attached, count, &d->found);
}

static void check_firewall(struct doctor *d)
{
    AUTO(free) struct firewall *rules = malloc(sizeof *rules);
    struct firewall_facts facts;
    if (!rules || !firewall_room(rules)) {
        finding_add(&d->found, FINDING_NOTE, "firewall", "out of memory");
        return;
    }
    look_at_firewall(rules, &facts);
    judge_firewall(&facts, d->s, &d->found);
    firewall_done(rules);
}

static void check_system(struct doctor *d)
{
    struct system_facts facts;
    look_at_system(d->arguments->path, &facts);
    judge_system(&facts, d->s, &d->found);
}

static void check_state(struct doctor *d)
{
    struct directory_facts facts;
    if (d->s->state_dir) {
        look_at_directory(d->s->state_dir, d->s->user, &facts);
        judge_state_dir(&facts, &d->found);
    }
}

static void ask_on(struct doctor *d, const char *interface, struct choice_facts *facts)
{
    char why[EXCHANGE_WHY_SIZE];
    struct request_terms terms = {.manner = REQUEST_EDK2, .arch = ARCH_X64_UEFI};
    struct exchange x = {0};
    if (getrandom(terms.mac.octet, sizeof terms.mac.octet, 0) < 0) {
        terms.mac.octet[5] = 1;
    }
    terms.mac.octet[0] = 0x02; /* locally administered */
    if (exchange_open(&x, interface, &terms, why) != 0 ||
        exchange_offers(&x, WIRE_TIME, facts, why) != 0) {
        finding_add(&d->found, FINDING_NOTE, "wire", "%s cannot be asked: %s", interface,
                    why);
    } else {
        judge_wire(interface, facts, x.address, &d->found);
    }
    exchange_close(&x);
}

static void check_wire(struct doctor *d)
{
    for (size_t i = 0; d->arguments->probe && i < d->s->interface_count; i++) {
        struct choice_facts *facts = calloc(1, sizeof *facts);
        if (facts) {
            ask_on(d, d->s->interfaces[i].name, facts);
        }
        free(facts);
    }
}

/* Each adds what it finds. */
static void (*const checks[])(struct doctor *) = {
    check_configuration, check_service, check_ports,  check_interfaces, check_allow,
    check_firewall,      check_state,   check_system, check_wire,
};

/* -- output ------------------------------------------------------------------------------- */

static enum tone tone_of(enum finding_level level)
{
    static const enum tone tones[] = {[FINDING_GOOD] = TONE_GOOD,
                                      [FINDING_NOTE] = TONE_DIM,
                                      [FINDING_WARNING] = TONE_WARN,
                                      [FINDING_FAULT] = TONE_BAD};
    return tones[level];
}

static void print_findings(const struct findings *f, const struct terminal *t)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct finding *one = &f->list[i];
        printf("%s%-7s%s", terminal_tone(t, tone_of(one->level)),
               finding_level_name(one->level), terminal_tone(t, TONE_PLAIN));
        tell(stdout, "  %-13s  %s\n", one->check, one->what);
        if (one->remedy[0]) {
            tell(stdout, "%-7s  %-13s  -> %s\n", "", "", one->remedy);
        }
    }
}

static bool print_json(const struct doctor *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->found.count; i++) {
        const struct finding *one = &d->found.list[i];
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:o, s:o}", "check", one->check, "severity",
                      finding_level_name(one->level), "what", json_text(one->what),
                      "remedy", one->remedy[0] ? json_text(one->remedy) : json_null()));
    }
    return json_print(json_pack("{s:o, s:b, s:o}", "file", json_text(d->arguments->path),
                                "good", findings_worst(&d->found) != FINDING_FAULT,
                                "findings", list));
}

static void examine(struct doctor *d)
{
    int error = configuration_read(d->arguments->path, FAULT_ERROR, &d->config);
    if (error != 0) {
        struct finding *f = finding_add(&d->found, FINDING_FAULT, "configuration",
                                        "%s cannot be read: %s", d->arguments->path,
                                        read_fault(d->arguments->path, error));
        finding_remedy(f, "pxed init makes a first one");
        return;
    }
    service_user_check(&d->config);
    d->s = d->config.snapshot ? d->config.snapshot : d->config.draft;
    if (!d->s) {
        check_configuration(d);
        return;
    }
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        checks[i](d);
    }
}

int command_doctor(int argc, char **argv)
{
    struct arguments arguments;
    struct terminal out;
    if (!parse_arguments(argc, argv, &arguments)) {
        tell(stderr, "%s", help);
        return EXIT_USAGE;
    }
    if (arguments.help) {
        printf("%s", help);
        return EXIT_GOOD;
    }
    AUTO(free) struct doctor *d = calloc(1, sizeof *d);
    if (!d) {
        tell(stderr, "pxed doctor: out of memory\n");
        return EXIT_FAULT;
    }
    d->arguments = &arguments;
    terminal_open(&out, stdout, arguments.no_color);
    privileges_raise();
    examine(d);
    if (!arguments.json) {
        print_findings(&d->found, &out);
    } else if (!print_json(d)) {
        tell(stderr, "pxed doctor: out of memory\n");
    }
    configuration_done(&d->config);
    return findings_worst(&d->found) == FINDING_FAULT ? EXIT_FAULT : EXIT_GOOD;
}
