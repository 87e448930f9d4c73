/*
 * dhcp/v6_clients: what was heard of the client of a DUID before: its MAC, its last message.
 *
 * EDK2 sends its SOLICIT from a link-local address that tells the MAC, and its request to
 * port 4011 from the address it was leased, which does not: without a memory the host table
 * would know the machine at one door and not at the other.
 *
 * A message that comes in by two interfaces on one wire is one message.  Only what comes by
 * another interface within CLIENTS6_REPEAT is a repeat; a client that asks again is heard on
 * the interface that was first.
 *
 * Bounded: 4 clients for each of 1024 hash values; of these the one seen longest ago yields.
 * Ownership: values are copied.  Pure.
 */
#ifndef DHCP_V6_CLIENTS_H
#define DHCP_V6_CLIENTS_H

#include "common/clock.h"
#include "common/hash.h"
#include "dhcp/v6_decision.h"

#define CLIENTS6_SETS 1024
#define CLIENTS6_WAYS 4

#define CLIENTS6_REPEAT (2 * USEC_PER_SEC)
#define CLIENTS6_MEMORY (120 * USEC_PER_SEC)  /* since it asked last */
#define CLIENTS6_COPY   (500 * USEC_PER_MSEC) /* RFC 8415: nobody asks again sooner */

struct client6 {
    uint8_t duid[DHCP6_DUID_MAX];
    uint8_t duid_len; /* 0: a free place */
    bool named;       /* by a host of the table: makes no room for one that is not */
    bool has_mac;
    struct mac mac;
    uint32_t seen;    /* rises with each message of anybody */
    uint32_t message; /* type and transaction of the last one; 0: none */
    uint16_t port;    /* it came to */
    unsigned ifindex; /* it came by */
    usec_t heard;
    unsigned asked; /* how often it asked on port 547, since it came to 4011 */
    usec_t asked_at;
    uint32_t asked_message; /* as message, of those alone */
};

struct clients6 {
    struct hash_seed seed;
    uint32_t now;
    struct client6 place[CLIENTS6_SETS][CLIENTS6_WAYS];
};

/* A DUID that is empty or too long is not remembered, and never a repeat. */
void clients6_note(struct clients6 *t, struct rd duid, const struct mac *mac);

/* True: this message was heard by another interface already. */
bool clients6_repeats(struct clients6 *t, struct rd duid, const struct dhcp6_packet *in,
                      uint16_t port, unsigned ifindex, usec_t now);

/* The how-manieth time it asks with this message; 0: it has no DUID to be known by. */
unsigned clients6_turn(const struct clients6 *t, struct rd duid,
                       const struct dhcp6_packet *in, usec_t now);
/* It did ask. */
void clients6_asked(struct clients6 *t, struct rd duid, const struct dhcp6_packet *in,
                    usec_t now);
/* It came to port 4011: what it asks from now on counts anew. */
void clients6_came(struct clients6 *t, struct rd duid);

/*
 * dhcp6_decide() with what is known of the client, and what comes of it remembered.  site:
 * asked is filled in here; at: the MAC that was known.
 */
enum dhcp_verdict clients6_decide(struct clients6 *t, struct dhcp6_site *site,
                                  struct dhcp6_arrival *at, const struct dhcp6_packet *in,
                                  usec_t now, struct dhcp6_decision *out);

/* The MAC; false leaves *out untouched. */
bool clients6_find(const struct clients6 *t, struct rd duid, struct mac *out);

#endif
