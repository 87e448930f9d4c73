#include "config/match.h"

#include <string.h>

/* -- UUIDs ----------------------------------------------------------------------------- */

bool uuid_is_junk(const uint8_t uuid[16])
{
    return !memcmp(uuid, uuid + 1, 15);
}

/* The first half in the other byte order; the second has but one. */
static uint64_t swapped_half(const uint8_t u[16])
{
    const uint8_t swapped[8] = {u[3], u[2], u[1], u[0], u[5], u[4], u[7], u[6]};
    uint64_t half;
    memcpy(&half, swapped, sizeof half);
    return half;
}

uint64_t uuid_key(const uint8_t uuid[16])
{
    uint64_t half[2];
    memcpy(half, uuid, sizeof half);
    return (half[0] + swapped_half(uuid)) * 31 + half[1];
}

bool uuid_same(const uint8_t a[16], const uint8_t b[16])
{
    uint64_t half;
    memcpy(&half, b, sizeof half);
    return !memcmp(a + 8, b + 8, 8) && (!memcmp(a, b, 8) || swapped_half(a) == half);
}

/* -- one key each ---------------------------------------------------------------------- */

static bool holds_uuid(const struct host *host, const struct host_facts *facts)
{
    return !host->has_uuid || (facts->uuid && !uuid_is_junk(facts->uuid) &&
                               uuid_same(host->uuid, facts->uuid));
}

static bool holds_mac(const struct host *host, const struct host_facts *facts)
{
    return host->mac_len == 0 ||
           (facts->mac && !memcmp(&host->mac, facts->mac, host->mac_len));
}

static bool holds_octets(const struct octet_pattern *p, const struct rd *value)
{
    size_t len = rd_left(value);
    if (!p->octets) {
        return true;
    }
    return value->p && (p->open ? len >= p->len : len == p->len) &&
           (p->len == 0 || !memcmp(value->p, p->octets, p->len));
}

/*
 * Quirk: iPXE and others send one class bare, without RFC 3004's length octet in front; both
 * forms are tried.
 */
static bool holds_class(const struct octet_pattern *p, const struct host_facts *facts)
{
    struct rd value = facts->user_classes;
    bool wide = facts->wide_classes;
    if (!p->octets || (!wide && holds_octets(p, &value))) {
        return true;
    }
    while (rd_left(&value) > 0) {
        struct rd item = rd_sub(&value, wide ? rd_u16(&value) : rd_u8(&value));
        if (rd_ok(&item) && rd_left(&item) > 0 && holds_octets(p, &item)) {
            return true;
        }
    }
    return false;
}

/* Quirk: x64 firmware from before the erratum of RFC 4578 calls itself 9. */
static bool holds_arch(uint64_t archs, const struct host_facts *facts)
{
    for (size_t i = 0; i < facts->arch_count; i++) {
        uint16_t arch = facts->archs[i];
        uint64_t also = arch == ARCH_EBC ? UINT64_C(1) << ARCH_X64_UEFI : 0;
        if (arch < ARCH_COUNT && archs & (UINT64_C(1) << arch | also)) {
            return true;
        }
    }
    return false;
}

static uint32_t number(struct ip4 ip)
{
    return (uint32_t)ip.octet[0] << 24 | (uint32_t)ip.octet[1] << 16 |
           (uint32_t)ip.octet[2] << 8 | ip.octet[3];
}

static bool holds_relay(const struct host_match *m, struct ip4 relay)
{
    uint32_t differs = number(m->relay) ^ number(relay);
    return !ip4_is_any(relay) &&
           (m->relay_bits == 0 || differs >> (32 - m->relay_bits) == 0);
}

static bool holds_rest(const struct host_match *m, const struct host_facts *facts)
{
    return (!m->archs || holds_arch(m->archs, facts)) &&
           holds_octets(&m->vendor_class, &facts->vendor_class) &&
           holds_class(&m->user_class, facts) &&
           (!m->has_relay || holds_relay(m, facts->relay)) &&
           holds_octets(&m->circuit_id, &facts->circuit_id) &&
           (m->interface[0] == '\0' ||
            (facts->interface && !strcmp(m->interface, facts->interface)));
}

bool match_holds(const struct host *host, const struct host_facts *facts)
{
    bool names = host->mac_len > 0 || host->has_uuid || host->match;
    return names && holds_mac(host, facts) && holds_uuid(host, facts) &&
           (!host->match || holds_rest(host->match, facts));
}

/* -- twins ----------------------------------------------------------------------------- */

static bool same_octets(const struct octet_pattern *a, const struct octet_pattern *b)
{
    if (!a->octets || !b->octets) {
        return a->octets == b->octets;
    }
    return a->len == b->len && a->open == b->open &&
           !memcmp(a->octets, b->octets, a->len);
}

static bool same_rest(const struct host_match *a, const struct host_match *b)
{
    if (!a || !b) {
        return a == b;
    }
    return a->archs == b->archs && same_octets(&a->vendor_class, &b->vendor_class) &&
           same_octets(&a->user_class, &b->user_class) &&
           same_octets(&a->circuit_id, &b->circuit_id) && a->has_relay == b->has_relay &&
           a->relay_bits == b->relay_bits && ip4_equal(a->relay, b->relay) &&
           !strcmp(a->interface, b->interface);
}

bool match_same(const struct host *a, const struct host *b)
{
    return a->mac_len == b->mac_len && a->has_uuid == b->has_uuid &&
           (a->mac_len == 0 || !memcmp(&a->mac, &b->mac, a->mac_len)) &&
           (!a->has_uuid || uuid_same(a->uuid, b->uuid)) && same_rest(a->match, b->match);
}
