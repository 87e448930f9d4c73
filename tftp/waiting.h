/*
 * tftp/waiting: read requests that wait for a disk, and the search there in another thread.
 *
 * Each ends with a call of `settle`; one that is forgotten meanwhile (it was answered
 * otherwise, or its client asks for something else) ends so as well, when the disk answers.
 *
 * Bounded: no more wait than TFTP_WAITING_MAX.
 * Ownership: what waits is a copy, and this file's.  What it has made of a file is settle's.
 * Errors: false.  Shell: tftp/find, tftp/store; hooks->run.
 */
#ifndef TFTP_WAITING_H
#define TFTP_WAITING_H

#include "tftp/find.h"
#include "tftp/store.h"
#include "tftp/transfer.h"

#define TFTP_WAITING_MAX 256

/* A request on its way to a transfer. */
struct tftp_asked {
    int fd; /* where it came in */
    struct tftp_transfer wanted;
    enum tftp_mode mode;
    struct tftp_limits limits;
    struct tftp_text name; /* name and options are views into the datagram */
    struct rd options;
    struct tftp_quest quest;
    struct store_file *made; /* of what the quest has found; NULL: not yet */
};

struct tftp_wait;

struct tftp_waiting {
    const struct tftp_hooks *hooks;
    struct tftp_wait *first; /* the oldest */
    size_t count;
    /* found, fault: as of tftp_find_on(); found is NULL: nobody wants an answer any more. */
    void (*settle)(void *context, struct tftp_asked *a, enum store_fault fault,
                   const struct tftp_found *found, usec_t now);
    void *context;
};

/* After STORE_WAITS; d: the datagram.  False: too many wait, or memory is out. */
bool tftp_waiting_add(struct tftp_waiting *list, const struct tftp_asked *a,
                      const struct net_dgram *d, usec_t now);

/* Is it a repeat of one that waits?  Another one of that client is forgotten. */
bool tftp_waiting_has(struct tftp_waiting *list, const struct endpoint *peer,
                      const char *shown);

usec_t tftp_waiting_deadline(const struct tftp_waiting *list);
/* One that has waited for too long, which is forgotten now; NULL: none. */
const struct tftp_asked *tftp_waiting_due(struct tftp_waiting *list, usec_t now);

#endif
