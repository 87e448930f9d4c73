/*
 * iPXE by its source (net/udp/dhcp.c, usr/autoboot.c), U-Boot by its (net/bootp.c), Raspberry
 * Pi by its documentation.
 */
#include <stdio.h>

#include "app/probe/choice.h"
#include "dhcp/reply.h"

#define IPXE_NOTHING  "Nothing to boot: No such file or directory"
#define UBOOT_DEFAULT "boot.scr.uimg"
#define IPXE_NO_DHCP  "No configuration methods succeeded"

/* The last of these answers, as iPXE has it; NO_ANSWER: there is none. */
static size_t last_where(const struct choice_facts *f,
                         bool (*good)(const struct answer *a))
{
    size_t found = NO_ANSWER;
    for (size_t i = 0; i < f->count; i++) {
        if (!f->answer[i].at_4011 && good(&f->answer[i])) {
            found = i;
        }
    }
    return found;
}

static bool gives_address(const struct answer *a)
{
    return !ip4_is_any(a->address) && a->type == DHCP_OFFER;
}

static bool is_proxy(const struct answer *a)
{
    return a->is_pxe;
}

/* -- iPXE --------------------------------------------------------------------------------- */

static bool says_enough(const struct answer *a)
{
    return (!ip4_is_any(a->next_server) && choice_file(a, true)[0]) || a->pxe.items > 0;
}

static bool is_ipxe_reply(const struct answer *a)
{
    return a->from_port == DHCP_PXE_PORT && says_enough(a);
}

/* What the proxy says, by its offer or when asked; NO_ANSWER: nothing (yet). */
static size_t ask_proxy(const struct choice_facts *f, size_t proxy, struct choice *out)
{
    struct ip4 server = answer_server(&f->answer[proxy]);
    char ip[IP4_TEXT];
    if (says_enough(&f->answer[proxy])) {
        return proxy;
    }
    size_t reply = choice_reply(f, server, is_ipxe_reply);
    if (reply == NO_ANSWER && !choice_was_asked(f, server)) {
        choice_say(out, "It asks the PXE server %s on port 4011", ip4_print(server, ip));
        choice_ask(out, server);
    }
    return reply;
}

/* Whose file counts: the DHCP server's, unless the proxy's priority is higher. */
static size_t whose_file(const struct choice_facts *f, size_t address, size_t proxy)
{
    const struct answer *a = &f->answer[address];
    if (proxy == NO_ANSWER || !choice_file(&f->answer[proxy], true)[0]) {
        return address;
    }
    bool over = f->answer[proxy].priority > a->priority;
    return choice_file(a, true)[0] && !over ? address : proxy;
}

static void load_with_ipxe(const struct choice_facts *f, size_t address, size_t proxy,
                           struct choice *out)
{
    char ip[IP4_TEXT];
    size_t boot = whose_file(f, address, proxy);
    const struct answer *a = &f->answer[boot];
    const char *file = choice_file(a, true);
    const struct answer *menu =
        proxy != NO_ANSWER && f->answer[proxy].pxe.items > 0 ? &f->answer[proxy] : NULL;
    out->boot = boot;
    if (menu && !(menu->pxe.control & 8 && file[0])) {
        out->boot = proxy;
        choice_say(out, "It follows the PXE server %s",
                   ip4_print(answer_server(menu), ip));
        choice_menu(f, menu, is_ipxe_reply, true, out);
        return;
    }
    if (!file[0]) {
        choice_stop(out, IPXE_NOTHING,
                    "%s gives it an address, but nobody names a boot file",
                    ip4_print(answer_server(&f->answer[address]), ip));
        return;
    }
    choice_say(out, "It loads what %s %s names",
               boot == address ? "the DHCP server" : "the PXE server",
               ip4_print(answer_server(a), ip));
    if (boot == address && proxy != NO_ANSWER && proxy != address) {
        choice_say(out,
                   ", not what the PXE server %s names: a DHCP server's file comes "
                   "first (\"ipxe_override\" changes that)",
                   ip4_print(answer_server(&f->answer[proxy]), ip));
    }
    choice_load(out, a->next_server, file);
}

void choice_of_ipxe(const struct choice_facts *f, struct choice *out)
{
    size_t address = last_where(f, gives_address);
    size_t proxy = last_where(f, is_proxy);
    out->address = address;
    if (address == NO_ANSWER) {
        choice_stop(out, IPXE_NO_DHCP,
                    f->count == 0
                        ? "Nobody answered"
                        : "No DHCP server gives it an address, without which iPXE "
                          "goes no further");
        return;
    }
    if (f->answer[address].no_proxy && proxy != NO_ANSWER && proxy != address) {
        out->passed[proxy] =
            "the DHCP server's option 175.176 forbids iPXE to look at proxies";
        proxy = NO_ANSWER;
    }
    for (size_t i = 0; i < f->count; i++) {
        const struct answer *a = &f->answer[i];
        if (!a->at_4011 && !gives_address(a) && !is_proxy(a)) {
            out->passed[i] = "gives no address and has no option 60 \"PXEClient\"";
        } else if (!a->at_4011 && is_proxy(a) && i < proxy && proxy != NO_ANSWER &&
                   i != address) {
            out->passed[i] = "another PXE server's offer came later";
        }
    }
    if (proxy != NO_ANSWER) {
        proxy = ask_proxy(f, proxy, out);
    }
    if (out->step != CHOICE_ASK) {
        load_with_ipxe(f, address, proxy, out);
    }
}

/* -- U-Boot ------------------------------------------------------------------------------- */

void choice_of_uboot(const struct choice_facts *f, struct choice *out)
{
    char ip[IP4_TEXT];
    size_t address = NO_ANSWER;
    for (size_t i = 0; i < f->count; i++) {
        if (gives_address(&f->answer[i])) {
            address = address == NO_ANSWER ? i : address;
        } else {
            out->passed[i] =
                "gives no address: U-Boot takes a proxy's offer only when built "
                "with CONFIG_SERVERIP_FROM_PROXYDHCP";
        }
    }
    out->address = address;
    if (address == NO_ANSWER) {
        choice_stop(out, "Retry time exceeded; starting again",
                    f->count == 0 ? "Nobody answered"
                                  : "No DHCP server gives it an address");
        return;
    }
    const struct answer *a = &f->answer[address];
    const char *file = choice_file(a, false);
    (void)ip4_print(answer_server(a), ip);
    out->boot = address;
    if (ip4_is_any(a->next_server)) {
        choice_stop(
            out, "*** ERROR: `serverip' not set",
            "The DHCP server %s gives it an address and no next server; an ordinary "
            "U-Boot looks at no other offer",
            ip);
        return;
    }
    choice_say(out, "It takes address, next server and file from the DHCP server %s%s",
               ip,
               file[0] ? "" : ", which names no file, so that its own default counts");
    choice_load(out, a->next_server, file[0] ? file : UBOOT_DEFAULT);
}

/* -- Raspberry Pi ------------------------------------------------------------------------- */

void choice_of_pi(const struct choice_facts *f, struct choice *out)
{
    char ip[IP4_TEXT];
    size_t boot = NO_ANSWER;
    for (size_t i = 0; i < f->count; i++) {
        const struct answer *a = &f->answer[i];
        if (gives_address(a) && out->address == NO_ANSWER) {
            out->address = i;
        }
        if (a->pxe.pi && boot == NO_ANSWER) {
            boot = i;
        }
        out->passed[i] = a->pxe.pi || gives_address(a)
                             ? NULL
                             : "option 43 does not hold \"Raspberry Pi Boot\"";
    }
    if (out->address == NO_ANSWER || boot == NO_ANSWER) {
        choice_stop(out, "",
                    f->count == 0 ? "Nobody answered"
                    : out->address == NO_ANSWER
                        ? "No DHCP server gives it an address"
                        : "No offer has \"Raspberry Pi Boot\" in "
                          "option 43, which is what it looks for");
        return;
    }
    const struct answer *a = &f->answer[boot];
    out->boot = boot;
    choice_say(out, "It loads from %s, whose option 43 holds \"Raspberry Pi Boot\"",
               ip4_print(choice_next_server(a), ip));
    choice_load(out, choice_next_server(a), "start4.elf");
    snprintf(out->other_file, sizeof out->other_file, "bootcode.bin");
    if (f->serial) {
        snprintf(out->file, sizeof out->file, "%s/start4.elf", f->serial);
        snprintf(out->other_file, sizeof out->other_file, "start4.elf");
    }
}
