/*
 * config/match: is this machine the one that a host of the table means?
 *
 * All that the host names must hold.  What the asker does not know never holds: TFTP, which
 * knows MAC, UUID and architecture at most, passes over hosts that name a relay.
 *
 * A UUID is the same in either byte order (SMBIOS keeps its first three fields
 * little-endian; RFC 4578 section 2.3 leaves the order open).  Junk UUIDs never match.
 *
 * Spec: RFC 3004 and RFC 8415 section 21.15 (user classes), RFC 3046 section 3.1 (circuit id).
 * Ownership: views for the time of the call.  Pure.
 */
#ifndef CONFIG_MATCH_H
#define CONFIG_MATCH_H

#include "common/bytes.h"
#include "config/snapshot.h"

/* What is known of a machine; zero, NULL or no octets: not known. */
struct host_facts {
    const struct mac *mac;
    const uint8_t *uuid;    /* 16 octets as sent in option 97 */
    struct rd vendor_class; /* option 60 */
    struct rd user_classes; /* option 77 as sent: one class bare, or RFC 3004's list */
    bool wide_classes;      /* it is DHCPv6's option 15: two octets of length for each */
    struct rd circuit_id;   /* sub-option 1 of option 82 */
    const uint16_t *archs;  /* option 93 */
    size_t arch_count;
    struct ip4 relay;      /* giaddr */
    const char *interface; /* where it was heard */
};

/* Everything the host names, MAC and UUID too; a host that names nothing is nobody. */
bool match_holds(const struct host *host, const struct host_facts *facts);

/* Both name exactly the same. */
bool match_same(const struct host *a, const struct host *b);

/* All octets alike: what boards without a number of their own send. */
bool uuid_is_junk(const uint8_t uuid[16]);

/* In either byte order. */
bool uuid_same(const uint8_t a[16], const uint8_t b[16]);

/* A key that is alike for both byte orders; others may have it, too. */
uint64_t uuid_key(const uint8_t uuid[16]);

#endif
