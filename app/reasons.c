#include "app/reasons.h"

#include <stdarg.h>
#include <stdio.h>

#include "app/grub.h"
#include "common/text.h"
#include "config/url.h"

struct place {
    uint32_t file;
    uint32_t line;
};

__attribute__((format(printf, 4, 0))) static void
vadd(struct reasons *r, struct place at, const char *rule, const char *fmt, va_list ap)
{
    if (r->count == REASONS_MAX) {
        return;
    }
    struct reason *one = &r->list[r->count++];
    vsnprintf(one->text, sizeof one->text, fmt, ap);
    one->file = at.file;
    one->line = at.line;
    one->rule = rule;
}

__attribute__((format(printf, 4, 5))) static void
add(struct reasons *r, uint32_t line, const char *rule, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vadd(r, (struct place){0, line}, rule, fmt, ap);
    va_end(ap);
}

__attribute__((format(printf, 4, 5))) static void
add_at(struct reasons *r, struct place at, const char *rule, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vadd(r, at, rule, fmt, ap);
    va_end(ap);
}

static struct place place_of_host(const struct host *host)
{
    return (struct place){host->file, host->line};
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
    [DHCP_NO_CLIENT_ID] = "it does not name its client (option 1)",
    [DHCP_IPV4_ONLY] = "its file is at an IPv4 address, which it cannot reach by IPv6",
    [DHCP_NO_ADDRESS] = "this interface has no IPv6 address that it could load from",
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
        const char *what = d->url[0] ? d->url : d->file;
        (void)text_show(what, strlen(what), file, sizeof file);
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

/* "its MAC address", "its UUID and more", "its relay and interface"... */
static const char *how_it_is_told(const struct host *host, char buf[160])
{
    const struct host_match none = {0};
    const struct host_match *m = host->match ? host->match : &none;
    const struct {
        bool asked;
        const char *what;
    } keys[] = {
        {host->mac_len == sizeof host->mac, "MAC address"},
        {host->mac_len > 0 && host->mac_len < sizeof host->mac,
         "the beginning of its MAC address"},
        {host->has_uuid, "UUID"},
        {m->vendor_class.octets != NULL, "vendor class"},
        {m->user_class.octets != NULL, "user class"},
        {m->archs != 0, "architecture"},
        {m->has_relay, "relay"},
        {m->circuit_id.octets != NULL, "circuit id"},
        {m->interface[0] != '\0', "interface"},
    };
    size_t used = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].asked) {
            bool first = used == 0;
            bool whole = keys[i].what[0] == 't';
            used +=
                (size_t)snprintf(buf + used, 160 - used, "%s%s%s", first ? "" : " and ",
                                 first && !whole ? "its " : "", keys[i].what);
        }
    }
    return buf;
}

static void add_host(struct reasons *r, const struct host *host)
{
    char name[80];
    char how[160];
    add_at(r, place_of_host(host), "host", "host %s, by %s", name_of(host->name, name),
           how_it_is_told(host, how));
}

static const char *profile_of(const struct snapshot *s, size_t index, char buf[80])
{
    return name_of(s->profiles[index].name, buf);
}

/* "profile rescue", or "this host" for what stands there. */
static const char *owner_of(const struct snapshot *s, size_t index, char buf[100])
{
    char name[80];
    snprintf(buf, 100, "%s%s", index == OF_HOST ? "this host" : "profile ",
             index == OF_HOST ? "" : profile_of(s, index, name));
    return buf;
}

/* A line of the profile of this index, or of the decision's host. */
static struct place place_in(const struct dhcp_decision *d, size_t index, uint32_t line)
{
    return (struct place){index == OF_HOST && d->host ? d->host->file : 0, line};
}

static void add_menu_step(struct reasons *r, const struct snapshot *s,
                          const struct dhcp_decision *d, const struct dhcp_step *step)
{
    char name[100];
    const char *arch = arch_name(step->arch);
    const struct menu *menu = plan_menu(d->profile, d->host, step->arch);
    const struct menu_item *item = &menu->item[step->rule == RULE_MENU ? 0 : step->index];
    struct place at = place_in(d, menu->profile, item->line);
    if (step->rule == RULE_MENU) {
        add_at(r, place_in(d, menu->profile, menu->line), "menu",
               "the menu of %s, for %s", owner_of(s, step->index, name), arch);
    } else if (step->rule == RULE_MENU_SINGLE) {
        add_at(r, at, "menu-single",
               "one item alone is for %s, so it is loaded without a menu: %s", arch,
               name_of(item->name, name));
    } else {
        add_at(r, at, "menu-item", "the item asked for: %s", name_of(item->name, name));
    }
}

static void add_ipxe_step(struct reasons *r, const struct snapshot *s,
                          const struct dhcp_decision *d, const struct dhcp_step *step)
{
    char name[100];
    const struct boot_entry *ipxe = plan_boot(d->profile, d->host, SLOT_IPXE);
    struct place at = place_in(d, step->index, ipxe->line);
    if (step->rule == RULE_IPXE) {
        add_at(r, at, "ipxe", "an iPXE is running: \"ipxe\" of %s",
               owner_of(s, step->index, name));
    } else {
        add_at(r, at, "ipxe-lacks",
               "this iPXE cannot load by the protocol of \"ipxe\": it gets a full one");
    }
}

/* What it is given in the end, by whichever loader. */
static void add_system(struct reasons *r, const struct snapshot *s,
                       const struct dhcp_decision *d)
{
    char name[80];
    const struct system_conf *system = plan_system(s, d->profile, d->host);
    const char *directory = plan_directory(s, d->profile, d->host);
    if (directory) {
        add(r, 0, "directory", "files that are not there are looked for in %s",
            name_of(directory, name));
    }
    if (!system) {
        return;
    }
    bool own = d->host && d->host->own && d->host->own->system == system;
    add_at(r, (struct place){own ? d->host->file : 0, system->kernel.line}, "boot",
           "its loader is told to boot %s%s%s", name_of(system->kernel.name, name),
           system->initrd_count ? " with initrd " : "",
           system->initrd_count ? system->initrd[0].name : "");
}

static void add_profile_step(struct reasons *r, const struct snapshot *s,
                             const struct dhcp_decision *d, const struct dhcp_step *step)
{
    char name[100];
    const struct profile *p = d->profile;
    const char *arch = arch_name(step->arch);
    const struct boot_entry *entry = plan_arch(p, d->host, step->arch);
    switch (step->rule) {
    case RULE_PROFILE:
        add(r, p->line, "profile", "profile %s", profile_of(s, step->index, name));
        break;
    case RULE_IPXE:
    case RULE_IPXE_LACKS:
        add_ipxe_step(r, s, d, step);
        break;
    case RULE_ARCH:
        add_at(r, place_in(d, step->index, entry->line), "arch", "\"%s\" of %s", arch,
               owner_of(s, step->index, name));
        break;
    case RULE_ARCH_NO_FILE:
        add(r, p->line, "arch-no-file", "profile %s has no file for %s",
            name_of(p->name, name), arch);
        break;
    default:
        add_menu_step(r, s, d, step);
        break;
    }
}

static void add_step(struct reasons *r, const struct snapshot *s,
                     const struct dhcp_decision *d, const struct dhcp_step *step)
{
    if (step->rule == RULE_HOST) {
        add_host(r, d->host);
    } else if (step->rule == RULE_IPXE && d->file && !strcmp(d->file, SYSTEM_SCRIPT)) {
        add(r, 0, "ipxe", "an iPXE is running: the script made of \"boot\"");
    } else if (step->rule == RULE_UNKNOWN_HOST) {
        add(r, s->unknown.line, "unknown-hosts", "not in the host table%s",
            s->unknown.line ? "" : "; \"unknown_hosts\" is not set");
    } else if (d->profile) { /* always: it is chosen before any other rule */
        add_profile_step(r, s, d, step);
    }
}

/* Where a key of the answer is set: the host, or else the profile. */
static struct place place_of(const struct dhcp_decision *d, uint32_t says)
{
    bool host = d->host && d->host->answer.said & says;
    bool any = d->answer.said & says;
    return host ? place_of_host(d->host) : (struct place){0, any ? d->profile->line : 0};
}

static void add_answer(struct reasons *r, const struct dhcp_decision *d)
{
    char ip[IP4_TEXT];
    const struct answer_conf *a = &d->answer;
    bool offer = d->type == DHCP_OFFER;
    if (offer && d->form != OFFER_AUTO) { /* IPv6 knows one form */
        add_at(r, place_of(d, SAYS_OFFER), "offer", "\"offer\": \"%s\"%s%s",
               offer_form_name(a->offer), d->on_ladder ? ", and here " : "",
               d->on_ladder ? offer_form_name(d->form) : "");
    }
    if (!ip4_is_any(a->next_server)) {
        add_at(r, place_of(d, SAYS_NEXT_SERVER), "next-server", "\"next_server\": %s",
               ip4_print(a->next_server, ip));
    }
    if (offer && a->after_requests > 1) {
        add_at(r, place_of(d, SAYS_AFTER_REQUESTS), "after-requests",
               "\"after_requests\": %u", (unsigned)a->after_requests);
    }
    if (d->delay_ms > 0) {
        bool said = a->said & SAYS_DELAY;
        add_at(r, place_of(d, SAYS_DELAY), "delay", "goes out %u ms later%s",
               (unsigned)d->delay_ms, said ? "" : ", as a Raspberry Pi needs");
    }
}

void reasons_rules(const struct snapshot *s, const struct dhcp_decision *d,
                   struct reasons *out)
{
    out->count = 0;
    for (unsigned i = 0; i < d->step_count; i++) {
        add_step(out, s, d, &d->step[i]);
    }
    if (d->profile) {
        add_answer(out, d);
        add_system(out, s, d);
    }
}

/* -- warnings ----------------------------------------------------------------------------- */

/* Further hosts that would have matched, were it not for the one that stands first. */
static void warn_of_shadows(struct reasons *r, const struct snapshot *s,
                            const struct host_facts *facts, const struct dhcp_decision *d)
{
    char name[80];
    if (!d->host) {
        return;
    }
    for (size_t i = 0; i < hosts_count(s->hosts) && r->count < REASONS_MAX / 2; i++) {
        const struct host *h = hosts_at(s->hosts, i);
        if (h != d->host && match_holds(h, facts)) {
            add_at(r, place_of_host(h), "shadowed",
                   "host %s matches too, but the host on line %u%s comes first",
                   name_of(h->name, name), (unsigned)d->host->line,
                   h->file == d->host->file ? "" : " of another file");
        }
    }
}

static struct place place_of_file(const struct boot_file *b)
{
    return (struct place){b->host ? b->host->file : 0, b->line};
}

static void warn_of_grub(struct reasons *r, const struct snapshot *s,
                         const struct boot_file *b)
{
    char why[GRUB_WHY_SIZE];
    if (grub_warning(s, b, why)) {
        add_at(r, place_of_file(b), "grub-behind-proxy", "%s", why);
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
    struct place at = place_of_file(b);
    bool pe = b->what.kind == BOOTFILE_EFI;
    if (b->state == BOOT_FILE_MISSING) {
        add_at(r, at, "file-missing", "\"%s\" cannot be opened", b->file);
    } else if (b->state == BOOT_FILE_THERE) {
        if (!bootfile_fits(&b->what, arch, why, sizeof why)) {
            add_at(r, at, "file-unfit", "\"%s\" %s", b->file, why);
        }
        if (is_uefi(arch) && pe && !b->what.is_signed) {
            add_at(r, at, "file-unsigned",
                   "\"%s\" is not signed: it will not start with Secure Boot", b->file);
        }
    }
}

/* A name in a proxy's URL is of use only where the DHCP server names a DNS server. */
static void warn_of_url(struct reasons *r, const struct dhcp_decision *d)
{
    if (d->client.class == PXE_HTTPCLIENT && strstr(d->file, "://") &&
        url_host(d->file) == URL_HOST_NAME) {
        add(r, 0, "url-needs-dns",
            "the URL names its server: it boots only where the DHCP server tells a DNS "
            "server; an address always works");
    }
}

void reasons_warnings(const struct snapshot *s, const struct boot_file_list *files,
                      const struct host_facts *facts, const struct dhcp_decision *d,
                      struct reasons *out)
{
    out->count = 0;
    warn_of_shadows(out, s, facts, d);
    const struct boot_file *b =
        d->file ? boot_files_find(files, d->file, d->arch, d->host) : NULL;
    if (b && b->slot != SLOT_IPXE) {
        warn_of_file(out, b, d->arch);
        warn_of_grub(out, s, b);
    } else if (b && b->state == BOOT_FILE_MISSING) {
        warn_of_file(out, b, d->arch);
    }
    if (d->file) {
        warn_of_url(out, d);
    }
}
