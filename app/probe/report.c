#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "app/json.h"
#include "app/probe/probe.h"
#include "common/text.h"
#include "config/arch.h"

#define SHOWN 4 /* items of a menu */

/* -- words -------------------------------------------------------------------------------- */

static size_t put(char *buf, size_t size, size_t used, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static size_t put(char *buf, size_t size, size_t used, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = used < size ? vsnprintf(buf + used, size - used, fmt, ap) : 0;
    va_end(ap);
    return used + (size_t)(n > 0 ? n : 0);
}

static char *escaped(const char *text, char buf[160])
{
    return text_show(text, strlen(text), buf, 160);
}

static size_t put_menu(const struct answer *a, char *buf, size_t size, size_t used)
{
    char text[160];
    if (a->pxe.items == 0) {
        return used;
    }
    used = put(buf, size, used, ", a menu of %u", a->pxe.items);
    for (size_t i = 0; i < a->pxe.items && i < SHOWN; i++) {
        used = put(buf, size, used, "%s\"%s\"", i == 0 ? ": " : ", ",
                   escaped(a->pxe.item_list[i].text, text));
    }
    return put(buf, size, used, a->pxe.items > SHOWN ? ", ..." : "");
}

static size_t put_file(const struct answer *a, char *buf, size_t size, size_t used)
{
    char text[160];
    char ip[IP4_TEXT];
    const char *file = a->file[0] ? a->file : a->option_67;
    bool url = strstr(file, "://") != NULL;
    if (file[0]) {
        used = put(buf, size, used, ", names \"%s\"", escaped(file, text));
    }
    if (a->file[0] && a->has_option_67 && strcmp(a->file, a->option_67) != 0) {
        used =
            put(buf, size, used, " (option 67 says \"%s\")", escaped(a->option_67, text));
    }
    if (!url && !ip4_is_any(a->next_server)) {
        used = put(buf, size, used, "%s %s", file[0] ? " from" : ", next server",
                   ip4_print(a->next_server, ip));
    }
    return used;
}

char *probe_say(const struct answer *a, char *buf, size_t size)
{
    char ip[IP4_TEXT];
    size_t used = 0;
    buf[0] = '\0';
    used = a->at_4011 ? put(buf, size, used, ", answers on port 4011") : used;
    if (!ip4_is_any(a->address)) {
        used = put(buf, size, used, ", gives the address %s", ip4_print(a->address, ip));
    }
    if (a->is_pxe || a->is_http) {
        used = put(buf, size, used, ", serves %s", a->is_pxe ? "PXE" : "HTTP Boot");
    }
    used = put_file(a, buf, size, used);
    used = put_menu(a, buf, size, used);
    if (a->is_pxe && !a->pxe.rules && !a->at_4011) {
        used = put(buf, size, used, ", is to be asked on port 4011");
    }
    if (a->no_proxy) {
        used = put(buf, size, used, ", tells iPXE to look at no proxy (option 175.176)");
    }
    if (used == 0) {
        (void)put(buf, size, used, ", says nothing of booting");
    }
    memmove(buf, buf + 2, strlen(buf + 2) + 1); /* the first comma */
    return buf;
}

static char *milliseconds(usec_t time, char buf[24])
{
    snprintf(buf, 24, "%.1f ms", (double)time / 1e3);
    return buf;
}

static double rate_of(const struct download *d)
{
    return d->took > 0 ? (double)d->octets * 1e6 / (double)d->took : 0;
}

static const char *arch_text(uint16_t arch, char buf[16])
{
    const char *name = arch_name(arch);
    snprintf(buf, 16, "%u", arch);
    return name ? name : buf;
}

/* -- as text ------------------------------------------------------------------------------ */

static void print_answer(const struct probe *p, size_t i, const struct terminal *t)
{
    const struct answer *a = &p->facts.answer[i];
    char ip[IP4_TEXT];
    char mac[MAC_TEXT] = "";
    char after[24];
    char says[900];
    static const struct mac nobody;
    if (!mac_equal(&a->mac, &nobody)) {
        (void)mac_print(&a->mac, mac);
    }
    printf("  %-15s  %-17s  %10s  %s", ip4_print(answer_server(a), ip), mac,
           milliseconds(a->after, after), probe_say(a, says, sizeof says));
    if (a->count > 1) {
        printf(" (%u times)", a->count);
    }
    putchar('\n');
    if (p->choice.passed[i]) {
        printf("  %-15s  %spassed over: it %s%s\n", "", terminal_tone(t, TONE_WARN),
               p->choice.passed[i], terminal_tone(t, TONE_PLAIN));
    }
}

static void print_file(const struct probe *p)
{
    const struct download *d = &p->download;
    char what[128];
    char octets[16];
    char rate[16];
    char text[160];
    char first[24];
    char rtt[24];
    printf("\nfile\n  \"%s\": %s, %s\n  sha256 %s\n", escaped(p->file, text),
           text_bytes(d->octets, octets, sizeof octets),
           bootfile_describe(&d->what, what, sizeof what), d->sha256);
    printf("  %.2f s, %s/s, first octet after %s", (double)d->took / 1e6,
           text_bytes((uint64_t)rate_of(d), rate, sizeof rate),
           milliseconds(d->first_byte, first));
    if (d->block > 0) {
        printf(", round trip %s\n  blocks of %u octets, window %u; %" PRIu64
               " came again, %" PRIu64 " behind a gap, %" PRIu64 " requests repeated",
               d->rtt > 0 ? milliseconds(d->rtt, rtt) : "not known", d->block, d->window,
               d->repeated, d->early, d->resent);
    }
    putchar('\n');
}

static void print_head(const struct probe *p)
{
    const struct request_terms *c = &p->terms->client;
    char ip[IP4_TEXT];
    char mac[MAC_TEXT];
    char arch[16];
    printf("%s, %s, %s, on %s (%s)\n\nanswers to %u DISCOVER%s\n", p->terms->profile,
           arch_text(c->arch, arch), mac_print(&c->mac, mac), p->terms->interface,
           ip4_is_any(p->exchange.address) ? "no address"
                                           : ip4_print(p->exchange.address, ip),
           p->exchange.sent, p->exchange.sent == 1 ? "" : "s");
}

static void print_lease(const struct probe *p)
{
    char after[24];
    if (p->leased != 0) {
        printf("\nlease\n  %s after %s%s\n", dhcp_message_name(p->leased),
               milliseconds(p->lease.after, after),
               p->leased == DHCP_ACK ? "; given back" : "");
    }
}

void probe_print(const struct probe *p, const struct terminal *t)
{
    print_head(p);
    for (size_t i = 0; i < p->facts.count; i++) {
        print_answer(p, i, t);
    }
    if (p->facts.count == 0) {
        printf("  none\n");
    }
    if (p->exchange.unread > 0) {
        printf("  %u that are no DHCP messages\n", p->exchange.unread);
    }
    print_lease(p);
    if (p->download.done) {
        print_file(p);
    }
    printf("\n%s%s%s\n  %s\n", terminal_tone(t, p->boots ? TONE_GOOD : TONE_BAD),
           p->boots ? "it would boot" : "it would not boot", terminal_tone(t, TONE_PLAIN),
           p->sentence);
    if (p->screen[0]) {
        printf("  On its screen: %s\n", p->screen);
    }
}

/* -- as JSON ------------------------------------------------------------------------------ */

static json_t *text_or_null(const char *text)
{
    char buf[ANSWER_TEXT * 4 + 8];
    return text[0] ? json_string(text_show(text, strlen(text), buf, sizeof buf))
                   : json_null();
}

static json_t *ip_or_null(struct ip4 ip)
{
    char text[IP4_TEXT];
    return ip4_is_any(ip) ? json_null() : json_string(ip4_print(ip, text));
}

static json_t *seconds(usec_t time)
{
    return json_real((double)time / 1e6);
}

static json_t *json_menu(const struct answer *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->pxe.items; i++) {
        const struct answer_item *item = &a->pxe.item_list[i];
        (void)json_array_append_new(list, json_pack("{s:i, s:o}", "type", (int)item->type,
                                                    "name", text_or_null(item->text)));
    }
    return list;
}

static json_t *json_answer(const struct probe *p, size_t i)
{
    static const char *const kinds[] = {
        [ANSWER_ADDRESS] = "address", [ANSWER_PROXY] = "proxy", [ANSWER_BOTH] = "both"};
    const struct answer *a = &p->facts.answer[i];
    char mac[MAC_TEXT];
    static const struct mac nobody;
    return json_pack("{s:o, s:o, s:i, s:s?, s:o, s:i, s:s, s:s, s:b, s:o, s:o, s:o, s:o, "
                     "s:s?, s:o, s:s?}",
                     "server", ip_or_null(answer_server(a)), "from", ip_or_null(a->from),
                     "port", (int)a->from_port, "mac",
                     mac_equal(&a->mac, &nobody) ? NULL : mac_print(&a->mac, mac),
                     "after", seconds(a->after), "count", (int)a->count, "message",
                     dhcp_message_name(a->type), "kind", kinds[answer_kind(a)], "at_4011",
                     a->at_4011, "address", ip_or_null(a->address), "next_server",
                     ip_or_null(a->next_server), "file", text_or_null(a->file),
                     "option_67", text_or_null(a->option_67), "serves",
                     a->is_pxe    ? "pxe"
                     : a->is_http ? "http"
                                  : NULL,
                     "menu", json_menu(a), "passed_over", p->choice.passed[i]);
}

static json_t *json_choice(const struct choice *c)
{
    static const char *const steps[] = {
        [CHOICE_NOTHING] = "nothing", [CHOICE_LOCAL] = "local", [CHOICE_ASK] = "ask",
        [CHOICE_TFTP] = "tftp",       [CHOICE_URL] = "url",
    };
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:s}", "step", steps[c->step], "server",
        ip_or_null(c->server), "file", text_or_null(c->file), "address_from",
        c->address == NO_ANSWER ? json_null() : json_integer((json_int_t)c->address),
        "boot_from",
        c->boot == NO_ANSWER ? json_null() : json_integer((json_int_t)c->boot), "why",
        c->why);
}

static json_t *json_download(const struct probe *p)
{
    const struct download *d = &p->download;
    if (!p->downloaded) {
        return json_null();
    }
    json_t *all = json_pack("{s:o, s:b, s:o}", "file", text_or_null(p->file), "whole",
                            d->done, "fault", text_or_null(d->fault));
    if (d->done) {
        (void)json_object_update_new(
            all, json_pack("{s:I, s:s, s:s, s:b, s:b, s:o, s:f, s:o, s:o}", "size",
                           (json_int_t)d->octets, "sha256", d->sha256, "kind",
                           bootfile_kind_name(d->what.kind), "fits", p->fits, "signed",
                           d->what.is_signed, "seconds", seconds(d->took), "rate",
                           rate_of(d), "first_byte", seconds(d->first_byte), "round_trip",
                           d->rtt > 0 ? seconds(d->rtt) : json_null()));
    }
    if (d->block > 0) {
        (void)json_object_update_new(
            all, json_pack("{s:i, s:i, s:I, s:I, s:I}", "block", (int)d->block, "window",
                           (int)d->window, "repeated", (json_int_t)d->repeated, "early",
                           (json_int_t)d->early, "resent", (json_int_t)d->resent));
    }
    return all;
}

bool probe_print_json(const struct probe *p)
{
    const struct request_terms *c = &p->terms->client;
    char mac[MAC_TEXT];
    char arch[16];
    json_t *answers = json_array();
    for (size_t i = 0; i < p->facts.count; i++) {
        (void)json_array_append_new(answers, json_answer(p, i));
    }
    return json_print(json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:s?, s:o, s:b, s:s, s:o}",
        "interface", p->terms->interface, "address", ip_or_null(p->exchange.address),
        "profile", p->terms->profile, "architecture", arch_text(c->arch, arch), "mac",
        mac_print(&c->mac, mac), "discovers", (int)p->exchange.sent, "unread",
        (int)p->exchange.unread, "answers", answers, "choice", json_choice(&p->choice),
        "lease", p->leased == 0 ? NULL : dhcp_message_name(p->leased), "download",
        json_download(p), "boots", p->boots, "sentence", p->sentence, "screen",
        text_or_null(p->screen)));
}
