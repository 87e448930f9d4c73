/*
 * tftp/hooks: what the TFTP side asks of, and tells, the process around it.
 *
 * It knows clients by their addresses only; the process knows which machine that is.
 * Ownership: `context` is the process's.  Pure.
 */
#ifndef TFTP_HOOKS_H
#define TFTP_HOOKS_H

#include "common/clock.h"
#include "common/netaddr.h"

/* What is known of the client of a request. */
struct tftp_client {
    bool denied;              /* it gets no file */
    uint32_t max_block_size;  /* 0: no limit of its own */
    uint32_t max_window_size; /* 0: no limit of its own */
    uint32_t send_ahead;      /* enum send_ahead */
    bool knows_msft_window;   /* its profile says: */
    bool msft_window;
};

/* What the service asks of, and tells, whoever runs it; NULL where nobody cares. */
struct tftp_hooks {
    void (*who)(void *context, const struct endpoint *peer, struct tftp_client *out);
    /* A transfer to this client has begun. */
    void (*began)(void *context, const struct endpoint *peer);
    /*
     * Does work(job) in another thread, then done(job) in this one.  False: it cannot, and
     * neither is called.
     */
    bool (*run)(void *context, void (*work)(void *job),
                void (*done)(void *job, usec_t now), void *job);
    void *context;
};

#endif
