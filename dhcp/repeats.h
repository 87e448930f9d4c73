/*
 * dhcp/repeats: one request that comes in by two interfaces on one wire is one request.
 *
 * Only what comes by another interface within REPEATS_MEMORY is a repeat; a client that asks
 * again is heard on the interface that was first.
 *
 * Ownership: all in struct repeats; old entries give way to new ones of the same slot, so
 * under a storm a repeat may pass, but never is a first request held for one.
 * Zeros and a seed are a good start.  Pure.
 */
#ifndef DHCP_REPEATS_H
#define DHCP_REPEATS_H

#include "common/clock.h"
#include "common/hash.h"
#include "dhcp/packet.h"

#define REPEATS_SLOTS  4096
#define REPEATS_MEMORY (2 * USEC_PER_SEC)

struct repeats {
    struct hash_seed seed;
    struct {
        uint64_t id; /* of transaction, client and message; 0: free */
        size_t interface;
        usec_t heard;
    } slot[REPEATS_SLOTS];
};

/* True: it was heard by another interface already.  interface: any number of its own. */
bool repeats_heard(struct repeats *r, const struct dhcp_packet *in, size_t interface,
                   usec_t now);

#endif
