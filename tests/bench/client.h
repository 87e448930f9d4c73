/*
 * tests/bench/client: one TFTP client of the load generator, as a machine without I/O.
 *
 *     client_init()
 *     client_request()    the RRQ: first, and again while nothing has come
 *     client_input()      a packet came; true: acknowledge c->block now
 *     client_done()       gives the memory back
 *
 * Every octet is compared with the file as it should be.
 *
 * Kinds, each as its real namesake behaves:
 *   plain      RFC 7440: an ACK a window, one ACK a gap.
 *   lockstep   RFC 1350: the next block or nothing; a repeated block is acknowledged again.
 *   edk2       an ACK for every block that was not expected, and a new window from there.
 *   bootmgr    Windows Boot Manager: asks for msftwindow, and where it is granted each ACK
 *              names the next window, one more after a window without a loss, a quarter
 *              after one.  Else as plain.
 *   ipxe       no windows, but keeps what comes early: an ACK for each block, of the block
 *              before the first gap.
 *
 * Spec: RFC 1350, 2347, 2348, 2349, 7440.  Ownership: the plan is the caller's and outlives
 * its clients.  Pure, but for the bitmap of an ipxe client.
 */
#ifndef TESTS_BENCH_CLIENT_H
#define TESTS_BENCH_CLIENT_H

#include "common/bytes.h"

enum client_kind {
    CLIENT_PLAIN,
    CLIENT_LOCKSTEP,
    CLIENT_EDK2,
    CLIENT_IPXE,
    CLIENT_BOOTMGR,
    CLIENT_KINDS
};

enum client_state { CLIENT_ASKING, CLIENT_READING, CLIENT_DONE, CLIENT_FAILED };

#define CLIENT_OPTIONS_MAX 4
#define CLIENT_FAULT_SIZE  96

/* What is common to all clients of a run, and what has happened to them. */
struct client_plan {
    enum client_kind kind;
    const char *file;
    const uint8_t *data; /* the file as it should be */
    uint64_t size;
    uint32_t blksize; /* 512: not asked for */
    uint32_t window;  /* 1: not asked for */
    bool tsize;
    const char *options[CLIENT_OPTIONS_MAX]; /* more of them, name=value */
    unsigned option_count;

    uint32_t agreed_blksize;
    uint32_t agreed_window; /* the largest, where it varies */
    uint64_t octets;        /* of files, each counted once */
    uint64_t data_count;    /* DATA packets that came */
    uint64_t duplicates;    /* of blocks that were there already */
    uint64_t early;         /* of blocks behind a gap */
    uint64_t gaps;
    uint64_t corrupted;            /* packets whose octets are not the file's */
    char fault[CLIENT_FAULT_SIZE]; /* of the client that failed last */
};

struct client {
    struct client_plan *plan;
    enum client_state state;
    uint32_t blksize;
    uint32_t window;
    uint32_t in_window;
    uint64_t block; /* all up to here are there */
    uint64_t last;  /* number of the last block */
    bool told;      /* of this gap */
    bool varies;    /* its ACKs have a fifth octet, the next window */
    uint8_t *early; /* ipxe: a bit a block */
};

void client_init(struct client *c, struct client_plan *plan);
void client_done(struct client *c);

/* The length of the RRQ; 0: it does not fit. */
size_t client_request(const struct client *c, uint8_t *packet, size_t room);
bool client_input(struct client *c, const uint8_t *packet, size_t len);
/* Before an ACK is repeated because nothing came. */
void client_restart(struct client *c);
void client_fail(struct client *c, const char *fault);

bool client_kind_parse(const char *name, enum client_kind *out);
const char *client_kind_name(enum client_kind kind);

#endif
