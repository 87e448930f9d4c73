/*
 * tftp/service: port 69 and the transfers.  A datagram comes in, a core decides, the result
 * goes out in batches; one line is logged for each finished thing.
 *
 *     tftp_service_open()          while privileges last
 *     tftp_service_sockets()       watch these for reading
 *     tftp_service_readable()      one of them has something
 *     tftp_service_deadline() / tftp_service_timeout()
 *     tftp_service_configure()     after a reload
 *
 * How to read it: on_port_69() is an RRQ's way, on_packet() an ACK's, pump() what follows
 * either.
 *
 * Ownership: the service owns its sockets and transfers; of the configuration it keeps
 * nothing but values.
 * Shell: common/net, tftp/store, common/log.
 */
#ifndef TFTP_SERVICE_H
#define TFTP_SERVICE_H

#include "common/clock.h"
#include "common/netaddr.h"
#include "config/snapshot.h"
#include "tftp/admission.h"
#include "tftp/counters.h"
#include "tftp/hooks.h"
#include "tftp/window.h"

#define TFTP_PORT 69

struct tftp_service;

/*
 * Opens the root and every socket.  0 or -errno, with *what in words ("UDP port 69") for the
 * message.
 */
int tftp_service_open(const struct snapshot *config, const struct tftp_hooks *hooks,
                      struct tftp_service **out, const char **what);
void tftp_service_close(
    struct tftp_service *s); /* ends transfers with ERROR; NULL is fine */

size_t tftp_service_sockets(const struct tftp_service *s, const int **fds);
/* None before this was called. */
void tftp_service_set_doors(struct tftp_service *s, const struct tftp_doors *doors);
/* 0, or -errno when nothing can be received for want of memory: let it rest. */
int tftp_service_readable(struct tftp_service *s, int fd, usec_t now);
/* poll() says POLLERR: some client's port is closed. */
void tftp_service_unreachable(struct tftp_service *s, int fd, usec_t now);
usec_t tftp_service_deadline(const struct tftp_service *s);
void tftp_service_timeout(struct tftp_service *s, usec_t now);

/*
 * Takes over a new configuration: limits at once, the root for new requests; running
 * transfers go on.  0 or -errno (the root cannot be opened; the old one stays).
 */
int tftp_service_configure(struct tftp_service *s, const struct snapshot *config);

/* Is this boot file there for clients to fetch?  (The name as the configuration has it.) */
bool tftp_service_has_file(struct tftp_service *s, const char *file);

const struct tftp_counters *tftp_service_counters(const struct tftp_service *s);
/* Transfers under way. */
size_t tftp_service_running(const struct tftp_service *s);
/* Of these those whose client has not answered yet. */
size_t tftp_service_half_open(const struct tftp_service *s);

/* Tells of every running transfer, with the tag that hooks.opened() gave it. */
void tftp_service_each(const struct tftp_service *s,
                       void (*see)(void *context, uint64_t tag,
                                   const struct tftp_report *report),
                       void *context, usec_t now);

/* What windows have carried: tftp_windows_at() shows it. */
const struct tftp_windows *tftp_service_windows(const struct tftp_service *s);
/* Every client begins anew. */
void tftp_service_forget_windows(struct tftp_service *s);

#endif
