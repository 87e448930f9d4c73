/*
 * dhcp/v6_frame: Ethernet, IPv6 and UDP around a payload, both ways.  The twin of dhcp/frame.
 *
 * Spec: RFC 8200 sections 3 and 4 (extension headers are gone over), RFC 768, RFC 2464.
 * Ownership: a parsed frame's payload is a view into the captured octets.
 * Errors: enum frame_fault; FRAME_OK is 0 and *out is written only then.  Pure.
 */
#ifndef DHCP_V6_FRAME_H
#define DHCP_V6_FRAME_H

#include "dhcp/frame.h"

#define FRAME6_OVERHEAD 62 /* 14 Ethernet, 40 IPv6, 8 UDP */

struct frame6 {
    struct mac to;
    struct mac from;
    struct ip6 ip_to;
    struct ip6 ip_from;
    uint16_t to_port;
    uint16_t from_port;
    struct rd payload;
};

/* FRAME_NOT_IPV6: no IPv6.  As in frame_parse() the checksum is not looked at. */
enum frame_fault frame6_parse(const void *octets, size_t len, struct frame6 *out);

/* The whole frame with its checksum; latches w when there is no room. */
void frame6_write(struct wr *w, const struct frame6 *frame);

#endif
