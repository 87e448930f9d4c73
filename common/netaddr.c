#include "common/netaddr.h"

#include <stdio.h>
#include <string.h>

static const uint8_t ip4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool mac_parse(const char *text, struct mac *out)
{
    struct mac mac;
    for (int i = 0; i < 6; i++, text += 3) {
        int hi = hex_digit(text[0]);
        int lo = hi < 0 ? -1 : hex_digit(text[1]);
        if (lo < 0) {
            return false;
        }
        bool ends = text[2] == '\0';
        if (i < 5 ? (text[2] != ':' && text[2] != '-') : !ends) {
            return false;
        }
        mac.octet[i] = (uint8_t)(hi << 4 | lo);
    }
    *out = mac;
    return true;
}

bool mac_equal(const struct mac *a, const struct mac *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

char *mac_print(const struct mac *mac, char buf[MAC_TEXT])
{
    const uint8_t *o = mac->octet;
    snprintf(buf, MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", o[0], o[1], o[2], o[3], o[4],
             o[5]);
    return buf;
}

bool ip4_parse(const char *text, struct ip4 *out)
{
    struct ip4 ip;
    for (int i = 0; i < 4; i++) {
        unsigned value = 0;
        int digits = 0;
        for (; *text >= '0' && *text <= '9' && digits < 4; text++, digits++) {
            value = value * 10 + (unsigned)(*text - '0');
        }
        if (digits == 0 || value > 255 || (digits > 1 && text[-digits] == '0')) {
            return false;
        }
        if (*text != (i < 3 ? '.' : '\0')) {
            return false;
        }
        text++;
        ip.octet[i] = (uint8_t)value;
    }
    *out = ip;
    return true;
}

bool ip4_equal(struct ip4 a, struct ip4 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

bool ip4_is_any(struct ip4 ip)
{
    return ip4_equal(ip, IP4_ANY);
}

char *ip4_print(struct ip4 ip, char buf[IP4_TEXT])
{
    snprintf(buf, IP4_TEXT, "%u.%u.%u.%u", ip.octet[0], ip.octet[1], ip.octet[2],
             ip.octet[3]);
    return buf;
}

struct endpoint endpoint_ip4(struct ip4 ip, uint16_t port)
{
    struct endpoint e = {.port = port};
    memcpy(e.ip, ip4_prefix, sizeof ip4_prefix);
    memcpy(e.ip + sizeof ip4_prefix, ip.octet, sizeof ip.octet);
    return e;
}

bool endpoint_is_ip4(const struct endpoint *e)
{
    return memcmp(e->ip, ip4_prefix, sizeof ip4_prefix) == 0;
}

struct ip4 endpoint_to_ip4(const struct endpoint *e)
{
    struct ip4 ip;
    memcpy(ip.octet, e->ip + sizeof ip4_prefix, sizeof ip.octet);
    return ip;
}

bool endpoint_equal(const struct endpoint *a, const struct endpoint *b)
{
    return a->port == b->port && a->scope == b->scope &&
           memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

bool endpoint_same_ip(const struct endpoint *a, const struct endpoint *b)
{
    return a->scope == b->scope && memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

bool subnet_holds(const struct subnet *s, const struct endpoint *e)
{
    unsigned octets = s->bits / 8;
    unsigned rest = s->bits % 8;
    if (s->bits < 96 && endpoint_is_ip4(e)) {
        return false;
    }
    return memcmp(s->ip, e->ip, octets) == 0 &&
           (rest == 0 ||
            ((s->ip[octets] ^ e->ip[octets]) & 0xffu << (8 - rest) & 0xff) == 0);
}

bool subnets_hold(const struct subnet *list, size_t count, const struct endpoint *e)
{
    for (size_t i = 0; i < count; i++) {
        if (subnet_holds(&list[i], e)) {
            return true;
        }
    }
    return false;
}

/* The bits of an IPv4 subnet's hosts in this octet of an endpoint. */
static uint8_t host_bits(const struct subnet *s, unsigned octet)
{
    unsigned before = octet * 8;
    unsigned fixed = s->bits > before ? s->bits - before : 0;
    return fixed >= 8 ? 0 : (uint8_t)(0xff >> fixed);
}

bool subnet_is_broadcast(const struct subnet *s, const struct endpoint *e)
{
    bool last = s->bits >= 96 && s->bits <= 126 && subnet_holds(s, e);
    for (unsigned i = 12; last && i < 16; i++) {
        uint8_t hosts = host_bits(s, i);
        last = (e->ip[i] & hosts) == hosts;
    }
    return last;
}

bool subnets_broadcast(const struct subnet *list, size_t count, const struct endpoint *e)
{
    for (size_t i = 0; i < count; i++) {
        if (subnet_is_broadcast(&list[i], e)) {
            return true;
        }
    }
    return false;
}

bool endpoint_may_ask(const struct endpoint *from, const struct endpoint *us)
{
    static const uint8_t any[16];
    bool ip4 = endpoint_is_ip4(from);
    if (ip4 != endpoint_is_ip4(us)) {
        return false;
    }
    unsigned first = endpoint_to_ip4(from).octet[0];
    return ip4 ? first > 0 && first < 224
               : from->ip[0] != 0xff && memcmp(from->ip, any, sizeof any) != 0;
}

bool endpoint_is_loopback(const struct endpoint *e)
{
    static const uint8_t ip6[16] = {[15] = 1};
    return endpoint_is_ip4(e) ? endpoint_to_ip4(e).octet[0] == 127
                              : memcmp(e->ip, ip6, sizeof ip6) == 0;
}

static unsigned group_at(const struct endpoint *e, int i)
{
    const uint8_t *at = e->ip + (size_t)i * 2;
    return (unsigned)at[0] << 8 | at[1];
}

/* Where the longest run of two or more zero groups begins (RFC 5952 section 4.2); 8: none. */
static int longest_zeros(const struct endpoint *e, int *len)
{
    int best = 8;
    *len = 1;
    for (int i = 0; i < 8; i++) {
        int n = 0;
        while (i + n < 8 && group_at(e, i + n) == 0) {
            n++;
        }
        if (n > *len) {
            best = i;
            *len = n;
        }
    }
    return best;
}

static void print_ip6(const struct endpoint *e, char *buf, size_t size)
{
    int zeros_len;
    int zeros = longest_zeros(e, &zeros_len);
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 0; i < 8; i++) {
        if (i == zeros) {
            used += (size_t)snprintf(buf + used, size - used, "::");
            i += zeros_len - 1;
            continue;
        }
        const char *colon = i > 0 && i != zeros + zeros_len ? ":" : "";
        used += (size_t)snprintf(buf + used, size - used, "%s%x", colon, group_at(e, i));
    }
    if (e->scope != 0) {
        snprintf(buf + used, size - used, "%%%u", (unsigned)e->scope);
    }
}

char *endpoint_print_ip(const struct endpoint *e, char buf[ENDPOINT_TEXT])
{
    if (endpoint_is_ip4(e)) {
        return ip4_print(endpoint_to_ip4(e), buf);
    }
    print_ip6(e, buf, ENDPOINT_TEXT);
    return buf;
}

char *endpoint_print(const struct endpoint *e, char buf[ENDPOINT_TEXT])
{
    char ip[ENDPOINT_TEXT - 10];
    if (endpoint_is_ip4(e)) {
        ip4_print(endpoint_to_ip4(e), ip);
        snprintf(buf, ENDPOINT_TEXT, "%s:%u", ip, e->port);
    } else {
        print_ip6(e, ip, sizeof ip);
        snprintf(buf, ENDPOINT_TEXT, "[%s]:%u", ip, e->port);
    }
    return buf;
}

/* -- IPv6 addresses alone ----------------------------------------------------------------- */

bool ip6_equal(const struct ip6 *a, const struct ip6 *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

bool ip6_is_any(const struct ip6 *ip)
{
    static const struct ip6 any;
    return ip6_equal(ip, &any);
}

bool ip6_is_link_local(const struct ip6 *ip)
{
    return ip->octet[0] == 0xfe && (ip->octet[1] & 0xc0) == 0x80;
}

bool ip6_is_multicast(const struct ip6 *ip)
{
    return ip->octet[0] == 0xff;
}

char *ip6_print(const struct ip6 *ip, char buf[IP_TEXT])
{
    struct endpoint e = {.port = 0};
    memcpy(e.ip, ip->octet, sizeof e.ip);
    print_ip6(&e, buf, IP_TEXT);
    return buf;
}
