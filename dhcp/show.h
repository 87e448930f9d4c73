/*
 * dhcp/show: a DHCP message in words, every octet accounted for (explain, golden tests).
 *
 *     op 2 htype 1 hlen 6 hops 0 xid 0b5c648d secs 0 flags 8000
 *     ciaddr 0.0.0.0 yiaddr 0.0.0.0 siaddr 10.77.0.2 giaddr 0.0.0.0
 *     chaddr 52540012345600000000000000000000
 *     sname ""
 *     file "x64.efi"
 *     53 message type: OFFER
 *     54 server identifier: 10.77.0.2
 *     43 vendor options: 06 01 08 ff
 *     END and 12 octets of padding
 *
 * Ownership: text goes into the caller's writer, NUL-terminated; what is over is cut.
 * Errors: none; octets that make no sense are shown as they are.  Pure.
 */
#ifndef DHCP_SHOW_H
#define DHCP_SHOW_H

#include "common/bytes.h"

void dhcp_show(const void *dgram, size_t len, char *text, size_t size);

#endif
