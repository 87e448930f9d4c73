#include "app/dnsmasq_tags.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"
#include "config/arch.h"

static bool begins(const char *text, const char *with)
{
    return strncasecmp(text, with, strlen(with)) == 0;
}

static bool is_tag(const char *field)
{
    return begins(field, "tag:") || begins(field, "net:") || begins(field, "set:");
}

const char *dnsmasq_tag_name(const char *field)
{
    return is_tag(field) ? field + 4 : field;
}

static void add(struct dnsmasq_tags *t, struct dnsmasq *d, const struct dnsmasq_line *l,
                struct dnsmasq_tag tag)
{
    struct dnsmasq_tag *more = realloc(t->tag, (t->count + 1) * sizeof *more);
    if (!more) {
        d->no_memory = true;
        return;
    }
    t->tag = more;
    tag.line = l;
    t->tag[t->count++] = tag;
}

static bool read_number(const char *text, uint64_t most, uint16_t *out)
{
    uint64_t n;
    if (!text || !text_decimal(text, &n) || n > most) {
        return false;
    }
    *out = (uint16_t)n;
    return true;
}

/* dhcp-match=set:TAG,option:client-arch,7 or =set:TAG,175 */
static void read_match(struct dnsmasq_tags *t, struct dnsmasq *d, struct dnsmasq_line *l)
{
    const char *option = l->fields > 1 ? l->field[1] : "";
    struct dnsmasq_tag tag = {.name = dnsmasq_tag_name(l->field[0])};
    if (strcmp(option, "option:client-arch") == 0 || strcmp(option, "93") == 0) {
        for (size_t i = 2; i < l->fields; i++) {
            if (read_number(l->field[i], ARCH_COUNT - 1, &tag.arch)) {
                add(t, d, l, tag);
            }
        }
        return;
    }
    if (strcmp(option, "175") == 0) {
        tag.kind = TAG_IPXE;
        add(t, d, l, tag);
        return;
    }
    dnsmasq_say(d, l, DNSMASQ_LOST, "machines cannot be told by option \"%s\"", option);
}

/* dhcp-vendorclass=set:TAG,[enterprise:N,]PXEClient:Arch:00007... */
static void read_vendor_class(struct dnsmasq_tags *t, struct dnsmasq *d,
                              struct dnsmasq_line *l)
{
    static const char arch[] = "PXEClient:Arch:";
    size_t at = l->fields > 2 && begins(l->field[1], "enterprise:") ? 2 : 1;
    if (at >= l->fields) {
        return;
    }
    struct dnsmasq_tag tag = {.name = dnsmasq_tag_name(l->field[0]),
                              .kind = TAG_MACHINE,
                              .key = "vendor_class",
                              .value = l->field[at]};
    const char *number = l->field[at] + sizeof arch - 1;
    if (begins(l->field[at], arch) && isdigit((unsigned char)*number)) {
        unsigned long n = strtoul(number, NULL, 10);
        if (n < ARCH_COUNT) {
            tag.kind = TAG_ARCH;
            tag.arch = (uint16_t)n;
        }
    }
    add(t, d, l, tag);
}

/* dhcp-userclass=set:TAG,iPXE */
static void read_user_class(struct dnsmasq_tags *t, struct dnsmasq *d,
                            struct dnsmasq_line *l)
{
    if (l->fields < 2) {
        return;
    }
    bool ipxe = strcasecmp(l->field[1], "iPXE") == 0;
    add(t, d, l,
        (struct dnsmasq_tag){.name = dnsmasq_tag_name(l->field[0]),
                             .kind = ipxe ? TAG_IPXE : TAG_MACHINE,
                             .key = "user_class",
                             .value = l->field[1]});
}

/* "00:11:22:*:*:*" to "00:11:22:*", in place; false: a wildcard before the end. */
static bool cut_wildcards(char *mac)
{
    char *star = strchr(mac, '*');
    if (star && strspn(star, "*:") == strlen(star)) {
        star[1] = '\0';
        star = NULL;
    }
    return !star;
}

/* dhcp-mac=set:TAG,00:11:22:*:*:* */
static void read_mac(struct dnsmasq_tags *t, struct dnsmasq *d, struct dnsmasq_line *l)
{
    if (l->fields < 2) {
        return;
    }
    if (!cut_wildcards(l->field[1])) {
        dnsmasq_say(d, l, DNSMASQ_LOST,
                    "a MAC address can only be open at its end: \"%s\"", l->field[1]);
        return;
    }
    add(t, d, l,
        (struct dnsmasq_tag){.name = dnsmasq_tag_name(l->field[0]),
                             .kind = TAG_MACHINE,
                             .key = "mac",
                             .value = l->field[1]});
}

static void read_circuit(struct dnsmasq_tags *t, struct dnsmasq *d,
                         struct dnsmasq_line *l)
{
    if (l->fields > 1) {
        add(t, d, l,
            (struct dnsmasq_tag){.name = dnsmasq_tag_name(l->field[0]),
                                 .kind = TAG_MACHINE,
                                 .key = "circuit_id",
                                 .value = l->field[1]});
    }
}

/* dhcp-host=...MAC...,set:TAG: the rest of the line is app/dnsmasq_rules's. */
static void read_host(struct dnsmasq_tags *t, struct dnsmasq *d, struct dnsmasq_line *l)
{
    const char *mac = NULL;
    for (size_t i = 0; i < l->fields; i++) {
        bool like = strlen(l->field[i]) == 17 && l->field[i][2] == ':';
        mac = like ? l->field[i] : mac;
    }
    for (size_t i = 0; mac && i < l->fields; i++) {
        if (begins(l->field[i], "set:") || begins(l->field[i], "net:")) {
            add(t, d, l,
                (struct dnsmasq_tag){.name = l->field[i] + 4,
                                     .kind = TAG_MACHINE,
                                     .key = "mac",
                                     .value = mac});
        }
    }
}

bool dnsmasq_tags_read(struct dnsmasq_tags *t, struct dnsmasq *d, struct dnsmasq_line *l)
{
    static const struct {
        const char *key;
        void (*read)(struct dnsmasq_tags *, struct dnsmasq *, struct dnsmasq_line *);
    } rows[] = {
        {"dhcp-match", read_match},          {"dhcp-vendorclass", read_vendor_class},
        {"dhcp-userclass", read_user_class}, {"dhcp-mac", read_mac},
        {"dhcp-circuitid", read_circuit},    {"dhcp-host", read_host},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(l->key, rows[i].key) == 0 && l->fields > 0) {
            rows[i].read(t, d, l);
            return true;
        }
    }
    return false;
}

/* -- whom a line means ---------------------------------------------------------------------- */

static bool has_arch(const struct dnsmasq_who *who, uint16_t arch)
{
    for (size_t i = 0; i < who->archs; i++) {
        if (who->arch[i] == arch) {
            return true;
        }
    }
    return false;
}

/* All ways to get the tag count; they must be of one kind. */
static bool resolve_one(const struct dnsmasq_tags *t, const char *name,
                        struct dnsmasq_who *out, const char **why)
{
    bool found = false;
    for (size_t i = 0; i < t->count; i++) {
        const struct dnsmasq_tag *tag = &t->tag[i];
        if (strcmp(tag->name, name) != 0) {
            continue;
        }
        found = true;
        if (tag->kind == TAG_IPXE) {
            out->ipxe = true;
        } else if (tag->kind == TAG_MACHINE) {
            if (out->group && strcmp(out->group, name) != 0) {
                *why = "two tags of machines at once";
                return false;
            }
            out->group = name;
        } else if (out->archs < DNSMASQ_ARCHS && !has_arch(out, tag->arch)) {
            out->arch[out->archs++] = tag->arch;
        }
    }
    *why = found ? NULL : "no line sets that tag";
    return found;
}

/* "not iPXE" and "not that architecture" are what a profile does anyway. */
static bool resolve_not(const struct dnsmasq_tags *t, const char *name,
                        struct dnsmasq_who *out, const char **why)
{
    if (strcmp(name, "known") == 0) {
        out->known = true;
        return true;
    }
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(t->tag[i].name, name) == 0 && t->tag[i].kind == TAG_MACHINE) {
            *why = "machines that lack a tag";
            return false;
        }
    }
    return true;
}

bool dnsmasq_tags_resolve(const struct dnsmasq_tags *t, struct dnsmasq *d,
                          const struct dnsmasq_line *l, struct dnsmasq_who *out,
                          size_t *first)
{
    *out = (struct dnsmasq_who){0};
    size_t i = 0;
    for (; i < l->fields && is_tag(l->field[i]); i++) {
        const char *name = l->field[i] + 4;
        const char *why = NULL;
        bool good = *name == '!' ? resolve_not(t, name + 1, out, &why)
                                 : resolve_one(t, name, out, &why);
        if (!good) {
            dnsmasq_say(d, l, DNSMASQ_LOST, "%s: %s", l->field[i], why);
            return false;
        }
    }
    *first = i;
    return true;
}
