/*
 * config/snapshot: everything the configuration file says, as one immutable value.
 *
 * Made by config_load() (config/load.h), read by every service, freed by snapshot_free().
 * A reload makes a new one and swaps the pointer between two events.
 *
 * Units: octets, blocks.  Addresses as common/netaddr.  Strings are NUL-terminated UTF-8.
 * Ownership: the snapshot owns all it points to; lookups hand out views into it.  Pure.
 */
#ifndef CONFIG_SNAPSHOT_H
#define CONFIG_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/netaddr.h"
#include "config/arch.h"

#define CONFIG_INTERFACES_MAX 16
#define CONFIG_PROFILES_MAX   256
#define BOOT_FILE_MAX         127 /* octets of the BOOTP `file` field less its NUL */

/* Boot slots of a profile: the architectures, then the ones that are no architecture. */
enum {
    SLOT_IPXE = ARCH_COUNT, /* what an iPXE that is already running gets: its script */
    SLOT_COUNT,
};

struct interface_conf {
    char name[16];      /* IFNAMSIZ */
    struct ip4 address; /* the identity we offer; 0.0.0.0: the interface's first */
};

struct dhcp_conf {
    bool enabled; /* false: ports 67 and 4011 are not touched */
};

/* How many blocks go out at once to clients that know no windows; others: so many. */
enum send_ahead {
    SEND_AHEAD_UNSAID = 0,
    SEND_AHEAD_OFF = 1, /* one: lock-step */
    SEND_AHEAD_MAX = 64,
    SEND_AHEAD_AUTO = 1000, /* to programs that are known to take it, as learned */
};

struct tftp_conf {
    bool enabled;
    char *root;         /* directory, absolute or relative to the configuration file */
    uint32_t root_line; /* where root stands in the configuration file */
    uint32_t root_column;
    uint32_t max_block_size;  /* 8..65464; default 1468 */
    uint32_t max_window_size; /* 1..65535; default 64 */
    uint32_t send_ahead;      /* enum send_ahead; default SEND_AHEAD_AUTO */
    bool msft_window;         /* answer Microsoft's msftwindow; default false */
    uint32_t max_transfers;   /* 1..100000; default 4096 */
    uint16_t data_port_first; /* 0: one ephemeral port */
    uint16_t data_port_last;  /* inclusive; at most 64 ports */
    bool single_port;         /* data leaves from port 69 too ("data_ports": "single") */
};

/* How the boot file reaches a PXE client (firmware.md section 0). */
enum offer_form {
    OFFER_PXE,  /* all in the offer, option 43 says "boot this at once" */
    OFFER_BINL, /* no option 43: the client asks again on port 4011 */
    OFFER_BOTH, /* two offers, the first in form pxe, the second in form binl */
};

/* What a client of one kind loads, and which profile said so (for explain). */
struct boot_entry {
    const char *file; /* NULL: nothing; relative to the TFTP root, or a URL */
    uint16_t profile; /* index of the profile the entry stands in, after `extends` */
    uint32_t line;    /* of the file name in the configuration file; with file only */
    uint32_t column;
};

struct profile {
    char *name;
    int32_t parent;         /* index of `extends`, or -1 */
    struct ip4 next_server; /* siaddr; 0.0.0.0: our own address */
    enum offer_form offer;
    bool msft_window;   /* as in tftp_conf, for its machines */
    bool ipxe_override; /* iPXE is to take our file over the DHCP server's (175.1) */
    uint32_t line;      /* where it begins in the configuration file */
    struct boot_entry boot[SLOT_COUNT]; /* inherited ones filled in */
};

enum host_action { HOST_BOOT, HOST_IGNORE };

struct host {
    char *name;      /* may be NULL */
    struct mac mac;  /* the first mac_len octets count */
    uint8_t mac_len; /* 6: exact; 1..5: prefix ("52:54:00:*"); 0: not by MAC */
    bool has_uuid;
    uint8_t uuid[16]; /* as written in text (RFC 9562 order) */
    enum host_action action;
    uint16_t profile; /* index; the default profile unless said; with HOST_BOOT only */
    uint32_t max_block_size;  /* as in tftp_conf, for this host; 0: nothing said */
    uint32_t max_window_size; /* likewise */
    uint32_t send_ahead;      /* likewise */
    uint32_t line;            /* where the host begins in the configuration file */
};

struct hosts; /* config/hosts.h: the lookup table */

/*
 * What is said about hosts that are not in the table.  Nothing said: the profile named
 * "default" when there is one, else they are ignored.
 */
struct unknown_hosts {
    enum host_action action;
    uint16_t profile; /* index; with HOST_BOOT only */
    uint32_t line;    /* in the configuration file; 0: nothing is said there */
};

struct snapshot {
    struct interface_conf interfaces[CONFIG_INTERFACES_MAX];
    size_t interface_count;
    struct dhcp_conf dhcp;
    struct tftp_conf tftp;
    char *user; /* whom to become after start; default "pxed" */
    struct profile *profiles;
    size_t profile_count;
    struct hosts *hosts;
    struct unknown_hosts unknown;
};

/*
 * What this profile gives a client of this architecture, or NULL.
 * 7 and 9 stand in for each other when only one is set (real x64 firmware sends either).
 */
const struct boot_entry *profile_boot(const struct profile *p, uint16_t arch);

/* The key of a boot slot in a profile: an architecture's name, or "ipxe". */
const char *slot_name(unsigned slot);

void snapshot_free(struct snapshot *s); /* NULL is fine */

#endif
