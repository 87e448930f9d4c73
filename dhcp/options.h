/*
 * dhcp/options: what we know of each DHCP option, and a walk over them.
 *
 * Spec: RFC 2132 (options), RFC 3396 (split ones), RFC 4578 section 2 (93, 94, 97),
 * RFC 3004 (77), RFC 3046 (82).
 * Ownership: values are views into the packet.  Pure.
 */
#ifndef DHCP_OPTIONS_H
#define DHCP_OPTIONS_H

#include "common/bytes.h"

enum dhcp_code {
    DHCP_PAD = 0,
    DHCP_VENDOR_SPECIFIC = 43,
    DHCP_REQUESTED_ADDRESS = 50,
    DHCP_OVERLOAD = 52,
    DHCP_MSG_TYPE = 53,
    DHCP_SERVER_ID = 54,
    DHCP_MAX_SIZE = 57,
    DHCP_VENDOR_CLASS = 60,
    DHCP_TFTP_SERVER = 66,
    DHCP_BOOT_FILE = 67,
    DHCP_USER_CLASS = 77,
    DHCP_RELAY_AGENT = 82,
    DHCP_ARCH = 93,
    DHCP_NDI = 94,
    DHCP_MACHINE_ID = 97,
    DHCP_ETHERBOOT = 175, /* iPXE's own, nested TLV */
    DHCP_WDS = 250,       /* Windows Deployment Services' own, nested TLV */
    DHCP_END = 255,
};

enum dhcp_message {
    DHCP_DISCOVER = 1,
    DHCP_OFFER = 2,
    DHCP_REQUEST = 3,
    DHCP_DECLINE = 4,
    DHCP_ACK = 5,
    DHCP_NAK = 6,
    DHCP_RELEASE = 7,
    DHCP_INFORM = 8,
};

struct dhcp_option {
    uint8_t code;
    struct rd value;
};

/*
 * The next option of the field, skipping pads.  False at END, at the end of the field, or
 * when the field is malformed; then, and only then, rd_ok(field) is false.
 */
bool dhcp_option_next(struct rd *field, struct dhcp_option *out);

/* NULL when the length suits what the RFCs say of the option, else the option's name. */
const char *dhcp_option_check(const struct dhcp_option *opt);

/* Code, length, value; at most 255 octets (more latches wr.full). */
void dhcp_option_write(struct wr *w, enum dhcp_code code, const void *value, size_t len);

#endif
