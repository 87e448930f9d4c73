/*
 * dhcp/decision: what we answer a request, or why we stay silent.
 *
 * The one function that port 67, port 4011, tests and tools all call:
 *
 *     (configuration, identity of the receiving interface, request) -> replies and the trail
 *     of rules that led there, or a named reason for silence.
 *
 * Spec: PXE 2.1, RFC 2131, RFC 3046 section 2.2 (option 82 is echoed last), RFC 4578;
 * firmware.md section 8 (rules R1-R17) and 9 (traps).
 * Ownership: the decision holds its replies; the boot file is a view into the snapshot.
 * Errors: every way to stay silent is a verdict with a name.  Pure.
 */
#ifndef DHCP_DECISION_H
#define DHCP_DECISION_H

#include "config/gate.h"
#include "dhcp/reply.h"
#include "dhcp/verdict.h"

/* What a server is where the request came in, and what it remembers of this client. */
struct dhcp_site {
    const struct snapshot *config;
    struct ip4 address; /* of the receiving interface: option 54, and siaddr by default */
    /* Of its offer when the configuration says "auto" (dhcp/ladder.h); OFFER_AUTO: pxe. */
    enum offer_form form;
    unsigned asked; /* its DISCOVERs, this one included; 0: not counted, enough always */
    /* Is this boot file there?  NULL: taken for granted. */
    bool (*has_file)(void *context, const char *file);
    /* What is remembered of this machine, or NULL.  NULL: nothing of any. */
    const struct host_state *(*state)(void *context, const struct mac *mac);
    void *context;
    const char *interface; /* the receiving one; NULL: not known */
};

/* Which rules decided, in order (for explain and the log). */
enum dhcp_rule {
    RULE_HOST,         /* .index: the host in the table */
    RULE_UNKNOWN_HOST, /* "unknown_hosts" */
    RULE_PROFILE,      /* .index: the profile */
    RULE_IPXE,       /* the "ipxe" entry; .index: the profile it stands in, or OF_HOST */
    RULE_IPXE_LACKS, /* that entry needs a protocol this iPXE has not */
    RULE_ARCH, /* the entry for .arch; .index: the profile it stands in, or OF_HOST */
    RULE_ARCH_NO_FILE, /* no entry for .arch */
    RULE_MENU, /* the menu for .arch; .index: the profile it stands in, or OF_HOST */
    RULE_MENU_SINGLE, /* no menu: one item alone is for .arch; .index: the item */
    RULE_MENU_ITEM,   /* the item that was asked for; .index: the item */
};

struct dhcp_step {
    enum dhcp_rule rule;
    uint16_t arch;
    size_t index;
};

#define RASPBERRY_PI_DELAY_MS 1500 /* unless "delay_ms" is set */

#define DHCP_STEPS_MAX (6 + PXE_ARCHS_MAX)

struct dhcp_decision {
    enum dhcp_verdict verdict;
    struct dhcp_reply reply[2]; /* a second one only in form "both" */
    unsigned reply_count;
    enum dhcp_message type; /* of the replies: DHCP_OFFER or DHCP_ACK */
    enum offer_form form;   /* of an offer; OFFER_AUTO: none was made */
    bool on_ladder;         /* the form was the site's to choose */
    uint32_t delay_ms;      /* how long the replies are to be kept back */
    const char *file;       /* as configured; NULL: none found, or the disk by a menu */
    char url[BOOT_URL_MAX + 1]; /* where our HTTP server gives that file; "": not asked */
    const struct host *host;    /* NULL: an unknown host */
    const struct profile *profile; /* NULL: not come to */
    struct answer_conf answer; /* the host's over the profile's; with a profile only */
    struct dhcp_menu menu;     /* .conf NULL: none is shown */
    uint16_t arch;             /* the one that was chosen, else the first asked */
    bool has_arch;
    struct pxe_request client;
    struct dhcp_step step[DHCP_STEPS_MAX];
    unsigned step_count;
};

/* Fills in *out whatever the verdict; out->verdict is also returned. */
enum dhcp_verdict dhcp_decide(const struct dhcp_site *site, const struct dhcp_arrival *at,
                              const struct dhcp_packet *in, struct dhcp_decision *out);

/*
 * The gate alone: who is it, and what may it load?  DHCPv6 has the same one.
 * False: silence, and d->verdict says why; else d->profile, d->answer and d->file are
 * set (d->file NULL: the disk, by the menu).
 */
void dhcp_gate_begin(const struct pxe_request *client, struct dhcp_decision *d);
bool dhcp_gate(const struct dhcp_site *site, const struct host_facts *facts,
               struct dhcp_decision *d);

#endif
