#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/explain_print.h"
#include "app/json.h"
#include "app/recording.h"
#include "app/request.h"
#include "common/text.h"
#include "dhcp/interface.h"
#include "dhcp/ladder.h"

static const char help[] =
    "usage: pxed explain [-c FILE] --mac MAC [--arch A] [--uuid U] [--class C] [--ipxe]\n"
    "                    [--relay IP] [--port 67|4011] [--interface I] [--asked N] "
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
    "  -p, --port N        67: its DISCOVER; 4011: its question there (67)\n"
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
    bool json;
    bool help;
};

/* -- arguments ---------------------------------------------------------------------------- */

enum { OPTION_CLASS = 256, OPTION_IPXE, OPTION_ASKED, OPTION_PCAP, OPTION_JSON };

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

/* The table's order of octets is not the firmware's. */
static bool parse_uuid(const char *text, struct request_terms *out)
{
    static const uint8_t place[16] = {3, 2, 1,  0,  5,  4,  7,  6,
                                      8, 9, 10, 11, 12, 13, 14, 15};
    unsigned n = 0;
    while (*text && n < 16) {
        unsigned octet;
        int used = 0;
        text += *text == '-';
        if (strspn(text, "0123456789abcdefABCDEF") < 2 ||
            sscanf(text, "%2x%n", &octet, &used) != 1) { /* NOLINT(cert-err34-c) */
            return false;
        }
        out->uuid[place[n++]] = (uint8_t)octet;
        text += used;
    }
    out->has_uuid = true;
    return n == 16 && *text == '\0';
}

static bool parse_port(const char *text, uint16_t *out)
{
    unsigned long n;
    if (!parse_number(text, 67, 4011, &n) || (n != 67 && n != 4011)) {
        return false;
    }
    *out = (uint16_t)n;
    return true;
}

static bool take_client_option(int c, const char *text, struct arguments *out)
{
    unsigned long n;
    switch (c) {
    case 'm':
        out->has_mac = true;
        return mac_parse(text, &out->terms.mac);
    case 'a':
        return arch_parse(text, &out->terms.arch);
    case 'u':
        return parse_uuid(text, &out->terms);
    case 'r':
        return ip4_parse(text, &out->terms.relay);
    case 'p':
        return parse_port(text, &out->port);
    case OPTION_CLASS:
        out->terms.class = text;
        return strlen(text) < 256;
    case OPTION_IPXE:
        out->terms.ipxe = true;
        return true;
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

static bool take_option(int c, const char *text, struct arguments *out)
{
    switch (c) {
    case 'c':
        out->path = text;
        return true;
    case 'i':
        out->interface = text;
        return true;
    case 'h':
        out->help = true;
        return true;
    case OPTION_PCAP:
        out->pcap = text;
        return true;
    case OPTION_JSON:
        out->json = true;
        return true;
    default:
        return take_client_option(c, text, out);
    }
}

static bool parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"mac", required_argument, NULL, 'm'},
        {"arch", required_argument, NULL, 'a'},
        {"uuid", required_argument, NULL, 'u'},
        {"class", required_argument, NULL, OPTION_CLASS},
        {"ipxe", no_argument, NULL, OPTION_IPXE},
        {"relay", required_argument, NULL, 'r'},
        {"port", required_argument, NULL, 'p'},
        {"interface", required_argument, NULL, 'i'},
        {"asked", required_argument, NULL, OPTION_ASKED},
        {"pcap", required_argument, NULL, OPTION_PCAP},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int c;
    *out = (struct arguments){.path = PXED_CONFIGURATION,
                              .port = DHCP_SERVER_PORT,
                              .asked = 1,
                              .terms.arch = ARCH_X64_UEFI};
    while ((c = getopt_long(argc, argv, "c:m:a:u:r:p:i:h", options, NULL)) != -1) {
        if (!take_option(c, optarg, out)) {
            if (c != '?') {
                fprintf(stderr, "pxed explain: \"%s\" is not understood\n", optarg);
            }
            return false;
        }
    }
    return out->help || (optind == argc && out->has_mac != (out->pcap != NULL));
}

/* -- the decision ------------------------------------------------------------------------- */

/* One run: what stays the same from one request to the next. */
struct run {
    const struct arguments *arguments;
    const struct configuration *config;
    struct ladder *ladder;
    struct dhcp_decision *decision;
    struct ip4 address; /* ours */
    const char *interface;
    json_t *requests; /* NULL: text */
};

static bool has_file(void *context, const char *file)
{
    const struct configuration *c = context;
    const struct boot_file *b = boot_files_find(&c->files, file, ARCH_ANY, NULL);
    return !b || b->state != BOOT_FILE_MISSING;
}

static void judge(struct run *run, const struct dhcp_arrival *at,
                  const struct dhcp_packet *in, usec_t now)
{
    const struct snapshot *s = run->config->snapshot;
    struct dhcp_site site = {.config = s,
                             .address = run->address,
                             .has_file = s->tftp.enabled ? has_file : NULL,
                             .context = (void *)run->config,
                             .interface = run->interface};
    (void)ladder_decide(run->ladder, &site, at, in, now, run->decision);
}

static void tell(struct run *run, const struct explained *e)
{
    if (run->requests) {
        (void)json_array_append_new(run->requests, explain_json(e));
    } else {
        explain_text(e, stdout);
    }
}

static struct explained explained_of(const struct run *run, const struct dhcp_arrival *at,
                                     const struct dhcp_packet *in)
{
    return (struct explained){
        .config = run->config,
        .interface = run->interface,
        .address = run->address,
        .at = at,
        .in = in,
        .decision = run->decision,
    };
}

static bool explain_by_hand(struct run *run)
{
    const struct arguments *a = run->arguments;
    struct request_terms terms = a->terms;
    struct dhcp_arrival at = {.port = a->port, .from_port = DHCP_CLIENT_PORT};
    uint8_t buf[REQUEST_SIZE];
    struct dhcp_packet in;
    terms.type = DHCP_DISCOVER;
    if (a->port == DHCP_PXE_PORT) { /* any address will do */
        terms.type = DHCP_REQUEST;
        terms.client = (struct ip4){{192, 0, 2, 9}};
        at.from = terms.client;
        at.from_port = DHCP_PXE_PORT;
    } else if (!ip4_is_any(terms.relay)) {
        at.from = terms.relay;
        at.from_port = DHCP_SERVER_PORT;
    }
    if (dhcp_parse(buf, request_write(&terms, buf), &in) != DHCP_OK) {
        return false; /* cannot be: it is our own */
    }
    for (unsigned i = 0; i < a->asked; i++) {
        judge(run, &at, &in, ((usec_t)i + 1) * 4 * USEC_PER_SEC);
    }
    struct explained e = explained_of(run, &at, &in);
    tell(run, &e);
    return true;
}

static void explain_recorded(struct run *run, const struct recorded *packet)
{
    const struct frame *f = &packet->frame;
    struct rd payload = f->payload;
    struct dhcp_arrival at = {f->to_port, f->ip_from, f->from_port};
    struct dhcp_packet in;
    if (f->to_port == RECORDING_TFTP) {
        if (packet->has_macs) { /* it loads: its offer was right */
            ladder_loads(run->ladder, &f->from, packet->time);
        }
        return;
    }
    if (dhcp_parse(payload.p, rd_left(&payload), &in) != DHCP_OK ||
        in.op != BOOTREQUEST) {
        return;
    }
    judge(run, &at, &in, packet->time);
    struct explained e = explained_of(run, &at, &in);
    e.packet = packet->number;
    e.time = packet->time;
    tell(run, &e);
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
        fprintf(stderr, "pxed explain: the recording cannot be read: %s\n", why);
    }
    return status == 0;
}

/* -- the command -------------------------------------------------------------------------- */

/* The interface that was named, or the first; its address as `pxed run` would have it. */
static bool choose_interface(struct run *run)
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
        fprintf(stderr, "pxed explain: \"interfaces\" does not hold \"%s\"\n", name);
        return false;
    }
    run->interface = s->interfaces[i].name;
    run->address = s->interfaces[i].address;
    if (!ip4_is_any(run->address)) {
        return true;
    }
    run->address = (struct ip4){{192, 0, 2, 1}};
    int error = interface_read(&s->interfaces[i], &facts, why);
    if (error == 0 && ip4_is_any(facts.identity.offered)) {
        error = interface_ready(&s->interfaces[i], &facts, why);
    }
    if (error == 0) {
        run->address = facts.identity.offered;
    } else {
        fprintf(stderr, "pxed explain: %s; 192.0.2.1 stands for our address\n", why);
    }
    return true;
}

static bool explain(struct run *run)
{
    run->ladder = calloc(1, sizeof *run->ladder);
    run->decision = calloc(1, sizeof *run->decision);
    run->requests = run->arguments->json ? json_array() : NULL;
    bool ok = run->ladder && run->decision && choose_interface(run) &&
              (run->arguments->pcap ? explain_recording(run) : explain_by_hand(run));
    if (run->requests) {
        ok = json_print(json_pack("{s:s, s:o}", "file", run->config->path, "requests",
                                  run->requests)) &&
             ok;
    }
    free(run->ladder);
    free(run->decision);
    return ok;
}

int command_explain(int argc, char **argv)
{
    struct arguments arguments;
    struct configuration c;
    if (!parse_arguments(argc, argv, &arguments)) {
        fprintf(stderr, "%s", help);
        return EXIT_USAGE;
    }
    if (arguments.help) {
        printf("%s", help);
        return EXIT_GOOD;
    }
    int error = configuration_read(arguments.path, FAULT_WARNING, &c);
    if (error != 0) {
        fprintf(stderr, "pxed explain: cannot read %s: %s\n", arguments.path,
                strerror(-error));
    } else if (!c.snapshot) {
        faults_print(&c.faults, arguments.path, c.text, c.len, stderr);
    }
    struct run run = {.arguments = &arguments, .config = &c};
    bool ok = error == 0 && c.snapshot && explain(&run);
    configuration_done(&c);
    return ok ? EXIT_GOOD : EXIT_FAULT;
}
