#include "app/boot_rules.h"

#include <string.h>

#include "app/boot_words.h"

#define LOOP_TIMES  3                    /* the same first file so often is a loop */
#define LATE_OFFER  (4 * USEC_PER_SEC)   /* EDK2 has gone on by then, iPXE given up */
#define SOON        (120 * USEC_PER_SEC) /* asked anew that soon: it did not start */
#define BLOCK_SMALL 512                  /* fits every path */

/* -- what the rules look at ----------------------------------------------------------------- */

static bool has(struct ip4 ip)
{
    return !ip4_is_any(ip);
}

static bool loaded_nothing(const struct boot *b)
{
    return b->facts.loads == 0 && b->facts.refusals == 0;
}

static bool silent_for(const struct boot *b, enum dhcp_verdict reason)
{
    return b->facts.answers == 0 && loaded_nothing(b) && b->facts.silence == reason;
}

/* Its latest file is the one that failed, or was refused, or came whole. */
static bool failed_last(const struct boot_facts *f)
{
    return f->failures > 0 && f->worst.ended >= f->moved;
}

static bool refused_last(const struct boot_facts *f)
{
    return f->bad.times > 0 && f->bad.at >= f->moved;
}

static bool failed_so(const struct boot *b, enum boot_file_end end)
{
    return failed_last(&b->facts) && b->facts.worst.end == end;
}

static bool ends_in(const char *name, const char *tail)
{
    size_t len = strlen(name);
    size_t tail_len = strlen(tail);
    return len >= tail_len && strcasecmp(name + len - tail_len, tail) == 0;
}

/* Names that loaders ask for and do without. */
static bool is_optional(const char *name)
{
    static const char *const words[] = {
        "autoexec.ipxe", "revocations", "grub.cfg-",    ".sig", /* iPXE, shim, GRUB */
        ".lst",          "boot.stl",    "autoboot.txt", "bootcfg.txt", /* Windows, Pi */
        "recovery",
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(name, words[i])) {
            return true;
        }
    }
    return strstr(name, "pxelinux.cfg/") && !ends_in(name, "/default");
}

/* A loader that has this word in its name: "shimx64.efi" of "shim". */
static bool is_loader(const char *name, const char *word)
{
    static const char *const tails[] = {".efi", ".0", ".img", ".pxe", ".signed"};
    const char *slash = strrchr(name, '/');
    if (!strstr(slash ? slash + 1 : name, word)) {
        return false;
    }
    for (unsigned i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        if (ends_in(name, tails[i])) {
            return true;
        }
    }
    return false;
}

/* Everything that came whole was the first file. */
static bool first_alone(const struct boot_facts *f)
{
    return f->whole > 0 && f->first.times == f->whole;
}

/* -- the rules ---------------------------------------------------------------------------- */

static bool host_ignored(const struct boot *b)
{
    return silent_for(b, DHCP_HOST_IGNORED);
}

static bool unknown_host(const struct boot *b)
{
    return silent_for(b, DHCP_UNKNOWN_HOST);
}

static bool host_local(const struct boot *b)
{
    return silent_for(b, DHCP_HOST_LOCAL);
}

static bool host_held(const struct boot *b)
{
    return silent_for(b, DHCP_HOST_HELD);
}

static bool host_done(const struct boot *b)
{
    return silent_for(b, DHCP_HOST_DONE);
}

static bool no_file(const struct boot *b)
{
    return silent_for(b, DHCP_NO_FILE);
}

static bool file_missing(const struct boot *b)
{
    return silent_for(b, DHCP_FILE_MISSING);
}

static bool unknown_arch(const struct boot *b)
{
    return silent_for(b, DHCP_UNKNOWN_ARCH) || silent_for(b, DHCP_NO_ARCH);
}

static bool no_item(const struct boot *b)
{
    return silent_for(b, DHCP_NO_ITEM);
}

static bool too_early(const struct boot *b)
{
    return silent_for(b, DHCP_TOO_EARLY);
}

static bool too_large(const struct boot *b)
{
    return silent_for(b, DHCP_TOO_LARGE);
}

static bool no_ipv6(const struct boot *b)
{
    return silent_for(b, DHCP_IPV4_ONLY) || silent_for(b, DHCP_NO_ADDRESS);
}

static bool not_answered(const struct boot *b)
{
    return b->facts.answers == 0 && loaded_nothing(b);
}

static bool loop(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return f->first.times >= LOOP_TIMES && first_alone(f) && f->discovers >= LOOP_TIMES;
}

static bool second_stage_elsewhere(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return f->whole > 0 && has(f->asked_tftp) && f->asked_at >= f->moved;
}

static bool reply_path_blocked(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return failed_so(b, BOOT_FILE_NO_ANSWER) && !f->worst.progress.heard &&
           f->whole == 0 && f->probes == 0 && f->failures == f->loads;
}

static bool block_above_mtu(const struct boot *b)
{
    const struct boot_load *w = &b->facts.worst;
    return failed_last(&b->facts) && w->progress.heard && w->progress.sent == 0 &&
           w->progress.size > 0 && w->progress.block > BLOCK_SMALL &&
           (w->end == BOOT_FILE_STALLED || w->end == BOOT_FILE_UNREACHABLE ||
            w->end == BOOT_FILE_NO_ANSWER);
}

static bool transfer_aborted(const struct boot *b)
{
    return failed_so(b, BOOT_FILE_ABORTED);
}

static bool transfer_closed(const struct boot *b)
{
    return failed_so(b, BOOT_FILE_CLOSED);
}

static bool transfer_stalled(const struct boot *b)
{
    return failed_last(&b->facts);
}

static bool reset_in_transfer(const struct boot *b)
{
    return b->facts.running > 0;
}

static bool size_probe(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return f->probes > 0 && f->whole == 0 && f->failures == 0;
}

static bool not_allowed(const struct boot *b)
{
    return refused_last(&b->facts) && b->facts.bad_unanswered;
}

static bool file_refused(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return refused_last(f) && (f->whole == 0 || !is_optional(f->bad.name));
}

static bool did_not_start(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return f->again && first_alone(f) && b->heard < f->good.at + SOON;
}

bool boot_is_at_grub(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return f->whole > 0 && is_loader(f->good.name, "grub") && f->good.at >= f->moved;
}

static bool grub_by_http(const struct boot *b)
{
    return boot_is_at_grub(b) && b->client == BOOT_CLIENT_HTTP;
}

static bool grub_elsewhere(const struct boot *b)
{
    return boot_is_at_grub(b) && has(b->facts.lease.next_server);
}

static bool shim_silent(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return f->whole > 0 && is_loader(f->good.name, "shim");
}

static bool loader_silent(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return first_alone(f) && f->discovers > 0 && !f->last_whole;
}

/* Whether such a file has started nobody tells: firmware with Secure Boot looks at it last. */
static bool loaded(const struct boot *b)
{
    return first_alone(&b->facts) && b->client == BOOT_CLIENT_UEFI;
}

static bool booted(const struct boot *b)
{
    return b->facts.whole > 0;
}

static bool asked_other_4011(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return loaded_nothing(b) && f->asks_4011 == 0 &&
           (has(f->asked_4011) || (has(f->lease.server) && f->lease.pxe));
}

static bool ipxe_no_proxy(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return loaded_nothing(b) && f->lease.no_pxe && b->client == BOOT_CLIENT_IPXE;
}

static bool other_server_won(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    bool tempted = f->requests > 0 && f->asks_4011 == 0 &&
                   (f->lease.file[0] || has(f->proxy.server));
    return loaded_nothing(b) && (has(f->asked_tftp) || tempted);
}

static bool handed_over(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return loaded_nothing(b) && f->elsewhere && (f->requests > 0 || f->asks_4011 > 0);
}

static bool no_request_for_file(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return loaded_nothing(b) && (f->requests > 0 || f->asks_4011 > 0);
}

static bool dhcp_server_slow(const struct boot *b)
{
    const struct boot_facts *f = &b->facts;
    return has(f->lease.server) && f->lease.at > f->first_discover + LATE_OFFER;
}

static bool offer_not_taken(const struct boot *b)
{
    return has(b->facts.lease.server);
}

static bool only_us(const struct boot *b)
{
    return b->facts.discovers > 0 && !b->facts.deaf;
}

static bool always(const struct boot *b)
{
    (void)b;
    return true;
}

/* What is seen on the screen, by what the machine is. */
struct screens {
    const char *bios;
    const char *uefi;
    const char *ipxe;
};

#define NO_SCREEN                                                                        \
    {                                                                                    \
        NULL, NULL, NULL                                                                 \
    }
#define NO_FILE_NAME                                                                     \
    {                                                                                    \
        "PXE-E53: No boot filename received.", "PXE-E16: No valid offer received.",      \
            "Nothing to boot"                                                            \
    }
#define NO_OFFER                                                                         \
    {                                                                                    \
        "PXE-E51: No DHCP or proxyDHCP offers were received.",                           \
            "PXE-E18: Server response timeout.", "No configuration methods succeeded"    \
    }
#define TIMES_OUT                                                                        \
    {                                                                                    \
        "PXE-E32: TFTP open timeout.", "PXE-E18: Server response timeout.",              \
            "Connection timed out"                                                       \
    }

struct rule {
    const char *name;
    bool (*fits)(const struct boot *b);
    const char *sentence; /* {word}: app/boot_words.c */
    const char *remedy;   /* NULL: none */
    struct screens screen;
    enum boot_state state;
    bool first_stage; /* the screen is the firmware's: not once a loader runs */
};

/* clang-format off */
static const struct rule rules[] = {
    /* -- we were silent, on purpose or for want of something ---------------------------- */
    {"host-ignored", host_ignored,
     "{machine} asked {asked} and was not answered: the host table says \"ignore\".",
     "If it is to boot, change \"action\" in its host.",
     NO_FILE_NAME, BOOT_ON_PURPOSE, true},
    {"unknown-host", unknown_host,
     "{machine} asked {asked} and was not answered: it is not in the host table, and unknown hosts are ignored.",
     "If it is to boot, add a host with \"mac\": \"{mac}\", or set a profile in \"unknown_hosts\".",
     NO_FILE_NAME, BOOT_ON_PURPOSE, true},
    {"host-local", host_local,
     "{machine} asked {asked} and was left to its disk: the host table says \"local\".",
     "If it is to boot over the network, change \"action\" in its host.",
     NO_FILE_NAME, BOOT_ON_PURPOSE, true},
    {"host-held", host_held,
     "{machine} asked {asked} and waits for approval.",
     "Run: pxed approve {mac}",
     NO_FILE_NAME, BOOT_ON_PURPOSE, true},
    {"host-done", host_done,
     "{machine} asked {asked} and was left to its disk: it boots once, and has done so.",
     "To let it boot again, run: pxed reset {mac}",
     NO_FILE_NAME, BOOT_ON_PURPOSE, true},
    {"no-file-for-arch", no_file,
     "{machine} asked {asked} and got no boot file: profile \"{profile}\" has none for {arch}.",
     "Add \"{arch}\" with a file to profile \"{profile}\".",
     NO_FILE_NAME, BOOT_STOPPED, true},
    {"file-missing", file_missing,
     "{machine} asked {asked} and got no answer: its boot file \"{file}\" is not there.",
     "Put \"{file}\" beneath the TFTP root, readable for pxed's user, or correct profile \"{profile}\"; `pxed check` tells what is missing.",
     NO_FILE_NAME, BOOT_STOPPED, true},
    {"unknown-arch", unknown_arch,
     "{machine} asked {asked} and got no answer: it does not tell an architecture that is known.",
     "If it boots all the same from other servers, its architecture number can stand in a profile.",
     NO_FILE_NAME, BOOT_STOPPED, true},
    {"no-item", no_item,
     "{machine} asked for a menu item that it was not shown.",
     "The menu has changed while it was shown; start the machine again.",
     NO_FILE_NAME, BOOT_STOPPED, true},
    {"too-early", too_early,
     "{machine} asked {asked}, too few times for its \"after_requests\", and another server has it.",
     "Lower \"after_requests\" if pxed is to answer.",
     NO_FILE_NAME, BOOT_ON_PURPOSE, true},
    {"too-large", too_large,
     "{machine} takes only small DHCP packets, and its answer does not fit.",
     "Shorten the boot file's name or the menu.",
     NO_FILE_NAME, BOOT_STOPPED, true},
    {"no-ipv6-address", no_ipv6,
     "{machine} asked {asked} over IPv6, and there is nothing it could load over IPv6: {reason}.",
     "Give interface {interface} an IPv6 address, and no IPv4 \"next_server\" or URL to this profile.",
     NO_SCREEN, BOOT_STOPPED, true},
    {"not-answered", not_answered,
     "{machine} asked {asked} and was not answered: {reason}.",
     NULL, NO_OFFER, BOOT_STOPPED, true},

    /* -- it loaded something, or tried to -------------------------------------------------- */
    {"loop", loop,
     "{machine} loaded \"{first}\" {times} times in a row and nothing else: it loads itself again and again.",
     "If that is iPXE, give profile \"{profile}\" an \"ipxe\" entry (a script), so that a running iPXE gets something else.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"second-stage-elsewhere", second_stage_elsewhere,
     "{machine} loaded \"{good}\" from pxed and then asked TFTP server {server} (port 69) for \"{other}\": the next stage follows the DHCP server's next server.",
     "Let the DHCP server name this host as next server and no file, or load a stage that names its server (\"pxed init\" makes one).",
     NO_SCREEN, BOOT_STOPPED, false},
    {"reply-path-blocked", reply_path_blocked,
     "{machine} asked for \"{failed}\", and our first packet to it from {port} was never acknowledged: the way back is blocked (firewall, NAT, or a container network).",
     "Open the data ports (\"tftp.data_ports\") in the firewall, use the host's network in a container, or set \"data_ports\": \"single\" so that data come from port 69.",
     TIMES_OUT, BOOT_STOPPED, true},
    {"block-above-mtu", block_above_mtu,
     "{machine} agreed to blocks of {block} octets for \"{failed}\", and the first of them never arrived, though small packets do: the path carries no packets that large.",
     "Set \"max_block_size\" for this host, or \"tftp.max_block_size\", to {small} or less.",
     TIMES_OUT, BOOT_STOPPED, true},
    {"transfer-aborted", transfer_aborted,
     "{machine} ended the transfer of \"{failed}\" after {sent} of {size}.",
     "The machine says why on its screen; too little memory for the file is a common reason.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"transfer-closed", transfer_closed,
     "pxed ended the transfer of \"{failed}\" to {machine} after {sent} of {size}: the file changed, could not be read, or pxed was stopped.",
     "Replace boot files by renaming, never in place; start the machine again.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"transfer-stalled", transfer_stalled,
     "{machine} stopped answering after {sent} of {size} of \"{failed}\" ({end}).",
     "Look whether the machine was switched off, or its link went down; many blocks sent again ({resent} here) speak for a bad link.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"reset-in-transfer", reset_in_transfer,
     "{machine} started over while \"{running}\" was still being loaded.",
     "It was reset, or its firmware gave up: look at its screen.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"size-probe", size_probe,
     "{machine} asked for the size of \"{asked_file}\" ({probed}) and then did not load it.",
     "Its firmware refuses the file before loading: another machine type, too large, or Secure Boot; `pxed check` tells what the file is.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"not-allowed", not_allowed,
     "{machine} asked for \"{refused}\" and got no answer: {why}.",
     "Name its subnet in \"tftp.allow\", beside \"attached\": clients behind a router, a relay or NAT are not served unasked.",
     TIMES_OUT, BOOT_STOPPED, true},
    {"file-refused", file_refused,
     "{machine} asked for \"{refused}\", got \"{why}\", and was not heard again.",
     "Put \"{refused}\" beneath the TFTP root, or correct whatever names it.",
     {"PXE-T01: File not found", "PXE-E23: Client received TFTP error from server.",
      "No such file or directory"}, BOOT_STOPPED, true},
    {"did-not-start", did_not_start,
     "{machine} loaded \"{good}\" whole, and {later} later its firmware asked anew: the file did not start, or gave up at once.",
     "With Secure Boot only signed files start (shim); else look whether the file fits {arch}: `pxed check`.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"grub-by-http", grub_by_http,
     "{machine} loaded \"{good}\" by HTTP and asked for nothing more: GRUB as distributions sign it cannot read by HTTP.",
     "Name a disk image for {arch} (\"pxed init\" makes secure.img): GRUB goes on by TFTP from there.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"grub-elsewhere", grub_elsewhere,
     "{machine} loaded \"{good}\" and asked pxed for nothing more: behind a proxy GRUB goes on at the next server that DHCP server {lease} names{next}.",
     "Let {lease} name this host as next server (ISC dhcpd, Kea: next-server; dnsmasq: dhcp-boot=,,ADDRESS), or load a GRUB that has its server built in (\"pxed init\" makes one).",
     NO_SCREEN, BOOT_STOPPED, false},
    {"grub-silent", boot_is_at_grub,
     "{machine} loaded \"{good}\" and asked for nothing more: behind a proxy GRUB knows only the DHCP server's ACK, which names no server.",
     "Let the DHCP server name this host as next server (ISC dhcpd, Kea: next-server; dnsmasq: dhcp-boot=,,ADDRESS), or load a GRUB that has its server built in (\"pxed init\" makes one). With Secure Boot, UEFI HTTP Boot of its secure.img needs neither.",
     {"grub>", "grub>", "grub>"}, BOOT_STOPPED, false},
    {"shim-silent", shim_silent,
     "{machine} loaded \"{good}\" and did not ask here for what comes next: Secure Boot refused it, or it asks the DHCP server's next server{next}.",
     "Look at its screen; let the DHCP server name this host as next server, and no file.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"loader-silent", loader_silent,
     "{machine} loaded \"{good}\" whole and was not heard again: it did not start, or has no driver for its network card.",
     "With Secure Boot only signed files start; for iPXE try snponly.efi or undionly.kpxe, which use the firmware's driver.",
     NO_SCREEN, BOOT_STOPPED, false},
    {"loaded", loaded,
     "{machine} loaded \"{good}\" whole, in {seconds}, and asked for nothing more: it runs, unless its firmware refuses the file.",
     "If its screen says \"Access Denied\", Secure Boot refused the file: only signed ones start (shim).",
     NO_SCREEN, BOOT_BOOTED, false},
    {"booted", booted,
     "{machine} loaded {count}, the last \"{good}\", in {seconds}.",
     NULL, NO_SCREEN, BOOT_BOOTED, false},

    /* -- it was answered and asked for no file -------------------------------------------- */
    {"asked-other-4011", asked_other_4011,
     "{machine} asks {server} on port 4011 for its boot file, and not pxed: that DHCP server's offer says \"PXEClient\".",
     "Take option 60 out of the configuration of {server}.",
     {"PXE-E55: ProxyDHCP service did not reply to request on port 4011.",
      "PXE-E16: No valid offer received.", NULL}, BOOT_STOPPED, true},
    {"ipxe-no-proxy", ipxe_no_proxy,
     "{machine} runs iPXE, and DHCP server {lease} tells iPXE to listen to no proxy (option 175.176).",
     "Take option 175 out of the configuration of {lease}.",
     NO_FILE_NAME, BOOT_STOPPED, true},
    {"other-server-won", other_server_won,
     "{machine} follows {winner}, which names a boot file{what}, and asked pxed for nothing.",
     "Take the boot file out of that server's configuration, or let it ignore this machine.",
     NO_SCREEN, BOOT_STOPPED, true},
    {"handed-over", handed_over,
     "{machine} was sent to \"{file}\" on another server; what it loads there is not seen here.",
     NULL, NO_SCREEN, BOOT_BOOTED, false},
    {"no-request-for-file", no_request_for_file,
     "{machine} has an address{from} and knows \"{file}\" from pxed, and then no request for it came to {door}.",
     "Open {door} in this host's firewall: DHCP is heard in spite of it, files are not; else the machine cannot reach this host's address.",
     TIMES_OUT, BOOT_STOPPED, true},
    {"dhcp-server-slow", dhcp_server_slow,
     "DHCP server {lease} offered {machine} an address only {late} after it had asked, when firmware has given up waiting.",
     "Turn off whatever delays that server (ping checks, spanning tree without portfast).",
     {"PXE-E51: No DHCP or proxyDHCP offers were received.",
      "PXE-E16: No valid offer received.", "No configuration methods succeeded"}, BOOT_STOPPED, true},
    {"offer-not-taken", offer_not_taken,
     "{machine} asked {asked}, {lease} offered an address and pxed \"{file}\", and it took neither: it does not like one of the offers (ours had form {form}).",
     "Set \"offer\" of its profile or host to \"binl\" or \"both\".",
     {NULL, "PXE-E16: No valid offer received.", NULL}, BOOT_STOPPED, true},
    {"only-us", only_us,
     "{machine} asked {asked}, and only pxed answered: no DHCP server offers it an address.",
     "Look whether the DHCP server runs, has free addresses, and is reached from this network (VLAN, relay).",
     {"PXE-E52: proxyDHCP offers were received. No DHCP offers were received.",
      "PXE-E16: No valid offer received.", "No configuration methods succeeded"}, BOOT_STOPPED, true},
    {"went-silent", always,
     "{machine} asked {asked}, was answered, and was not heard again.",
     "Look whether a DHCP server answers it: by UDP and over IPv6 pxed does not hear that.",
     NO_SCREEN, BOOT_STOPPED, true},
};
/* clang-format on */

#define RULES (sizeof rules / sizeof rules[0])
_Static_assert(RULES <= BOOT_RULES_MAX, "whoever counts by rule has no room");

unsigned boot_rule_count(void)
{
    return RULES;
}

unsigned boot_judge(const struct boot *b)
{
    unsigned rule = 0;
    while (rule < RULES - 1 && !rules[rule].fits(b)) {
        rule++;
    }
    return rule;
}

bool boot_is_over(const struct boot *b)
{
    return loop(b);
}

const char *boot_rule_name(unsigned rule)
{
    return rules[rule].name;
}

enum boot_state boot_rule_state(unsigned rule)
{
    return rules[rule].state;
}

/* Without a lease in sight the firmware complains of that, whatever we did not say. */
static const struct screens *screens_of(const struct boot *b, const struct rule *r)
{
    static const struct screens no_offer = NO_OFFER;
    const struct boot_facts *f = &b->facts;
    bool lease = f->requests > 0 || has(f->lease.server) || f->deaf;
    return f->answers == 0 && loaded_nothing(b) && !lease ? &no_offer : &r->screen;
}

static const char *screen_of(const struct boot *b, const struct rule *r)
{
    const struct screens *s = screens_of(b, r);
    if (r->first_stage && b->facts.whole > 0) {
        return NULL;
    }
    switch (b->client) {
    case BOOT_CLIENT_BIOS:
        return s->bios;
    case BOOT_CLIENT_UEFI:
        return b->facts.ipv6 ? NULL : s->uefi;
    case BOOT_CLIENT_IPXE:
        return s->ipxe;
    default:
        return NULL;
    }
}

void boot_say(const struct boot *b, unsigned rule, struct boot_words *out)
{
    const struct rule *r = &rules[rule];
    boot_words_fill(b, r->sentence, out->sentence, sizeof out->sentence);
    boot_words_fill(b, r->remedy ? r->remedy : "", out->remedy, sizeof out->remedy);
    out->screen = screen_of(b, r);
}
