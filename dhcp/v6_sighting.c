#include "dhcp/v6_sighting.h"

#define IA_NA_HEADER_LEN 12 /* IAID, T1, T2; options follow */

/* The first address of the first lease. */
static bool leased_address(const struct dhcp6_packet *in, struct ip6 *out)
{
    struct rd lease;
    struct rd address;
    if (in->type != DHCP6_REQUEST || !dhcp6_find(in->options, DHCP6_IA_NA, &lease)) {
        return false;
    }
    (void)rd_take(&lease, IA_NA_HEADER_LEN);
    if (!rd_ok(&lease) || !dhcp6_find(lease, DHCP6_IA_ADDRESS, &address)) {
        return false;
    }
    const uint8_t *ip = rd_take(&address, sizeof out->octet);
    if (ip) {
        memcpy(out->octet, ip, sizeof out->octet);
    }
    return ip != NULL;
}

static bool is_one_machines(const struct ip6 *ip)
{
    return !ip6_is_any(ip) && !ip6_is_multicast(ip);
}

bool dhcp6_sighting(const struct dhcp6_packet *in, const struct dhcp6_arrival *at,
                    const struct dhcp6_decision *d, struct ip6 *address,
                    struct machine *out)
{
    struct ip6 ip = at->from;
    const struct pxe_request *client = &d->gate.client;
    bool leased = leased_address(in, &ip);
    if (!d->has_mac || d->gate.verdict == DHCP_A_REPLY || !is_one_machines(&ip) ||
        (in->relay_count > 0 && !leased)) { /* the source is the relay's */
        return false;
    }
    *address = ip;
    *out = (struct machine){
        .mac = d->mac,
        .has_uuid = client->has_uuid,
        .has_arch = client->arch_count > 0,
        .arch = client->arch[0],
        .ipxe = client->ipxe,
    };
    memcpy(out->uuid, client->uuid, sizeof out->uuid);
    return true;
}
