#include "dhcp/watch.h"

void dhcp_watch_message(const struct dhcp_hooks *hooks, const struct dhcp_packet *in,
                        const struct seen_packet *packet, bool boots)
{
    struct seen_client who = {.has_mac = true};
    if (hooks->packet && dhcp_mac(in, &who.mac)) {
        hooks->packet(hooks->context, &who, packet, boots);
    }
}

void dhcp_watch_passing(const struct dhcp_hooks *hooks, const struct mac *from,
                        const struct seen_packet *packet)
{
    struct seen_client who = {.has_mac = true, .mac = *from};
    if (hooks->packet) {
        hooks->packet(hooks->context, &who, packet, false);
    }
}

void dhcp_watch_reply(const struct dhcp_hooks *hooks, const struct dhcp_watch_reply *r)
{
    struct seen_client who = {.has_mac = true};
    const struct seen_packet packet = {
        .from = endpoint_ip4(r->us, r->reply->from_port),
        .to = endpoint_ip4(r->reply->to, r->reply->to_port),
        .sent = true,
        .us = r->our_mac,
        .head = r->reply->packet,
        .head_len = r->reply->len,
    };
    if (hooks->packet) {
        memcpy(who.mac.octet, r->chaddr, sizeof who.mac.octet);
        hooks->packet(hooks->context, &who, &packet, false);
    }
}

struct seen_packet dhcp_watch_datagram(const struct net_dgram *d, uint16_t port)
{
    struct seen_packet packet = {
        .from = d->path.peer, .to = d->path.local, .head = d->data, .head_len = d->len};
    packet.to.port = port;
    return packet;
}
