/*
 * dhcp/service: requests come in by capture or a socket (port 67) and by a socket (port 4011), the
 * decision is asked, its replies go out.
 *
 *     dhcp_service_open()        while privileges last
 *     dhcp_service_sockets()     watch these for reading
 *     dhcp_service_readable()    one of them has something
 *     dhcp_service_timeout()     the deadline has come
 *     dhcp_service_refresh()     interfaces or addresses have changed
 *     dhcp_service_configure()   after a reload
 *     dhcp_service_reached()     a machine has begun a transfer
 *
 * How to read it: on_frame() is a DISCOVER's way, on_datagram() a 4011 REQUEST's.
 *
 * Ownership: the service owns its captures and its socket; the configuration is borrowed
 * until the next dhcp_service_configure().
 * Shell: dhcp/capture, common/net, common/log.
 */
#ifndef DHCP_SERVICE_H
#define DHCP_SERVICE_H

#include "common/clock.h"
#include "common/losses.h"
#include "dhcp/decision.h"
#include "dhcp/frame.h"
#include "dhcp/hooks.h"
#include "dhcp/ladder.h"
#include "dhcp/ports.h"
#include "dhcp/radar.h"
#include "dhcp/traffic.h"

struct dhcp_service;

struct dhcp_counters {
    struct traffic traffic[CONFIG_INTERFACES_MAX]; /* as ports.list[] */
    uint64_t verdicts[DHCP_VERDICT_COUNT];
    uint64_t bad_frames[FRAME_FAULT_COUNT];
    uint64_t bad_packets[DHCP_FAULT_COUNT];
    uint64_t send_errors;
    uint64_t dropped[DHCP_DROPPED_COUNT];
    struct losses lost[CONFIG_INTERFACES_MAX]; /* of port 67, as ports.list[] */
    struct losses lost_4011;
};

#define DHCP_SERVICE_WHY_SIZE PORT_WHY_SIZE

/* 0 or -errno with the reason in words. */
int dhcp_service_open(const struct snapshot *config, const struct dhcp_hooks *hooks,
                      struct dhcp_service **out, char why[DHCP_SERVICE_WHY_SIZE]);
void dhcp_service_close(struct dhcp_service *s); /* NULL is fine */

#define DHCP_SOCKETS_MAX (CONFIG_INTERFACES_MAX * PORT_FDS_MAX + 1)

size_t dhcp_service_sockets(const struct dhcp_service *s, int fds[DHCP_SOCKETS_MAX]);

/*
 * -ENODEV: what stood behind this descriptor is gone; stop watching it, and refresh.  Another
 * -errno: nothing can be received for want of memory; let it rest.
 */
int dhcp_service_readable(struct dhcp_service *s, int fd, usec_t now);

/* USEC_NEVER: nothing waits. */
usec_t dhcp_service_deadline(const struct dhcp_service *s);
void dhcp_service_timeout(struct dhcp_service *s, usec_t now);

/* Serves what has come, lets go of what has gone; descriptors change by the hooks. */
void dhcp_service_refresh(struct dhcp_service *s, const struct port_hooks *hooks);

/* The configured interfaces and what each is at, for status. */
const struct ports *dhcp_service_ports(const struct dhcp_service *s);
/* What other servers do to our clients, as far as it was seen. */
const struct radar *dhcp_service_radar(const struct dhcp_service *s);

/* The list of interfaces stays as it was at start; everything else is new from the next packet on. */
void dhcp_service_configure(struct dhcp_service *s, const struct snapshot *config);

/* This machine has begun to load a file: the form of its offer was right. */
void dhcp_service_reached(struct dhcp_service *s, const struct mac *mac);

/* What has been found out of offer forms: ladder_kind_at(). */
const struct ladder *dhcp_service_ladder(const struct dhcp_service *s);
void dhcp_service_forget_forms(struct dhcp_service *s);

const struct dhcp_counters *dhcp_service_counters(const struct dhcp_service *s);

#endif
