/*
 * dhcp/hooks: what the DHCP side asks of, and tells, the process around it.
 *
 * Ownership: `context` is the process's; what is told are views, for the time of the call.
 * Pure.
 */
#ifndef DHCP_HOOKS_H
#define DHCP_HOOKS_H

#include "common/seen.h"
#include "config/machines.h"
#include "dhcp/decision.h"
#include "dhcp/radar.h"

/* A request, and what became of it; views for the time of the call. */
struct dhcp_event {
    const char *interface;
    struct ip4 us; /* as whom it was answered */
    bool deaf;     /* what other servers say is not heard on this interface */
    const struct dhcp_arrival *at;
    const struct dhcp_packet *packet;
    const struct dhcp_decision *decision;
};

struct dhcp6_event; /* dhcp/v6_service.h */

/* What the service asks of, and tells, whoever runs it; NULL where nobody cares. */
struct dhcp_hooks {
    bool (*has_file)(void *context, const char *file); /* is this boot file there? */
    /* False: to find this client's hardware address would be one search too many. */
    bool (*may_reach)(void *context, const struct endpoint *peer, unsigned ifindex);
    /* A client said that it has this address. */
    void (*heard)(void *context, const struct endpoint *at,
                  const struct machine *machine);
    /* What is remembered of this machine, or NULL. */
    const struct host_state *(*state)(void *context, const struct mac *mac);
    /* A PXE client has asked for something, answered or not. */
    void (*seen)(void *context, const struct mac *mac, bool has_arch, uint16_t arch);
    /* A request was decided, whoever's it was. */
    void (*decided)(void *context, const struct dhcp_event *event);
    void (*decided6)(void *context, const struct dhcp6_event *event);
    /* Another server's offer to this client came by. */
    void (*offered)(void *context, const struct mac *client,
                    const struct radar_offer *offer);
    /* A machine that we answered asks another server for a file, or what to load (4011). */
    void (*elsewhere)(void *context, const struct mac *client, struct ip4 server,
                      uint16_t port, struct rd request);
    /*
     * A packet of this client, of whichever direction and server; begins: it may be one of
     * whom nothing is known yet.
     */
    void (*packet)(void *context, const struct seen_client *who,
                   const struct seen_packet *packet, bool begins);
    void *context;
};

#endif
