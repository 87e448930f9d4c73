#include "dhcp/facts.h"

enum { SUB_CIRCUIT_ID = 1 };

static struct rd find(const struct dhcp_packet *in, enum dhcp_code code,
                      uint8_t buf[DHCP_OPTION_MAX])
{
    struct rd value = rd_nothing();
    (void)dhcp_find(in, code, buf, &value);
    return value;
}

/* RFC 3046 section 2.0: sub-options are options without PAD and END, which can be no code. */
static struct rd find_circuit_id(struct rd relay_agent)
{
    while (rd_left(&relay_agent) >= 2) {
        uint8_t code = rd_u8(&relay_agent);
        struct rd value = rd_sub(&relay_agent, rd_u8(&relay_agent));
        if (code == SUB_CIRCUIT_ID && rd_ok(&value)) {
            return value;
        }
    }
    return rd_nothing();
}

void dhcp_facts_read(const struct dhcp_packet *in, const struct pxe_request *client,
                     const char *interface, struct dhcp_facts *out)
{
    for (unsigned i = 0; i < client->arch_count; i++) {
        out->arch[i] = pxe_arch(client, i);
    }
    out->facts = (struct host_facts){
        .mac = dhcp_mac(in, &out->mac) ? &out->mac : NULL,
        .uuid = client->has_uuid ? client->uuid : NULL,
        .vendor_class = find(in, DHCP_VENDOR_CLASS, out->vendor_class),
        .user_classes = find(in, DHCP_USER_CLASS, out->user_classes),
        .circuit_id = find_circuit_id(find(in, DHCP_RELAY_AGENT, out->relay_agent)),
        .archs = out->arch,
        .arch_count = client->arch_count,
        .relay = in->giaddr,
        .interface = interface,
    };
}
