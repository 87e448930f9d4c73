#include "dhcp/identity.h"

#include <string.h>

void identity_add(struct identity *id, struct ip4 ip, struct ip4 mask)
{
    if (id->count < IDENTITY_ADDRESSES_MAX) {
        id->list[id->count].ip = ip;
        id->list[id->count].mask = mask;
        id->count++;
    }
}

/* All host bits set; a net of one or two addresses (RFC 3021) has no such address. */
static bool is_broadcast(struct ip4 to, struct ip4 ip, struct ip4 mask)
{
    for (size_t i = 0; i < sizeof ip.octet; i++) {
        if (to.octet[i] != (ip.octet[i] | (uint8_t)~mask.octet[i])) {
            return false;
        }
    }
    return mask.octet[3] < 254;
}

bool identity_answers(const struct identity *id, struct ip4 to, struct ip4 *us)
{
    if (ip4_is_any(id->offered)) {
        return false;
    }
    bool group = ip4_equal(to, IP4_BROADCAST);
    for (size_t i = 0; i < id->count; i++) {
        if (ip4_equal(id->list[i].ip, to)) {
            *us = to;
            return true;
        }
        group = group || is_broadcast(to, id->list[i].ip, id->list[i].mask);
    }
    if (group) {
        *us = id->offered;
    }
    return group;
}

bool identity_is_broadcast(const struct identity *id, struct ip4 ip)
{
    bool found = false;
    for (size_t i = 0; i < id->count; i++) {
        found = found || is_broadcast(ip, id->list[i].ip, id->list[i].mask);
    }
    return found;
}

static bool is_of_containers(struct ip4 ip, struct ip4 mask)
{
    static const struct ip4 sixteen = {{255, 255, 0, 0}};
    bool docker = ip.octet[0] == 172 && (ip.octet[1] & 0xf0) == 16;
    bool podman = ip.octet[0] == 10 && ip.octet[1] == 88;
    return ip4_equal(mask, sixteen) && (docker || podman);
}

bool identity_is_of_containers(const struct identity *id)
{
    for (size_t i = 0; i < id->count; i++) {
        if (ip4_equal(id->list[i].ip, id->offered)) {
            return is_of_containers(id->list[i].ip, id->list[i].mask);
        }
    }
    return false;
}
