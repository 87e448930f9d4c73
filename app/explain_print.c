#include "app/explain_print.h"

#include <string.h>
#include <time.h>

#include "app/reasons.h"
#include "common/text.h"
#include "dhcp/show.h"

#define SENTENCE_SIZE 512
#define DECODED_SIZE  16384
#define TIME_SIZE     40

static char *client_of(const struct dhcp_packet *in, char buf[64])
{
    struct mac mac;
    size_t used = 0;
    if (dhcp_mac(in, &mac)) {
        return mac_print(&mac, buf);
    }
    buf[0] = '\0';
    for (unsigned i = 0; i < in->hlen; i++) {
        used += (size_t)snprintf(buf + used, 64 - used, "%s%02x", i ? ":" : "",
                                 in->chaddr[i]);
    }
    return buf;
}

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
    char who[64];
    char ip[IP4_TEXT];
    char when[TIME_SIZE];
    const struct dhcp_decision *d = e->decision;
    if (e->packet) {
        fprintf(to, "packet %llu, %s: ", (unsigned long long)e->packet,
                time_of(e->time, when));
    }
    fprintf(to, "%s of %s", dhcp_message_name(e->in->type), client_of(e->in, who));
    if (d->has_arch && arch_name(d->arch)) {
        fprintf(to, ", %s%s", arch_name(d->arch), d->client.ipxe ? ", iPXE" : "");
    }
    fprintf(to, ", to port %u of %s (%s)\n", e->at->port, e->interface,
            ip4_print(e->address, ip));
}

static void print_reasons(const struct explained *e, const char *heading,
                          const struct reasons *r, FILE *to)
{
    if (r->count > 0) {
        fprintf(to, "  %s\n", heading);
    }
    for (size_t i = 0; i < r->count; i++) {
        const struct reason *one = &r->list[i];
        if (one->line) {
            fprintf(to, "    %s:%u: %s\n", e->config->path, (unsigned)one->line,
                    one->text);
        } else {
            fprintf(to, "    %s\n", one->text);
        }
    }
}

static void print_hex(const uint8_t *octets, size_t len, FILE *to)
{
    for (size_t i = 0; i < len; i += 16) {
        fprintf(to, "    %04zx ", i);
        for (size_t n = i; n < i + 16 && n < len; n++) {
            fprintf(to, " %02x", octets[n]);
        }
        fputc('\n', to);
    }
}

static void print_reply(const struct dhcp_reply *r, FILE *to)
{
    char ip[IP4_TEXT];
    char decoded[DECODED_SIZE];
    fprintf(to, "  reply from port %u to %s:%u, %zu octets\n", r->from_port,
            ip4_print(r->to, ip), r->to_port, r->len);
    dhcp_show(r->packet, r->len, decoded, sizeof decoded);
    for (const char *p = decoded; *p;) {
        int len = (int)strcspn(p, "\n");
        fprintf(to, "    %.*s\n", len, p);
        p += len + (p[len] == '\n');
    }
    print_hex(r->packet, r->len, to);
}

void explain_text(const struct explained *e, FILE *to)
{
    char sentence[SENTENCE_SIZE];
    struct reasons reasons;
    const struct snapshot *s = e->config->snapshot;
    print_heading(e, to);
    fprintf(to, "  %s\n", reasons_verdict(e->decision, sentence, sizeof sentence));
    reasons_rules(s, e->in, e->decision, &reasons);
    print_reasons(e, "because of", &reasons, to);
    reasons_warnings(s, &e->config->files, e->in, e->decision, &reasons);
    print_reasons(e, "but", &reasons, to);
    for (unsigned i = 0; i < e->decision->reply_count; i++) {
        print_reply(&e->decision->reply[i], to);
    }
    fputc('\n', to);
}

/* -- as JSON ------------------------------------------------------------------------------ */

static json_t *json_reasons(const struct reasons *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->count; i++) {
        (void)json_array_append_new(
            list, json_pack("{s:i, s:s, s:s}", "line", (int)r->list[i].line, "rule",
                            r->list[i].rule, "text", r->list[i].text));
    }
    return list;
}

static json_t *json_reply(const struct dhcp_reply *r)
{
    char ip[IP4_TEXT];
    char decoded[DECODED_SIZE];
    char hex[2 * DHCP_MAX_LEN + 1] = "";
    json_t *lines = json_array();
    for (size_t i = 0; i < r->len; i++) {
        snprintf(hex + 2 * i, 3, "%02x", r->packet[i]);
    }
    dhcp_show(r->packet, r->len, decoded, sizeof decoded);
    for (char *p = strtok(decoded, "\n"); p; p = strtok(NULL, "\n")) {
        (void)json_array_append_new(lines, json_string(p));
    }
    return json_pack("{s:s, s:i, s:i, s:i, s:s, s:o}", "to", ip4_print(r->to, ip),
                     "to_port", r->to_port, "from_port", r->from_port, "length",
                     (int)r->len, "hex", hex, "decoded", lines);
}

static json_t *json_replies(const struct dhcp_decision *d)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < d->reply_count; i++) {
        (void)json_array_append_new(list, json_reply(&d->reply[i]));
    }
    return list;
}

static json_t *json_of_client(const struct explained *e)
{
    char who[64];
    char when[TIME_SIZE];
    const struct dhcp_decision *d = e->decision;
    json_t *packet = e->packet ? json_integer((json_int_t)e->packet) : json_null();
    return json_pack("{s:o, s:s?, s:s, s:s, s:s?, s:i}", "packet", packet, "time",
                     e->packet ? time_of(e->time, when) : NULL, "message",
                     dhcp_message_name(e->in->type), "mac", client_of(e->in, who),
                     "architecture", d->has_arch ? arch_name(d->arch) : NULL, "port",
                     e->at->port);
}

static json_t *json_of_decision(const struct dhcp_decision *d)
{
    char sentence[SENTENCE_SIZE];
    bool offer = d->verdict == DHCP_ANSWERED && d->type == DHCP_OFFER;
    return json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:i}", "verdict",
                     dhcp_verdict_name(d->verdict), "sentence",
                     reasons_verdict(d, sentence, sizeof sentence), "form",
                     offer ? offer_form_name(d->form) : NULL, "file", d->file, "host",
                     d->host ? d->host->name : NULL, "profile",
                     d->profile ? d->profile->name : NULL, "delay_ms", (int)d->delay_ms);
}

json_t *explain_json(const struct explained *e)
{
    struct reasons reasons;
    const struct snapshot *s = e->config->snapshot;
    json_t *all = json_of_client(e);
    json_auto_t *decision = json_of_decision(e->decision);
    (void)json_object_update(all, decision);
    reasons_rules(s, e->in, e->decision, &reasons);
    (void)json_object_set_new(all, "rules", json_reasons(&reasons));
    reasons_warnings(s, &e->config->files, e->in, e->decision, &reasons);
    (void)json_object_set_new(all, "warnings", json_reasons(&reasons));
    (void)json_object_set_new(all, "replies", json_replies(e->decision));
    return all;
}
