/*
 * tftp/errors: ERROR packets, and how many of them leave.
 *
 * One that ends a transfer goes to a client that is there.  One that answers a request, or a
 * stray packet, goes to an address that may be forged: these are limited (tftp/budget).
 * None is ever repeated, or waited for.
 * Shell: common/net.
 */
#ifndef TFTP_ERRORS_H
#define TFTP_ERRORS_H

#include "tftp/engine.h"

/* To the client of a transfer. */
void tftp_send_error(const struct tftp_hooks *hooks, int fd, const struct net_path *path,
                     enum tftp_error code, const char *message);

/* To whoever asked.  False: too many have gone there, or in all; it was counted. */
bool tftp_answer_error(struct tftp_engine *e, int fd, const struct net_path *path,
                       enum tftp_error code, const char *message, usec_t now);

#endif
