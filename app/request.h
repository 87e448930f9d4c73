/*
 * app/request: a DHCP or DHCPv6 request as the boot client of some machine would send it.
 *
 * Manners, each as its namesake was seen on the wire (tests/data/requests): which options, in
 * which order, with which values.  REQUEST_BIOS is what the PXE specification and its ROMs
 * have in common; no such ROM was recorded.  Over IPv6 all write as EDK2 does.
 *
 * Ownership: written into the caller's buffer.  Pure.
 */
#ifndef APP_REQUEST_H
#define APP_REQUEST_H

#include "common/bytes.h"
#include "dhcp/packet.h"
#include "dhcp/v6_packet.h"

#define REQUEST_SIZE 1024

enum request_manner {
    REQUEST_EDK2, /* UEFI firmware; of an HTTP architecture: UEFI HTTP Boot */
    REQUEST_IPXE,
    REQUEST_BIOS,
    REQUEST_UBOOT,
    REQUEST_PI, /* the boot ROM of a Raspberry Pi */
    REQUEST_MANNERS,
};

struct request_terms {
    enum request_manner manner;
    enum dhcp_message type; /* DHCP_DISCOVER or DHCP_REQUEST */
    bool at_4011;           /* a question to port 4011 */
    uint32_t xid;
    uint16_t secs;
    struct mac mac;
    bool has_uuid;
    uint8_t uuid[16]; /* as firmware sends it in option 97 */
    uint16_t arch;
    const char *class; /* option 60; NULL: what the architecture sends */
    struct ip4 client; /* ciaddr; without an address 0.0.0.0, as in the next three */
    struct ip4 relay;  /* giaddr */
    struct ip4 server; /* option 54 */
    struct ip4 wanted; /* option 50 */
    bool has_item;     /* option 43.71: this item of a boot menu */
    uint16_t item;
};

/* How a machine of this architecture writes, if nothing else is known of it. */
enum request_manner request_manner_of(uint16_t arch);

/*
 * A UUID as the host table writes it; its order of octets is not the firmware's.  False: the
 * text is none.
 */
bool request_read_uuid(const char *text, struct request_terms *out);

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
