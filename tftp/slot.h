/*
 * tftp/slot: one transfer: its session, its file, and how it is sent.
 *
 * Ownership: tftp/table has the slots; what a transfer points to is the service's.
 */
#ifndef TFTP_SLOT_H
#define TFTP_SLOT_H

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
    /* of tftp/table and tftp/holders */
    UT_hash_handle hh;
    struct tftp_transfer *older; /* in its queue: half open, lingering, its holder's */
    struct tftp_transfer *newer; /* likewise; free: the next free slot */
    struct tftp_holder *holder;  /* running and heard: its address */
    bool heard;                  /* its client has answered: no longer half open */
    bool lingers;
};

#endif
