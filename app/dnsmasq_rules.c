/* dnsmasq_convert(): the lines, one after the other, into a configuration of ours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/dnsmasq_parts.h"
#include "common/netaddr.h"
#include "common/text.h"

/* -- what has one line for one setting ------------------------------------------------------ */

static void on_interface(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    json_t *list = dnsmasq_member(c, c->d->config, "interfaces", json_array);
    for (size_t i = 0; i < l->fields; i++) {
        if (strchr(l->field[i], '*')) {
            dnsmasq_say(c->d, l, DNSMASQ_LOST, "name each interface that \"%s\" means",
                        l->field[i]);
        } else if (strcmp(l->field[i], "lo") != 0) {
            dnsmasq_append(c, list, json_string(l->field[i]));
        }
    }
}

static void on_range(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    for (size_t i = 0; i < l->fields; i++) {
        if (strcmp(l->field[i], "proxy") == 0) {
            c->proxies++;
            return;
        }
    }
    dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                "pxed gives no addresses: leave this range with a DHCP server");
}

static void on_enable(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    c->tftp = true;
    if (l->fields > 0) {
        dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                    "files are served on all of \"interfaces\", to hosts attached there");
    }
}

static void on_root(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    json_t *tftp = dnsmasq_section(c, "tftp");
    if (json_object_get(tftp, "root") || l->fields > 1) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "there is one root for all interfaces");
    }
    if (l->fields > 0 && !json_object_get(tftp, "root")) {
        dnsmasq_put(c, tftp, "root", json_string(l->field[0]));
    }
}

static void on_ports(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    uint64_t first;
    uint64_t last;
    char text[32];
    if (l->fields < 2 || !text_decimal(l->field[0], &first) ||
        !text_decimal(l->field[1], &last) || last < first || last > 65535) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "no range of ports");
        return;
    }
    if (last - first > 63) {
        last = first + 63;
        dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                    "transfers share their ports: 64 of them, to %u, are enough",
                    (unsigned)last);
    }
    snprintf(text, sizeof text, "%u-%u", (unsigned)first, (unsigned)last);
    dnsmasq_put(c, dnsmasq_section(c, "tftp"), "data_ports", json_string(text));
}

static void on_single(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    (void)l;
    dnsmasq_put(c, dnsmasq_section(c, "tftp"), "data_ports", json_string("single"));
}

/* A number of `tftp`, with so many octets of headers taken off. */
static void tftp_number(struct dnsmasq_conversion *c, const struct dnsmasq_line *l,
                        const char *key, uint64_t less)
{
    uint64_t n;
    if (l->fields > 0 && text_decimal(l->field[0], &n) && n > less && n < 100000) {
        dnsmasq_put(c, dnsmasq_section(c, "tftp"), key,
                    json_integer((json_int_t)(n - less)));
    } else {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "no number that \"tftp.%s\" could be", key);
    }
}

static void on_max(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    tftp_number(c, l, "max_transfers", 0);
}

static void on_mtu(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    tftp_number(c, l, "max_block_size", 32);
}

static void on_no_blocksize(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    (void)l;
    dnsmasq_put(c, dnsmasq_section(c, "tftp"), "max_block_size", json_integer(512));
}

static void on_user(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    if (l->fields > 0) {
        dnsmasq_put(c, c->d->config, "user", json_string(l->field[0]));
    }
}

/* dhcp-reply-delay=[tag:TAG,]SECONDS */
static void on_delay(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    struct dnsmasq_who who;
    size_t at;
    uint64_t n;
    if (!dnsmasq_tags_resolve(&c->tags, c->d, l, &who, &at)) {
        return;
    }
    if (at < l->fields && text_decimal(l->field[at], &n) && n <= 10) {
        dnsmasq_put(c, dnsmasq_profile(c, who.group), "delay_ms",
                    json_integer((json_int_t)n * 1000));
    } else {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "a delay is at most 10 seconds");
    }
}

static void on_ignore(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    struct dnsmasq_who who;
    size_t at;
    if (!dnsmasq_tags_resolve(&c->tags, c->d, l, &who, &at)) {
        return;
    }
    if (who.known) {
        dnsmasq_put(c, dnsmasq_section(c, "unknown_hosts"), "action",
                    json_string("ignore"));
        return;
    }
    if (who.group) {
        dnsmasq_say_of_group(c, who.group, "action", "ignore");
    } else {
        dnsmasq_say(c->d, l, DNSMASQ_LOST,
                    "only machines can be ignored: give hosts an "
                    "\"action\" of \"ignore\"");
    }
}

/* dhcp-host=MAC[,set:TAG][,IP][,NAME][,LEASE][,ignore] */
static void on_known(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    struct mac mac;
    const char *at = NULL;
    const char *name = NULL;
    bool ignored = false;
    for (size_t i = 0; i < l->fields; i++) {
        const char *field = l->field[i];
        struct ip4 ip;
        if (mac_parse(field, &mac)) {
            at = field;
        } else if (strcmp(field, "ignore") == 0) {
            ignored = true;
        } else if (!strchr(field, ':') && !ip4_parse(field, &ip) && *field &&
                   strspn(field, "0123456789") == 0 && strcmp(field, "infinite") != 0) {
            name = field;
        }
    }
    json_t *host = at ? dnsmasq_host(c, "mac", at) : NULL;
    if (!host) {
        dnsmasq_say(c->d, l, DNSMASQ_LOST, "a host is known by its MAC address only");
        return;
    }
    if (name) {
        dnsmasq_put(c, host, "name", json_string(name));
    }
    if (ignored) {
        dnsmasq_put(c, host, "action", json_string("ignore"));
    }
}

/* dhcp-option: what of it is ours is what names boot files. */
static void on_option(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    struct dnsmasq_who who;
    size_t at;
    if (!dnsmasq_tags_resolve(&c->tags, c->d, l, &who, &at) || at >= l->fields) {
        return;
    }
    const char *option = l->field[at];
    const char *value = l->fields > at + 1 ? l->field[at + 1] : "";
    if (strcmp(option, "67") == 0 || strcmp(option, "option:bootfile-name") == 0) {
        json_t *profile = dnsmasq_profile(c, who.group);
        dnsmasq_set_by_name(c, l, profile, value);
        dnsmasq_put(c, dnsmasq_member(c, profile, "fields", json_object), "option_67",
                    json_true());
    } else if (strcmp(option, "66") == 0 || strcmp(option, "option:tftp-server") == 0) {
        json_t *profile = dnsmasq_profile(c, who.group);
        dnsmasq_set_server(c, l, profile, value);
        dnsmasq_put(c, dnsmasq_member(c, profile, "fields", json_object), "option_66",
                    json_true());
    } else if (strcasecmp(option, "vendor:PXEClient") == 0) {
        dnsmasq_say(c->d, l, DNSMASQ_NOTE, "PXE vendor options are made as needed");
    } else if (strncmp(option, "209", 3) == 0 || strncmp(option, "210", 3) == 0) {
        dnsmasq_say(
            c->d, l, DNSMASQ_LOST,
            "PXELINUX finds its configuration by the names it tries: option %s has "
            "no counterpart",
            option);
    } else {
        c->d->others++;
    }
}

static void on_prompt(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    c->prompt = l;
}

static void on_include(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    dnsmasq_say(c->d, l, DNSMASQ_LOST,
                "not followed: name the files of \"%s\" on the command line, too",
                l->fields > 0 ? l->field[0] : "");
}

static void on_nothing(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    (void)c;
    (void)l;
}

static void on_unique(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    dnsmasq_say(
        c->d, l, DNSMASQ_LOST,
        "a directory for each client: say so in \"files\", with ${ip} or ${mac-dash}");
}

static void on_secure(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    dnsmasq_say(c->d, l, DNSMASQ_NOTE,
                "every file is served that the user of pxed may read, whoever owns it");
}

static void on_relay(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    dnsmasq_say(c->d, l, DNSMASQ_LOST,
                "pxed relays nothing: keep the relay, and name this host in it, too");
}

/* Tags come from a first pass over all lines. */
static void convert_line(struct dnsmasq_conversion *c, const struct dnsmasq_line *l)
{
    static const struct {
        const char *key;
        void (*take)(struct dnsmasq_conversion *, const struct dnsmasq_line *);
    } rows[] = {
        {"interface", on_interface},
        {"dhcp-range", on_range},
        {"dhcp-boot", dnsmasq_on_boot},
        {"pxe-service", dnsmasq_on_service},
        {"pxe-prompt", on_prompt},
        {"enable-tftp", on_enable},
        {"tftp-root", on_root},
        {"tftp-port-range", on_ports},
        {"tftp-single-port", on_single},
        {"tftp-max", on_max},
        {"tftp-mtu", on_mtu},
        {"tftp-no-blocksize", on_no_blocksize},
        {"tftp-unique-root", on_unique},
        {"tftp-secure", on_secure},
        {"tftp-no-fail", on_nothing},
        {"tftp-lowercase", on_nothing},
        {"user", on_user},
        {"dhcp-reply-delay", on_delay},
        {"dhcp-ignore", on_ignore},
        {"dhcp-host", on_known},
        {"dhcp-option", on_option},
        {"dhcp-option-force", on_option},
        {"dhcp-relay", on_relay},
        {"conf-file", on_include},
        {"conf-dir", on_include},
        {"dhcp-match", on_nothing},
        {"dhcp-vendorclass", on_nothing},
        {"dhcp-userclass", on_nothing},
        {"dhcp-mac", on_nothing},
        {"dhcp-circuitid", on_nothing},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(l->key, rows[i].key) == 0) {
            c->line = l;
            rows[i].take(c, l);
            return;
        }
    }
    c->d->others++;
}

/* A host that says neither profile nor action is of the profile "default". */
static bool lacks_default(const json_t *config)
{
    const json_t *hosts = json_object_get(config, "hosts");
    bool any = false;
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const json_t *host = json_array_get(hosts, i);
        any |= !json_object_get(host, "profile") && !json_object_get(host, "action");
    }
    return any && !json_object_get(json_object_get(config, "profiles"), "default");
}

/* What dnsmasq takes for granted and our file must say. */
static void complete(struct dnsmasq_conversion *c)
{
    static const struct dnsmasq_line whole = {.file = "dnsmasq"};
    json_t *config = c->d->config;
    if (json_array_size(json_object_get(config, "interfaces")) == 0) {
        dnsmasq_say(c->d, &whole, DNSMASQ_LOST,
                    "no \"interface\" line: name those of pxed in \"interfaces\"");
    }
    json_t *tftp = dnsmasq_section(c, "tftp");
    if (!c->tftp) {
        dnsmasq_put(c, tftp, "enabled", json_false());
        dnsmasq_say(c->d, &whole, DNSMASQ_NOTE,
                    "no \"enable-tftp\": another server gives the files");
    } else if (!json_object_get(tftp, "root")) {
        dnsmasq_say(c->d, &whole, DNSMASQ_LOST,
                    "no \"tftp-root\": name \"tftp.root\", and take "
                    "\"enabled\" out");
    }
    if (lacks_default(config)) {
        (void)dnsmasq_member(c, dnsmasq_section(c, "profiles"), "default", json_object);
        dnsmasq_say(c->d, &whole, DNSMASQ_NOTE,
                    "no line says what its machines boot: so does \"default\"");
    }
    if (c->tftp && c->proxies > 1) {
        dnsmasq_say(c->d, &whole, DNSMASQ_NOTE,
                    "files go to the subnets attached to \"interfaces\": name the others "
                    "in \"tftp.allow\"");
    }
    if (c->proxies == 0) {
        dnsmasq_say(c->d, &whole, DNSMASQ_NOTE,
                    "dnsmasq gave addresses too: it goes on with that, and pxed answers "
                    "beside it; take its boot lines out");
    }
}

/* In the order of the files and their lines. */
static int earlier(const void *a, const void *b)
{
    const struct dnsmasq_note *x = a;
    const struct dnsmasq_note *y = b;
    int by_file = strcmp(x->file, y->file);
    return by_file != 0 ? by_file : (x->line > y->line) - (x->line < y->line);
}

bool dnsmasq_convert(struct dnsmasq *d)
{
    struct dnsmasq_conversion *c = calloc(1, sizeof *c);
    d->config = json_object();
    if (!c || !d->config) {
        d->no_memory = true;
        free(c);
        return false;
    }
    c->d = d;
    c->host_by_name = json_object();
    (void)dnsmasq_member(c, d->config, "interfaces", json_array);
    (void)dnsmasq_section(c, "tftp");
    (void)dnsmasq_section(c, "profiles");
    for (size_t i = 0; i < d->lines; i++) {
        (void)dnsmasq_tags_read(&c->tags, d, &d->line[i]);
    }
    /* Lines for somebody come before those for everybody, as there. */
    for (int tagged = 1; tagged >= 0; tagged--) {
        for (size_t i = 0; i < d->lines; i++) {
            const struct dnsmasq_line *l = &d->line[i];
            bool has = l->fields > 0 && (strncmp(l->field[0], "tag:", 4) == 0 ||
                                         strncmp(l->field[0], "net:", 4) == 0);
            if (has == (tagged == 1)) {
                convert_line(c, l);
            }
        }
    }
    dnsmasq_place_services(c);
    c->line = NULL;
    complete(c);
    dnsmasq_fit(d);
    if (d->notes > 1) {
        qsort(d->note, d->notes, sizeof d->note[0], earlier);
    }
    for (size_t i = 0; i < c->services; i++) {
        free(c->service[i].file);
    }
    json_decref(c->host_by_name);
    free(c->tags.tag);
    free(c);
    return !d->no_memory;
}
