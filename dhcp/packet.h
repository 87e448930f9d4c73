/*
 * dhcp/packet: a BOOTP/DHCP message, both ways.
 *
 * Spec: RFC 2131 section 2 (fields), RFC 2132 section 9.3 (option overload), RFC 3396
 * (options split over several instances and fields).
 * Byte order: integers are host order, addresses stand as on the wire.
 * Ownership: views into the datagram given to dhcp_parse(); it must outlive the packet.
 * Errors: enum dhcp_fault; DHCP_OK is 0 and *out is written only then.  Pure.
 */
#ifndef DHCP_PACKET_H
#define DHCP_PACKET_H

#include "common/netaddr.h"
#include "dhcp/options.h"

#define DHCP_HEADER_LEN  240 /* magic cookie included */
#define DHCP_CHADDR_LEN  16
#define DHCP_FILE_LEN    128
#define DHCP_SNAME_LEN   64
#define DHCP_MIN_LEN     300  /* replies are padded to this (RFC 1542 section 2.1) */
#define DHCP_MAX_LEN     1472 /* EDK2 drops longer ones (firmware.md 2.1) */
#define DHCP_DEFAULT_LEN 548  /* what every client takes: 576 less IP and UDP headers */
#define DHCP_OPTION_MAX  1024 /* a joined option longer than this is refused */

enum dhcp_op { BOOTREQUEST = 1, BOOTREPLY = 2 };

enum dhcp_fault {
    DHCP_OK = 0,
    DHCP_TRUNCATED,   /* shorter than the fixed part */
    DHCP_NO_COOKIE,   /* BOOTP, or not DHCP at all */
    DHCP_BAD_OP,      /* op is neither 1 nor 2 */
    DHCP_BAD_HLEN,    /* hardware address longer than its field */
    DHCP_BAD_OPTIONS, /* an option runs past its field */
    DHCP_BAD_LENGTH,  /* an option of fixed length has another */
    DHCP_NO_TYPE,     /* option 53 is missing */
    DHCP_FAULT_COUNT,
};

struct dhcp_packet {
    enum dhcp_op op;
    uint8_t htype; /* 1: Ethernet */
    uint8_t hlen;  /* octets of chaddr that count, 0..16 */
    uint8_t hops;
    uint32_t xid;
    uint16_t secs;
    uint16_t flags; /* 0x8000: answer by broadcast */
    struct ip4 ciaddr;
    struct ip4 yiaddr;
    struct ip4 siaddr;
    struct ip4 giaddr;     /* relay agent, or 0.0.0.0 */
    const uint8_t *chaddr; /* DHCP_CHADDR_LEN octets */
    const uint8_t *sname;  /* DHCP_SNAME_LEN octets, options when overloaded */
    const uint8_t *file;   /* DHCP_FILE_LEN octets, options when overloaded */
    enum dhcp_message type;
    struct rd fields[3]; /* option fields in the order they are joined */
    unsigned field_count;
    uint64_t seen[4];  /* bit n of all 256: option n is there */
    uint64_t split[4]; /* likewise: in several instances */
};

enum dhcp_fault dhcp_parse(const void *dgram, size_t len, struct dhcp_packet *out);

/*
 * The option's value, all instances joined.  A single instance is a view into the datagram;
 * several are copied to buf (DHCP_OPTION_MAX octets).  False, *out untouched: not there, or
 * longer than DHCP_OPTION_MAX.
 */
bool dhcp_find(const struct dhcp_packet *p, enum dhcp_code code,
               uint8_t buf[DHCP_OPTION_MAX], struct rd *out);

/* The hardware address as an Ethernet one; false when it is none. */
bool dhcp_mac(const struct dhcp_packet *p, struct mac *out);

/*
 * The fixed part of a reply to `to`: op, htype, hlen, xid, flags, giaddr, chaddr are copied,
 * ciaddr too when keep_ciaddr; options follow by dhcp_option_write(), then dhcp_write_end().
 * sname and file must be shorter than their fields, else w latches.
 */
void dhcp_write_reply(struct wr *w, const struct dhcp_packet *to, bool keep_ciaddr,
                      struct ip4 siaddr, const char *sname, const char *file);
/* END, and zeros up to DHCP_MIN_LEN. */
void dhcp_write_end(struct wr *w);

const char *dhcp_fault_name(enum dhcp_fault fault);
const char *dhcp_message_name(enum dhcp_message type); /* "DISCOVER"; "?" for others */

#endif
