/*
 * dhcp/identity: which of our addresses a request means.
 *
 * An interface may have several addresses.  What is sent to one of them is answered by that
 * one; what is sent to everybody is answered by the one the interface offers.
 *
 * Ownership: values only.  Pure.
 */
#ifndef DHCP_IDENTITY_H
#define DHCP_IDENTITY_H

#include "common/netaddr.h"

#define IDENTITY_ADDRESSES_MAX 64 /* of one interface; further ones are not known */

struct identity {
    struct ip4
        offered; /* the configured address, else the first; 0.0.0.0: there is none */
    struct {
        struct ip4 ip;
        struct ip4 mask;
    } list[IDENTITY_ADDRESSES_MAX];
    size_t count;
};

/* Beyond the limit nothing is added. */
void identity_add(struct identity *id, struct ip4 ip, struct ip4 mask);

/*
 * The address that answers what was sent to `to`.  False, *us untouched: it is neither one
 * of ours nor a broadcast of our subnets, so other people's packet passes by.
 */
bool identity_answers(const struct identity *id, struct ip4 to, struct ip4 *us);

/* The last address of one of our subnets: all its hosts. */
bool identity_is_broadcast(const struct identity *id, struct ip4 ip);

/*
 * Is the offered address of the kind that container engines give on their own bridges
 * (172.16.0.0/12 or 10.88.0.0/16, with a mask of 16 bits)?  No DHCP broadcast crosses those.
 */
bool identity_is_of_containers(const struct identity *id);

#endif
