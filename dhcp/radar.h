/*
 * dhcp/radar: what other servers say that breaks our clients.
 *
 *     radar_heard()   each request on port 67, and whether it is ours to answer
 *     radar_see()     each reply of others; hands out what is new, to be told at once
 *     radar_asks()    a TFTP request to somebody else
 *     radar_say()     an event as a sentence: who, what it breaks, for which clients
 *
 * A server is told of once for each kind of conflict, and counted from then on.  What is
 * said to machines that are not ours to boot (a telephone's firmware file) is no conflict,
 * so the transaction numbers of the last requests are kept.
 *
 * Spec: how EDK2 ranks offers (PxeBcDhcp4.c), iPXE's dhcp.c, shim's netboot.c.
 * Ownership: the radar is the caller's, fixed size, starts all zero; events are views
 * into it.  Pure.
 */
#ifndef DHCP_RADAR_H
#define DHCP_RADAR_H

#include "common/clock.h"
#include "dhcp/identity.h"
#include "dhcp/packet.h"

enum radar_kind {
    RADAR_FOREIGN_OPTION60, /* an address offer that also claims to be a PXE server's */
    RADAR_FOREIGN_HTTP,     /* the same for UEFI HTTP Boot */
    RADAR_BOOT_FILE,        /* an address offer names a boot file */
    RADAR_NEXT_SERVER,      /* an address offer names a next server, though no file */
    RADAR_SECOND_PROXY,     /* another proxy answers a client that we answer */
    RADAR_IPXE_NO_PROXY,    /* option 175.176: iPXE is told to ignore proxies */
    RADAR_ELSEWHERE,        /* a machine we answered asks another server for a file */
    RADAR_KIND_COUNT,
};

/*
 * A forger of server addresses fills this and no more; whom nobody has seen for so long makes
 * room for others, so that he blinds the radar for no longer than he goes on.
 */
#define RADAR_EVENTS_MAX 32
#define RADAR_MEMORY     (600 * USEC_PER_SEC)
#define RADAR_HEARD_MAX  256 /* requests remembered */
#define RADAR_TEXT       640

struct radar_event {
    enum radar_kind kind;
    struct ip4 server; /* option 54, else the source */
    struct ip4 via;    /* the source; differs from server behind a relay */
    struct mac mac;    /* of whoever sent the frame; of its next hop: RADAR_ELSEWHERE */
    struct mac client; /* the first it was said to; all zero: no Ethernet client */
    struct ip4 next_server;
    char file[DHCP_FILE_LEN]; /* as sent, cut; RADAR_BOOT_FILE and RADAR_ELSEWHERE */
    uint64_t count;
    usec_t first;
    usec_t last;
};

/* A request on port 67. */
struct radar_request {
    uint32_t xid;
    struct mac client;      /* all zero: no Ethernet client */
    bool ours;              /* we answer it */
    struct ip4 next_server; /* where we send it for its file; with `ours` */
};

struct radar {
    struct radar_event event[RADAR_EVENTS_MAX];
    size_t count;
    uint64_t seen[RADAR_KIND_COUNT]; /* also those that found no room */
    struct radar_request heard[RADAR_HEARD_MAX];
    uint64_t heard_count;
};

/* A reply on the wire. */
struct radar_reply {
    const struct dhcp_packet *packet;
    struct mac mac;
    struct ip4 ip;
    const struct identity *us; /* of the interface that saw it */
};

/* What another server's OFFER says of itself and of booting. */
struct radar_offer {
    struct ip4 server; /* option 54, else the source */
    bool ours;         /* one without an address, as this host */
    bool has_address;
    bool pxe;    /* option 60 names a boot client */
    bool no_pxe; /* option 175.176 */
    struct ip4 next_server;
    char file[DHCP_FILE_LEN]; /* as sent, cut; "": none */
};

/* False: it is no OFFER; *out is undefined then. */
bool radar_read_offer(const struct radar_reply *reply, struct radar_offer *out);

void radar_heard(struct radar *r, const struct radar_request *request);

/* How many events this reply was the first to show; they stand in fresh[]. */
size_t radar_see(struct radar *r, const struct radar_reply *reply, usec_t now,
                 const struct radar_event *fresh[RADAR_KIND_COUNT]);

/* Did we answer this machine lately, and send it to another one than this server? */
bool radar_is_elsewhere(const struct radar *r, const struct mac *client,
                        struct ip4 server);

/*
 * The frame's sender asks `server`, not us, for the file of this TFTP request; the event
 * that shows, if it is new, else NULL.
 */
const struct radar_event *radar_asks(struct radar *r, const struct mac *client,
                                     const struct mac *to, struct ip4 server,
                                     struct rd request, usec_t now);

const char *radar_kind_name(enum radar_kind kind);
/* A harm that surely comes, or a hint that may explain one. */
bool radar_is_warning(enum radar_kind kind);
char *radar_say(const struct radar_event *e, char buf[RADAR_TEXT]);

#endif
