/*
 * app/request: a DHCP or DHCPv6 request as the firmware of some machine would send it.
 *
 * Ownership: written into the caller's buffer.  Pure.
 */
#ifndef APP_REQUEST_H
#define APP_REQUEST_H

#include "common/bytes.h"
#include "dhcp/packet.h"
#include "dhcp/v6_packet.h"

#define REQUEST_SIZE 1024

struct request_terms {
    enum dhcp_message type; /* DHCP_DISCOVER, or DHCP_REQUEST to port 4011 */
    struct mac mac;
    bool has_uuid;
    uint8_t uuid[16]; /* as firmware sends it in option 97 */
    uint16_t arch;
    const char *class; /* option 60; NULL: what the architecture sends */
    bool ipxe;         /* an iPXE speaks */
    struct ip4 client; /* ciaddr; of a DISCOVER 0.0.0.0 */
    struct ip4 relay;  /* giaddr; 0.0.0.0: none */
};

/* The octets of it; class must be shorter than 256. */
size_t request_write(const struct request_terms *terms, uint8_t buf[REQUEST_SIZE]);

/*
 * Over IPv6: its SOLICIT, or its REQUEST to port 4011.  Of the terms type, client and relay say
 * nothing.  A machine that tells no UUID is known by its MAC.
 */
size_t request6_write(const struct request_terms *terms, bool to_4011,
                      uint8_t buf[REQUEST_SIZE]);
/* Its link-local address, and where it sends to. */
struct ip6 request6_address(const struct mac *mac);
struct ip6 request6_group(void);

#endif
