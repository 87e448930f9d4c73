/*
 * dhcp/v6_packet: a DHCPv6 message, both ways, with the relays it came through.
 *
 * Spec: RFC 8415 sections 8, 9 and 21 (messages, relays, options), RFC 5970 (59 to 62),
 * RFC 6939 (79).
 * Byte order: integers are host order, addresses stand as on the wire.
 * Ownership: views into the datagram given to dhcp6_parse(); it must outlive the packet.
 * Errors: enum dhcp6_fault; DHCP6_OK is 0 and *out is written only then.  Pure.
 */
#ifndef DHCP_V6_PACKET_H
#define DHCP_V6_PACKET_H

#include "common/bytes.h"
#include "common/netaddr.h"

#define DHCP6_CLIENT_PORT 546
#define DHCP6_SERVER_PORT 547

#define DHCP6_MAX_LEN    1232 /* replies: IPv6's smallest MTU less IPv6 and UDP headers */
#define DHCP6_DUID_MAX   130  /* type and 128 octets (RFC 8415 section 11.1) */
#define DHCP6_RELAYS_MAX 8    /* HOP_COUNT_LIMIT of RFC 8415 section 7.6 */

enum dhcp6_message {
    DHCP6_SOLICIT = 1,
    DHCP6_ADVERTISE = 2,
    DHCP6_REQUEST = 3,
    DHCP6_REPLY = 7,
    DHCP6_RECONFIGURE = 10,
    DHCP6_INFORMATION_REQUEST = 11,
    DHCP6_RELAY_FORW = 12,
    DHCP6_RELAY_REPL = 13,
};

enum dhcp6_code {
    DHCP6_CLIENT_ID = 1,
    DHCP6_SERVER_ID = 2,
    DHCP6_IA_NA = 3,
    DHCP6_IA_TA = 4,
    DHCP6_IA_ADDRESS = 5, /* inside the other two */
    DHCP6_RELAY_MESSAGE = 9,
    DHCP6_STATUS = 13,
    DHCP6_USER_CLASS = 15,
    DHCP6_VENDOR_CLASS = 16,
    DHCP6_INTERFACE_ID = 18,
    DHCP6_IA_PD = 25,
    DHCP6_BOOT_URL = 59,
    DHCP6_ARCH = 61,
    DHCP6_CLIENT_LINK_LAYER = 79,
};

enum dhcp6_fault {
    DHCP6_OK = 0,
    DHCP6_TRUNCATED,   /* shorter than its header */
    DHCP6_BAD_OPTIONS, /* an option runs past the end */
    DHCP6_BAD_LENGTH,  /* an option's length is not what its RFC says */
    DHCP6_REPEATED,    /* an identifier stands twice: whose is it? */
    DHCP6_NO_MESSAGE,  /* a relay's message with nothing in it */
    DHCP6_TOO_DEEP,    /* more than DHCP6_RELAYS_MAX relays, one in the other */
    DHCP6_FAULT_COUNT,
};

struct dhcp6_option {
    uint16_t code;
    struct rd value;
};

/* What one relay has put around the message. */
struct dhcp6_relay {
    uint8_t hops;
    struct ip6 link; /* of the client's network; any when the relay does not tell */
    struct ip6 peer; /* from whom the relay had the message */
    struct rd options;
};

struct dhcp6_packet {
    uint8_t type; /* enum dhcp6_message; of the message within all relays */
    uint32_t xid; /* 24 bits */
    struct rd options;
    struct dhcp6_relay relay[DHCP6_RELAYS_MAX]; /* the outermost first */
    unsigned relay_count;
};

enum dhcp6_fault dhcp6_parse(const void *dgram, size_t len, struct dhcp6_packet *out);

/* The next option; false at the end, or, with rd_ok(options) false, when malformed. */
bool dhcp6_option_next(struct rd *options, struct dhcp6_option *out);

/* The value of the first such option; false leaves *out untouched. */
bool dhcp6_find(struct rd options, enum dhcp6_code code, struct rd *out);

void dhcp6_option_write(struct wr *w, enum dhcp6_code code, const void *value,
                        size_t len);
void dhcp6_header_write(struct wr *w, enum dhcp6_message type, uint32_t xid);

/*
 * The answer on its way back: the relays' headers and interface identifiers in their order,
 * the message innermost.  Without relays the message alone.
 */
void dhcp6_relayed_write(struct wr *w, const struct dhcp6_packet *to, const void *message,
                         size_t len);

const char *dhcp6_fault_name(enum dhcp6_fault fault);
const char *dhcp6_message_name(uint8_t type); /* "SOLICIT"; "?" for others */

#endif
