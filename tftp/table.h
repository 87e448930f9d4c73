/*
 * tftp/table: the transfers under way, by the client's address and port.
 *
 * All slots are made at start.  One whose client has not answered yet is half open: these
 * have slots of their own, so that whoever asks and never answers takes none from others.
 * One that has ended stays a while (it "lingers"), so that a late packet of its client meets
 * silence and not ERROR 5.
 *
 * Ownership: the table owns the slots; what a transfer points to is the service's.
 * Errors: NULL when every slot holds a running transfer.  Who adds one keeps the halves: no
 * more than half_max half open, the oldest makes room; no more than `room` others.
 * Pure but for the memory of the slots and of uthash's buckets.
 */
#ifndef TFTP_TABLE_H
#define TFTP_TABLE_H

/* Out of memory for a bucket is a full table, not the end of the process. */
#include "common/net.h"
#include "common/timers.h"
#include "common/uthash_keyed.h"
#include "tftp/options.h"
#include "tftp/session.h"
#include "tftp/shape.h"

struct store_file;

struct tftp_transfer {
    struct net_path path; /* path.peer is the key */
    int fd;               /* the socket it runs over */
    struct tftp_session session;
    struct tftp_opts agreed; /* its names are views into names[] */
    struct tftp_shape shape; /* of the request */
    char names[64];          /* option names in the client's spelling */
    struct store_file *file; /* NULL once ended */
    char shown[160];         /* the name asked for, printable */
    unsigned repairs;        /* enum tftp_repair bits */
    usec_t began;
    bool stalled; /* what it carried was told when it stood still */
    uint64_t
        warm_from; /* octets of the file known to be in memory: [warm_from, warm_to) */
    uint64_t warm_to;
    uint8_t *octets;  /* of a far file: these, malloc'd; NULL: none, or it is mapped */
    uint64_t serial;  /* no other transfer has it */
    uint64_t tag;     /* of hooks.opened() */
    bool cold;        /* waits for the disk */
    bool no_segments; /* UDP_SEGMENT was refused, at least for this block size */
    bool interface_refuses; /* for any: an interface without checksum offload, EIO */
    bool tell_whole;        /* hooks.began() wants to know */
    bool has_begun;         /* its first block has gone out */
    bool dirty;             /* something came in; to be pumped */
    uint16_t port;          /* of ours that it runs over; 0: not looked at yet */
    unsigned paid;          /* first packets it was charged with (tftp/budget) */
    uint8_t trust;          /* enum tftp_trust, when it was */
    uint8_t watch_again;    /* tftp/watch: blocks sent again that were told */
    uint8_t watch_answers;  /* and packets to be told that answer one */
    struct timer timer;
    /* the table's own */
    UT_hash_handle hh;
    struct tftp_transfer *older; /* half open: began before this one; lingering: ended */
    struct tftp_transfer *newer; /* likewise; free: the next free slot */
    bool heard;                  /* its client has answered: no longer half open */
    bool lingers;
};

struct tftp_table;

struct tftp_table *tftp_table_new(size_t room, size_t half_max,
                                  const struct hash_seed *seed);
void tftp_table_free(struct tftp_table *t); /* NULL is fine */

struct tftp_transfer *tftp_table_find(struct tftp_table *t, const struct endpoint *peer);

/*
 * A zeroed slot under this key, which must not be in the table, half open; NULL: none is
 * free.
 */
struct tftp_transfer *tftp_table_add(struct tftp_table *t, const struct net_path *path);
/* Its client has answered. */
void tftp_table_heard(struct tftp_table *t, struct tftp_transfer *x);
/* The transfer ended: it lingers from now on. */
void tftp_table_linger(struct tftp_table *t, struct tftp_transfer *x);
/* The one that has lingered longest, or NULL: remove it when a slot is needed. */
struct tftp_transfer *tftp_table_oldest(struct tftp_table *t);
void tftp_table_remove(struct tftp_table *t, struct tftp_transfer *x);

/* Running ones, without those that linger; and of these the half-open ones. */
size_t tftp_table_running(const struct tftp_table *t);
size_t tftp_table_half_open(const struct tftp_table *t);
/* Every half-open slot is taken: this one goes first.  NULL: there is a free one. */
struct tftp_transfer *tftp_table_in_the_way(struct tftp_table *t);
/* As many as the configuration allows have been answered. */
bool tftp_table_is_full(const struct tftp_table *t);
/* Any running transfer, or NULL: for the end of the service. */
struct tftp_transfer *tftp_table_any(struct tftp_table *t);
/* The running one behind this one, from NULL on; NULL behind the last. */
const struct tftp_transfer *tftp_table_next(const struct tftp_table *t,
                                            const struct tftp_transfer *behind);

#endif
