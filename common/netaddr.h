/*
 * common/netaddr: hardware and network addresses as values.
 *
 * Text forms: MAC aa:bb:cc:dd:ee:ff ('-' accepted on input), IPv4 dotted quad,
 * IPv6 as RFC 5952 writes it.
 * Byte order: octets stand as on the wire; ports are host order.
 * Ownership: values only; print functions write into the caller's buffer and return it.
 * Errors: parsers return false and leave *out untouched.  Pure.
 */
#ifndef COMMON_NETADDR_H
#define COMMON_NETADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mac {
    uint8_t octet[6];
};

struct ip4 {
    uint8_t octet[4];
};

struct ip6 {
    uint8_t octet[16];
};

/* One end of a UDP exchange.  IPv4 stands as ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
struct endpoint {
    uint8_t ip[16];
    uint32_t scope; /* interface index of a link-local IPv6 address, else 0 */
    uint16_t port;
};

/* Addresses whose first `bits` are those of ip; of IPv4 ones the first 96 are ::ffff:0:0. */
struct subnet {
    uint8_t ip[16];
    uint8_t bits; /* 0..128 */
};

#define MAC_TEXT      18 /* buffer sizes, closing NUL included */
#define IP4_TEXT      16
#define IP_TEXT       46
#define ENDPOINT_TEXT 64

#define IP4_ANY       ((struct ip4){{0, 0, 0, 0}})
#define IP4_BROADCAST ((struct ip4){{255, 255, 255, 255}})

/* True and *out set when the whole text is one MAC address. */
bool mac_parse(const char *text, struct mac *out);
bool mac_equal(const struct mac *a, const struct mac *b);
char *mac_print(const struct mac *mac, char buf[MAC_TEXT]);

/* Dotted quad, four decimal numbers without leading zeros. */
bool ip4_parse(const char *text, struct ip4 *out);
bool ip4_equal(struct ip4 a, struct ip4 b);
bool ip4_is_any(struct ip4 ip);
char *ip4_print(struct ip4 ip, char buf[IP4_TEXT]);

bool ip6_equal(const struct ip6 *a, const struct ip6 *b);
bool ip6_is_any(const struct ip6 *ip);
bool ip6_is_link_local(const struct ip6 *ip); /* fe80::/10 */
bool ip6_is_multicast(const struct ip6 *ip);  /* ff00::/8 */
char *ip6_print(const struct ip6 *ip, char buf[IP_TEXT]);

struct endpoint endpoint_ip4(struct ip4 ip, uint16_t port);
bool endpoint_is_ip4(const struct endpoint *e);
/* The IPv4 address; meaningful only when endpoint_is_ip4(). */
struct ip4 endpoint_to_ip4(const struct endpoint *e);
/* Is the address (its scope and port do not count) in there?  ::/0 holds no IPv4. */
bool subnet_holds(const struct subnet *s, const struct endpoint *e);
/* In one of them? */
bool subnets_hold(const struct subnet *list, size_t count, const struct endpoint *e);
/*
 * Can who has this address ask us at that one, and be answered?  Not the unspecified address,
 * which means ourselves when it is sent to; no group; and not an IPv4 address by IPv6, or the
 * other way round (RFC 4942 section 2.2), for that is somebody else's name.
 */
bool endpoint_may_ask(const struct endpoint *from, const struct endpoint *us);
/* The last address of an IPv4 subnet of four or more: all its hosts. */
bool subnet_is_broadcast(const struct subnet *s, const struct endpoint *e);
bool subnets_broadcast(const struct subnet *list, size_t count, const struct endpoint *e);
/* 127.0.0.0/8, ::1. */
bool endpoint_is_loopback(const struct endpoint *e);
/* The same address and scope, whatever the ports. */
bool endpoint_same_ip(const struct endpoint *a, const struct endpoint *b);
/* Same address, scope and port. */
bool endpoint_equal(const struct endpoint *a, const struct endpoint *b);
/* The address alone, without port: "10.0.0.7", "fe80::1%3". */
char *endpoint_print_ip(const struct endpoint *e, char buf[ENDPOINT_TEXT]);
/* "10.0.0.7:2071", "[fe80::1%3]:2071". */
char *endpoint_print(const struct endpoint *e, char buf[ENDPOINT_TEXT]);

#endif
