/*
 * tftp/misses: folds the names a client asks for in vain into two log lines.
 *
 * PXELINUX, shim and a Raspberry Pi ask for ten to twenty names that need not exist.  The
 * first miss of a client is told at once; those that follow are counted, and told as one
 * when the client has asked for nothing more for a while.
 *
 *     if (tftp_misses_note(&m, peer, name, now)) log it
 *     while (tftp_misses_due(&m, now, &sum)) log the sum
 *     tftp_misses_deadline(&m)
 *
 * Ownership: values only.  A full table tells each miss by itself.  Pure.
 */
#ifndef TFTP_MISSES_H
#define TFTP_MISSES_H

#include "common/clock.h"
#include "common/netaddr.h"

#define TFTP_MISSES_MAX   64
#define TFTP_MISSES_QUIET (3 * USEC_PER_SEC)

struct tftp_miss {
    struct endpoint peer; /* the address counts, not the port */
    uint32_t folded;      /* misses after the first */
    usec_t newest;
    char last[80]; /* the newest name, printable */
};

struct tftp_misses {
    struct tftp_miss client[TFTP_MISSES_MAX];
    unsigned count;
};

/* True: tell this one; false: it was counted. */
bool tftp_misses_note(struct tftp_misses *m, const struct endpoint *peer,
                      const char *shown, usec_t now);
/* A client that has gone quiet, taken out; only those with something folded are given. */
bool tftp_misses_due(struct tftp_misses *m, usec_t now, struct tftp_miss *out);
usec_t tftp_misses_deadline(const struct tftp_misses *m);

#endif
