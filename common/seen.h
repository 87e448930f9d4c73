/*
 * common/seen: a packet on its way to a client or from it, for whoever keeps some.
 *
 * Ownership: views, for the time of a call.  Pure.
 */
#ifndef COMMON_SEEN_H
#define COMMON_SEEN_H

#include "common/netaddr.h"

/* Whose packet it is, by what is known. */
struct seen_client {
    bool has_mac;
    struct mac mac;
    bool has_address;
    struct endpoint address; /* its port does not count */
};

/* A whole frame as it was captured, or else what a socket gave or took, and its ends. */
struct seen_packet {
    const void *frame; /* NULL: it is the rest of this that counts */
    size_t frame_len;
    struct endpoint from; /* with its port, as the next */
    struct endpoint to;
    bool sent;        /* by us */
    struct mac us;    /* our hardware address; zeros: not known */
    const void *head; /* the payload, in two parts */
    size_t head_len;
    const void *body;
    size_t body_len;
};

#endif
