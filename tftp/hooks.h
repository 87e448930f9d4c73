/*
 * tftp/hooks: what the TFTP side asks of, and tells, the process around it.
 *
 * It knows clients by their addresses only; the process knows which machine that is.
 * Ownership: `context` is the process's.  Pure.
 */
#ifndef TFTP_HOOKS_H
#define TFTP_HOOKS_H

#include "common/clock.h"
#include "common/seen.h"
#include "tftp/admission.h"
#include "tftp/end.h"
#include "tftp/options.h"
#include "tftp/path.h"
#include "tftp/shape.h"

/* What is known of the client of a request. */
struct tftp_client {
    bool denied;              /* it gets no file */
    uint32_t max_block_size;  /* 0: no limit of its own */
    uint32_t max_window_size; /* 0: no limit of its own */
    uint32_t send_ahead;      /* enum send_ahead */
    bool knows_msft_window;   /* its profile says: */
    bool msft_window;
};

/* What a name stands for that need not be a file beneath the root. */
enum tftp_virtual {
    TFTP_VIRTUAL_NONE, /* nothing: ask the disk */
    TFTP_VIRTUAL_TEXT, /* these octets */
    TFTP_VIRTUAL_FILE, /* that file instead */
    TFTP_VIRTUAL_REFUSED,
};

/* When it is asked: some names come before those of files, some after. */
enum tftp_turn { TFTP_BEFORE_DISK, TFTP_NOT_ON_DISK };

struct tftp_answer {
    void *octets; /* malloc'd, the service's from then on */
    size_t len;
    char file[TFTP_PATH_SIZE]; /* clean */
    char why[100];             /* the client is told this */
};

/* What a transfer is at, or was at its end; views for the time of the call. */
struct tftp_report {
    struct endpoint peer;
    unsigned ifindex;
    uint16_t port;    /* of ours that it runs over */
    const char *name; /* as asked for, printable */
    enum tftp_kind kind;
    const struct tftp_opts *asked; /* NULL but when it begins */
    uint64_t size;                 /* UINT64_MAX: not known beforehand */
    uint64_t sent;                 /* octets acknowledged */
    uint32_t block;
    uint32_t window;
    usec_t rtt; /* 0: not measured */
    uint64_t resent;
    bool heard;        /* the client has answered the first packet */
    bool last_file;    /* hooks.began() wanted to know when it is whole */
    enum tftp_end end; /* TFTP_END_NONE: it runs */
    usec_t now;
};

/* What the service asks of, and tells, whoever runs it; NULL where nobody cares. */
struct tftp_hooks {
    /* Asked first of all; ifindex: where the request came in. */
    void (*who)(void *context, const struct endpoint *peer, unsigned ifindex,
                struct tftp_client *out);
    /* False: to find this client's hardware address would be one search too many. */
    bool (*may_reach)(void *context, const struct endpoint *peer, unsigned ifindex);
    /* Whose address this is, for the log; false: nobody knows. */
    bool (*machine)(void *context, const struct endpoint *peer, struct mac *out);
    /* What this clean name stands for; rendered once for each transfer. */
    enum tftp_virtual (*find)(void *context, const struct endpoint *peer,
                              const struct endpoint *local, const char *name,
                              enum tftp_turn turn, struct tftp_answer *out);
    /* A transfer to this client has begun; true: tell when the file has come whole. */
    bool (*began)(void *context, const struct endpoint *peer, const char *name);
    /* A transfer has begun, and has ended: what the first returned is given to the second. */
    uint64_t (*opened)(void *context, const struct tftp_report *report);
    void (*ended)(void *context, uint64_t tag, const struct tftp_report *report);
    /* A request was answered with ERROR; name: printable. */
    void (*refused)(void *context, const struct endpoint *peer, unsigned ifindex,
                    const char *name, const char *why, usec_t now);
    /* A request of a machine that machine() knows was met with silence. */
    void (*turned_away)(void *context, const struct endpoint *peer, const char *name,
                        enum tftp_ignored why, usec_t now);
    /* A packet came or went (tftp/watch says which are told). */
    void (*packet)(void *context, const struct seen_packet *packet);
    /* A file that began() asked for has come whole. */
    void (*whole)(void *context, const struct endpoint *peer);
    /*
     * Does work(job) in another thread, then done(job) in this one.  far: it may wait for a
     * server that does not answer.  False: too much is waited for, and neither is called.
     */
    bool (*run)(void *context, bool far, void (*work)(void *job),
                void (*done)(void *job, usec_t now), void *job);
    void *context;
};

#endif
