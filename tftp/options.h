/*
 * tftp/options: option negotiation for a read request.
 *
 * Spec: RFC 2347 (rules), 2348 blksize, 2349 timeout and tsize, 7440 windowsize.
 * Microsoft's msftwindow is in no RFC: 31416 is asked, 27182 answered, beside a windowsize.
 * Units: blksize octets; timeout seconds; tsize octets; windowsize blocks.
 * Ownership: names are views into the request's datagram; numbers are values.
 * Errors: nothing fails; an option that breaks its rules is left unanswered, as RFC 2347
 * asks, and the file is served.  Pure.
 */
#ifndef TFTP_OPTIONS_H
#define TFTP_OPTIONS_H

#include "tftp/packet.h"

enum tftp_opt {
    TFTP_BLKSIZE,
    TFTP_TIMEOUT,
    TFTP_TSIZE,
    TFTP_WINDOWSIZE,
    TFTP_MSFTWINDOW,
    TFTP_OPT_COUNT,
};

/* A set of option values; val[i] and name[i] are meaningful only while bit i of has is set. */
struct tftp_opts {
    uint64_t val[TFTP_OPT_COUNT];
    struct tftp_text
        name[TFTP_OPT_COUNT]; /* the client's own spelling, echoed in the OACK */
    uint32_t has;
    uint8_t
        order[TFTP_OPT_COUNT]; /* in the order asked; the first tftp_opts_count() count */
    uint8_t count;
};

/* What the server allows; 0: no limit of its own. */
struct tftp_limits {
    uint32_t max_block_size;
    uint32_t max_window_size;
    uint32_t
        send_ahead;   /* enum send_ahead of config/snapshot.h, or blocks; 0: lock-step */
    bool msft_window; /* answer msftwindow */
};

/*
 * Read the options of a request: case-blind names, the first of repeated ones, digits only.
 * Unknown names and out-of-range values are skipped; reading stops at the first thing that
 * is no clean pair (old ROMs pad with garbage).
 */
struct tftp_opts tftp_opts_parse(struct rd options);

/*
 * What to answer: blksize and windowsize cut down to the limits, timeout as asked or not at
 * all, tsize filled with file_size (left out when it is UINT64_MAX: not known beforehand).
 */
struct tftp_opts tftp_opts_agree(const struct tftp_opts *ask,
                                 const struct tftp_limits *limits, uint64_t file_size);

/* Write a whole OACK packet: opcode and the option list, in the order asked. */
void tftp_opts_write(const struct tftp_opts *opts, struct wr *w);

static inline bool tftp_opts_has(const struct tftp_opts *opts, enum tftp_opt which)
{
    return opts->has & 1u << which;
}

/* The value, or other when the option is not there. */
static inline uint64_t tftp_opts_get(const struct tftp_opts *opts, enum tftp_opt which,
                                     uint64_t other)
{
    return tftp_opts_has(opts, which) ? opts->val[which] : other;
}

#endif
