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

#include "common/log.h"
#include "common/netaddr.h"
#include "config/arch.h"

#define CONFIG_INTERFACES_MAX  16
#define CONFIG_PROFILES_MAX    256
#define CONFIG_CONTROL_DEFAULT "/run/pxed/control.sock"
#define CONFIG_FILES_MAX       512
#define BOOT_FILE_MAX          127 /* octets of the BOOTP `file` field less its NUL */
#define BOOT_URL_MAX           255 /* octets of an option: URLs of HTTP clients go in 67 */

/* Boot slots of a profile: the architectures, then the ones that are no architecture. */
enum {
    SLOT_IPXE = ARCH_COUNT, /* what an iPXE that is already running gets: its script */
    SLOT_COUNT,
};

/* How requests to port 67 are heard. */
enum listen_mode {
    LISTEN_CAPTURE, /* as frames, whoever holds the port */
    LISTEN_UDP,     /* by a socket: broadcasts only */
};

struct interface_conf {
    char name[16];      /* IFNAMSIZ */
    struct ip4 address; /* the identity we offer; 0.0.0.0: the interface's first */
    enum listen_mode listen;
};

struct dhcp_conf {
    bool enabled; /* false: ports 67, 547 and 4011 are not touched */
    bool ipv6;    /* answer over IPv6, too, where an interface has it; default true */
    bool next_server_is_us; /* the DHCP server names this host as its next server */
};

/* How many blocks go out at once to clients that know no windows; others: so many. */
enum send_ahead {
    SEND_AHEAD_UNSAID = 0,
    SEND_AHEAD_OFF = 1, /* one: lock-step */
    SEND_AHEAD_MAX = 64,
    SEND_AHEAD_AUTO = 1000, /* to programs that are known to take it, as learned */
};

/* Recordings of boots that failed. */
struct evidence_conf {
    bool enabled;
    uint32_t max_files;  /* 1..10000; default 50 */
    uint32_t max_octets; /* of all of them; default 16 MiB */
};

#define SUBNETS_MAX 32

struct subnets {
    struct subnet list[SUBNETS_MAX];
    size_t count;
};

/* Whose requests for files by TFTP are looked at. */
struct tftp_allow {
    bool attached; /* the subnets of the served interfaces, and this host itself */
    struct subnets subnets;
};

struct tftp_conf {
    bool enabled;
    char *root;         /* directory, absolute or relative to the configuration file */
    uint32_t root_line; /* where root stands in the configuration file */
    uint32_t root_column;
    uint32_t max_block_size;    /* 8..65464; default 1468 */
    uint32_t max_window_size;   /* 1..65535; default 64 */
    uint32_t first_window_size; /* of clients nobody knows, 1..65535; default 16 */
    uint32_t send_ahead;        /* enum send_ahead; default SEND_AHEAD_AUTO */
    bool msft_window;           /* answer Microsoft's msftwindow; default false */
    uint32_t max_transfers;     /* 1..100000; default 4096 */
    uint16_t data_port_first;   /* 0: one ephemeral port */
    uint16_t data_port_last;    /* inclusive; at most 64 ports */
    bool single_port;        /* data leaves from port 69 too ("data_ports": "single") */
    struct tftp_allow allow; /* default: attached */
};

/* Names by which the page is called, as they are written. */
#define HTTP_NAMES_MAX 8
#define HTTP_NAME_SIZE 254 /* RFC 1035 section 2.3.4, closing NUL included */
struct http_names {
    size_t count;
    char list[HTTP_NAMES_MAX][HTTP_NAME_SIZE];
};

struct http_conf {
    bool enabled;             /* false: "listen" is "off" */
    bool said;                /* "listen" stands in the file */
    struct endpoint listen;   /* the address :: stands for all, of either family */
    bool boot_files;          /* serve what is beneath tftp.root, too; default false */
    struct subnets page_from; /* who may see the page and the like */
    struct http_names page_names; /* by which names, beside this host's */
    uint32_t max_connections;     /* 1..10000; default 2048 */
    uint32_t max_per_address;     /* of these, from one address; 1..10000; default 64 */
    uint32_t timeout;             /* seconds without progress, 1..3600; default 30 */
};

/* How the boot file reaches a PXE client (firmware.md section 0). */
enum offer_form {
    OFFER_AUTO, /* pxe first, another one for a client that keeps asking (dhcp/ladder.h) */
    OFFER_PXE,  /* all in the offer, option 43 says "boot this at once" */
    OFFER_BINL, /* no option 43: the client asks again on port 4011 */
    OFFER_BOTH, /* two offers, the first in form pxe, the second in form binl */
    OFFER_BARE, /* binl without a file name either; not to be configured, see dhcp/ladder.h */
    OFFER_FORM_COUNT,
};

/* How a profile answers; a host may say otherwise. */
struct answer_conf {
    enum offer_form offer;
    struct ip4 next_server; /* siaddr; 0.0.0.0: our own address */
    bool ipxe_override;     /* iPXE is to take our file over the DHCP server's (175.1) */
    uint32_t delay_ms;      /* offers go out this much later */
    uint32_t
        after_requests; /* a client's DISCOVER of this number is the first answered */
    uint32_t
        said; /* SAYS_...: what the file says; the rest is inherited or the default */
};

enum {
    SAYS_OFFER = 1 << 0,
    SAYS_NEXT_SERVER = 1 << 1,
    SAYS_IPXE_OVERRIDE = 1 << 2,
    SAYS_DELAY = 1 << 3,
    SAYS_AFTER_REQUESTS = 1 << 4,
};

/* Fields that repeat what header fields of the reply say; some clients want or hate them. */
struct repeat_conf {
    bool sname;     /* the address of the TFTP server as text, in the header */
    bool option_66; /* the same as an option */
    bool option_67; /* the file's name as an option */
};

/* Instead of the index of a profile: it stands in the host, and in its file. */
#define OF_HOST UINT16_MAX

/* What a client of one kind loads, and which profile said so (for explain). */
struct boot_entry {
    const char *file; /* NULL: nothing; relative to the TFTP root, or a URL */
    uint16_t profile; /* index of the profile it stands in, after `extends`, or OF_HOST */
    uint16_t slot;
    uint32_t line; /* of the file name in its file; with file only */
    uint32_t column;
};

#define MENU_ITEMS_MAX 24  /* EDK2 shows no more */
#define MENU_SIZE_MAX  255 /* octets of option 43: firmware does not join a split one */
#define MENU_WAIT      255 /* the time-out that never runs out */
#define MENU_PROMPT    "Press F8 to choose what to boot" /* when none is given */
#define ARCH_ANY       0xffff

/* What an item of a menu loads, on one architecture or on any. */
struct menu_file {
    uint16_t arch; /* ARCH_ANY: those that have no entry of their own */
    char *file;    /* relative to the TFTP root */
    uint32_t line;
    uint32_t column;
};

struct menu_item {
    char *name;
    bool local;             /* boots from disk; then there is no file */
    struct ip4 next_server; /* 0.0.0.0: as the profile says */
    struct menu_file *files;
    size_t file_count;
    uint32_t line;
};

/* Shown by the firmware itself; the first item is what it takes unasked. */
struct menu {
    uint16_t
        profile;  /* index of the profile it stands in, and which owns it, or OF_HOST */
    char *prompt; /* NULL: MENU_PROMPT */
    uint32_t timeout; /* seconds before the first item is taken; MENU_WAIT: never */
    struct menu_item item[MENU_ITEMS_MAX];
    size_t item_count;
    uint32_t line;
};

#define SYSTEM_INITRDS_MAX 8
#define SYSTEM_SCRIPT      "auto.ipxe" /* the name of the script that is made of a system */

/* A file of an operating system that a loader loads. */
struct system_file {
    char *name;    /* beneath the TFTP root; may hold variables */
    uint32_t line; /* in its file */
    uint32_t column;
};

/* What a machine boots in the end: its loaders' configurations are made of it (config/system.h). */
struct system_conf {
    struct system_file kernel;
    struct system_file initrd[SYSTEM_INITRDS_MAX];
    size_t initrd_count;
    char *
        args; /* the kernel's command line, as the kernel is to read it; may hold variables */
    uint32_t args_line;
    uint32_t args_column;
};

/* A DHCP option that is sent as it stands. */
struct raw_option {
    uint8_t code;
    uint8_t len;
    uint8_t *value;
};

struct raw_options {
    struct raw_option *list;
    size_t count;
};

struct profile {
    char *name;
    int32_t parent; /* index of `extends`, or -1 */
    struct answer_conf answer;
    struct repeat_conf repeat;
    struct menu *menu;      /* NULL: none; may be an ancestor's */
    bool msft_window;       /* as in tftp_conf, for its machines */
    struct host_vars *vars; /* of its own, not of its parents; NULL: none */
    char *done_when; /* the file whose fetching ends a boot; NULL: the last named here */
    /* Of its own, not of its parents; NULL: none. */
    struct system_conf *system;
    struct raw_options *options;
    struct system_file directory;
    uint32_t line;                      /* where it begins in the configuration file */
    struct boot_entry boot[SLOT_COUNT]; /* inherited ones filled in */
};

/* A name for use in templates, and what it stands for. */
struct host_var {
    char *name;
    char *value;
};

struct host_vars {
    struct host_var *list;
    size_t count;
};

/* Octets that a value must be, or begin with. */
struct octet_pattern {
    uint8_t *octets; /* NULL: nothing is asked */
    uint16_t len;
    bool open; /* more may follow */
};

/* What a host asks of a machine beside MAC and UUID; zero: nothing. */
struct host_match {
    struct octet_pattern vendor_class; /* option 60 */
    struct octet_pattern user_class;   /* one class of option 77 */
    struct octet_pattern circuit_id;   /* sub-option 1 of option 82 */
    uint64_t archs;                    /* bit n: architecture n is one of them */
    bool has_relay;
    uint8_t relay_bits; /* 32: the address alone */
    struct ip4 relay;   /* giaddr */
    char interface[16]; /* IFNAMSIZ */
};

enum host_action {
    HOST_BOOT,
    HOST_IGNORE,
    HOST_LOCAL, /* boots from disk: as ignored, but on purpose */
    HOST_HOLD,  /* until it is approved, then as HOST_BOOT */
    HOST_ACTION_COUNT,
};

/* What a host says over its profile, beside its answer.  Only hosts that say so have one. */
struct host_own {
    struct boot_entry *boot; /* in no order; NULL with boot_count zero */
    uint16_t boot_count;
    struct menu *menu; /* NULL: nothing said, as below */
    char *done_when;
    struct system_conf *system;
    struct raw_options *options;
    struct system_file directory;
    bool says_repeat;
    bool says_msft_window;
    bool msft_window;
    struct repeat_conf repeat;
    uint32_t
        index; /* place in the list of its file; OF_HOST_ALONE: it is the whole file */
};
#define OF_HOST_ALONE UINT32_MAX

/*
 * It is one only who meets all of mac, uuid and match.  What finding a host and judging it
 * reads comes first, so that it shares a cache line (config/hosts.c).
 */
struct host {
    uint8_t uuid[16]; /* as written in text (RFC 9562 order) */
    struct mac mac;   /* the first mac_len octets count */
    uint8_t mac_len;  /* 6: exact; 1..5: prefix ("52:54:00:*"); 0: not by MAC */
    bool has_uuid;
    struct host_match *match; /* NULL: MAC and UUID are all that is asked */
    struct host_own *own;     /* NULL: all else is as the profile says */
    enum host_action action;
    bool once;        /* boots once, and is left to its disk from then on */
    uint16_t profile; /* index; the default one unless said; HOST_BOOT, HOST_HOLD only */
    struct host_vars *vars;    /* NULL: none */
    char *name;                /* may be NULL */
    struct answer_conf answer; /* what it says goes over what the profile says */
    uint32_t max_block_size;   /* as in tftp_conf, for this host; 0: nothing said */
    uint32_t max_window_size;  /* likewise */
    uint32_t send_ahead;       /* likewise */
    uint32_t line;             /* where the host begins in its file */
    uint32_t file; /* which is snapshot.host_paths[file - 1]; 0: the main one */
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

/* How what stands for a variable is written into a template (config/template.h). */
enum template_kind {
    TEMPLATE_PLAIN,
    TEMPLATE_IPXE,     /* an iPXE script */
    TEMPLATE_GRUB,     /* grub.cfg */
    TEMPLATE_PXELINUX, /* pxelinux.cfg */
};

/* A name that clients may ask for and that need not be a file beneath tftp.root. */
struct virtual_file {
    char *name;     /* clean and relative; may hold variables */
    char *file;     /* what is served instead, beneath tftp.root; may hold variables */
    char *template; /* or the file that is rendered; absolute or relative to the
                       configuration file */
    char *text;     /* of the template; put in by whoever reads files */
    size_t len;
    enum template_kind kind;
    uint32_t line; /* of file or template in the configuration file */
    uint32_t column;
};

struct log_conf {
    enum log_form form;
    enum log_level level;
};

struct snapshot {
    struct interface_conf interfaces[CONFIG_INTERFACES_MAX];
    size_t interface_count;
    bool hotplug; /* interfaces are waited for, and followed when they change */
    struct dhcp_conf dhcp;
    struct tftp_conf tftp;
    struct http_conf http;
    struct evidence_conf evidence;
    char *user;      /* whom to become after start; default "pxed" */
    char *control;   /* path of the control socket; NULL: none */
    char *state_dir; /* where what is remembered is kept; NULL: in memory only */
    bool watch;      /* reload by itself when the configuration changes */
    bool confined;   /* by Landlock, where the kernel can */
    struct log_conf log;
    struct profile *profiles;
    size_t profile_count;
    bool profiles_unread; /* there are some, but they could not be read */
    char *host_files;     /* directory of more hosts, as written; NULL: none */
    uint32_t host_files_line;
    uint32_t host_files_column;
    char **host_paths; /* the files read from there */
    size_t host_path_count;
    struct hosts *hosts;
    struct virtual_file *files;
    size_t file_count;
    struct unknown_hosts unknown;
};

/* Is there a door by which files beneath tftp.root are served? */
bool serves_files(const struct snapshot *s);

/*
 * What a machine of this profile and host (NULL: an unknown one) is given: what the host says
 * comes before what the profile does.
 *
 * plan_boot: of a boot slot exactly, or NULL.
 * plan_arch: for a client of this architecture, or NULL.  7 and 9 stand in for each other when
 * only one is set (real x64 firmware sends either).
 * plan_menu: NULL: none.  A host's own file for an architecture goes over its profile's menu.
 */
const struct boot_entry *plan_boot(const struct profile *p, const struct host *host,
                                   unsigned slot);
const struct boot_entry *plan_arch(const struct profile *p, const struct host *host,
                                   uint16_t arch);
const struct menu *plan_menu(const struct profile *p, const struct host *host,
                             uint16_t arch);
struct repeat_conf plan_repeat(const struct profile *p, const struct host *host);
bool plan_msft_window(const struct profile *p, const struct host *host);
/* The file whose fetching ends a boot; NULL: nobody says. */
const char *plan_done_when(const struct snapshot *s, const struct profile *p,
                           const struct host *host);
/* What is booted in the end; NULL: nobody says. */
const struct system_conf *plan_system(const struct snapshot *s, const struct profile *p,
                                      const struct host *host);
/* Options sent as they stand; NULL: none. */
const struct raw_options *plan_options(const struct snapshot *s, const struct profile *p,
                                       const struct host *host);
/* Where files are that are not where they are asked for; may hold variables.  NULL: nowhere. */
const char *plan_directory(const struct snapshot *s, const struct profile *p,
                           const struct host *host);
/* How it is answered. */
struct answer_conf plan_answer(const struct profile *p, const struct host *host);

/*
 * What a name stands for: the host's (NULL: an unknown one) before the profile's, and that
 * before its parents'.  NULL: nobody says.
 */
const char *snapshot_var(const struct snapshot *s, size_t profile,
                         const struct host *host, const char *name);

/* What this item loads on an architecture, or NULL: it is not for it, or local. */
const struct menu_file *menu_file(const struct menu_item *item, uint16_t arch);

/*
 * The octets that the menu takes as option 43 on this architecture: its items for it, each
 * with two servers at most (dhcp/menu.h).
 */
size_t menu_size(const struct menu *menu, uint16_t arch);

/* Lays what `over` says over *base. */
void answer_lay(struct answer_conf *base, const struct answer_conf *over);

/* "auto", "pxe", "binl", "both", "bare": the words of the configuration and the log. */
const char *offer_form_name(enum offer_form form);

/* "boot", "ignore", "local": the words of the configuration. */
const char *host_action_name(enum host_action action);

/* The key of a boot slot in a profile: an architecture's name, or "ipxe". */
const char *slot_name(unsigned slot);
/* The slot of such a key, an architecture's other names and numbers too. */
bool slot_parse(const char *key, unsigned *out);

/* Free what they point to, and themselves; NULL is fine. */
void host_match_free(struct host_match *m);
void host_vars_free(struct host_vars *v);
void host_own_free(struct host_own *own);
/* Only what it points to. */
void host_own_done(struct host_own *own);
void system_free(struct system_conf *system);
void raw_options_free(struct raw_options *options);
void snapshot_free(struct snapshot *s);

#endif
