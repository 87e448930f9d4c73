#include "dhcp/verdict.h"

const char *dhcp_verdict_name(enum dhcp_verdict verdict)
{
    static const char *const names[DHCP_VERDICT_COUNT] = {
        [DHCP_ANSWERED] = "answered",         [DHCP_A_REPLY] = "a-reply",
        [DHCP_NOT_OURS] = "not-ours",         [DHCP_NOT_PXE] = "not-pxe",
        [DHCP_OTHER_SERVER] = "other-server", [DHCP_NO_ARCH] = "no-arch",
        [DHCP_UNKNOWN_ARCH] = "unknown-arch", [DHCP_HOST_IGNORED] = "host-ignored",
        [DHCP_HOST_LOCAL] = "host-local",     [DHCP_UNKNOWN_HOST] = "unknown-host",
        [DHCP_HOST_HELD] = "host-held",       [DHCP_HOST_DONE] = "host-done",
        [DHCP_NO_FILE] = "no-file",           [DHCP_FILE_MISSING] = "file-missing",
        [DHCP_NO_ITEM] = "no-item",           [DHCP_TOO_EARLY] = "too-early",
        [DHCP_TOO_LARGE] = "too-large",       [DHCP_NO_CLIENT_ID] = "no-client-id",
        [DHCP_IPV4_ONLY] = "ipv4-only",       [DHCP_NO_ADDRESS] = "no-address",
    };
    return names[verdict];
}

const char *dhcp_dropped_name(enum dhcp_dropped why)
{
    static const char *const names[DHCP_DROPPED_COUNT] = {
        [DHCP_DROPPED_REPEAT] = "repeat",
        [DHCP_DROPPED_CROWDED] = "crowded",
        [DHCP_DROPPED_OTHER_INTERFACE] = "other-interface",
        [DHCP_DROPPED_PORT_0] = "port-0",
        [DHCP_DROPPED_NOT_A_HOST] = "not-a-host",
        [DHCP_DROPPED_UNRESOLVED] = "unresolved",
        [DHCP_DROPPED_TOO_LONG] = "too-long",
        [DHCP_DROPPED_NO_DUID] = "no-duid",
    };
    return names[why];
}
