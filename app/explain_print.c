#include "app/explain_print.h"

#include <string.h>
#include <time.h>

#include "app/reasons.h"
#include "common/tell.h"
#include "common/text.h"
#include "dhcp/show.h"
#include "dhcp/v6_show.h"

#define DECODED_SIZE 16384
#define TIME_SIZE    40

static char *time_of(usec_t time, char buf[TIME_SIZE])
{
    time_t seconds = (time_t)(time / USEC_PER_SEC);
    struct tm tm;
    char day[24] = "";
    if (gmtime_r(&seconds, &tm)) {
        (void)strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
    }
    snprintf(buf, TIME_SIZE, "%s.%06uZ", day, (unsigned)(time % USEC_PER_SEC));
    return buf;
}

/* -- as text ------------------------------------------------------------------------------ */

static void print_heading(const struct explained *e, FILE *to)
{
    char when[TIME_SIZE];
    const struct dhcp_decision *d = e->decision;
    if (e->packet) {
        tell(to, "packet %llu, %s: ", (unsigned long long)e->packet,
             time_of(e->time, when));
    }
    tell(to, "%s of %s", e->message, e->who);
    if (d->has_arch && arch_name(d->arch)) {
        tell(to, ", %s%s", arch_name(d->arch), d->client.ipxe ? ", iPXE" : "");
    }
    tell(to, ", to port %u of %s (%s)\n", e->port, e->interface, e->address);
}

static void print_reasons(const struct explained *e, const char *heading,
                          const struct reasons *r, FILE *to)
{
    if (r->count > 0) {
        tell(to, "  %s\n", heading);
    }
    for (size_t i = 0; i < r->count; i++) {
        const struct reason *one = &r->list[i];
        if (one->line) {
            tell(to, "    %s:%u: %s\n", configuration_file(e->config, one->file),
                 (unsigned)one->line, one->text);
        } else {
            tell(to, "    %s\n", one->text);
        }
    }
}

static void print_hex(const uint8_t *octets, size_t len, FILE *to)
{
    for (size_t i = 0; i < len; i += 16) {
        tell(to, "    %04zx ", i);
        for (size_t n = i; n < i + 16 && n < len; n++) {
            tell(to, " %02x", octets[n]);
        }
        fputc('\n', to);
    }
}

static char *decode(const struct explained *e, const struct explained_reply *r,
                    char buf[DECODED_SIZE])
{
    if (e->ipv6) {
        dhcp6_show(r->octets, r->len, buf, DECODED_SIZE);
    } else {
        dhcp_show(r->octets, r->len, buf, DECODED_SIZE);
    }
    return buf;
}

static void print_reply(const struct explained *e, const struct explained_reply *r,
                        FILE *to)
{
    char decoded[DECODED_SIZE];
    tell(to,
         e->ipv6 ? "  reply from port %u to [%s]:%u, %zu octets\n"
                 : "  reply from port %u to %s:%u, %zu octets\n",
         r->from_port, r->to, r->to_port, r->len);
    (void)decode(e, r, decoded);
    for (const char *p = decoded; *p;) {
        int len = (int)strcspn(p, "\n");
        tell(to, "    %.*s\n", len, p);
        p += len + (p[len] == '\n');
    }
    print_hex(r->octets, r->len, to);
}

void explain_text(const struct explained *e, FILE *to)
{
    struct reasons reasons;
    const struct snapshot *s = e->config->snapshot;
    print_heading(e, to);
    tell(to, "  %s\n", e->sentence);
    reasons_rules(s, e->decision, &reasons);
    print_reasons(e, "because of", &reasons, to);
    reasons_warnings(s, &e->config->files, e->facts, e->decision, &reasons);
    print_reasons(e, "but", &reasons, to);
    for (unsigned i = 0; i < e->reply_count; i++) {
        print_reply(e, &e->reply[i], to);
    }
    fputc('\n', to);
}

/* -- as JSON ------------------------------------------------------------------------------ */

static json_t *json_reasons(const struct configuration *c, const struct reasons *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->count; i++) {
        (void)json_array_append_new(list,
                                    json_pack("{s:s, s:i, s:s, s:s}", "file",
                                              configuration_file(c, r->list[i].file),
                                              "line", (int)r->list[i].line, "rule",
                                              r->list[i].rule, "text", r->list[i].text));
    }
    return list;
}

static json_t *json_reply(const struct explained *e, const struct explained_reply *r)
{
    char decoded[DECODED_SIZE];
    char hex[2 * DHCP_MAX_LEN + 1] = "";
    struct text t = {hex, sizeof hex, 0};
    json_t *lines = json_array();
    text_say_hex(&t, r->octets, r->len, "");
    (void)decode(e, r, decoded);
    for (char *p = strtok(decoded, "\n"); p; p = strtok(NULL, "\n")) {
        (void)json_array_append_new(lines, json_string(p));
    }
    return json_pack("{s:s, s:i, s:i, s:i, s:s, s:o}", "to", r->to, "to_port", r->to_port,
                     "from_port", r->from_port, "length", (int)r->len, "hex", hex,
                     "decoded", lines);
}

static json_t *json_replies(const struct explained *e)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < e->reply_count; i++) {
        (void)json_array_append_new(list, json_reply(e, &e->reply[i]));
    }
    return list;
}

static json_t *json_of_client(const struct explained *e)
{
    char when[TIME_SIZE];
    const struct dhcp_decision *d = e->decision;
    json_t *packet = e->packet ? json_integer((json_int_t)e->packet) : json_null();
    return json_pack("{s:o, s:s?, s:s, s:s, s:s?, s:i}", "packet", packet, "time",
                     e->packet ? time_of(e->time, when) : NULL, "message", e->message,
                     "mac", e->who, "architecture",
                     d->has_arch ? arch_name(d->arch) : NULL, "port", e->port);
}

static json_t *json_of_decision(const struct explained *e)
{
    const struct dhcp_decision *d = e->decision;
    bool offer = d->verdict == DHCP_ANSWERED && d->form != OFFER_AUTO;
    return json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:i}", "verdict",
                     dhcp_verdict_name(d->verdict), "sentence", e->sentence, "form",
                     offer ? offer_form_name(d->form) : NULL, "file", d->file, "host",
                     d->host ? d->host->name : NULL, "profile",
                     d->profile ? d->profile->name : NULL, "delay_ms", (int)d->delay_ms);
}

json_t *explain_json(const struct explained *e)
{
    struct reasons reasons;
    const struct snapshot *s = e->config->snapshot;
    json_t *all = json_of_client(e);
    json_auto_t *decision = json_of_decision(e);
    (void)json_object_update(all, decision);
    reasons_rules(s, e->decision, &reasons);
    (void)json_object_set_new(all, "rules", json_reasons(e->config, &reasons));
    reasons_warnings(s, &e->config->files, e->facts, e->decision, &reasons);
    (void)json_object_set_new(all, "warnings", json_reasons(e->config, &reasons));
    (void)json_object_set_new(all, "replies", json_replies(e));
    return all;
}
