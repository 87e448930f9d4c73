/*
 * PXE firmware: EDK2 by its source (PxeBcDhcp4.c, Dhcp4Io.c), a BIOS ROM likewise; and UEFI
 * HTTP Boot (HttpBootDhcp4.c).
 */
#include "app/probe/choice.h"
#include "config/url.h"
#include "dhcp/reply.h"

#define BOOT_AT_ONCE 8 /* bit of option 43.6 */

#define E16 "PXE-E16: No valid offer received."
#define E51 "PXE-E51: No DHCP or proxyDHCP offers were received."
#define E52 "PXE-E52: proxyDHCP offers were received. No DHCP offers were received."
#define E53 "PXE-E53: No boot filename received."
#define E55 "PXE-E55: ProxyDHCP service did not reply to request on port 4011."

enum type {
    TYPE_NONE,
    TYPE_ADDRESS, /* gives an address, no PXE server's */
    TYPE_ADDRESS_PXE,
    TYPE_ADDRESS_BINL,
    TYPE_PROXY_PXE,
    TYPE_PROXY_BINL,
    TYPES,
};

/* What firmware drops without a word; NULL: it is well formed. */
static const char *malformed(const struct answer *a)
{
    if (a->from_port != DHCP_SERVER_PORT) {
        return "does not come from port 67";
    }
    if (!a->ends) {
        return "has no END option";
    }
    if (a->type != DHCP_OFFER) {
        return "is no OFFER";
    }
    if (ip4_is_any(a->server)) {
        return "has no option 54 (server identifier)";
    }
    return NULL;
}

static enum type type_of(const struct answer *a, const char **passed)
{
    bool proxy = ip4_is_any(a->address);
    *passed = malformed(a);
    if (*passed) {
        return TYPE_NONE;
    }
    if (!a->is_pxe) {
        *passed = proxy ? "gives no address and has no option 60 \"PXEClient\"" : NULL;
        return proxy ? TYPE_NONE : TYPE_ADDRESS;
    }
    if (a->pxe.rules) {
        return proxy ? TYPE_PROXY_PXE : TYPE_ADDRESS_PXE;
    }
    if (a->pxe.mtftp) {
        *passed = "knows multicast TFTP only";
        return TYPE_NONE;
    }
    return proxy ? TYPE_PROXY_BINL : TYPE_ADDRESS_BINL;
}

struct found {
    size_t first[TYPES];
    enum type type[ANSWERS_MAX];
    bool proxy; /* there is one, whatever its type */
};

static void look(const struct choice_facts *f, struct found *found, struct choice *out)
{
    *found = (struct found){0};
    for (size_t i = 0; i < TYPES; i++) {
        found->first[i] = NO_ANSWER;
    }
    for (size_t i = 0; i < f->count; i++) {
        if (f->answer[i].at_4011) {
            continue;
        }
        enum type type = type_of(&f->answer[i], &out->passed[i]);
        found->type[i] = type;
        found->proxy |= type == TYPE_PROXY_PXE || type == TYPE_PROXY_BINL;
        if (found->first[type] == NO_ANSWER) {
            found->first[type] = i;
        } else if (type == TYPE_PROXY_PXE) {
            out->passed[i] = "came after another PXE server's offer";
        }
    }
}

static bool is_bios(const struct choice_facts *f)
{
    return f->manner == REQUEST_BIOS;
}

/* A reply on port 4011 that firmware takes. */
static bool is_boot_reply(const struct answer *a)
{
    return choice_file(a, false)[0] != '\0' || a->pxe.rules;
}

static struct ip4 at_once_server(const struct answer *a)
{
    return a->pxe.servers > 0 ? a->pxe.server_list[0].ip : choice_next_server(a);
}

static void begin(const struct choice_facts *f, size_t address, size_t boot,
                  struct choice *out)
{
    char ip[IP4_TEXT];
    char other[IP4_TEXT];
    const struct answer *a = &f->answer[address];
    out->address = address;
    out->boot = boot;
    (void)ip4_print(answer_server(a), ip);
    if (address == boot) {
        choice_say(out, "It takes address and boot file from %s", ip);
    } else {
        choice_say(out, "It takes its address from %s and its boot file from %s", ip,
                   ip4_print(answer_server(&f->answer[boot]), other));
    }
}

static void follow_pxe(const struct choice_facts *f, size_t address, size_t boot,
                       struct choice *out)
{
    const struct answer *a = &f->answer[boot];
    begin(f, address, boot, out);
    if (a->pxe.control & BOOT_AT_ONCE && choice_file(a, is_bios(f))[0]) {
        choice_say(out, ", whose offer says all (option 43.6, bit 3)");
        choice_load(out, at_once_server(a), choice_file(a, is_bios(f)));
    } else {
        choice_menu(f, a, is_boot_reply, is_bios(f), out);
    }
}

/* True: this one settles it; false: it was asked in vain. */
static bool follow_binl(const struct choice_facts *f, size_t address, size_t boot,
                        struct choice *out)
{
    struct ip4 server = choice_next_server(&f->answer[boot]);
    size_t reply = choice_reply(f, server, is_boot_reply);
    char ip[IP4_TEXT];
    if (reply == NO_ANSWER && choice_was_asked(f, server)) {
        return false;
    }
    begin(f, address, boot, out);
    if (reply == NO_ANSWER) {
        choice_say(out, ", and asks %s on port 4011", ip4_print(server, ip));
        choice_ask(out, server);
        return true;
    }
    out->boot = reply;
    choice_say(out, ", which named it when asked on port 4011");
    choice_load(out, choice_next_server(&f->answer[reply]),
                choice_file(&f->answer[reply], is_bios(f)));
    return true;
}

/* Each proxy of that kind in turn, or the one server that says it is both. */
static void follow_binls(const struct choice_facts *f, const struct found *found,
                         enum type type, size_t address, struct choice *out)
{
    char ip[IP4_TEXT] = "";
    for (size_t i = 0; i < f->count; i++) {
        if (found->type[i] != type || f->answer[i].at_4011) {
            continue;
        }
        size_t from = type == TYPE_ADDRESS_BINL ? i : address;
        if (follow_binl(f, from, i, out)) {
            return;
        }
        (void)ip4_print(choice_next_server(&f->answer[i]), ip);
    }
    choice_stop(
        out, is_bios(f) ? E55 : E16,
        type == TYPE_ADDRESS_BINL
            ? "The DHCP server %s says option 60 \"PXEClient\" in its offer, so that "
              "it alone is asked for a boot file, and it does not answer on port 4011"
            : "%s has to be asked on port 4011 for the boot file, and does not "
              "answer there",
        ip);
}

static void explain_nothing(const struct choice_facts *f, const struct found *found,
                            struct choice *out)
{
    char ip[IP4_TEXT];
    size_t address = found->first[TYPE_ADDRESS];
    if (f->count == 0) {
        choice_stop(out, is_bios(f) ? E51 : E16, "Nobody answered");
    } else if (address != NO_ANSWER) {
        out->address = address;
        choice_stop(out, is_bios(f) ? E53 : E16,
                    "%s gives it an address, but nobody names a boot file",
                    ip4_print(answer_server(&f->answer[address]), ip));
    } else if (found->proxy) {
        choice_stop(out, is_bios(f) ? E52 : E16,
                    "Only PXE servers answered: no DHCP server gives it an address");
    } else {
        choice_stop(out, is_bios(f) ? E51 : E16, "It can use none of the answers");
    }
}

void choice_of_pxe(const struct choice_facts *f, struct choice *out)
{
    struct found found;
    look(f, &found, out);
    size_t address = found.first[TYPE_ADDRESS];
    bool has_address = address != NO_ANSWER;
    if (found.first[TYPE_ADDRESS_PXE] != NO_ANSWER) {
        follow_pxe(f, found.first[TYPE_ADDRESS_PXE], found.first[TYPE_ADDRESS_PXE], out);
    } else if (has_address && found.first[TYPE_PROXY_PXE] != NO_ANSWER) {
        follow_pxe(f, address, found.first[TYPE_PROXY_PXE], out);
    } else if (found.first[TYPE_ADDRESS_BINL] != NO_ANSWER) {
        follow_binls(f, &found, TYPE_ADDRESS_BINL, NO_ANSWER, out);
    } else if (has_address && found.first[TYPE_PROXY_BINL] != NO_ANSWER) {
        follow_binls(f, &found, TYPE_PROXY_BINL, address, out);
    } else if (has_address && choice_file(&f->answer[address], is_bios(f))[0]) {
        const struct answer *a = &f->answer[address];
        begin(f, address, address, out);
        choice_load(out, choice_next_server(a), choice_file(a, is_bios(f)));
    } else {
        explain_nothing(f, &found, out);
    }
}

/* -- HTTP Boot ---------------------------------------------------------------------------- */

static bool is_http_url(const char *url)
{
    return strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
}

static const char *http_fault(const struct answer *a)
{
    const char *fault = malformed(a);
    if (fault || (!a->is_http && !ip4_is_any(a->address))) {
        return fault;
    }
    if (!a->is_http) {
        return "gives no address and has no option 60 \"HTTPClient\"";
    }
    return is_http_url(choice_file(a, false)) ? NULL : "names no http:// URL";
}

void choice_of_http(const struct choice_facts *f, struct choice *out)
{
    size_t address = NO_ANSWER;
    size_t boot = NO_ANSWER;
    for (size_t i = 0; i < f->count; i++) {
        const struct answer *a = &f->answer[i];
        out->passed[i] = http_fault(a);
        if (out->passed[i]) {
            continue;
        }
        bool gives = !ip4_is_any(a->address);
        address = gives && (address == NO_ANSWER || a->is_http) ? i : address;
        boot = a->is_http && (boot == NO_ANSWER || gives) ? i : boot;
    }
    if (address == NO_ANSWER || boot == NO_ANSWER) {
        out->address = address;
        choice_stop(out, E16,
                    f->count == 0          ? "Nobody answered"
                    : address != NO_ANSWER ? "Nobody names a URL to an HTTP client"
                                           : "No DHCP server gives it an address");
        return;
    }
    const char *url = choice_file(&f->answer[boot], false);
    begin(f, address, boot, out);
    if (url_host(url) == URL_HOST_NAME && !f->answer[address].has_dns) {
        choice_stop(
            out, E16,
            ", but the URL names its host by name and the DHCP server gives no name "
            "server (option 6)");
        return;
    }
    choice_load(out, IP4_ANY, url);
}
