#include "app/reasons.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/text.h"

__attribute__((format(printf, 4, 5))) static void
add(struct reasons *r, uint32_t line, const char *rule, const char *fmt, ...)
{
    if (r->count == REASONS_MAX) {
        return;
    }
    struct reason *one = &r->list[r->count++];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(one->text, sizeof one->text, fmt, ap);
    va_end(ap);
    one->line = line;
    one->rule = rule;
}

/* -- the verdict -------------------------------------------------------------------------- */

static const char *const silences[DHCP_VERDICT_COUNT] = {
    [DHCP_A_REPLY] = "it is a server's reply, not a request",
    [DHCP_NOT_OURS] = "a message of this type is not answered on this port",
    [DHCP_NOT_PXE] =
        "it is no boot client: option 60 says neither PXEClient nor HTTPClient",
    [DHCP_OTHER_SERVER] = "it is meant for another server",
    [DHCP_NO_ARCH] = "it tells no architecture, by option 93 or by digits in option 60",
    [DHCP_UNKNOWN_ARCH] = "nobody has assigned its architecture",
    [DHCP_HOST_IGNORED] = "the action of this host is \"ignore\"",
    [DHCP_HOST_LOCAL] = "the action is \"local\": the machine boots from disk",
    [DHCP_HOST_HELD] = "the action is \"hold\": it waits for `pxed approve`",
    [DHCP_HOST_DONE] = "it was to boot once, and has: `pxed reset` lets it boot again",
    [DHCP_UNKNOWN_HOST] =
        "the host table does not know it, and unknown hosts are ignored",
    [DHCP_NO_FILE] = "its profile has no boot file for its architecture",
    [DHCP_FILE_MISSING] = "its boot file is not there",
    [DHCP_NO_ITEM] = "it asks for a menu item that it is not shown",
    [DHCP_TOO_EARLY] = "it has not asked often enough yet",
    [DHCP_TOO_LARGE] = "the reply would be larger than what the client takes",
};

static const char *const forms[OFFER_FORM_COUNT] = {
    [OFFER_PXE] = "all in the offer",
    [OFFER_BINL] = "without option 43, so that the client asks again on port 4011",
    [OFFER_BOTH] = "twice, with and without option 43",
    [OFFER_BARE] = "without option 43 and file, so that the client asks on port 4011",
};

char *reasons_verdict(const struct dhcp_decision *d, char *buf, size_t size)
{
    char file[300] = "";
    if (d->verdict != DHCP_ANSWERED) {
        snprintf(buf, size, "not answered (%s): %s", dhcp_verdict_name(d->verdict),
                 silences[d->verdict]);
        return buf;
    }
    if (d->file) {
        (void)text_show(d->file, strlen(d->file), file, sizeof file);
    }
    bool offer = d->type == DHCP_OFFER;
    snprintf(buf, size, "answered with an %s%s: %s%s%s", dhcp_message_name(d->type),
             d->menu.conf ? " and a menu" : "", file[0] ? file : "the disk",
             offer ? ", " : "", offer ? forms[d->form] : "");
    return buf;
}

/* -- the rules ---------------------------------------------------------------------------- */

static const char *name_of(const char *name, char buf[80])
{
    return name ? text_show(name, strlen(name), buf, 80) : "without a name";
}

static void add_host(struct reasons *r, const struct dhcp_packet *in,
                     const struct host *host)
{
    char name[80];
    struct mac mac;
    bool by_mac = host->mac_len > 0 && dhcp_mac(in, &mac) &&
                  memcmp(&mac, &host->mac, host->mac_len) == 0;
    const char *how = !by_mac                       ? "its UUID"
                      : host->mac_len == sizeof mac ? "its MAC address"
                                                    : "the beginning of its MAC address";
    add(r, host->line, "host", "host %s, by %s", name_of(host->name, name), how);
}

static const char *profile_of(const struct snapshot *s, size_t index, char buf[80])
{
    return name_of(s->profiles[index].name, buf);
}

static void add_menu_step(struct reasons *r, const struct snapshot *s,
                          const struct menu *menu, const struct dhcp_step *step)
{
    char name[80];
    const char *arch = arch_name(step->arch);
    const struct menu_item *item = &menu->item[step->rule == RULE_MENU ? 0 : step->index];
    if (step->rule == RULE_MENU) {
        add(r, menu->line, "menu", "the menu of profile %s, for %s",
            profile_of(s, step->index, name), arch);
    } else if (step->rule == RULE_MENU_SINGLE) {
        add(r, item->line, "menu-single",
            "one item alone is for %s, so it is loaded without a menu: %s", arch,
            name_of(item->name, name));
    } else {
        add(r, item->line, "menu-item", "the item asked for: %s",
            name_of(item->name, name));
    }
}

static void add_profile_step(struct reasons *r, const struct snapshot *s,
                             const struct profile *p, const struct dhcp_step *step)
{
    char name[80];
    const char *arch = arch_name(step->arch);
    const struct boot_entry *ipxe = &p->boot[SLOT_IPXE];
    switch (step->rule) {
    case RULE_PROFILE:
        add(r, p->line, "profile", "profile %s", profile_of(s, step->index, name));
        break;
    case RULE_IPXE:
        add(r, ipxe->line, "ipxe", "an iPXE is running: \"ipxe\" of profile %s",
            profile_of(s, step->index, name));
        break;
    case RULE_IPXE_LACKS:
        add(r, ipxe->line, "ipxe-lacks",
            "this iPXE cannot load by the protocol of \"ipxe\": it gets a full one");
        break;
    case RULE_ARCH:
        add(r, profile_boot(p, step->arch)->line, "arch", "\"%s\" of profile %s", arch,
            profile_of(s, step->index, name));
        break;
    case RULE_ARCH_NO_FILE:
        add(r, p->line, "arch-no-file", "profile %s has no file for %s",
            name_of(p->name, name), arch);
        break;
    default:
        add_menu_step(r, s, p->menu, step);
        break;
    }
}

static void add_step(struct reasons *r, const struct snapshot *s,
                     const struct dhcp_packet *in, const struct dhcp_decision *d,
                     const struct dhcp_step *step)
{
    if (step->rule == RULE_HOST) {
        add_host(r, in, d->host);
    } else if (step->rule == RULE_UNKNOWN_HOST) {
        add(r, s->unknown.line, "unknown-hosts", "not in the host table%s",
            s->unknown.line ? "" : "; \"unknown_hosts\" is not set");
    } else if (d->profile) { /* always: it is chosen before any other rule */
        add_profile_step(r, s, d->profile, step);
    }
}

/* Where a key of the answer is set: the host, or else the profile. */
static uint32_t line_of(const struct dhcp_decision *d, uint32_t says)
{
    bool host = d->host && d->host->answer.said & says;
    bool any = d->answer.said & says;
    return host ? d->host->line : any ? d->profile->line : 0;
}

static void add_answer(struct reasons *r, const struct dhcp_decision *d)
{
    char ip[IP4_TEXT];
    const struct answer_conf *a = &d->answer;
    bool offer = d->type == DHCP_OFFER;
    if (offer && d->verdict == DHCP_ANSWERED) {
        add(r, line_of(d, SAYS_OFFER), "offer", "\"offer\": \"%s\"%s%s",
            offer_form_name(a->offer), d->on_ladder ? ", and here " : "",
            d->on_ladder ? offer_form_name(d->form) : "");
    }
    if (!ip4_is_any(a->next_server)) {
        add(r, line_of(d, SAYS_NEXT_SERVER), "next-server", "\"next_server\": %s",
            ip4_print(a->next_server, ip));
    }
    if (offer && a->after_requests > 1) {
        add(r, line_of(d, SAYS_AFTER_REQUESTS), "after-requests",
            "\"after_requests\": %u", (unsigned)a->after_requests);
    }
    if (d->delay_ms > 0) {
        bool said = a->said & SAYS_DELAY;
        add(r, line_of(d, SAYS_DELAY), "delay", "goes out %u ms later%s",
            (unsigned)d->delay_ms, said ? "" : ", as a Raspberry Pi needs");
    }
}

void reasons_rules(const struct snapshot *s, const struct dhcp_packet *in,
                   const struct dhcp_decision *d, struct reasons *out)
{
    out->count = 0;
    for (unsigned i = 0; i < d->step_count; i++) {
        add_step(out, s, in, d, &d->step[i]);
    }
    if (d->profile) {
        add_answer(out, d);
    }
}

/* -- warnings ----------------------------------------------------------------------------- */

/* Further hosts that would have matched, were it not for the one that stands first. */
static void warn_of_shadows(struct reasons *r, const struct snapshot *s,
                            const struct dhcp_packet *in, const struct dhcp_decision *d)
{
    char name[80];
    struct mac mac;
    if (!d->host || !dhcp_mac(in, &mac)) {
        return;
    }
    for (size_t i = 0; i < hosts_count(s->hosts) && r->count < REASONS_MAX / 2; i++) {
        const struct host *h = hosts_at(s->hosts, i);
        if (h != d->host && h->mac_len > 0 && memcmp(&h->mac, &mac, h->mac_len) == 0) {
            add(r, h->line, "shadowed",
                "host %s matches too, but the host on line %u comes first",
                name_of(h->name, name), (unsigned)d->host->line);
        }
    }
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *back = strrchr(file, '\\');
    const char *last = back && (!slash || back > slash) ? back : slash;
    return last ? last + 1 : file;
}

/* GRUB looks for its server in the DHCP server's ACK alone. */
static void warn_of_grub(struct reasons *r, const struct boot_file *b)
{
    const char *name = base_name(b->file);
    if (strcasestr(name, "grub")) {
        add(r, b->line, "grub-behind-proxy",
            "GRUB as distributions build it learns no server from a proxy and stops at "
            "its prompt: build one with the server in its prefix, or chain by iPXE");
    } else if (strcasestr(name, "shim")) {
        add(r, b->line, "grub-behind-proxy",
            "shim loads grub*.efi beside it, and GRUB as distributions build it learns "
            "no server from a proxy");
    }
}

static bool is_uefi(uint16_t arch)
{
    const char *name = arch_name(arch);
    return name && strstr(name, "uefi");
}

static void warn_of_file(struct reasons *r, const struct boot_file *b, uint16_t arch)
{
    char why[160];
    bool pe = b->what.kind == BOOTFILE_EFI;
    if (b->state == BOOT_FILE_MISSING) {
        add(r, b->line, "file-missing", "\"%s\" cannot be opened", b->file);
    } else if (b->state == BOOT_FILE_THERE) {
        if (!bootfile_fits(&b->what, arch, why, sizeof why)) {
            add(r, b->line, "file-unfit", "\"%s\" %s", b->file, why);
        }
        if (is_uefi(arch) && pe && !b->what.is_signed) {
            add(r, b->line, "file-unsigned",
                "\"%s\" is not signed: it will not start with Secure Boot", b->file);
        }
    }
}

/* A name in a proxy's URL is of use only where the DHCP server names a DNS server. */
static void warn_of_url(struct reasons *r, const struct dhcp_decision *d)
{
    char host[IP4_TEXT];
    struct ip4 ip;
    const char *at = strstr(d->file, "://");
    if (d->client.class != PXE_HTTPCLIENT || !at) {
        return;
    }
    snprintf(host, sizeof host, "%.*s", (int)strcspn(at + 3, ":/"), at + 3);
    if (!ip4_parse(host, &ip)) {
        add(r, 0, "url-needs-dns",
            "the URL names its server: it boots only where the DHCP server tells a DNS "
            "server; an address always works");
    }
}

void reasons_warnings(const struct snapshot *s, const struct boot_file_list *files,
                      const struct dhcp_packet *in, const struct dhcp_decision *d,
                      struct reasons *out)
{
    out->count = 0;
    warn_of_shadows(out, s, in, d);
    const struct boot_file *b = d->file ? boot_files_find(files, d->file, d->arch) : NULL;
    if (b && b->slot != SLOT_IPXE) {
        warn_of_file(out, b, d->arch);
        warn_of_grub(out, b);
    } else if (b && b->state == BOOT_FILE_MISSING) {
        warn_of_file(out, b, d->arch);
    }
    if (d->file) {
        warn_of_url(out, d);
    }
}
