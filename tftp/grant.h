/*
 * tftp/grant: what a request is granted, from what it asks, what is allowed, and what windows
 * of its kind have carried (tftp/window); and what its transfer tells for the next one.
 *
 * Pure but for the memory of tftp/window.
 */
#ifndef TFTP_GRANT_H
#define TFTP_GRANT_H

#include "tftp/session.h"
#include "tftp/window.h"

struct tftp_wish {
    struct endpoint client;
    struct tftp_opts asked;
    struct tftp_limits limits;
    uint64_t file_size;
};

struct tftp_grant {
    struct tftp_shape shape;
    struct tftp_opts agreed; /* its names are those of the request */
    struct tftp_terms terms;
};

void tftp_grant(struct tftp_windows *windows, const struct tftp_wish *wish, usec_t now,
                struct tftp_grant *out);

/* At the end of a transfer, or in the midst of it when it stands still. */
void tftp_grant_told(struct tftp_windows *windows, const struct endpoint *client,
                     const struct tftp_shape *shape, const struct tftp_session *s,
                     usec_t now);

#endif
