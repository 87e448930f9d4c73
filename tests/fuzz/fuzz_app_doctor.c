/*
 * What `pxed doctor` reads of this machine: rules of the packet filter as nft(8) and
 * iptables-save(8) print them, lines of /proc/net; and what it says about them.
 *
 * The first octet: which of these; for rules whether the text is of nft or iptables.
 *
 * Properties: any text is read within the bounds of struct firewall; each question has an
 * outcome, with the chain where it stops; no rules let everything pass; what is said is plain,
 * cut to its size, and ends with a finding; a line tells of a port only if it is one of a
 * listening socket.
 */
#include "app/doctor/iptables.h"
#include "app/doctor/judge.h"
#include "app/doctor/nft.h"
#include "tests/fuzz/fuzz.h"

static const char json[] =
    "{\"interfaces\": [\"eth0\", \"br0\"], \"tftp\": {\"root\": \"/srv\", "
    "\"data_ports\": "
    "\"30000-30010\"}, \"http\": {\"listen\": \"0.0.0.0:8069\", \"boot_files\": true},"
    "\"profiles\": {\"default\": {\"x64-uefi\": \"b\"}}}";

static void check_rules(const struct firewall *f)
{
    must(f->chains <= FIREWALL_CHAINS && f->rules <= FIREWALL_RULES);
    for (size_t i = 0; i < f->rules; i++) {
        const struct firewall_rule *r = &f->rule[i];
        must(r->count <= FIREWALL_MATCHES && r->chain <= FIREWALL_CHAINS);
        for (size_t n = 0; n < r->count; n++) {
            const struct firewall_match *m = &r->match[n];
            must(m->count <=
                 (m->field == FIREWALL_INTERFACE ? FIREWALL_NAMES : FIREWALL_RANGES));
        }
    }
}

static void check_findings(const struct findings *found)
{
    must(found->count >= 1 && found->count <= FINDINGS_MAX);
    enum finding_level worst = findings_worst(found);
    bool any = false;
    for (size_t i = 0; i < found->count; i++) {
        const struct finding *one = &found->list[i];
        must(one->what[0] != '\0' && one->check[0] != '\0');
        must(strnlen(one->what, FINDING_TEXT) < FINDING_TEXT);
        must(strnlen(one->remedy, FINDING_TEXT) < FINDING_TEXT);
        must(finding_level_name(one->level)[0] != '\0' && one->level <= worst);
        any |= one->level == worst;
    }
    must(any);
}

static void ask(const struct firewall *f, const struct snapshot *config)
{
    static const uint16_t ports[] = {67, 69, 4011, 547, 30005, 8069};
    static struct findings found;
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++) {
        struct firewall_packet packet = {
            .interface = i % 2 ? "eth0" : "br0",
            .ipv6 = ports[i] == 547,
            .protocol = ports[i] == 8069 ? 6 : 17,
            .port = ports[i],
            .state = FIREWALL_NEW,
        };
        const struct firewall_chain *where = NULL;
        enum firewall_outcome outcome = firewall_ask(f, &packet, &where);
        must(outcome <= FIREWALL_STOPS);
        must(outcome == FIREWALL_PASSES || f->chains > 0);
        must(outcome != FIREWALL_STOPS || where != NULL);
        must(!where || (where >= f->chain && where < f->chain + f->chains));
    }
    memset(&found, 0, sizeof found);
    const struct firewall_facts facts = {.known = true,
                                         .any = f->rules > 0,
                                         .rules = f,
                                         .data_first = 32768,
                                         .data_last = 60999};
    judge_firewall(&facts, config, &found);
    check_findings(&found);
}

static void read_rules(uint8_t which, struct rd text, const struct snapshot *config)
{
    static struct firewall f; /* its room is large */
    const char *at = (const char *)text.p;
    must(f.rule || firewall_room(&f));
    f.chains = f.rules = 0;
    f.cut = false;
    if (which % 4 == 0) {
        (void)nft_read(at, rd_left(&text), &f);
    } else {
        iptables_read(at, rd_left(&text), which % 4 == 3, &f);
    }
    check_rules(&f);
    ask(&f, config);
}

/* Lines of /proc/net, and the judgement on who holds a port. */
static void read_ports(struct rd text, const struct snapshot *config)
{
    static struct port_holder list[PORT_HOLDERS_MAX];
    static struct findings found;
    struct port_need needs[PORT_NEEDS_MAX];
    size_t count = 0;
    char line[256];
    while (rd_left(&text) > 0 && count < PORT_HOLDERS_MAX) {
        bool tcp = fuzz_bool(&text);
        struct port_holder holder = {.pid = rd_u8(&text), .process = "dnsmasq"};
        struct port_holder before = holder;
        fuzz_text(&text, line, sizeof line);
        if (port_read(line, tcp, &holder)) {
            must(holder.tcp == tcp);
            list[count++] = holder;
        } else {
            must(holder.port == before.port);
        }
    }
    memset(&found, 0, sizeof found);
    size_t ports = port_needs(config, needs);
    must(ports >= 1 && ports <= PORT_NEEDS_MAX);
    for (size_t i = 0; i < ports; i++) {
        judge_port(&needs[i], list, count, &found);
    }
    judge_port_67(false, list, count, &found);
    judge_port_67(true, list, count, &found);
    check_findings(&found);
}

static void judge_facts(struct rd *in, const struct snapshot *config)
{
    static struct findings found;
    memset(&found, 0, sizeof found);
    uint16_t bits = rd_u16(in);
    struct interface_state i = {.name = "eth0",
                                .exists = bits & 1,
                                .ethernet = bits & 2,
                                .up = bits & 4,
                                .carrier = bits & 8,
                                .has_address = bits & 16,
                                .mtu = rd_u16(in),
                                .is_port = bits & 32,
                                .master = "br0",
                                .is_wireless = bits & 64,
                                .has_ipv6 = bits & 128,
                                .in_container = bits & 256,
                                .is_veth = bits & 512};
    fuzz_fill(in, i.wanted.octet, 4);
    fuzz_text(in, i.vlan, sizeof i.vlan);
    judge_interface(&i, 8 + rd_u16(in), bits & 1024, bits & 2048, &found);
    judge_rp_filter("eth0", rd_u8(in) % 5 - 1, rd_u8(in) % 5 - 1, &found);
    struct system_facts s = {.now = rd_u32(in),
                             .config_time = rd_u32(in),
                             .files = fuzz_u64(in),
                             .receive_buffer = fuzz_u64(in),
                             .rights_known = bits & 4096,
                             .may_capture = bits & 8192,
                             .may_bind = bits & 16384};
    fuzz_text(in, s.selinux, sizeof s.selinux);
    fuzz_text(in, s.apparmor, sizeof s.apparmor);
    judge_system(&s, config, &found);
    struct directory_facts d = {.path = "/var/lib/pxed",
                                .exists = bits & 1,
                                .mode = rd_u16(in),
                                .owner = rd_u8(in) % 3,
                                .group = rd_u8(in) % 3,
                                .user_known = bits & 2,
                                .user = rd_u8(in) % 3,
                                .user_group = rd_u8(in) % 3,
                                .user_name = "pxed"};
    judge_state_dir(&d, &found);
    check_findings(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct snapshot *config = fuzz_config(json);
    struct rd in = rd_over(data, size);
    if (size < 1) {
        return 0;
    }
    uint8_t which = rd_u8(&in);
    if (which >= 'p') {
        read_ports(in, config);
    } else if (which >= 'f') {
        judge_facts(&in, config);
    } else {
        uint8_t *exact = fuzz_exact(in);
        read_rules(which, rd_over(exact, rd_left(&in)), config);
        free(exact);
    }
    return 0;
}
