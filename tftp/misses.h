/*
 * tftp/misses: folds the names a client asks for in vain into one log line.
 *
 * PXELINUX, shim and a Raspberry Pi ask for ten to twenty names that need not exist.  They
 * are told as one when the client has missed nothing more for a while, or after ten seconds.
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
#define TFTP_MISSES_QUIET (2 * USEC_PER_SEC)
#define TFTP_MISSES_SPAN  (10 * USEC_PER_SEC)

struct tftp_miss {
    struct endpoint peer; /* the address counts, not the port */
    uint32_t count;
    usec_t oldest;
    usec_t newest;
    char first[80]; /* names, printable */
    char last[80];
};

struct tftp_misses {
    struct tftp_miss client[TFTP_MISSES_MAX];
    unsigned count;
};

/* True: tell this one, there is no room; false: it was counted. */
bool tftp_misses_note(struct tftp_misses *m, const struct endpoint *peer,
                      const char *shown, usec_t now);
/* The misses of a client that has gone quiet, or goes on for long; taken out. */
bool tftp_misses_due(struct tftp_misses *m, usec_t now, struct tftp_miss *out);
usec_t tftp_misses_deadline(const struct tftp_misses *m);

#endif
