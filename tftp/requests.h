/*
 * tftp/requests: a read request, from the datagram to a running transfer or an ERROR.
 *
 * Ownership: the struct is the service's; it borrows the engine and owns nothing else.
 * Shell: tftp/store, tftp/transfer, common/log.
 */
#ifndef TFTP_REQUESTS_H
#define TFTP_REQUESTS_H

#include "tftp/admission.h"
#include "tftp/misses.h"
#include "tftp/waiting.h"

struct tftp_requests {
    struct tftp_engine *engine;
    struct store *store;
    struct tftp_waiting waiting; /* for a disk */
    struct tftp_limits limits;   /* of the configuration in force */
    struct tftp_allow allow;     /* likewise */
    struct tftp_doors doors;
    struct tftp_misses misses;
};

/* The struct is all zero, and stays where it is. */
void tftp_requests_init(struct tftp_requests *s, struct tftp_engine *engine);

/* Whoever sent this may be answered; else it is counted, and told to whom it concerns. */
bool tftp_admitted(struct tftp_requests *s, const struct net_dgram *d, usec_t now);

/*
 * Answers an RRQ or WRQ that came to fd; a transfer runs over data_fd.  One that cannot be
 * read is answered all the same: its sender waits for something.
 */
void tftp_request(struct tftp_requests *s, int fd, int data_fd, const struct net_dgram *d,
                  usec_t now);

/* Those that have waited for a disk for too long get an ERROR. */
usec_t tftp_requests_deadline(const struct tftp_requests *s);
void tftp_requests_timeout(struct tftp_requests *s, usec_t now);

#endif
