#include "app/explain_v4.h"

#include <stdlib.h>

#include "app/reasons.h"
#include "common/text.h"
#include "dhcp/facts.h"
#include "dhcp/ladder.h"

struct explain4 {
    const struct configuration *config;
    const char *interface;
    struct ip4 address;
    struct ladder ladder;
    struct dhcp_decision decision;
    struct dhcp_facts known;
};

struct explain4 *explain4_new(const struct configuration *config, const char *interface,
                              struct ip4 address)
{
    struct explain4 *e = calloc(1, sizeof *e);
    if (e) {
        e->config = config;
        e->interface = interface;
        e->address = address;
    }
    return e;
}

void explain4_free(struct explain4 *e)
{
    free(e);
}

bool explain_has_file(void *context, const char *file)
{
    const struct configuration *c = context;
    const struct boot_file *b = boot_files_find(&c->files, file, ARCH_ANY, NULL);
    return !b || b->state != BOOT_FILE_MISSING;
}

static void print_client(const struct dhcp_packet *in, char *buf, size_t size)
{
    struct mac mac;
    struct text t = {buf, size, 0};
    if (dhcp_mac(in, &mac)) {
        (void)mac_print(&mac, buf);
        return;
    }
    buf[0] = '\0';
    text_say_hex(&t, in->chaddr, in->hlen, ":");
}

static void tell_replies(const struct dhcp_decision *d, struct explained *out)
{
    out->reply_count = d->reply_count;
    for (unsigned i = 0; i < d->reply_count; i++) {
        const struct dhcp_reply *r = &d->reply[i];
        out->reply[i] = (struct explained_reply){.to_port = r->to_port,
                                                 .from_port = r->from_port,
                                                 .octets = r->packet,
                                                 .len = r->len};
        (void)ip4_print(r->to, out->reply[i].to);
    }
}

bool explain4_judge(struct explain4 *e, const struct dhcp_arrival *at, struct rd payload,
                    usec_t now, struct explained *out)
{
    const struct snapshot *s = e->config->snapshot;
    struct dhcp_packet in;
    if (dhcp_parse(payload.p, rd_left(&payload), &in) != DHCP_OK ||
        in.op != BOOTREQUEST) {
        return false;
    }
    struct dhcp_site site = {.config = s,
                             .address = e->address,
                             .has_file = serves_files(s) ? explain_has_file : NULL,
                             .context = (void *)e->config,
                             .interface = e->interface};
    (void)ladder_decide(&e->ladder, &site, at, &in, now, &e->decision);
    dhcp_facts_read(&in, &e->decision.client, NULL, &e->known);
    *out = (struct explained){
        .config = e->config,
        .interface = e->interface,
        .port = at->port,
        .message = dhcp_message_name(in.type),
        .facts = &e->known.facts,
        .decision = &e->decision,
    };
    (void)ip4_print(e->address, out->address);
    print_client(&in, out->who, sizeof out->who);
    (void)reasons_verdict(&e->decision, out->sentence, sizeof out->sentence);
    tell_replies(&e->decision, out);
    return true;
}

void explain4_loads(struct explain4 *e, const struct mac *mac, usec_t now)
{
    ladder_loads(&e->ladder, mac, now);
}
