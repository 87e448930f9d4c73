#include "dhcp/decision.h"

#include <assert.h>
#include <strings.h>

#include "dhcp/admission.h"
#include "dhcp/facts.h"
#include "dhcp/url.h"

static void step(struct dhcp_decision *d, enum dhcp_rule rule, uint16_t arch,
                 size_t index)
{
    assert(d->step_count < DHCP_STEPS_MAX);
    d->step[d->step_count++] = (struct dhcp_step){rule, arch, index};
}

/* -- who is it, and what may it load? ----------------------------------------------------- */

static enum dhcp_verdict refusal_of(enum gate_verdict verdict)
{
    static const enum dhcp_verdict refusals[] = {
        [GATE_BOOT] = DHCP_ANSWERED,
        [GATE_HOST_IGNORED] = DHCP_HOST_IGNORED,
        [GATE_UNKNOWN_HOST] = DHCP_UNKNOWN_HOST,
        [GATE_LOCAL] = DHCP_HOST_LOCAL,
        [GATE_HELD] = DHCP_HOST_HELD,
        [GATE_DONE] = DHCP_HOST_DONE,
    };
    return refusals[verdict];
}

/* Sets d->profile and how it answers; false when this machine is not to be answered. */
static bool choose_profile(const struct dhcp_site *site, const struct host_facts *facts,
                           struct dhcp_decision *d)
{
    const struct snapshot *config = site->config;
    struct gate gate = gate_ask(
        config, facts,
        facts->mac && site->state ? site->state(site->context, facts->mac) : NULL);
    d->host = gate.host;
    step(d, d->host ? RULE_HOST : RULE_UNKNOWN_HOST, 0,
         d->host ? hosts_index(config->hosts, d->host) : 0);
    if (gate.verdict != GATE_BOOT) {
        d->verdict = refusal_of(gate.verdict);
        return false;
    }
    step(d, RULE_PROFILE, 0, gate.profile);
    d->profile = &config->profiles[gate.profile];
    d->answer = plan_answer(d->profile, d->host);
    return true;
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
static const char *choose_for_ipxe(struct dhcp_decision *d)
{
    const struct boot_entry *entry = plan_boot(d->profile, d->host, SLOT_IPXE);
    if (!d->client.ipxe || !entry || d->client.class != PXE_PXECLIENT) {
        return NULL;
    }
    if (!can_fetch(&d->client, entry->file)) {
        step(d, RULE_IPXE_LACKS, 0, entry->profile);
        return NULL;
    }
    step(d, RULE_IPXE, 0, entry->profile);
    return entry->file;
}

/*
 * HTTP clients load URLs, of which names under their architectures become some, and PXE
 * clients load names; neither can use the other's.
 */
static bool suits(enum pxe_class class, uint16_t arch, const char *file)
{
    bool by_http = is_http(file) || arch_is_http(arch);
    return (class == PXE_HTTPCLIENT) == by_http;
}

/* Our own HTTP server gives it, whoever the next server for TFTP is. */
static bool is_ours_by_http(const struct dhcp_decision *d, const char *file)
{
    return d->client.class == PXE_HTTPCLIENT && !strstr(file, "://");
}

static bool is_there(const struct dhcp_site *site, const struct dhcp_decision *d,
                     const char *file)
{
    bool elsewhere = strstr(file, "://") ||
                     (!ip4_is_any(d->answer.next_server) && !is_ours_by_http(d, file));
    return elsewhere || !site->has_file || site->has_file(site->context, file);
}

/* The first architecture of the list that has a file; the reason when none has. */
static const char *choose_by_arch(const struct dhcp_site *site, struct dhcp_decision *d)
{
    d->verdict = DHCP_UNKNOWN_ARCH;
    for (unsigned i = 0; i < d->client.arch_count; i++) {
        uint16_t arch = pxe_arch(&d->client, i);
        if (!arch_name(arch)) {
            continue;
        }
        const struct boot_entry *entry = plan_arch(d->profile, d->host, arch);
        if (!entry || !suits(d->client.class, arch, entry->file)) {
            step(d, RULE_ARCH_NO_FILE, arch, 0);
            d->verdict = d->verdict == DHCP_FILE_MISSING ? d->verdict : DHCP_NO_FILE;
            continue;
        }
        step(d, RULE_ARCH, arch, entry->profile);
        d->arch = arch;
        if (is_there(site, d, entry->file)) {
            return entry->file;
        }
        d->file = entry->file;
        d->verdict = DHCP_FILE_MISSING;
    }
    return NULL;
}

/* -- the menu ----------------------------------------------------------------------------- */

static bool item_is_there(const struct dhcp_site *site, const struct dhcp_decision *d,
                          const struct menu_item *item, uint16_t arch)
{
    const struct menu_file *file = menu_file(item, arch);
    return file && (!ip4_is_any(item->next_server) || is_there(site, d, file->file));
}

/* Which items are for this architecture; 0 when none of them loads anything. */
static uint32_t items_for(const struct dhcp_site *site, const struct dhcp_decision *d,
                          const struct menu *menu, uint16_t arch)
{
    uint32_t shown = 0;
    bool loads = false;
    for (size_t i = 0; i < menu->item_count; i++) {
        const struct menu_item *item = &menu->item[i];
        bool there = !item->local && item_is_there(site, d, item, arch);
        loads |= there;
        shown |= there || item->local ? UINT32_C(1) << i : 0;
    }
    return loads ? shown : 0;
}

/*
 * iPXE is never shown a menu: it would load itself again through the item that it came from.
 * A Raspberry Pi has a menu of its own, and HTTP clients know none.
 */
static bool find_menu(const struct dhcp_site *site, struct dhcp_decision *d)
{
    if (d->client.class != PXE_PXECLIENT || d->client.ipxe || d->client.raspberry_pi) {
        return false;
    }
    for (unsigned i = 0; i < d->client.arch_count; i++) {
        uint16_t arch = d->client.arch[i];
        const struct menu *conf = plan_menu(d->profile, d->host, arch);
        uint32_t shown = conf && arch_name(arch) ? items_for(site, d, conf, arch) : 0;
        if (shown) {
            d->arch = arch;
            d->menu = (struct dhcp_menu){.conf = conf, .arch = arch, .shown = shown};
            step(d, RULE_MENU, arch, conf->profile);
            return true;
        }
    }
    return false;
}

static const char *take_item(struct dhcp_decision *d, const struct menu_item *item)
{
    if (!ip4_is_any(item->next_server)) {
        d->answer.next_server = item->next_server;
    }
    return item->local ? NULL : menu_file(item, d->arch)->file;
}

/*
 * The file of the item that is asked for; of the default one (NULL: the disk) when the menu
 * is to be shown.  One item alone makes no menu, which some firmware fails on.
 */
static const char *choose_by_menu(struct dhcp_decision *d)
{
    struct dhcp_menu menu = d->menu;
    const struct menu_item *item = dhcp_menu_default(&menu);
    d->verdict = DHCP_ANSWERED;
    if (d->client.has_item) {
        item = dhcp_menu_item(&menu, d->client.item_type);
        if (!item) {
            d->verdict = DHCP_NO_ITEM;
            return NULL;
        }
        step(d, RULE_MENU_ITEM, d->arch, (size_t)(item - menu.conf->item));
        d->menu.conf = NULL;
        return take_item(d, item);
    }
    if ((menu.shown & (menu.shown - 1)) == 0) {
        step(d, RULE_MENU_SINGLE, d->arch, (size_t)(item - menu.conf->item));
        d->menu.conf = NULL;
        return take_item(d, item);
    }
    return item->local ? NULL : menu_file(item, d->arch)->file;
}

/* -- the whole ---------------------------------------------------------------------------- */

/* True, and d->file set, when there is something to load. */
static bool choose_file(const struct dhcp_site *site, struct dhcp_decision *d)
{
    const char *file = choose_for_ipxe(d);
    if (file && !is_there(site, d, file)) {
        d->file = file;
        d->verdict = DHCP_FILE_MISSING;
        return false;
    }
    if (!file && find_menu(site, d)) {
        d->file = choose_by_menu(d);
        return d->verdict == DHCP_ANSWERED;
    }
    if (!file && d->client.arch_count == 0) {
        d->verdict = DHCP_NO_ARCH;
        return false;
    }
    file = file ? file : choose_by_arch(site, d);
    d->file = file ? file : d->file;
    return file != NULL;
}

/*
 * The ladder is for clients that may prefer another form; iPXE takes the first, and a
 * Raspberry Pi or an HTTP client has one form only.
 */
static void choose_form(const struct dhcp_site *site, struct dhcp_decision *d)
{
    const struct pxe_request *c = &d->client;
    bool one_form = c->class != PXE_PXECLIENT || c->raspberry_pi;
    bool automatic = d->answer.offer == OFFER_AUTO;
    d->on_ladder = automatic && !one_form && !c->ipxe;
    d->form = one_form || automatic ? OFFER_PXE : d->answer.offer;
    if (d->on_ladder && site->form != OFFER_AUTO) {
        d->form = site->form;
    }
}

static uint32_t delay_of(const struct dhcp_decision *d)
{
    /* Quirk: Raspberry Pi boot ROM: loses an answer that comes in less than about a second. */
    uint32_t usual = d->client.raspberry_pi ? RASPBERRY_PI_DELAY_MS : 0;
    return d->answer.said & SAYS_DELAY ? d->answer.delay_ms : usual;
}

/* A script that we make is nowhere else, whatever server has the files. */
static struct ip4 next_server_of(const struct dhcp_site *site,
                                 const struct dhcp_decision *d)
{
    bool ours = ip4_is_any(d->answer.next_server) ||
                (d->file && strcmp(d->file, SYSTEM_SCRIPT) == 0);
    return ours ? site->address : d->answer.next_server;
}

static enum dhcp_verdict write_url(const struct dhcp_site *site, struct dhcp_decision *d)
{
    struct endpoint own = endpoint_ip4(site->address, 0);
    struct wr w = wr_over(d->url, sizeof d->url);
    if (!url_write_own(&w, &site->config->http, &own, d->file)) {
        return DHCP_NO_ADDRESS;
    }
    return wr_ok(&w) ? DHCP_ANSWERED : DHCP_TOO_LARGE;
}

static void answer(const struct dhcp_site *site, const struct dhcp_arrival *at,
                   const struct dhcp_packet *in, struct dhcp_decision *d)
{
    bool offer = d->type == DHCP_OFFER;
    struct dhcp_reply_terms terms = {
        .type = d->type,
        .server = site->address,
        .next_server = next_server_of(site, d),
        .file = d->file ? d->file : "",
        .ipxe_override = d->answer.ipxe_override && d->client.ipxe,
        .raspberry_pi = d->client.raspberry_pi,
        .repeat = plan_repeat(d->profile, d->host),
        .options = plan_options(site->config, d->profile, d->host),
        .menu = d->menu.conf ? &d->menu : NULL,
    };
    if (d->file && is_ours_by_http(d, d->file)) {
        d->verdict = write_url(site, d);
        if (d->verdict != DHCP_ANSWERED) {
            return;
        }
        terms.file = d->url;
    }
    d->menu.server = site->address;
    d->menu.next_server = terms.next_server;
    if (offer) {
        choose_form(site, d);
        d->delay_ms = delay_of(d);
    }
    terms.form = d->form == OFFER_BOTH ? OFFER_PXE : d->form;
    d->reply_count = d->form == OFFER_BOTH ? 2 : 1;
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

/* -- the whole, and the gate alone -------------------------------------------------------- */

/* All but the replies, whose octets are written where they are needed only. */
void dhcp_gate_begin(const struct pxe_request *client, struct dhcp_decision *d)
{
    d->reply_count = 0;
    d->form = OFFER_AUTO;
    d->on_ladder = false;
    d->delay_ms = 0;
    d->file = NULL;
    d->url[0] = '\0';
    d->host = NULL;
    d->profile = NULL;
    d->menu.conf = NULL;
    d->client = *client;
    d->has_arch = client->arch_count > 0;
    d->arch = client->arch[0];
    d->step_count = 0;
}

bool dhcp_gate(const struct dhcp_site *site, const struct host_facts *facts,
               struct dhcp_decision *d)
{
    return choose_profile(site, facts, d) && choose_file(site, d);
}

enum dhcp_verdict dhcp_decide(const struct dhcp_site *site, const struct dhcp_arrival *at,
                              const struct dhcp_packet *in, struct dhcp_decision *out)
{
    struct pxe_request client = pxe_read(in);
    struct dhcp_facts known;
    dhcp_gate_begin(&client, out);
    out->type = in->type == DHCP_DISCOVER ? DHCP_OFFER : DHCP_ACK;
    out->verdict = dhcp_admit(in, at->port, site->address, &client);
    if (out->verdict != DHCP_ANSWERED) {
        return out->verdict;
    }
    dhcp_facts_read(in, &client, site->interface, &known);
    if (!dhcp_gate(site, &known.facts, out)) {
        return out->verdict;
    }
    bool early = site->asked > 0 && site->asked < out->answer.after_requests;
    if (early && out->type == DHCP_OFFER) {
        out->verdict = DHCP_TOO_EARLY;
    } else {
        answer(site, at, in, out);
    }
    return out->verdict;
}
