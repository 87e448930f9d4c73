/*
 * app/timeline: every machine's boot, from its first DISCOVER to a verdict.
 *
 *     timeline_request() and timeline_answer()   a DHCP request, and what we made of it
 *     timeline_other_offer(), _elsewhere()       what other servers were seen to say and be asked
 *     timeline_file_began(), _progress(), _ended(), _refused()   files, at every door alike
 *     timeline_deadline(), timeline_timeout()    silence
 *     timeline_at(), timeline_after()            all boots; those that have ended since
 *
 * A boot begins with a machine's first request and ends when nothing more is heard of it for a
 * while: long enough for the firmware's own retries, shorter once the profile's last file has
 * come whole.  A second request of the firmware, after something was loaded, begins a new one;
 * iPXE's own is a stage of the boot that loaded it.  A file asked for soon after the end
 * opens the boot again: somebody may have sat before a menu.
 *
 * Bounded, in boots and in octets (timeline_bound()); who goes first: app/boots.
 *
 * Nothing that is handed in is kept.
 * Ownership: the timeline owns its boots; a result is a view until the next call that is not
 * const.  Errors: timeline_new() gives NULL when memory is out; what finds no room later is
 * forgotten.
 * Pure but for the memory of boots, of their lists and of uthash's buckets.
 */
#ifndef APP_TIMELINE_H
#define APP_TIMELINE_H

#include "app/boot.h"
#include "common/hash.h"

#define TIMELINE_BOOTS  4096
#define TIMELINE_OCTETS (UINT64_C(24) << 20) /* of all events and files together */

/* How long nothing may be heard of a machine before its boot has ended. */
#define TIMELINE_QUIET                                                                   \
    (20 * USEC_PER_SEC) /* nothing came lately: firmware asks again within 16 s */
#define TIMELINE_LOADED (30 * USEC_PER_SEC) /* a file has come, and more is to come */
#define TIMELINE_STUCK  (8 * USEC_PER_SEC) /* a file has come that asks for more at once */
#define TIMELINE_SETTLE (15 * USEC_PER_SEC)  /* the last file has come whole */
#define TIMELINE_REOPEN (600 * USEC_PER_SEC) /* a file opens the boot again */
#define TIMELINE_RETRIES                                                                 \
    (120 *                                                                               \
     USEC_PER_SEC) /* from its beginning: so does asking again, with nothing loaded */

struct timeline;

struct timeline *timeline_new(size_t boots, uint64_t octets,
                              const struct hash_seed *seed);
void timeline_free(struct timeline *t); /* NULL is fine */
/* The most octets it will ever take, the hash table's buckets apart. */
uint64_t timeline_bound(const struct timeline *t);
/* Those that its boots and their lists take now. */
uint64_t timeline_size(const struct timeline *t);

/* Who it is; at least one is known, else nothing is noted. */
struct timeline_who {
    bool has_mac;
    struct mac mac;
    bool has_address;
    struct endpoint address; /* its port does not count */
};

enum timeline_request_kind {
    TIMELINE_DISCOVER, /* or a SOLICIT, an INFORM: whatever begins */
    TIMELINE_REQUEST,  /* for a lease, of whichever server */
    TIMELINE_4011,
};

struct timeline_request {
    enum timeline_request_kind kind;
    const char *words; /* "DISCOVER, x64-uefi, PXEClient" */
    const char *interface;
    bool boots; /* it asks as a boot client; else it only concerns a boot under way */
    enum boot_client client;
    bool has_arch;
    uint16_t arch;
    bool ipv6;
    bool deaf;         /* what other servers say is not heard on this interface */
    struct ip4 server; /* REQUEST: whose lease it takes, or 0.0.0.0 */
};

struct timeline_answer {
    bool answered;
    bool offer;               /* else an ACK */
    enum dhcp_verdict reason; /* not answered */
    const char *form;         /* a constant; an offer's */
    const char *file;         /* NULL: none */
    const char *host;         /* NULL: not in the table, or without a name */
    const char *profile;      /* NULL: not come to */
    bool in_table;
    bool elsewhere; /* the file is another server's: a URL, or by "next_server" */
};

struct timeline_offer {
    struct ip4 server;
    bool has_address; /* it offers a lease */
    bool pxe;         /* it says that it is a PXE or HTTP Boot server */
    bool no_pxe;      /* option 175.176 */
    struct ip4 next_server;
    const char *file; /* printable; "": none */
};

void timeline_request(struct timeline *t, const struct timeline_who *who,
                      const struct timeline_request *request, usec_t now);
/* To its last request. */
void timeline_answer(struct timeline *t, const struct timeline_who *who,
                     const struct timeline_answer *answer, usec_t now);
void timeline_other_offer(struct timeline *t, const struct timeline_who *who,
                          const struct timeline_offer *offer, usec_t now);
/* It asks another server, on port 4011 or by TFTP for a file; name: printable, "": none. */
void timeline_elsewhere(struct timeline *t, const struct timeline_who *who,
                        struct ip4 server, bool tftp, const char *name, usec_t now);
/* The machine has this address now; only a boot under way is concerned. */
void timeline_address(struct timeline *t, const struct mac *mac,
                      const struct endpoint *address);

/* Of a file under way: 0 is none. */
typedef uint64_t timeline_tag;

/* What is known at its beginning; number, end, ended and repeats are the timeline's. */
timeline_tag timeline_file_began(struct timeline *t, const struct timeline_who *who,
                                 const struct boot_load *load);
void timeline_file_progress(struct timeline *t, timeline_tag tag,
                            const struct boot_progress *progress);
void timeline_file_ended(struct timeline *t, timeline_tag tag,
                         const struct boot_progress *progress, enum boot_file_end how,
                         usec_t now);
void timeline_file_refused(struct timeline *t, const struct timeline_who *who,
                           const struct boot_load *load, usec_t now);
/* The boot it belongs to, or NULL. */
const struct boot *timeline_of_file(const struct timeline *t, timeline_tag tag);

/* USEC_NEVER: nobody boots. */
usec_t timeline_deadline(const struct timeline *t);
void timeline_timeout(struct timeline *t, usec_t now);

/* All boots in no order: index from 0 up to timeline_room(); NULL: that place is empty. */
size_t timeline_room(const struct timeline *t);
const struct boot *timeline_at(const struct timeline *t, size_t index);
/* The first boot whose end came after this turn, or NULL. */
const struct boot *timeline_after(const struct timeline *t, uint64_t turn);
/* A recording of this boot, which timeline_after() gave, is kept under this name. */
void timeline_keep(struct timeline *t, const struct boot *b, const char *name);
/* The turn of the last end. */
uint64_t timeline_turn(const struct timeline *t);

struct timeline_totals {
    uint64_t booted;
    uint64_t stopped; /* without those left alone on purpose */
    uint64_t silent;
    uint64_t files; /* begun */
    uint64_t octets;
    uint64_t resent;
};
const struct timeline_totals *timeline_totals(const struct timeline *t);

#endif
