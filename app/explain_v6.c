#include "app/explain_v6.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/explain_v4.h"
#include "app/reasons.h"
#include "common/text.h"
#include "dhcp/v6_clients.h"
#include "dhcp/v6_link.h"

struct explain6 {
    const struct configuration *config;
    const char *interface;
    struct ip6 address[LINK6_ADDRESSES_MAX];
    size_t address_count;
    uint8_t duid[DHCP6_DUID_LEN];
    struct clients6 clients;
    struct dhcp6_decision decision;
    struct host_facts facts;
};

/* RFC 3849: addresses for documentation; said when the interface has none here. */
static const struct ip6 stand_in = {{0x20, 0x01, 0x0d, 0xb8, [15] = 1}};

struct explain6 *explain6_new(const struct configuration *config, const char *interface)
{
    struct link6 link;
    struct mac mac = {{2, 0, 0, 0, 0, 1}};
    struct explain6 *e = calloc(1, sizeof *e);
    if (!e) {
        return NULL;
    }
    e->config = config;
    e->interface = interface;
    if (link6_read(interface, &link) == 0 && link.address_count > 0) {
        memcpy(e->address, link.address, sizeof e->address);
        e->address_count = link.address_count;
        mac = link.has_mac ? link.mac : mac;
    } else {
        e->address[e->address_count++] = stand_in;
    }
    dhcp6_duid(&mac, e->duid);
    return e;
}

void explain6_free(struct explain6 *e)
{
    free(e);
}

/* The MAC, or else the identifier that the client gives itself. */
static void print_client(const struct dhcp6_packet *in, const struct dhcp6_decision *d,
                         char *buf, size_t size)
{
    struct rd duid = rd_nothing();
    struct text t = {buf, size, 0};
    if (d->has_mac) {
        (void)mac_print(&d->mac, buf);
        return;
    }
    buf[0] = '\0';
    (void)dhcp6_find(in->options, DHCP6_CLIENT_ID, &duid);
    text_say_hex(&t, duid.p, rd_left(&duid), ":");
}

static void tell_verdict(const struct dhcp6_decision *d, struct explained *out)
{
    char url[DHCP6_URL_MAX];
    if (d->gate.verdict != DHCP_ANSWERED) {
        (void)reasons_verdict(&d->gate, out->sentence, sizeof out->sentence);
        return;
    }
    snprintf(url, sizeof url, "%s", d->url);
    snprintf(out->sentence, sizeof out->sentence, "answered with %s %s: %s",
             d->type == DHCP6_ADVERTISE ? "an" : "a",
             dhcp6_message_name((uint8_t)d->type), url);
}

static void tell_reply(const struct dhcp6_arrival *at, const struct dhcp6_decision *d,
                       struct explained *out)
{
    out->reply_count = d->gate.verdict == DHCP_ANSWERED;
    out->reply[0] = (struct explained_reply){.to_port = d->reply.to_port,
                                             .from_port = at->port,
                                             .octets = d->reply.packet,
                                             .len = d->reply.len};
    (void)ip6_print(&at->from, out->reply[0].to);
}

bool explain6_judge(struct explain6 *e, const struct dhcp6_arrival *at, struct rd payload,
                    usec_t now, struct explained *out)
{
    const struct snapshot *s = e->config->snapshot;
    struct dhcp6_packet in;
    struct dhcp6_arrival arrival = *at;
    if (dhcp6_parse(payload.p, rd_left(&payload), &in) != DHCP6_OK) {
        return false;
    }
    struct dhcp6_site site = {.config = s,
                              .address = e->address,
                              .address_count = e->address_count,
                              .has_file = serves_files(s) ? explain_has_file : NULL,
                              .context = (void *)e->config,
                              .interface = e->interface};
    memcpy(site.duid, e->duid, sizeof site.duid);
    struct dhcp6_decision *d = &e->decision;
    if (clients6_decide(&e->clients, &site, &arrival, &in, now, d) == DHCP_A_REPLY) {
        return false;
    }
    e->facts = dhcp6_facts(&site, &in, d);
    *out = (struct explained){
        .config = e->config,
        .interface = e->interface,
        .ipv6 = true,
        .port = at->port,
        .message = dhcp6_message_name(in.type),
        .facts = &e->facts,
        .decision = &d->gate,
    };
    (void)ip6_print(&e->address[0], out->address);
    print_client(&in, d, out->who, sizeof out->who);
    tell_verdict(d, out);
    tell_reply(at, d, out);
    return true;
}
