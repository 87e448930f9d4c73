#include "app/probe/choice.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/text.h"
#include "config/arch.h"

enum { NO_MULTICAST = 2, NO_BROADCAST = 1 };

/* -- parts -------------------------------------------------------------------------------- */

const char *choice_file(const struct answer *a, bool header_first)
{
    if (header_first) {
        return a->file[0] ? a->file : a->option_67;
    }
    return a->has_option_67 ? a->option_67 : a->file;
}

struct ip4 choice_next_server(const struct answer *a)
{
    return ip4_is_any(a->next_server) ? a->server : a->next_server;
}

void choice_say(struct choice *out, const char *fmt, ...)
{
    va_list ap;
    size_t used = strlen(out->why);
    va_start(ap, fmt);
    vsnprintf(out->why + used, sizeof out->why - used, fmt, ap);
    va_end(ap);
}

void choice_stop(struct choice *out, const char *screen, const char *fmt, ...)
{
    va_list ap;
    size_t used = strlen(out->why);
    out->step = CHOICE_NOTHING;
    snprintf(out->screen, sizeof out->screen, "%s", screen);
    va_start(ap, fmt);
    vsnprintf(out->why + used, sizeof out->why - used, fmt, ap);
    va_end(ap);
}

/* What stands between "tftp://" and the file, when that is an address. */
static bool read_tftp_url(const char *url, struct ip4 *server, const char **file)
{
    static const char scheme[] = "tftp://";
    char host[IP4_TEXT];
    if (strncmp(url, scheme, sizeof scheme - 1) != 0) {
        return false;
    }
    const char *at = url + sizeof scheme - 1;
    size_t len = strcspn(at, "/");
    if (len >= sizeof host || at[len] == '\0') {
        return false;
    }
    memcpy(host, at, len);
    host[len] = '\0';
    *file = at + len + 1;
    return ip4_parse(host, server);
}

void choice_load(struct choice *out, struct ip4 server, const char *file)
{
    bool is_tftp = read_tftp_url(file, &server, &file);
    out->step = strstr(file, "://") && !is_tftp ? CHOICE_URL : CHOICE_TFTP;
    out->server = server;
    snprintf(out->file, sizeof out->file, "%s", file);
}

bool choice_was_asked(const struct choice_facts *f, struct ip4 server)
{
    for (size_t i = 0; i < f->asked_count; i++) {
        if (ip4_equal(f->asked[i].server, server)) {
            return true;
        }
    }
    return false;
}

void choice_ask(struct choice *out, struct ip4 server)
{
    out->step = CHOICE_ASK;
    out->server = server;
    out->has_item = false;
}

void choice_ask_item(struct choice *out, struct ip4 server, uint16_t item)
{
    choice_ask(out, server);
    out->has_item = true;
    out->item = item;
}

size_t choice_reply(const struct choice_facts *f, struct ip4 server,
                    bool (*good)(const struct answer *a))
{
    for (size_t i = 0; i < f->count; i++) {
        const struct answer *a = &f->answer[i];
        if (a->at_4011 && ip4_equal(a->asked, server) && good(a)) {
            return i;
        }
    }
    return NO_ANSWER;
}

/* -- menus -------------------------------------------------------------------------------- */

static bool menu_server(const struct answer_pxe *pxe, uint16_t item, struct ip4 *out)
{
    for (size_t i = 0; i < pxe->servers; i++) {
        if (pxe->server_list[i].type == item) {
            *out = pxe->server_list[i].ip;
            return true;
        }
    }
    return false;
}

static void ask_menu_server(const struct choice_facts *f, struct ip4 server,
                            bool (*good)(const struct answer *a), bool header_first,
                            uint16_t item, struct choice *out)
{
    char ip[IP4_TEXT];
    size_t reply = choice_reply(f, server, good);
    (void)ip4_print(server, ip);
    if (reply != NO_ANSWER) {
        const struct answer *a = &f->answer[reply];
        out->boot = reply;
        choice_say(out, ", which names the file when it is asked for it on port 4011");
        choice_load(out, choice_next_server(a), choice_file(a, header_first));
    } else if (choice_was_asked(f, server)) {
        choice_stop(out,
                    "PXE-E55: ProxyDHCP service did not reply to request on port 4011",
                    ", but %s does not answer on port 4011 for it", ip);
    } else {
        choice_say(out, ", and asks %s on port 4011 for it", ip);
        choice_ask_item(out, server, item);
    }
}

void choice_menu(const struct choice_facts *f, const struct answer *a,
                 bool (*good)(const struct answer *a), bool header_first,
                 struct choice *out)
{
    const struct answer_pxe *pxe = &a->pxe;
    char name[ANSWER_ITEM_TEXT * 4];
    struct ip4 server;
    if (pxe->items == 0) {
        choice_stop(out, "PXE-E21: Remote boot cancelled.",
                    ": it asks for a menu and has none");
        return;
    }
    const struct answer_item *item = &pxe->item_list[0];
    (void)text_show(item->text, strlen(item->text), name, sizeof name);
    choice_say(out, " (a menu of %u; nobody chooses, so \"%.60s\" is taken", pxe->items,
               name);
    if (item->type == 0) {
        choice_say(out, ": the disk)");
        out->step = CHOICE_LOCAL;
    } else if (!menu_server(pxe, item->type, &server)) {
        choice_stop(out, "",
                    "), for which it names no server: it would look for one by %s",
                    pxe->control & NO_MULTICAST ? "broadcast" : "multicast");
    } else if ((pxe->control & (NO_MULTICAST | NO_BROADCAST)) !=
               (NO_MULTICAST | NO_BROADCAST)) {
        choice_stop(
            out, "",
            "), which it would look for by %s, as option 43.6 allows that; that is "
            "not played here",
            pxe->control & NO_MULTICAST ? "broadcast" : "multicast");
    } else {
        choice_say(out, ")");
        ask_menu_server(f, server, good, header_first, item->type, out);
    }
}

/* -- all clients -------------------------------------------------------------------------- */

static void finish(struct choice *out)
{
    if (out->step == CHOICE_TFTP && out->file[0] == '\0') {
        choice_stop(out, "PXE-E53: No boot filename received.", ", but it names no file");
    } else if (out->step == CHOICE_TFTP && ip4_is_any(out->server)) {
        choice_stop(out, "", ", but no server for it");
    }
    if (out->step != CHOICE_ASK) {
        choice_say(out, ".");
    }
}

void choice_make(const struct choice_facts *f, struct choice *out)
{
    *out = (struct choice){.address = NO_ANSWER, .boot = NO_ANSWER};
    if (arch_is_http(f->arch)) {
        choice_of_http(f, out);
    } else {
        static void (*const choices[REQUEST_MANNERS])(const struct choice_facts *,
                                                      struct choice *) = {
            [REQUEST_EDK2] = choice_of_pxe,  [REQUEST_BIOS] = choice_of_pxe,
            [REQUEST_IPXE] = choice_of_ipxe, [REQUEST_UBOOT] = choice_of_uboot,
            [REQUEST_PI] = choice_of_pi,
        };
        choices[f->manner](f, out);
    }
    finish(out);
}
