/*
 * app/searches: how many hardware addresses the kernel is made to search for.
 *
 * What is sent to an address of an attached network that is not in the kernel's table of
 * neighbours takes a place there for the three seconds of a search by ARP or neighbour
 * discovery.  A flood of forged addresses would fill that table, and then nobody new can be
 * sent anything.  Here a few hundred searches are under way at a time; one that is answered,
 * as those for real machines are at once, makes room for the next.
 *
 * Ownership: values only; starts all zero.  Shell: common/neighbours.
 */
#ifndef APP_SEARCHES_H
#define APP_SEARCHES_H

#include "common/clock.h"
#include "common/netaddr.h"

/* A quarter of the table that Linux has by default, for each family. */
#define SEARCHES_MAX  256
#define SEARCHES_TIME (3 * USEC_PER_SEC)

struct searches {
    struct {
        struct endpoint who;
        unsigned ifindex;
        usec_t over;
    } list[SEARCHES_MAX]; /* a ring */
    size_t first;
    size_t count;
};

/* May something be sent to this address?  neighbours: of common/neighbours; -1: it may. */
bool searches_allow(struct searches *s, int neighbours, const struct endpoint *who,
                    unsigned ifindex, usec_t now);

#endif
