/*
 * dhcp/v6_show: a DHCPv6 message in words, one option a line, those of relays indented.
 *
 * Ownership: the text is the caller's; what does not fit is cut.  Pure.
 */
#ifndef DHCP_V6_SHOW_H
#define DHCP_V6_SHOW_H

#include <stddef.h>

/* Works on any octets; always NUL-terminated (size > 0). */
void dhcp6_show(const void *dgram, size_t len, char *text, size_t size);

#endif
