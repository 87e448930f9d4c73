/*
 * dhcp/frame: Ethernet, IPv4 and UDP around a payload, both ways.
 *
 * Spec: RFC 894 (Ethernet II), RFC 791, RFC 768, RFC 1071 (checksums).
 * Ownership: a parsed frame's payload is a view into the captured octets.
 * Errors: enum frame_fault; FRAME_OK is 0 and *out is written only then.  Pure.
 */
#ifndef DHCP_FRAME_H
#define DHCP_FRAME_H

#include "common/bytes.h"
#include "common/netaddr.h"

#define FRAME_OVERHEAD 42 /* 14 Ethernet, 20 IPv4, 8 UDP */

enum frame_fault {
    FRAME_OK = 0,
    FRAME_SHORT,  /* ends inside a header, or before the length its headers tell */
    FRAME_TAGGED, /* 802.1Q or 802.1ad: another network's; we would answer it untagged */
    FRAME_NOT_IPV4, /* another Ethernet type, IP version or header length */
    FRAME_NOT_IPV6, /* the same of dhcp/v6_frame */
    FRAME_FRAGMENT, /* a DHCP request never needs it */
    FRAME_NOT_UDP,
    FRAME_BAD_LENGTH, /* UDP's length does not fit IP's */
    FRAME_FAULT_COUNT,
};

struct frame {
    struct mac to;
    struct mac from;
    struct ip4 ip_to;
    struct ip4 ip_from;
    uint16_t to_port;
    uint16_t from_port;
    struct rd payload;
};

/*
 * The UDP checksum is not looked at: frames of machines on the same host carry a partial one
 * (checksum offload), and are good.
 */
enum frame_fault frame_parse(const void *octets, size_t len, struct frame *out);

/* The whole frame with both checksums; latches w when there is no room. */
void frame_write(struct wr *w, const struct frame *frame);

/*
 * The parts that IPv6 (dhcp/v6_frame) has in common with IPv4: what stands around the IP
 * header.  frame_take() leaves *to alone at the end of the octets, where r latches.
 */
void frame_take(struct rd *r, void *to, size_t len);
/* A tag of VLAN 0 is a priority and no network (IEEE 802.1Q section 9.6): it is passed over. */
enum frame_fault frame_parse_ethernet(struct rd *r, struct mac *to, struct mac *from,
                                      uint16_t *type);
enum frame_fault frame_parse_udp(struct rd *ip, uint16_t *from_port, uint16_t *to_port,
                                 struct rd *payload);

/*
 * RFC 1071: the ones' complement sum of 16-bit words, an odd last octet padded with zero; and
 * the checksum it makes.
 */
uint32_t frame_sum(uint32_t so_far, const void *octets, size_t len);
uint16_t frame_fold(uint32_t sum);

const char *frame_fault_name(enum frame_fault fault);

#endif
