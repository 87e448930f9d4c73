/*
 * dhcp/verdict: the ways in which a request ends: an answer, or a named reason for silence.
 *
 * The names (kebab-case) are what logs, counters, tools and tests use.
 * Pure.
 */
#ifndef DHCP_VERDICT_H
#define DHCP_VERDICT_H

enum dhcp_verdict {
    DHCP_ANSWERED = 0,
    DHCP_A_REPLY,      /* not a request: some server's answer */
    DHCP_NOT_OURS,     /* a message type this port does not answer */
    DHCP_NOT_PXE,      /* option 60 names neither PXEClient nor HTTPClient */
    DHCP_OTHER_SERVER, /* option 54 names another server, or none where one is needed */
    DHCP_NO_ARCH,      /* neither option 93 nor digits in option 60 */
    DHCP_UNKNOWN_ARCH, /* a code that IANA has not assigned */
    DHCP_HOST_IGNORED, /* the host's action is "ignore" */
    DHCP_HOST_LOCAL,   /* the action is "local": the machine boots from disk */
    DHCP_UNKNOWN_HOST, /* not in the table, and unknown hosts are ignored */
    DHCP_HOST_HELD,    /* nobody has approved it yet */
    DHCP_HOST_DONE,    /* its one boot is done */
    DHCP_NO_FILE,      /* the profile has no boot file for this architecture */
    DHCP_FILE_MISSING, /* it has, but the file is not there */
    DHCP_NO_ITEM,      /* a menu item is asked for that this client was not shown */
    DHCP_TOO_EARLY,    /* the client must ask more often first ("after_requests") */
    DHCP_TOO_LARGE,    /* the reply would not fit what the client takes */
    /* DHCPv6 alone: */
    DHCP_NO_CLIENT_ID, /* a SOLICIT that names no client, which RFC 8415 forbids */
    DHCP_IPV4_ONLY,    /* the URL or next_server of the profile is an IPv4 address */
    DHCP_NO_ADDRESS, /* we have no address of its family that this client could load from */
    DHCP_VERDICT_COUNT,
};

const char *dhcp_verdict_name(enum dhcp_verdict verdict);

/* Why a packet came to nothing before, or after, there was a verdict. */
enum dhcp_dropped {
    DHCP_DROPPED_REPEAT,  /* another interface of the same wire had brought it already */
    DHCP_DROPPED_CROWDED, /* too many offers wait for their delay */
    DHCP_DROPPED_OTHER_INTERFACE, /* came in where nothing is served */
    DHCP_DROPPED_PORT_0,          /* from port 0, where no answer can go */
    DHCP_DROPPED_NOT_A_HOST,      /* from an address that no host has; likewise */
    DHCP_DROPPED_UNRESOLVED, /* one of a flood whose hardware addresses are unknown */
    /* DHCPv6 alone: */
    DHCP_DROPPED_TOO_LONG, /* longer than what a datagram may be */
    DHCP_DROPPED_NO_DUID,  /* no interface with a MAC was there yet to make ours of */
    DHCP_DROPPED_COUNT,
};

const char *dhcp_dropped_name(enum dhcp_dropped why);

#endif
