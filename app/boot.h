/*
 * app/boot: one machine's boot, as far as it was heard: its events, its files, and the facts
 * that the verdict is drawn from (app/boot_rules).
 *
 * The lists are bounded: an event that comes again is counted, a file that found no room is
 * "forgotten"; the facts are kept beside the lists and never lose anything.
 *
 * Texts are printable and NUL-ended: whoever fills them in has escaped what a peer sent.
 * Ownership: values; events and files are the boot's own memory, boot_done() frees them.
 * Errors: without memory an event or a file is forgotten, too.
 * Pure but for the memory of the two lists.
 */
#ifndef APP_BOOT_H
#define APP_BOOT_H

#include "common/clock.h"
#include "common/netaddr.h"
#include "common/timers.h"
#include "common/uthash_keyed.h"
#include "config/snapshot.h"
#include "dhcp/verdict.h"

#define BOOT_EVENTS_MAX 64
#define BOOT_FILES_MAX  40
#define BOOT_TEXT       96
#define BOOT_NAME       128 /* of a file */
#define BOOT_LABEL      64  /* of a host, a profile, a reason */

/* -- events ------------------------------------------------------------------------------- */

enum boot_event_kind {
    BOOT_DISCOVER, /* or SOLICIT, INFORM */
    BOOT_OFFER,    /* ours */
    BOOT_SILENT,   /* ours: text says why */
    BOOT_OTHER_OFFER,
    BOOT_REQUEST,
    BOOT_ASK_4011,
    BOOT_ACK, /* ours */
    BOOT_OTHER_4011,
    BOOT_OTHER_TFTP,
    BOOT_FILE, /* text is its name, as of the next */
    BOOT_REFUSED,
    BOOT_END, /* of a file; text says how */
    BOOT_SILENCE,
    BOOT_VERDICT,
    BOOT_EVENT_KIND_COUNT,
};

struct boot_event {
    usec_t at;
    usec_t last; /* of its repeats */
    uint32_t repeats;
    enum boot_event_kind kind;
    bool has_server;
    struct endpoint server; /* with a port where one was asked */
    char text[BOOT_TEXT];
};

/* -- files -------------------------------------------------------------------------------- */

enum boot_door { BOOT_TFTP, BOOT_HTTP, BOOT_DOOR_COUNT };

enum boot_file_end {
    BOOT_FILE_RUNS, /* under way */
    BOOT_FILE_DONE,
    BOOT_FILE_PROBE, /* the size was asked for, nothing else */
    BOOT_FILE_NO_FINAL_ACK,
    BOOT_FILE_ABORTED,
    BOOT_FILE_NO_ANSWER,
    BOOT_FILE_STALLED,
    BOOT_FILE_UNREACHABLE,
    BOOT_FILE_CLOSED, /* by us */
    BOOT_FILE_REFUSED,
    BOOT_FILE_END_COUNT,
};

#define BOOT_ASKED_MAX 4

/* What one file's loading is at, or was at its end. */
struct boot_progress {
    uint64_t size;  /* UINT64_MAX: not known */
    uint64_t sent;  /* octets that have arrived, as far as the client said */
    uint32_t block; /* 0: blocks are not known at this door, as the next */
    uint32_t window;
    usec_t rtt;      /* 0: none was measured */
    uint64_t resent; /* blocks */
    bool heard;      /* the client has answered our first packet */
};

struct boot_load {
    uint16_t number; /* in its boot, from 1 */
    enum boot_door door;
    enum boot_file_end end;
    char name[BOOT_NAME];
    char served[BOOT_NAME]; /* "": the name itself */
    struct endpoint peer;
    uint16_t port; /* of ours that the data come from; 0: not known */
    struct {
        const char *name; /* a constant */
        uint64_t value;
    } asked[BOOT_ASKED_MAX];
    unsigned asked_count;
    struct boot_progress progress;
    usec_t began;
    usec_t ended;
    uint32_t repeats;        /* asked for again and refused again */
    bool last_file;          /* the profile's last one: its end is the boot's */
    bool unanswered;         /* refused, but by silence */
    char reason[BOOT_LABEL]; /* refused: why */
};

/* -- what the verdict is drawn from ---------------------------------------------------------- */

/* A machine, as its DHCP requests and the habits of its requests for files tell it. */
enum boot_client {
    BOOT_CLIENT_UNKNOWN,
    BOOT_CLIENT_BIOS,
    BOOT_CLIENT_UEFI,
    BOOT_CLIENT_HTTP, /* UEFI HTTP Boot */
    BOOT_CLIENT_IPXE,
    BOOT_CLIENT_UBOOT,
    BOOT_CLIENT_PI,
    BOOT_CLIENT_COUNT,
};

/* Another server, as the first of its offers to this machine shows it. */
struct boot_other {
    struct ip4 server; /* all zero: there is none */
    usec_t at;
    bool pxe;    /* it says that it is a PXE or HTTP Boot server */
    bool no_pxe; /* it forbids iPXE to listen to us (175.176) */
    struct ip4 next_server;
    char file[BOOT_NAME];
};

/* One of the files, kept beside the list. */
struct boot_named {
    char name[BOOT_NAME];
    uint32_t times;
    usec_t at; /* lately */
};

struct boot_facts {
    uint32_t discovers;    /* of any stage; SOLICITs and INFORMs, too */
    uint32_t firmware;     /* of these, by what the machine began with */
    usec_t first_discover; /* and when */
    usec_t last_discover;
    uint32_t requests; /* that took a lease of another server */
    struct ip4 lease_server;
    uint32_t asks_4011;
    uint32_t answers;          /* of ours */
    enum dhcp_verdict silence; /* why we did not answer lately; DHCP_ANSWERED: we did */
    const char *form;          /* of our last offer; a constant, NULL: none was made */
    bool ipv6;
    bool deaf;                  /* other servers' words cannot be heard here */
    char file[BOOT_NAME];       /* that we named, or would have */
    struct boot_other lease;    /* who offers an address */
    struct boot_other proxy;    /* who offers a boot file beside us */
    struct ip4 asked_4011;      /* another server */
    struct ip4 asked_tftp;      /* another server, */
    char asked_name[BOOT_NAME]; /* for what, */
    usec_t asked_at;            /* and when lately */
    bool elsewhere;             /* what we named is to be loaded from another server */
    uint32_t loads;             /* files begun */
    uint32_t running;
    uint32_t whole;
    uint32_t probes;
    uint32_t refusals;
    uint32_t failures;       /* begun, and neither whole nor a probe */
    bool last_whole;         /* the profile's last file came whole */
    usec_t moved;            /* when a file last began, ended or was refused */
    bool again;              /* the firmware asked anew after it had loaded something */
    struct boot_named first; /* the first file that came whole, times: how often */
    struct boot_named good;  /* the latest that came whole */
    struct boot_named bad;   /* the latest that was refused */
    char bad_reason[BOOT_LABEL];
    bool bad_unanswered;    /* it was not told so */
    struct boot_load worst; /* the latest that failed */
};

enum boot_state { BOOT_BOOTING, BOOT_BOOTED, BOOT_STOPPED, BOOT_ON_PURPOSE };

enum boot_stage {
    BOOT_STAGE_DISCOVER,
    BOOT_STAGE_OFFERED,
    BOOT_STAGE_REQUESTED,
    BOOT_STAGE_FILE,
    BOOT_STAGE_SECOND,
    BOOT_STAGE_COUNT,
};

/* Who it is: by its MAC address where that is known, else by its address. */
struct boot_key {
    uint8_t octets[20];
};

struct boot {
    uint64_t id;
    struct boot_key key;
    bool has_mac;
    struct mac mac;
    bool has_address;
    struct endpoint address;
    char host[BOOT_LABEL]; /* "": not in the table */
    char profile[BOOT_LABEL];
    char interface[16];
    bool has_arch;
    uint16_t arch;
    enum boot_client client;
    usec_t began;
    usec_t heard;
    usec_t ended;  /* 0: under way */
    uint64_t turn; /* of its end among all ends, from 1 */
    enum boot_state state;
    enum boot_stage stage;
    unsigned verdict;          /* of app/boot_rules; meaningful once ended */
    char evidence[BOOT_LABEL]; /* the name of its recording; "": none is kept */
    struct boot_facts facts;
    struct boot_event *events;
    uint32_t event_count;
    uint32_t event_room;
    struct boot_load *files;
    uint32_t file_count;
    uint32_t file_room;
    uint16_t file_numbers; /* given out */
    uint32_t forgotten;
    /* the table's own */
    UT_hash_handle hh;
    struct timer timer;
    struct boot *older;
    struct boot *newer;
    unsigned list;
    bool known; /* no stranger: the host table names it, or it has loaded something */
    unsigned slot;
};

/* Frees the lists; the rest is the table's. */
void boot_done(struct boot *b);
/* The octets of its lists. */
size_t boot_size(const struct boot *b);
#define BOOT_LISTS_MAX                                                                   \
    (BOOT_EVENTS_MAX * sizeof(struct boot_event) +                                       \
     BOOT_FILES_MAX * sizeof(struct boot_load))

/* Notes it, or counts a repeat of one that lies a few events back. */
void boot_note(struct boot *b, enum boot_event_kind kind, const char *text,
               const struct endpoint *server, usec_t now);

/* A file begins: its entry, or NULL when nothing can make room for it. */
struct boot_load *boot_begin_file(struct boot *b, const struct boot_load *load);
/* NULL: it has been forgotten. */
struct boot_load *boot_find_file(struct boot *b, uint16_t number);
/* It has ended; load is no more under way. */
void boot_end_file(struct boot *b, struct boot_load *load, enum boot_file_end end,
                   usec_t now);
/* It was not begun at all. */
void boot_refuse_file(struct boot *b, const struct boot_load *load, usec_t now);

const char *boot_event_kind_name(enum boot_event_kind kind);
const char *boot_file_end_name(enum boot_file_end end);
const char *boot_door_name(enum boot_door door);
const char *boot_client_name(enum boot_client client); /* NULL: unknown */
const char *boot_state_name(enum boot_state state);
const char *boot_stage_name(enum boot_stage stage);

bool boot_file_whole(enum boot_file_end end);

/*
 * Does the failure of ended[index] still stand?  Its machine has ended no other boot since,
 * and has not come as far as its second stage in one under way: a machine that asks again and
 * again has not got over it.  ended: the last one first.
 */
bool boot_failure_stands(const struct boot *const *ended, size_t index,
                         const struct boot *const *under_way, size_t count);

#endif
