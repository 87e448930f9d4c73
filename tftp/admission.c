#include "tftp/admission.h"

#include <string.h>

const char *tftp_ignored_name(enum tftp_ignored why)
{
    static const char *const names[TFTP_IGNORED_COUNT] = {
        [TFTP_ADMITTED] = "admitted",
        [TFTP_NOT_REQUEST] = "not-a-request",
        [TFTP_SERVER_PORT] = "server-port",
        [TFTP_NOT_A_HOST] = "not-a-host",
        [TFTP_OTHER_INTERFACE] = "other-interface",
        [TFTP_NOT_ALLOWED] = "not-allowed",
        [TFTP_TOO_MANY] = "too-many-requests",
        [TFTP_ERROR_WITHHELD] = "error-withheld",
        [TFTP_MALFORMED] = "malformed",
        [TFTP_UNKNOWN_TRANSFER] = "unknown-transfer",
    };
    return names[why];
}

static bool is_server_port(uint16_t port)
{
    return port == 0 || port == 67 || port == 69 || port == 4011;
}

/* doors->count: by none. */
static size_t door_of(const struct tftp_doors *doors, unsigned ifindex)
{
    size_t i = 0;
    while (i < doors->count && doors->ifindex[i] != ifindex) {
        i++;
    }
    return i;
}

/* IPv4: 20 + 8 + 4 octets of headers; IPv6: 40 + 8 + 4. */
uint32_t tftp_block_most(const struct tftp_doors *doors, const struct net_path *path)
{
    uint32_t headers = endpoint_is_ip4(&path->peer) ? 32 : 52;
    size_t door = door_of(doors, path->ifindex);
    uint32_t mtu = door < doors->count ? doors->mtu[door] : 0;
    return mtu > headers + 8 ? mtu - headers : UINT32_MAX;
}

static bool is_attached(const struct tftp_doors *doors, const struct net_path *path)
{
    struct ip6 ip;
    memcpy(ip.octet, path->peer.ip, sizeof ip.octet);
    return path->ifindex == doors->loopback || ip6_is_link_local(&ip) ||
           subnets_hold(doors->attached, doors->attached_count, &path->peer);
}

enum tftp_ignored tftp_admit(const struct tftp_doors *doors,
                             const struct tftp_allow *allow, const struct net_path *path)
{
    if (is_server_port(path->peer.port)) {
        return TFTP_SERVER_PORT;
    }
    if (!endpoint_may_ask(&path->peer, &path->local) ||
        subnets_broadcast(doors->attached, doors->attached_count, &path->peer)) {
        return TFTP_NOT_A_HOST;
    }
    if (door_of(doors, path->ifindex) == doors->count) {
        return TFTP_OTHER_INTERFACE;
    }
    if (subnets_hold(allow->subnets.list, allow->subnets.count, &path->peer) ||
        (allow->attached && is_attached(doors, path))) {
        return TFTP_ADMITTED;
    }
    return TFTP_NOT_ALLOWED;
}
