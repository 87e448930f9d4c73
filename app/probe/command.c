#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/doctor/look.h"
#include "app/options.h"
#include "app/privileges.h"
#include "app/probe/probe.h"
#include "common/cleanup.h"
#include "common/tell.h"
#include "common/text.h"
#include "config/arch.h"
#include "dhcp/reply.h"

static const char help[] =
    "usage: pxed probe -i INTERFACE [--profile P] [--arch A] [--http] [--mac M] [--uuid "
    "U]\n"
    "                  [--timeout S] [--lease] [--no-download] [--verify SHA256]\n"
    "                  [--block N] [--window N] [--json] [--no-color]\n"
    "\n"
    "Plays a boot client on an interface: asks as it asks, shows every answer, tells "
    "which\n"
    "server and file its firmware would take and why, loads the file and measures.  Run "
    "it\n"
    "where machines boot: what the host itself sends on an interface, its own servers "
    "on\n"
    "that interface do not hear.  Takes no lease.  Needs CAP_NET_RAW (root).\n"
    "\n"
    "  -i, --interface I   where\n"
    "  -p, --profile P     edk2 (UEFI, the default), ipxe, bios, u-boot, pi\n"
    "  -a, --arch A        its architecture, by name or number (as usual for the "
    "profile)\n"
    "      --http          UEFI HTTP Boot\n"
    "  -m, --mac M         its MAC (one that is made up)\n"
    "  -u, --uuid U        its UUID (none)\n"
    "  -t, --timeout S     how long answers are waited for, 1..120 seconds (4)\n"
    "      --lease         take the address that is offered, too, and give it back\n"
    "      --no-download   do not load the file\n"
    "      --verify SHA256 the file must have this digest\n"
    "      --block N       ask for blocks of N octets, 8..65464 (as the client does)\n"
    "      --window N      ask for windows of N blocks, 1..65535 (likewise)\n"
    "      --no-color      no colours\n"
    "      --json          one JSON object instead of text:\n"
    "                        interface, address, profile, architecture, mac, discovers\n"
    "                        unread    answers that are no DHCP messages\n"
    "                        answers   list of {server, from, port, mac, after, count,\n"
    "                                  message, kind, at_4011, address, next_server, "
    "file,\n"
    "                                  option_67, serves, menu, passed_over}; kind is\n"
    "                                  \"address\", \"proxy\" or \"both\"; serves is "
    "\"pxe\",\n"
    "                                  \"http\" or null; after is in seconds\n"
    "                        choice    {step, server, file, address_from, boot_from, "
    "why};\n"
    "                                  step is \"tftp\", \"url\", \"local\", \"ask\" or "
    "\"nothing\"\n"
    "                        lease     \"ACK\", \"NAK\" or null\n"
    "                        download  null, or {file, whole, fault} and, when whole, "
    "size,\n"
    "                                  sha256, kind, fits, signed, seconds, rate,\n"
    "                                  first_byte, round_trip; by TFTP also block, "
    "window,\n"
    "                                  repeated, early, resent\n"
    "                        boots, sentence, screen\n"
    "\n"
    "Exit code, for monitoring: 0 a machine of this kind would boot, 1 it would not, or "
    "it\n"
    "cannot be told, 2 wrong usage.\n";

static const struct {
    const char *name;
    enum request_manner manner;
    uint16_t arch;
} profiles[] = {
    {"edk2", REQUEST_EDK2, ARCH_X64_UEFI}, {"ipxe", REQUEST_IPXE, ARCH_X64_UEFI},
    {"bios", REQUEST_BIOS, ARCH_X86_BIOS}, {"u-boot", REQUEST_UBOOT, ARCH_ARM64_UEFI},
    {"pi", REQUEST_PI, ARCH_X86_BIOS},
};
#define PROFILES (sizeof profiles / sizeof profiles[0])

struct arguments {
    struct probe_terms terms;
    size_t profile;
    bool has_arch;
    bool has_mac;
    bool http;
    bool no_download;
    bool json;
    bool no_color;
    bool help;
};

/* -- arguments ---------------------------------------------------------------------------- */

enum { OPTION_VERIFY = OPTION_OWN, OPTION_BLOCK, OPTION_WINDOW };

static bool parse_number(const char *text, uint32_t least, uint32_t most, uint32_t *out)
{
    uint64_t n;
    if (!text_decimal(text, &n) || n < least || n > most) {
        return false;
    }
    *out = (uint32_t)n;
    return true;
}

static bool parse_profile(const char *text, size_t *out)
{
    for (size_t i = 0; i < PROFILES; i++) {
        if (strcmp(profiles[i].name, text) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool take(int code, const char *text, void *arguments)
{
    struct arguments *out = arguments;
    struct probe_terms *terms = &out->terms;
    uint32_t n;
    switch (code) {
    case 'i':
        terms->interface = text;
        return strlen(text) < sizeof((struct interface_conf *)0)->name;
    case 'p':
        return parse_profile(text, &out->profile);
    case 'a':
        out->has_arch = true;
        return arch_parse(text, &terms->client.arch);
    case 'm':
        out->has_mac = true;
        return mac_parse(text, &terms->client.mac);
    case 'u':
        return request_read_uuid(text, &terms->client);
    case 't':
        if (!parse_number(text, 1, 120, &n)) {
            return false;
        }
        terms->patience = n * USEC_PER_SEC;
        return true;
    case OPTION_VERIFY:
        terms->verify = true;
        return sha256_parse(text, terms->sha256);
    case OPTION_BLOCK:
        return parse_number(text, 8, 65464, &terms->block);
    case OPTION_WINDOW:
        return parse_number(text, 1, 65535, &terms->window);
    default:
        return false;
    }
}

static uint16_t http_arch(uint16_t arch)
{
    static const uint16_t pairs[][2] = {{0x06, 0x0f}, {0x07, 0x10}, {0x0a, 0x12},
                                        {0x0b, 0x13}, {0x19, 0x1a}, {0x1b, 0x1c},
                                        {0x25, 0x26}, {0x27, 0x28}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i][0] == arch) {
            return pairs[i][1];
        }
    }
    return arch;
}

/* A Raspberry Pi 4 is known by its option 97: name, board revision, MAC, serial number. */
static void set_pi(struct request_terms *client)
{
    static const uint8_t board[8] = {'R', 'P', 'i', '4', 0x14, 0x31, 0xc0, 0x00};
    if (!client->has_uuid) {
        client->has_uuid = true;
        memcpy(client->uuid, board, sizeof board);
        memcpy(client->uuid + 8, client->mac.octet + 2, 4);
        memcpy(client->uuid + 12, client->mac.octet + 2, 4);
    }
}

/* What was not said; false: what was said does not fit together. */
static bool complete(struct arguments *out)
{
    struct request_terms *client = &out->terms.client;
    out->terms.profile = profiles[out->profile].name;
    out->terms.download = !out->no_download;
    client->manner = profiles[out->profile].manner;
    client->arch = out->has_arch ? client->arch : profiles[out->profile].arch;
    if (out->http) {
        client->arch = http_arch(client->arch);
    }
    if (arch_is_http(client->arch) ? client->manner != REQUEST_EDK2 : out->http) {
        tell(stderr, "pxed probe: HTTP Boot is UEFI's\n");
        return false;
    }
    if (!out->has_mac) {
        if (getrandom(client->mac.octet, sizeof client->mac.octet, 0) < 0) {
            return false;
        }
        client->mac.octet[0] = 0x02; /* locally administered */
    }
    if (client->manner == REQUEST_PI) {
        set_pi(client);
    }
    return true;
}

static bool parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option_row rows[] = {
        {"interface", 'i', OPTION_VALUE, 0},
        {"profile", 'p', OPTION_VALUE, 0},
        {"arch", 'a', OPTION_VALUE, 0},
        {"mac", 'm', OPTION_VALUE, 0},
        {"uuid", 'u', OPTION_VALUE, 0},
        {"timeout", 't', OPTION_VALUE, 0},
        {"http", 0, OPTION_FLAG, offsetof(struct arguments, http)},
        {"lease", 0, OPTION_FLAG, offsetof(struct arguments, terms.lease)},
        {"no-download", 0, OPTION_FLAG, offsetof(struct arguments, no_download)},
        {"verify", OPTION_VERIFY, OPTION_VALUE, 0},
        {"block", OPTION_BLOCK, OPTION_VALUE, 0},
        {"window", OPTION_WINDOW, OPTION_VALUE, 0},
        {"json", 0, OPTION_FLAG, offsetof(struct arguments, json)},
        {"no-color", 0, OPTION_FLAG, offsetof(struct arguments, no_color)},
        {"help", 'h', OPTION_FLAG, offsetof(struct arguments, help)},
        {NULL, 0, 0, 0},
    };
    *out = (struct arguments){.terms = {.patience = 4 * USEC_PER_SEC}};
    if (!options_read(rows, take, argc, argv, out)) {
        if (optarg) {
            tell(stderr, "pxed probe: \"%s\" is not understood\n", optarg);
        }
        return false;
    }
    if (!out->help && !out->terms.interface) {
        tell(stderr, "pxed probe: on which interface?  Say it with -i\n");
        return false;
    }
    return out->help || (optind == argc && complete(out));
}

/* -- the client --------------------------------------------------------------------------- */

static void load(struct probe *p, const char *file, const struct terminal *terminal)
{
    const struct probe_terms *terms = p->terms;
    const struct download_terms d = {
        .fetch = {.manner = terms->client.manner,
                  .file = file,
                  .block = terms->block,
                  .window = terms->window},
        .interface = terms->interface,
        .local = p->exchange.address,
        .server = p->choice.server,
        .terminal = terminal,
    };
    p->downloaded = true;
    p->file = file;
    if (p->choice.step == CHOICE_URL) {
        download_http(&d, file, &p->download);
    } else {
        download_tftp(&d, &p->download);
    }
}

static void look_at_file(struct probe *p)
{
    enum request_manner manner = p->terms->client.manner;
    p->fits = manner == REQUEST_IPXE || manner == REQUEST_PI ||
              bootfile_fits(&p->download.what, p->terms->client.arch, p->why_not,
                            sizeof p->why_not);
}

static void load_choice(struct probe *p, const struct terminal *terminal)
{
    if (ip4_is_any(p->exchange.address)) {
        snprintf(p->failed, sizeof p->failed,
                 "%s has no IPv4 address here, so nothing can be loaded",
                 p->terms->interface);
        return;
    }
    load(p, p->choice.file, terminal);
    if (p->download.not_found && p->choice.other_file[0]) {
        load(p, p->choice.other_file, terminal);
    }
    look_at_file(p);
}

/* No PXE server answered, and ours holds its port here. */
static bool is_beside_pxed(const struct choice_facts *facts)
{
    static const struct port_need need = {false, DHCP_PXE_PORT, ""};
    struct port_holder holders[PORT_HOLDERS_MAX];
    for (size_t i = 0; i < facts->count; i++) {
        if (answer_kind(&facts->answer[i]) != ANSWER_ADDRESS) {
            return false;
        }
    }
    size_t count = look_at_ports(&need, 1, holders);
    for (size_t i = 0; i < count; i++) {
        if (holders[i].port == DHCP_PXE_PORT && strcmp(holders[i].process, "pxed") == 0) {
            return true;
        }
    }
    return false;
}

/* True: it was played to its end, whatever came of it. */
static bool play(struct probe *p, const struct terminal *terminal,
                 char why[EXCHANGE_WHY_SIZE])
{
    const struct probe_terms *terms = p->terms;
    if (exchange_open(&p->exchange, terms->interface, &terms->client, why) != 0 ||
        exchange_offers(&p->exchange, terms->patience, &p->facts, why) != 0) {
        return false;
    }
    choice_make(&p->facts, &p->choice);
    while (p->choice.step == CHOICE_ASK && p->facts.asked_count < CHOICE_ASKED) {
        const struct choice_question question = {p->choice.server, p->choice.has_item,
                                                 p->choice.item};
        if (exchange_ask(&p->exchange, &question, &p->facts, p->failed) != 0) {
            return true;
        }
        choice_make(&p->facts, &p->choice);
    }
    if (terms->lease && p->choice.address != NO_ANSWER) {
        p->leased =
            exchange_lease(&p->exchange, &p->facts.answer[p->choice.address], &p->lease);
    }
    if (terms->download &&
        (p->choice.step == CHOICE_TFTP || p->choice.step == CHOICE_URL)) {
        load_choice(p, terminal);
    }
    return true;
}

static enum exit_code probe(const struct arguments *a)
{
    AUTO(free) struct probe *p = calloc(1, sizeof *p);
    char why[EXCHANGE_WHY_SIZE] = "out of memory";
    struct terminal out;
    struct terminal err;
    if (p) {
        p->terms = &a->terms;
        p->facts.manner = a->terms.client.manner;
        p->facts.arch = a->terms.client.arch;
    }
    terminal_open(&out, stdout, a->no_color);
    terminal_open(&err, stderr, a->no_color);
    bool played = p && play(p, &err, why);
    if (p) {
        exchange_close(&p->exchange);
    }
    if (!played) {
        tell(stderr, "pxed probe: %s\n", why);
        return EXIT_FAULT;
    }
    p->beside_pxed = is_beside_pxed(&p->facts);
    probe_judge(p);
    if (!a->json) {
        probe_print(p, &out);
    } else if (!probe_print_json(p)) {
        tell(stderr, "pxed probe: out of memory\n");
    }
    return p->boots ? EXIT_GOOD : EXIT_FAULT;
}

int command_probe(int argc, char **argv)
{
    struct arguments arguments;
    if (!parse_arguments(argc, argv, &arguments)) {
        tell(stderr, "%s", help);
        return EXIT_USAGE;
    }
    if (arguments.help) {
        printf("%s", help);
        return EXIT_GOOD;
    }
    privileges_raise();
    return probe(&arguments);
}
