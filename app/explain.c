#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/explain_print.h"
#include "app/explain_v4.h"
#include "app/explain_v6.h"
#include "app/json.h"
#include "app/options.h"
#include "app/read_file.h"
#include "app/recording.h"
#include "common/tell.h"
#include "common/text.h"
#include "dhcp/interface.h"

static const char help[] =
    "usage: pxed explain [-c FILE] --mac MAC [--arch A] [--uuid U] [--class C] [--ipxe]\n"
    "                    [--relay IP] [--ipv6] [--port N] [--interface I] [--asked N] "
    "[--json]\n"
    "       pxed explain [-c FILE] --pcap FILE [--interface I] [--json]\n"
    "\n"
    "Which answer a client gets, octet for octet, and which lines of the configuration\n"
    "led to it; for a client described here, or for each request in a recording.  The\n"
    "decision is the one that `pxed run` makes.  Needs no privileges, sends nothing.\n"
    "\n"
    "  -c, --config FILE   the configuration (" PXED_CONFIGURATION ")\n"
    "  -m, --mac MAC       the machine\n"
    "  -a, --arch A        its architecture, by name or number (x64-uefi)\n"
    "  -u, --uuid U        its UUID, as the host table writes it\n"
    "      --class C       option 60 (what firmware of the architecture sends)\n"
    "      --ipxe          an iPXE is already running there\n"
    "  -r, --relay IP      the request comes by this relay\n"
    "  -6, --ipv6          it speaks DHCPv6\n"
    "  -p, --port N        67 (547 over IPv6): its DISCOVER (SOLICIT); 4011: its "
    "question "
    "there\n"
    "  -i, --interface I   where it comes in (the first one configured)\n"
    "      --asked N       it is its DISCOVER of this number, 4 s apart, in vain (1)\n"
    "      --pcap FILE     each DHCP request of this recording; - is standard input\n"
    "      --json          one JSON object instead of text:\n"
    "                        file      the configuration\n"
    "                        requests  list of {packet, time, message, mac, "
    "architecture,\n"
    "                                  port, verdict, sentence, form, file, host, "
    "profile,\n"
    "                                  delay_ms, rules, warnings, replies}; null where\n"
    "                                  there is none; rules and warnings are lists of\n"
    "                                  {file, line, rule, text}, line is 0 for what no "
    "line\n"
    "                                  says; replies are {to, to_port, from_port, "
    "length,\n"
    "                                  hex, decoded}, decoded a list of lines\n"
    "\n"
    "Exit code: 0 explained, 1 the configuration or the recording cannot be used, 2 "
    "wrong\n"
    "usage.\n";

struct arguments {
    const char *path;
    const char *pcap;
    const char *interface;
    struct request_terms terms;
    bool has_mac;
    uint16_t port;
    unsigned asked;
    bool ipv6;
    bool ipxe;
    bool json;
    bool help;
};

/* -- arguments ---------------------------------------------------------------------------- */

enum { OPTION_CLASS = OPTION_OWN, OPTION_ASKED };

static bool parse_number(const char *text, unsigned long least, unsigned long most,
                         unsigned long *out)
{
    uint64_t n;
    if (!text_decimal(text, &n) || n < least || n > most) {
        return false;
    }
    *out = (unsigned long)n;
    return true;
}

static bool parse_port(const char *text, uint16_t *out)
{
    unsigned long n;
    if (!parse_number(text, 67, 4011, &n) || (n != 67 && n != 547 && n != 4011)) {
        return false;
    }
    *out = (uint16_t)n;
    return true;
}

static bool take(int code, const char *text, void *arguments)
{
    struct arguments *out = arguments;
    unsigned long n;
    switch (code) {
    case 'm':
        out->has_mac = true;
        return mac_parse(text, &out->terms.mac);
    case 'a':
        return arch_parse(text, &out->terms.arch);
    case 'u':
        return request_read_uuid(text, &out->terms);
    case 'r':
        return ip4_parse(text, &out->terms.relay);
    case 'p':
        return parse_port(text, &out->port);
    case OPTION_CLASS:
        out->terms.class = text;
        return strlen(text) < 256;
    case OPTION_ASKED:
        if (!parse_number(text, 1, 1000, &n)) {
            return false;
        }
        out->asked = (unsigned)n;
        return true;
    default:
        return false;
    }
}

/* Each family has its port; relays are told for IPv4 alone, and a recording has both. */
static bool settle_family(struct arguments *out)
{
    uint16_t usual = out->ipv6 ? DHCP6_SERVER_PORT : DHCP_SERVER_PORT;
    out->port = out->port ? out->port : usual;
    return (out->port == usual || out->port == DHCP_PXE_PORT) &&
           !(out->ipv6 && (out->pcap || !ip4_is_any(out->terms.relay)));
}

static bool parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option_row rows[] = {
        {"config", 'c', OPTION_TEXT, offsetof(struct arguments, path)},
        {"mac", 'm', OPTION_VALUE, 0},
        {"arch", 'a', OPTION_VALUE, 0},
        {"uuid", 'u', OPTION_VALUE, 0},
        {"class", OPTION_CLASS, OPTION_VALUE, 0},
        {"ipxe", 0, OPTION_FLAG, offsetof(struct arguments, ipxe)},
        {"ipv6", '6', OPTION_FLAG, offsetof(struct arguments, ipv6)},
        {"relay", 'r', OPTION_VALUE, 0},
        {"port", 'p', OPTION_VALUE, 0},
        {"interface", 'i', OPTION_TEXT, offsetof(struct arguments, interface)},
        {"asked", OPTION_ASKED, OPTION_VALUE, 0},
        {"pcap", 0, OPTION_TEXT, offsetof(struct arguments, pcap)},
        {"json", 0, OPTION_FLAG, offsetof(struct arguments, json)},
        {"help", 'h', OPTION_FLAG, offsetof(struct arguments, help)},
        {NULL, 0, 0, 0},
    };
    *out = (struct arguments){
        .path = PXED_CONFIGURATION, .asked = 1, .terms.arch = ARCH_X64_UEFI};
    if (!options_read(rows, take, argc, argv, out)) {
        if (optarg) {
            tell(stderr, "pxed explain: \"%s\" is not understood\n", optarg);
        }
        return false;
    }
    out->terms.manner = out->ipxe ? REQUEST_IPXE : request_manner_of(out->terms.arch);
    return out->help ||
           (optind == argc && out->has_mac != (out->pcap != NULL) && settle_family(out));
}

/* -- the requests ------------------------------------------------------------------------- */

/* One run: what stays the same from one request to the next. */
struct run {
    const struct arguments *arguments;
    const struct configuration *config;
    const char *interface;
    struct explain4 *v4;
    struct explain6 *v6;
    json_t *requests; /* NULL: text */
};

static void report(struct run *run, const struct explained *e)
{
    if (run->requests) {
        (void)json_array_append_new(run->requests, explain_json(e));
    } else {
        explain_text(e, stdout);
    }
}

/* When it asks for the i-th time. */
static usec_t time_of_turn(unsigned i)
{
    return ((usec_t)i + 1) * 4 * USEC_PER_SEC;
}

static bool explain_by_hand4(struct run *run)
{
    const struct arguments *a = run->arguments;
    struct request_terms terms = a->terms;
    struct dhcp_arrival at = {.port = a->port, .from_port = DHCP_CLIENT_PORT};
    uint8_t buf[REQUEST_SIZE];
    struct explained e;
    bool good = false;
    terms.type = DHCP_DISCOVER;
    terms.xid = 1;                  /* any will do */
    if (a->port == DHCP_PXE_PORT) { /* any address will do */
        terms.type = DHCP_REQUEST;
        terms.at_4011 = true;
        terms.client = (struct ip4){{192, 0, 2, 9}};
        at.from = terms.client;
        at.from_port = DHCP_PXE_PORT;
    } else if (!ip4_is_any(terms.relay)) {
        at.from = terms.relay;
        at.from_port = DHCP_SERVER_PORT;
    }
    size_t len = request_write(&terms, buf);
    for (unsigned i = 0; i < a->asked; i++) {
        good = explain4_judge(run->v4, &at, rd_over(buf, len), time_of_turn(i), &e);
    }
    if (good) { /* always: the request is our own */
        report(run, &e);
    }
    return good;
}

static bool explain_by_hand6(struct run *run)
{
    const struct arguments *a = run->arguments;
    struct dhcp6_arrival at = {.port = a->port,
                               .from_port = DHCP6_CLIENT_PORT,
                               .from = request6_address(&a->terms.mac),
                               .to = request6_group()};
    uint8_t buf[REQUEST_SIZE];
    struct explained e;
    bool good = false;
    if (a->port == DHCP_PXE_PORT) {
        at.from_port = DHCP_PXE_PORT;
    }
    size_t len = request6_write(&a->terms, a->port == DHCP_PXE_PORT, buf);
    for (unsigned i = 0; i < a->asked; i++) {
        good = explain6_judge(run->v6, &at, rd_over(buf, len), time_of_turn(i), &e);
    }
    if (good) {
        report(run, &e);
    }
    return good;
}

static bool judge_recorded6(struct run *run, const struct recorded *packet,
                            struct explained *e)
{
    const struct frame6 *f = &packet->frame6;
    const struct dhcp6_arrival at = {.port = f->to_port,
                                     .from = f->ip_from,
                                     .from_port = f->from_port,
                                     .to = f->ip_to};
    return explain6_judge(run->v6, &at, f->payload, packet->time, e);
}

static bool judge_recorded4(struct run *run, const struct recorded *packet,
                            struct explained *e)
{
    const struct frame *f = &packet->frame;
    struct dhcp_arrival at = {f->to_port, f->ip_from, f->from_port};
    return explain4_judge(run->v4, &at, f->payload, packet->time, e);
}

static void explain_recorded(struct run *run, const struct recorded *packet)
{
    struct explained e;
    const struct mac *from = packet->ipv6 ? &packet->frame6.from : &packet->frame.from;
    if (packet->to_port == RECORDING_TFTP) {
        if (packet->has_macs) { /* it loads: its offer was right */
            explain4_loads(run->v4, from, packet->time);
        }
        return;
    }
    if (packet->ipv6 ? judge_recorded6(run, packet, &e)
                     : judge_recorded4(run, packet, &e)) {
        e.packet = packet->number;
        e.time = packet->time;
        report(run, &e);
    }
}

static bool explain_recording(struct run *run)
{
    char why[RECORDING_WHY_SIZE];
    struct recorded packet;
    int status = -1;
    struct recording *r = recording_open(run->arguments->pcap, why);
    while (r && (status = recording_next(r, &packet, why)) == 1) {
        explain_recorded(run, &packet);
    }
    recording_close(r);
    if (status != 0) {
        tell(stderr, "pxed explain: the recording cannot be read: %s\n", why);
    }
    return status == 0;
}

/* -- the command -------------------------------------------------------------------------- */

/* The interface that was named, or the first; its address as `pxed run` would have it. */
static bool choose_interface(struct run *run, struct ip4 *address)
{
    const struct snapshot *s = run->config->snapshot;
    const char *name = run->arguments->interface;
    struct interface_facts facts;
    char why[INTERFACE_WHY_SIZE];
    size_t i = 0;
    while (name && i < s->interface_count && strcmp(s->interfaces[i].name, name) != 0) {
        i++;
    }
    if (i == s->interface_count) {
        tell(stderr, "pxed explain: \"interfaces\" does not hold \"%s\"\n", name);
        return false;
    }
    run->interface = s->interfaces[i].name;
    *address = s->interfaces[i].address;
    if (!ip4_is_any(*address) || run->arguments->ipv6) {
        return true;
    }
    *address = (struct ip4){{192, 0, 2, 1}};
    int error = interface_read(&s->interfaces[i], &facts, why);
    if (error == 0 && ip4_is_any(facts.identity.offered)) {
        error = interface_ready(&s->interfaces[i], &facts, why);
    }
    if (error == 0) {
        *address = facts.identity.offered;
    } else {
        tell(stderr, "pxed explain: %s; 192.0.2.1 stands for our address\n", why);
    }
    return true;
}

static bool explain_all(struct run *run)
{
    const struct arguments *a = run->arguments;
    if (a->pcap) {
        return explain_recording(run);
    }
    return a->ipv6 ? explain_by_hand6(run) : explain_by_hand4(run);
}

static bool explain(struct run *run)
{
    struct ip4 address = {{0}};
    if (!choose_interface(run, &address)) {
        return false;
    }
    run->v4 = explain4_new(run->config, run->interface, address);
    run->v6 = explain6_new(run->config, run->interface);
    run->requests = run->arguments->json ? json_array() : NULL;
    bool ok = run->v4 && run->v6 && (run->requests || !run->arguments->json);
    if (!ok) {
        tell(stderr, "pxed explain: out of memory\n");
    }
    ok = ok && explain_all(run);
    if (run->requests) {
        ok = json_print(json_pack("{s:s, s:o}", "file", run->config->path, "requests",
                                  run->requests)) &&
             ok;
    }
    explain4_free(run->v4);
    explain6_free(run->v6);
    return ok;
}

int command_explain(int argc, char **argv)
{
    struct arguments arguments;
    struct configuration c;
    if (!parse_arguments(argc, argv, &arguments)) {
        tell(stderr, "%s", help);
        return EXIT_USAGE;
    }
    if (arguments.help) {
        printf("%s", help);
        return EXIT_GOOD;
    }
    int error = configuration_read(arguments.path, FAULT_WARNING, &c);
    if (error != 0) {
        tell(stderr, "pxed explain: cannot read %s: %s\n", arguments.path,
             read_fault(arguments.path, error));
    } else if (!c.snapshot) {
        faults_print(&c.faults, arguments.path, c.text, c.len, stderr);
    }
    struct run run = {.arguments = &arguments, .config = &c};
    bool ok = error == 0 && c.snapshot && explain(&run);
    configuration_done(&c);
    return ok ? EXIT_GOOD : EXIT_FAULT;
}
