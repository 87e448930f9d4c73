#include "dhcp/traffic.h"

#include <string.h>

#include "config/arch.h"

static enum traffic_arch arch_of(const struct dhcp_decision *d)
{
    const char *name = d->has_arch ? arch_name(d->arch) : NULL;
    if (d->client.ipxe) {
        return TRAFFIC_IPXE;
    }
    if (!d->has_arch) {
        return TRAFFIC_NO_ARCH;
    }
    if (arch_is_http(d->arch)) {
        return TRAFFIC_HTTP;
    }
    if (d->arch == ARCH_X86_BIOS) {
        return TRAFFIC_BIOS;
    }
    bool uefi = d->arch == ARCH_EBC || (name && strstr(name, "-uefi") != NULL);
    return uefi ? TRAFFIC_UEFI : TRAFFIC_OTHER_ARCH;
}

void traffic_count_request(struct traffic *t, enum traffic_message message,
                           const struct dhcp_decision *d)
{
    t->packets[message][arch_of(d)]++;
}

const char *traffic_message_name(enum traffic_message message)
{
    static const char *const names[TRAFFIC_MESSAGE_COUNT] = {
        [TRAFFIC_DISCOVER] = "discover",   [TRAFFIC_SOLICIT] = "solicit",
        [TRAFFIC_REQUEST] = "request",     [TRAFFIC_INFORMATION] = "information-request",
        [TRAFFIC_OTHER_MESSAGE] = "other",
    };
    return names[message];
}

const char *traffic_arch_name(enum traffic_arch arch)
{
    static const char *const names[TRAFFIC_ARCH_COUNT] = {
        [TRAFFIC_NO_ARCH] = "none", [TRAFFIC_IPXE] = "ipxe",
        [TRAFFIC_BIOS] = "bios",    [TRAFFIC_UEFI] = "uefi",
        [TRAFFIC_HTTP] = "http",    [TRAFFIC_OTHER_ARCH] = "other",
    };
    return names[arch];
}
