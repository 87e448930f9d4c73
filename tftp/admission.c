#include "tftp/admission.h"

#include <string.h>

const char *tftp_ignored_name(enum tftp_ignored why)
{
    static const char *const names[TFTP_IGNORED_COUNT] = {
        [TFTP_ADMITTED] = "admitted",
        [TFTP_NOT_REQUEST] = "not-a-request",
        [TFTP_SERVER_PORT] = "server-port",
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

static bool is_served(const struct tftp_doors *doors, unsigned ifindex)
{
    for (size_t i = 0; i < doors->count; i++) {
        if (doors->ifindex[i] == ifindex) {
            return true;
        }
    }
    return false;
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
    if (!is_served(doors, path->ifindex)) {
        return TFTP_OTHER_INTERFACE;
    }
    if (subnets_hold(allow->subnets.list, allow->subnets.count, &path->peer) ||
        (allow->attached && is_attached(doors, path))) {
        return TFTP_ADMITTED;
    }
    return TFTP_NOT_ALLOWED;
}
