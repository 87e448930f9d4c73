#include "dhcp/admission.h"

static bool names_us(const struct dhcp_packet *in, struct ip4 us, bool *named)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd id;
    *named = dhcp_find(in, DHCP_SERVER_ID, buf, &id);
    struct ip4 server = IP4_ANY;
    if (*named && rd_left(&id) == sizeof server.octet) {
        memcpy(server.octet, id.p, sizeof server.octet);
    }
    return *named && ip4_equal(server, us);
}

/*
 * Port 67: a DISCOVER is answered; a REQUEST only when it names us and wants no address, or
 * names nobody and asks for a boot item.  Anything else there is talk with the address
 * server, and an answer from us could race its ACK.  That server may run on this host: then
 * option 54 is our own address, and only option 50 tells that its lease is meant.
 */
static enum dhcp_verdict admit_67(const struct dhcp_packet *in, struct ip4 us,
                                  const struct pxe_request *client)
{
    bool named;
    bool ours = names_us(in, us, &named);
    if (in->type == DHCP_DISCOVER) {
        return DHCP_ANSWERED;
    }
    if (in->type != DHCP_REQUEST) {
        return DHCP_NOT_OURS;
    }
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd wanted;
    bool for_lease = dhcp_find(in, DHCP_REQUESTED_ADDRESS, buf, &wanted);
    return (ours && !for_lease) || (!named && client->has_item) ? DHCP_ANSWERED
                                                                : DHCP_OTHER_SERVER;
}

static enum dhcp_verdict admit_4011(const struct dhcp_packet *in, struct ip4 us)
{
    bool named;
    bool ours = names_us(in, us, &named);
    if (in->type != DHCP_REQUEST && in->type != DHCP_INFORM) {
        return DHCP_NOT_OURS;
    }
    return ours || !named ? DHCP_ANSWERED : DHCP_OTHER_SERVER;
}

enum dhcp_verdict dhcp_admit(const struct dhcp_packet *in, uint16_t port, struct ip4 us,
                             const struct pxe_request *client)
{
    if (in->op != BOOTREQUEST) {
        return DHCP_A_REPLY;
    }
    if (client->class == PXE_NO_CLIENT) {
        return DHCP_NOT_PXE;
    }
    return port == DHCP_PXE_PORT ? admit_4011(in, us) : admit_67(in, us, client);
}
