/*
 * dhcp/v6_service: DHCPv6 requests come in on ports 547 and 4011, the decision is asked, its
 * reply goes out; that of port 4011 a moment later.
 *
 *     dhcp6_service_open()        while privileges last
 *     dhcp6_service_sockets()     watch these for reading
 *     dhcp6_service_readable()    one of them has something
 *     dhcp6_service_timeout()     dhcp6_service_deadline() has come
 *     dhcp6_service_configure()   after a reload
 *
 * With "hotplug" interfaces and addresses may come and go at any time; each is served while
 * it is there.
 *
 * Ownership: the service owns its sockets; the configuration is borrowed until the next
 * dhcp6_service_configure().
 * Shell: dhcp/v6_link, common/net, common/log.
 */
#ifndef DHCP_V6_SERVICE_H
#define DHCP_V6_SERVICE_H

#include "common/clock.h"
#include "dhcp/service.h"
#include "dhcp/v6_decision.h"

struct dhcp6_service;

struct dhcp6_counters {
    struct traffic traffic[CONFIG_INTERFACES_MAX]; /* as the configuration lists them */
    uint64_t verdicts[DHCP_VERDICT_COUNT];
    uint64_t bad_packets[DHCP6_FAULT_COUNT];
    struct losses lost_547;
    struct losses lost_4011;
    uint64_t dropped[DHCP_DROPPED_COUNT];
    uint64_t send_errors;
};

/* As struct dhcp_event. */
struct dhcp6_event {
    const char *interface;
    const struct dhcp6_arrival *at;
    const struct dhcp6_packet *packet;
    const struct dhcp6_decision *decision;
};

/* 0 or -errno with the reason in words; -EAFNOSUPPORT: this kernel has no IPv6. */
int dhcp6_service_open(const struct snapshot *config, const struct dhcp_hooks *hooks,
                       struct dhcp6_service **out, char why[DHCP_SERVICE_WHY_SIZE]);
void dhcp6_service_close(struct dhcp6_service *s); /* NULL is fine */

#define DHCP6_SOCKETS_MAX 3

size_t dhcp6_service_sockets(const struct dhcp6_service *s, int fds[DHCP6_SOCKETS_MAX]);
/* 0, or -errno when nothing can be received for want of memory: let it rest. */
int dhcp6_service_readable(struct dhcp6_service *s, int fd, usec_t now);

/* When a reply is to go out that was held back; USEC_NEVER: none is. */
usec_t dhcp6_service_deadline(const struct dhcp6_service *s);
void dhcp6_service_timeout(struct dhcp6_service *s, usec_t now);

/* Interfaces stay as they were opened; everything else is new from the next packet on. */
void dhcp6_service_configure(struct dhcp6_service *s, const struct snapshot *config);

const struct dhcp6_counters *dhcp6_service_counters(const struct dhcp6_service *s);

#endif
