/*
 * dhcp/v6_clients: which MAC the client of a DUID has.
 *
 * EDK2 sends its SOLICIT from a link-local address that tells the MAC, and its request to
 * port 4011 from the address it was leased, which does not: without a memory the host table
 * would know the machine at one door and not at the other.
 *
 * Bounded: 4 clients for each of 1024 hash values; of these the one seen longest ago yields.
 * Ownership: values are copied.  Pure.
 */
#ifndef DHCP_V6_CLIENTS_H
#define DHCP_V6_CLIENTS_H

#include "common/hash.h"
#include "dhcp/v6_packet.h"

#define CLIENTS6_SETS 1024
#define CLIENTS6_WAYS 4

struct client6 {
    uint8_t duid[DHCP6_DUID_MAX];
    uint8_t duid_len; /* 0: a free place */
    struct mac mac;
    uint32_t seen; /* rises with each clients6_note() */
};

struct clients6 {
    struct hash_seed seed;
    uint32_t now;
    struct client6 place[CLIENTS6_SETS][CLIENTS6_WAYS];
};

/* A DUID that is empty or too long is not remembered. */
void clients6_note(struct clients6 *t, struct rd duid, const struct mac *mac);

/* False leaves *out untouched. */
bool clients6_find(const struct clients6 *t, struct rd duid, struct mac *out);

#endif
