/*
 * tftp/admission: whose datagrams are looked at, and the names of the reasons for silence.
 *
 * A request is answered where it came in by a served interface, from an address that may
 * ask, and from a port that is no server's: two servers that answer each other never stop.
 *
 * Names (kebab-case) are what logs, counters, tests and documents use.
 * Spec: CVE-2024-2169 (loops), RFC 1350 section 4 (ERROR is never acknowledged).
 * Pure.
 */
#ifndef TFTP_ADMISSION_H
#define TFTP_ADMISSION_H

#include "common/net.h"
#include "config/snapshot.h"

enum tftp_ignored {
    TFTP_ADMITTED = 0,
    TFTP_NOT_REQUEST, /* to port 69, and neither RRQ nor WRQ: an ERROR, an ACK, noise */
    TFTP_SERVER_PORT, /* from port 0, 67, 69 or 4011 */
    TFTP_NOT_A_HOST,  /* from an address that no host has */
    TFTP_OTHER_INTERFACE,  /* came in where nothing is served */
    TFTP_NOT_ALLOWED,      /* from an address that tftp.allow does not name */
    TFTP_TOO_MANY,         /* too many requests that nobody answers (tftp/budget) */
    TFTP_ERROR_WITHHELD,   /* likewise ERRORs */
    TFTP_MALFORMED,        /* to a data port, and not to be read */
    TFTP_UNKNOWN_TRANSFER, /* to a data port, from a client of no transfer */
    TFTP_IGNORED_COUNT,
};

const char *tftp_ignored_name(enum tftp_ignored why);

/* By which interfaces requests come in, and what is attached to them. */
#define TFTP_DOORS_MAX    (CONFIG_INTERFACES_MAX + 1)
#define TFTP_ATTACHED_MAX 256

struct tftp_doors {
    unsigned ifindex[TFTP_DOORS_MAX];
    unsigned mtu[TFTP_DOORS_MAX]; /* 0: not known */
    size_t count;
    unsigned loopback; /* one of them: what comes in there is this host's own */
    struct subnet attached[TFTP_ATTACHED_MAX];
    size_t attached_count;
};

/* The largest block that goes to this peer unfragmented; UINT32_MAX: not known. */
uint32_t tftp_block_most(const struct tftp_doors *doors, const struct net_path *path);

/* TFTP_ADMITTED, or what is in the way of answering who sent this. */
enum tftp_ignored tftp_admit(const struct tftp_doors *doors,
                             const struct tftp_allow *allow, const struct net_path *path);

#endif
