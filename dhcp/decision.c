#include "dhcp/decision.h"

#include <assert.h>
#include <stdio.h>
#include <strings.h>

#include "dhcp/reply.h"

static void step(struct dhcp_decision *d, enum dhcp_rule rule, uint16_t arch,
                 size_t index)
{
    assert(d->step_count < DHCP_STEPS_MAX);
    d->step[d->step_count++] = (struct dhcp_step){rule, arch, index};
}

/* -- is this ours to answer? ------------------------------------------------------------ */

static bool names_us(const struct dhcp_packet *in, struct ip4 us, bool *named)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd id;
    *named = dhcp_find(in, DHCP_SERVER_ID, buf, &id);
    struct ip4 server = IP4_ANY;
    if (*named && rd_left(&id) == sizeof server.octet) {
        memcpy(server.octet, id.p, sizeof server.octet);
    }
    return *named && ip4_equal(server, us);
}

/*
 * Port 67: a DISCOVER is answered; a REQUEST only when it names us and wants no address, or
 * names nobody and asks for a boot item.  Anything else there is talk with the address
 * server, and an answer from us could race its ACK.  That server may run on this host: then
 * option 54 is our own address, and only option 50 tells that its lease is meant.
 */
static enum dhcp_verdict admit_67(const struct dhcp_packet *in, struct ip4 us,
                                  const struct pxe_request *client)
{
    bool named;
    bool ours = names_us(in, us, &named);
    if (in->type == DHCP_DISCOVER) {
        return DHCP_ANSWERED;
    }
    if (in->type != DHCP_REQUEST) {
        return DHCP_NOT_OURS;
    }
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd wanted;
    bool for_lease = dhcp_find(in, DHCP_REQUESTED_ADDRESS, buf, &wanted);
    return (ours && !for_lease) || (!named && client->has_item) ? DHCP_ANSWERED
                                                                : DHCP_OTHER_SERVER;
}

static enum dhcp_verdict admit_4011(const struct dhcp_packet *in, struct ip4 us)
{
    bool named;
    bool ours = names_us(in, us, &named);
    if (in->type != DHCP_REQUEST && in->type != DHCP_INFORM) {
        return DHCP_NOT_OURS;
    }
    return ours || !named ? DHCP_ANSWERED : DHCP_OTHER_SERVER;
}

static enum dhcp_verdict admit(const struct dhcp_site *site,
                               const struct dhcp_arrival *at,
                               const struct dhcp_packet *in,
                               const struct pxe_request *client)
{
    if (in->op != BOOTREQUEST) {
        return DHCP_A_REPLY;
    }
    if (client->class == PXE_NO_CLIENT) {
        return DHCP_NOT_PXE;
    }
    return at->port == DHCP_PXE_PORT ? admit_4011(in, site->address)
                                     : admit_67(in, site->address, client);
}

/* -- who is it, and what may it load? ----------------------------------------------------- */

static const struct profile *choose_profile(const struct dhcp_site *site,
                                            const struct dhcp_packet *in,
                                            struct dhcp_decision *d)
{
    static const enum dhcp_verdict verdicts[] = {
        [GATE_HOST_IGNORED] = DHCP_HOST_IGNORED,
        [GATE_UNKNOWN_HOST] = DHCP_UNKNOWN_HOST,
        [GATE_HELD] = DHCP_HOST_HELD,
        [GATE_DONE] = DHCP_HOST_DONE,
    };
    const struct snapshot *config = site->config;
    struct mac mac;
    bool has_mac = dhcp_mac(in, &mac);
    struct gate gate = gate_ask(
        config, has_mac ? &mac : NULL, d->client.has_uuid ? d->client.uuid : NULL,
        has_mac && site->state ? site->state(site->context, &mac) : NULL);
    d->host = gate.host;
    step(d, d->host ? RULE_HOST : RULE_UNKNOWN_HOST, 0,
         d->host ? hosts_index(config->hosts, d->host) : 0);
    if (gate.verdict != GATE_BOOT) {
        d->verdict = verdicts[gate.verdict];
        return NULL;
    }
    step(d, RULE_PROFILE, 0, gate.profile);
    return &config->profiles[gate.profile];
}

static bool is_http(const char *file)
{
    return strncasecmp(file, "http://", 7) == 0 || strncasecmp(file, "https://", 8) == 0;
}

static bool can_fetch(const struct pxe_request *client, const char *file)
{
    if (!client->ipxe_tells || !is_http(file)) {
        return true;
    }
    bool tls = strncasecmp(file, "https", 5) == 0;
    return pxe_has_feature(client, tls ? IPXE_HTTPS : IPXE_HTTP);
}

/* An iPXE that is already running gets the script, so that it does not load itself again. */
static const char *choose_for_ipxe(const struct profile *profile, struct dhcp_decision *d)
{
    const struct boot_entry *entry = &profile->boot[SLOT_IPXE];
    if (!d->client.ipxe || !entry->file || d->client.class != PXE_PXECLIENT) {
        return NULL;
    }
    if (!can_fetch(&d->client, entry->file)) {
        step(d, RULE_IPXE_LACKS, 0, entry->profile);
        return NULL;
    }
    step(d, RULE_IPXE, 0, entry->profile);
    return entry->file;
}

/* HTTP clients load URLs and PXE clients load names; neither can use the other's. */
static bool suits(enum pxe_class class, const char *file)
{
    return (class == PXE_HTTPCLIENT) == is_http(file);
}

static bool is_there(const struct dhcp_site *site, const struct profile *profile,
                     const char *file)
{
    bool elsewhere = strstr(file, "://") || !ip4_is_any(profile->next_server);
    return elsewhere || !site->has_file || site->has_file(site->context, file);
}

/* The first architecture of the list that has a file; the reason when none has. */
static const char *choose_by_arch(const struct dhcp_site *site,
                                  const struct profile *profile, struct dhcp_decision *d)
{
    d->verdict = DHCP_UNKNOWN_ARCH;
    for (unsigned i = 0; i < d->client.arch_count; i++) {
        /* Quirk: Raspberry Pi boot ROM: calls itself x86 BIOS. */
        uint16_t arch = d->client.raspberry_pi && d->client.arch[i] == ARCH_X86_BIOS
                            ? ARCH_ARM_RPIBOOT
                            : d->client.arch[i];
        if (!arch_name(arch)) {
            continue;
        }
        const struct boot_entry *entry = profile_boot(profile, arch);
        if (!entry || !suits(d->client.class, entry->file)) {
            step(d, RULE_ARCH_NO_FILE, arch, 0);
            d->verdict = d->verdict == DHCP_FILE_MISSING ? d->verdict : DHCP_NO_FILE;
            continue;
        }
        step(d, RULE_ARCH, arch, entry->profile);
        d->arch = arch;
        if (is_there(site, profile, entry->file)) {
            return entry->file;
        }
        d->file = entry->file;
        d->verdict = DHCP_FILE_MISSING;
    }
    return NULL;
}

static const char *choose_file(const struct dhcp_site *site,
                               const struct profile *profile, struct dhcp_decision *d)
{
    const char *file = choose_for_ipxe(profile, d);
    if (file && is_there(site, profile, file)) {
        return file;
    }
    if (file) {
        d->file = file;
        d->verdict = DHCP_FILE_MISSING;
        return NULL;
    }
    if (d->client.arch_count == 0) {
        d->verdict = DHCP_NO_ARCH;
        return NULL;
    }
    return choose_by_arch(site, profile, d);
}

/* -- the answer --------------------------------------------------------------------------- */

static void answer(const struct dhcp_site *site, const struct dhcp_arrival *at,
                   const struct dhcp_packet *in, const struct profile *profile,
                   struct dhcp_decision *d)
{
    struct dhcp_reply_terms terms = {
        .type = d->type,
        .server = site->address,
        .next_server =
            ip4_is_any(profile->next_server) ? site->address : profile->next_server,
        .file = d->file,
        .ipxe_override = profile->ipxe_override && d->client.ipxe,
        .raspberry_pi = d->client.raspberry_pi,
    };
    bool offer = d->type == DHCP_OFFER;
    bool both = offer && profile->offer == OFFER_BOTH && d->client.class == PXE_PXECLIENT;
    terms.form = both ? OFFER_PXE : profile->offer;
    d->reply_count = 1 + both;
    for (unsigned i = 0; i < d->reply_count; i++) {
        if (!dhcp_reply_write(&terms, at, in, &d->client, &d->reply[i])) {
            d->verdict = DHCP_TOO_LARGE;
            d->reply_count = 0;
            return;
        }
        terms.form = OFFER_BINL;
    }
    d->verdict = DHCP_ANSWERED;
}

enum dhcp_verdict dhcp_decide(const struct dhcp_site *site, const struct dhcp_arrival *at,
                              const struct dhcp_packet *in, struct dhcp_decision *out)
{
    out->file = NULL;
    out->host = NULL;
    out->step_count = 0;
    out->reply_count = 0;
    out->client = pxe_read(in);
    out->has_arch = out->client.arch_count > 0;
    out->arch = out->client.arch[0];
    out->type = in->type == DHCP_DISCOVER ? DHCP_OFFER : DHCP_ACK;

    out->verdict = admit(site, at, in, &out->client);
    if (out->verdict != DHCP_ANSWERED) {
        return out->verdict;
    }
    const struct profile *profile = choose_profile(site, in, out);
    const char *file = profile ? choose_file(site, profile, out) : NULL;
    if (file) {
        out->file = file;
        answer(site, at, in, profile, out);
    }
    return out->verdict;
}

const char *dhcp_verdict_name(enum dhcp_verdict verdict)
{
    static const char *const names[DHCP_VERDICT_COUNT] = {
        [DHCP_ANSWERED] = "answered",         [DHCP_A_REPLY] = "a-reply",
        [DHCP_NOT_OURS] = "not-ours",         [DHCP_NOT_PXE] = "not-pxe",
        [DHCP_OTHER_SERVER] = "other-server", [DHCP_NO_ARCH] = "no-arch",
        [DHCP_UNKNOWN_ARCH] = "unknown-arch", [DHCP_HOST_IGNORED] = "host-ignored",
        [DHCP_UNKNOWN_HOST] = "unknown-host", [DHCP_NO_FILE] = "no-file",
        [DHCP_FILE_MISSING] = "file-missing", [DHCP_TOO_LARGE] = "too-large",
    };
    return names[verdict];
}
