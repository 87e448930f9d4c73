/*
<<<<<<< HEAD
 * tftp/misses: folds the names a client asks for in vain into one log line.
 *
 * PXELINUX, shim and a Raspberry Pi ask for ten to twenty names that need not exist.  They
 * are told as one when the client has missed nothing more for a while, or after ten seconds.
=======
 * tftp/misses: folds the names a client asks for in vain into one or two log lines.
 *
 * PXELINUX, GRUB, Windows and a Raspberry Pi ask for ten to twenty names that need not exist
 * (tftp/optional.h).  Those are counted, and told as one when the client has asked for nothing
 * more for a while.  The first other miss of a client is told at once, what follows counted.
>>>>>>> 1e00a38 (config: what a machine boots, as data that its loaders are told)
 *
 *     if (tftp_misses_note(&m, peer, name, optional, now)) log it
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
<<<<<<< HEAD
    uint32_t count;
    usec_t oldest;
=======
    uint32_t folded;      /* misses that were not told */
    bool told;            /* one was, at once */
>>>>>>> 1e00a38 (config: what a machine boots, as data that its loaders are told)
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
<<<<<<< HEAD
                      const char *shown, usec_t now);
/* The misses of a client that has gone quiet, or goes on for long; taken out. */
=======
                      const char *shown, bool optional, usec_t now);
/* A client that has gone quiet, taken out; only those with something folded are given. */
>>>>>>> 1e00a38 (config: what a machine boots, as data that its loaders are told)
bool tftp_misses_due(struct tftp_misses *m, usec_t now, struct tftp_miss *out);
usec_t tftp_misses_deadline(const struct tftp_misses *m);

#endif
