#include "dhcp/sighting.h"

static struct ip4 claimed_address(const struct dhcp_packet *in,
                                  const struct dhcp_arrival *at)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd wanted;
    struct ip4 ip = in->ciaddr;
    if (dhcp_find(in, DHCP_REQUESTED_ADDRESS, buf, &wanted) &&
        rd_left(&wanted) == sizeof ip.octet) {
        memcpy(ip.octet, wanted.p, sizeof ip.octet);
    } else if (ip4_is_any(ip) && at->port == DHCP_PXE_PORT) {
        ip = at->from;
    }
    return ip;
}

bool dhcp_sighting(const struct dhcp_packet *in, const struct dhcp_arrival *at,
                   const struct pxe_request *client, struct ip4 *address,
                   struct machine *out)
{
    struct machine m = {
        .has_uuid = client->has_uuid,
        .has_arch = client->arch_count > 0,
        .arch = client->arch[0],
        .ipxe = client->ipxe,
    };
    if (in->op != BOOTREQUEST || (in->type != DHCP_REQUEST && in->type != DHCP_INFORM) ||
        !dhcp_mac(in, &m.mac)) {
        return false;
    }
    struct ip4 ip = claimed_address(in, at);
    if (ip4_is_any(ip) || ip4_equal(ip, IP4_BROADCAST)) {
        return false;
    }
    memcpy(m.uuid, client->uuid, sizeof m.uuid);
    *address = ip;
    *out = m;
    return true;
}
