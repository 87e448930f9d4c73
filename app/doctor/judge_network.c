#include <stdio.h>
#include <string.h>

#include "app/doctor/judge.h"

#define TFTP_HEADERS 32 /* IPv4, UDP and TFTP before the octets of a block */

/* -- interfaces --------------------------------------------------------------------------- */

/* What keeps clients of this interface from being answered; false: nothing does. */
static bool judge_presence(const struct interface_state *i, bool hotplug,
                           struct findings *out)
{
    char ip[IP4_TEXT];
    struct finding *f;
    if (!i->exists) {
        f = finding_add(out, FINDING_FAULT, "interface", "%s does not exist", i->name);
        finding_remedy(f, "name one that `ip link` shows%s",
                       hotplug ? ", or plug it in: pxed waits for it" : "");
    } else if (!i->ethernet) {
        f = finding_add(out, FINDING_FAULT, "interface",
                        "%s is no Ethernet interface: nothing can boot there", i->name);
        finding_remedy(f, "take it out of \"interfaces\"");
    } else if (!i->up) {
        f = finding_add(out, FINDING_FAULT, "interface", "%s is down", i->name);
        finding_remedy(f, "ip link set %s up", i->name);
    } else if (!i->has_address && ip4_is_any(i->wanted)) {
        f = finding_add(out, FINDING_FAULT, "interface",
                        "%s has no IPv4 address, so there is none to offer", i->name);
        finding_remedy(
            f, "ip addr add ADDRESS/BITS dev %s, and in the network configuration",
            i->name);
    } else if (!i->has_address) {
        f = finding_add(out, FINDING_FAULT, "interface",
                        "%s does not have the address %s", i->name,
                        ip4_print(i->wanted, ip));
        finding_remedy(f, "add the address, or correct \"address\" in the configuration");
    } else if (!i->carrier) {
        f = finding_add(out, FINDING_FAULT, "interface", "%s has no carrier", i->name);
        finding_remedy(f, "plug in the cable, or look at the switch's port");
    } else {
        return true;
    }
    return false;
}

static void judge_kind(const struct interface_state *i, struct findings *out)
{
    struct finding *f;
    if (i->is_port) {
        f = finding_add(out, FINDING_FAULT, "interface",
                        "%s is a port of %s: what is sent there goes past the host, and "
                        "requests come by %s",
                        i->name, i->master, i->master);
        finding_remedy(f, "name %s in \"interfaces\"", i->master);
    }
    if (i->vlan[0]) {
        f = finding_add(
            out, FINDING_NOTE, "interface",
            "%s carries VLANs: what is tagged belongs to %s and the like, and "
            "%s hears what is not",
            i->name, i->vlan, i->name);
        finding_remedy(f, "to serve a VLAN too, name %s in \"interfaces\"", i->vlan);
    }
    if (i->is_wireless) {
        f = finding_add(
            out, FINDING_WARNING, "interface",
            "%s is wireless: access points drop frames of other addresses, and "
            "no firmware boots over it",
            i->name);
        finding_remedy(f, "serve on a wired interface");
    }
    if (i->is_veth && i->in_container) {
        f = finding_add(out, FINDING_NOTE, "container",
                        "%s is the end of a virtual link: in a container with a bridge "
                        "network no client is heard",
                        i->name);
        finding_remedy(f, "run the container with the host's network, or with macvlan");
    }
}

static void judge_mtu(const struct interface_state *i, uint32_t block,
                      struct findings *out)
{
    if (i->mtu == 0 || block + TFTP_HEADERS <= i->mtu) {
        return;
    }
    struct finding *f = finding_add(
        out, i->mtu < 1500 && block <= 1468 ? FINDING_WARNING : FINDING_NOTE, "mtu",
        "the MTU of %s is %u: blocks are at most %u octets there, not %u", i->name,
        i->mtu, i->mtu > TFTP_HEADERS ? i->mtu - TFTP_HEADERS : 0, block);
    if (f->level == FINDING_WARNING) {
        finding_remedy(
            f, "if clients have a larger one they are served more slowly; if a tunnel "
               "lies on the way, set \"tftp.max_block_size\" to what it carries");
    }
}

void judge_interface(const struct interface_state *i, uint32_t max_block_size,
                     bool hotplug, bool ipv6, struct findings *out)
{
    char ip[IP4_TEXT];
    if (!judge_presence(i, hotplug, out)) {
        return;
    }
    if (!i->is_port) {
        finding_add(out, FINDING_GOOD, "interface", "%s is up, with %s", i->name,
                    ip4_print(i->address, ip));
    }
    judge_kind(i, out);
    judge_mtu(i, max_block_size, out);
    if (ipv6 && !i->has_ipv6) {
        struct finding *f = finding_add(
            out, FINDING_NOTE, "interface",
            "%s has no IPv6 address: clients are not answered over IPv6", i->name);
        finding_remedy(f,
                       "sysctl net.ipv6.conf.%s.disable_ipv6=0, or set \"dhcp.ipv6\" to "
                       "false",
                       i->name);
    }
}

void judge_rp_filter(const char *interface, int of_all, int of_it, struct findings *out)
{
    int worst = of_all > of_it ? of_all : of_it;
    if (worst != 1) {
        return; /* loose, off, or not known */
    }
    struct finding *f = finding_add(out, FINDING_NOTE, "rp_filter",
                                    "reverse path filtering is strict on %s: questions "
                                    "of clients beyond a router are "
                                    "dropped where the way back leads out elsewhere",
                                    interface);
    finding_remedy(f, "where relays are used: sysctl net.ipv4.conf.%s.rp_filter=2",
                   interface);
}

/* -- the packet filter -------------------------------------------------------------------- */

struct asked {
    const char *what;
    struct firewall_packet packet;
    enum finding_level level; /* when it is stopped */
};

static bool ask(const struct firewall_facts *facts, const struct asked *a,
                struct findings *out)
{
    const struct firewall_chain *where = NULL;
    enum firewall_outcome outcome = firewall_ask(facts->rules, &a->packet, &where);
    if (outcome == FIREWALL_PASSES || !where) {
        return true;
    }
    struct finding *f = finding_add(
        out, outcome == FIREWALL_UNSURE ? FINDING_NOTE : a->level, "firewall",
        outcome == FIREWALL_UNSURE
            ? "it cannot be told whether chain %s of table %s %s lets in %s on %s"
            : "chain %s of table %s %s drops %s on %s",
        where->name, where->family, where->table, a->what, a->packet.interface);
    if (outcome == FIREWALL_UNSURE) {
        finding_remedy(
            f, "see whether a client is served, with pxed probe from its network");
    } else if (a->packet.state == FIREWALL_ESTABLISHED) {
        finding_remedy(f,
                       "nft insert rule %s %s %s ct state established,related accept, or "
                       "open \"tftp.data_ports\"",
                       where->family, where->table, where->name);
    } else {
        finding_remedy(
            f,
            "nft insert rule %s %s %s %s dport %u accept, and in the rules that "
            "are loaded at start",
            where->family, where->table, where->name,
            a->packet.protocol == 6 ? "tcp" : "udp", a->packet.port);
    }
    return false;
}

static struct asked asked_for(const char *interface, const char *what, uint16_t port,
                              enum firewall_state state)
{
    return (struct asked){what, {interface, false, 17, port, state}, FINDING_FAULT};
}

/* The questions that a client's packets put to the filter on this interface. */
static size_t questions(const struct firewall_facts *facts, const struct snapshot *s,
                        const struct interface_conf *i, struct asked out[8])
{
    size_t n = 0;
    bool single = s->tftp.single_port;
    uint16_t first =
        s->tftp.data_port_first ? s->tftp.data_port_first : facts->data_first;
    uint16_t last = s->tftp.data_port_first ? s->tftp.data_port_last : facts->data_last;
    if (s->dhcp.enabled && i->listen == LISTEN_UDP) {
        out[n++] = asked_for(i->name, "DHCP requests (port 67)", 67, FIREWALL_NEW);
    }
    if (s->dhcp.enabled) {
        out[n++] = asked_for(i->name, "questions on port 4011", 4011, FIREWALL_NEW);
    }
    if (s->tftp.enabled) {
        out[n++] = asked_for(i->name, "TFTP requests (port 69)", 69, FIREWALL_NEW);
        out[n++] = asked_for(i->name, "the ACKs of transfers", single ? 69 : first,
                             FIREWALL_ESTABLISHED);
        out[n++] = asked_for(i->name, "the ACKs of transfers", single ? 69 : last,
                             FIREWALL_ESTABLISHED);
    }
    if (s->dhcp.enabled && s->dhcp.ipv6) {
        out[n] = asked_for(i->name, "DHCPv6 requests (port 547)", 547, FIREWALL_NEW);
        out[n].packet.ipv6 = true;
        out[n++].level = FINDING_WARNING;
    }
    if (s->http.enabled && !endpoint_is_loopback(&s->http.listen)) {
        out[n] = asked_for(i->name, "HTTP", s->http.listen.port, FIREWALL_NEW);
        out[n].packet.protocol = 6;
        out[n++].level = s->http.boot_files ? FINDING_FAULT : FINDING_WARNING;
    }
    return n;
}

void judge_firewall(const struct firewall_facts *facts, const struct snapshot *s,
                    struct findings *out)
{
    struct asked list[8];
    bool good = true;
    if (!facts->known) {
        struct finding *f = finding_add(out, FINDING_NOTE, "firewall",
                                        "its rules cannot be told: %s", facts->why_not);
        finding_remedy(f, "run pxed doctor as root");
        return;
    }
    for (size_t i = 0; i < s->interface_count; i++) {
        size_t count = questions(facts, s, &s->interfaces[i], list);
        for (size_t q = 0; q < count; q++) {
            bool again = q > 0 && strcmp(list[q].what, list[q - 1].what) == 0 && !good;
            good &= again || ask(facts, &list[q], out);
        }
    }
    if (good) {
        finding_add(out, FINDING_GOOD, "firewall",
                    facts->any ? "its rules let clients in" : "there are no rules");
    }
}
