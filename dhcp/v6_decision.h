/*
 * dhcp/v6_decision: what we answer a DHCPv6 request, or why we stay silent.
 *
 * A DHCPv6 proxy gives no addresses: it says what to boot, in an ADVERTISE or a REPLY without
 * any IA, beside the server that leases the address.
 *
 *     SOLICIT on 547, class PXEClient     ADVERTISE with our DUID, class word and URL
 *       then REQUEST on 4011              REPLY with the URL
 *     SOLICIT on 547, class HTTPClient    ADVERTISE with the http URL; no 4011 follows
 *     INFORMATION-REQUEST on 547          REPLY with the URL (iPXE, stateless networks)
 *
 * Spec: RFC 8415, RFC 5970, UEFI 2.10 section 24.3.4 (PXE) and 24.7 (HTTP Boot);
 * firmware.md section 4 and rule R18.
 * Ownership: the decision holds its reply; the boot file is a view into the snapshot.
 * Errors: every way to stay silent is a verdict with a name.  Pure.
 */
#ifndef DHCP_V6_DECISION_H
#define DHCP_V6_DECISION_H

#include "dhcp/decision.h"
#include "dhcp/v6_packet.h"

#define DHCP6_URL_MAX  512
#define DHCP6_DUID_LEN 18 /* of ours */

/* What a server is where the request came in. */
struct dhcp6_site {
    const struct snapshot *config;
    uint8_t duid[DHCP6_DUID_LEN];
    const struct ip6 *address; /* of the receiving interface */
    size_t address_count;
    /* Is this boot file there?  NULL: taken for granted. */
    bool (*has_file)(void *context, const char *file);
    /* What is remembered of this machine, or NULL.  NULL: nothing of any. */
    const struct host_state *(*state)(void *context, const struct mac *mac);
    void *context;
    const char *interface; /* the receiving one; NULL: not known */
    /* How often it has asked on port 547, this time included; 0: not counted, enough. */
    unsigned asked;
};

/* How the request reached us. */
struct dhcp6_arrival {
    uint16_t port;   /* DHCP6_SERVER_PORT or DHCP_PXE_PORT */
    struct ip6 from; /* UDP source */
    uint16_t from_port;
    struct ip6 to;  /* UDP destination: ours, or a multicast group */
    bool has_mac;   /* it is known from an earlier request of this client, */
    struct mac mac; /* for when this one does not tell it */
};

/* It goes to where the request came from. */
struct dhcp6_reply {
    uint16_t to_port;
    size_t len;
    uint8_t packet[DHCP6_MAX_LEN];
};

struct dhcp6_decision {
    struct dhcp_decision gate; /* verdict, client, host, file, delay, trail; no replies */
    enum dhcp6_message type;   /* of the reply: DHCP6_ADVERTISE or DHCP6_REPLY */
    bool has_mac;
    struct mac
        mac; /* as the relay, the DUID or the source address tells it, or as known */
    char url[DHCP6_URL_MAX];
    struct dhcp6_reply reply; /* when the verdict is DHCP_ANSWERED */
};

/* Our DUID: the same for the same MAC, at every start. */
void dhcp6_duid(const struct mac *mac, uint8_t out[DHCP6_DUID_LEN]);

/* What the host table can be asked about the machine of a decision; views into all three. */
struct host_facts dhcp6_facts(const struct dhcp6_site *site,
                              const struct dhcp6_packet *in,
                              const struct dhcp6_decision *d);

/* Fills in *out whatever the verdict; out->gate.verdict is also returned. */
enum dhcp_verdict dhcp6_decide(const struct dhcp6_site *site,
                               const struct dhcp6_arrival *at,
                               const struct dhcp6_packet *in, struct dhcp6_decision *out);

#endif
