/*
 * app/probe/fetch: a TFTP client that reads one file, as a machine without I/O.
 *
 *     fetch_init()
 *     fetch_input() / fetch_timeout()      a datagram came, or the deadline passed
 *     while (fetch_next()) ...             send these
 *     fetch_deadline()                     wake me then
 *
 * What it asks for, and in which order, is the habit of the client that is played.  Blocks are
 * taken in order only; of a gap EDK2 complains with every packet behind it, others once.
 *
 * Spec: RFC 1350, 2347, 2348, 2349, 7440.
 * Units: usec_t for time, blocks for windows, octets for sizes.
 * Ownership: the file's name is the caller's and outlives it; data are views into the
 * datagram.
 * Errors: state FETCH_FAILED, and fault says why in words that are safe to show.  Pure.
 */
#ifndef APP_PROBE_FETCH_H
#define APP_PROBE_FETCH_H

#include "app/request.h"
#include "common/clock.h"

#define FETCH_FAULT_SIZE  200
#define FETCH_PACKET_SIZE 1200 /* of the longest packet it sends: a request */
#define FETCH_TRIES       5    /* in vain, then it gives up */
#define FETCH_TIME        (3600 * USEC_PER_SEC) /* of a file, however it comes on */

struct fetch_terms {
    enum request_manner manner;
    const char *file;
    uint32_t block;  /* octets to ask for; 0: what the client asks for */
    uint32_t window; /* blocks; 0: likewise */
    bool size_only;  /* asks for the size and ends there, as EDK2 and ROMs do first */
};

enum fetch_state { FETCH_ASKING, FETCH_READING, FETCH_DONE, FETCH_FAILED };

struct fetch {
    struct fetch_terms terms;
    enum fetch_state state;
    uint32_t asked_block; /* 0: not asked for, as in the next */
    uint32_t asked_window;
    uint32_t block; /* as agreed */
    uint32_t window;
    bool has_size;
    uint64_t size; /* as the server tells it, with has_size */

    uint64_t got;    /* blocks in order */
    uint64_t octets; /* of these */
    uint32_t in_window;
    bool told;   /* of this gap */
    bool due;    /* a packet is to go out: a request, an ACK or an error */
    bool answer; /* the packet that is due answers one that came */

    unsigned tries;
    usec_t wait;
    usec_t wake_at;
    usec_t asked_at;
    usec_t sent_at; /* the newest ACK; 0: its round trip is not to be taken */
    usec_t answered_at;
    usec_t first_at; /* the first block came; 0: none yet */
    usec_t ended_at;
    usec_t rtt;        /* the shortest from an ACK to the next block; 0: not known */
    uint64_t packets;  /* of data that came */
    uint64_t repeated; /* of these, blocks that were there already */
    uint64_t early;    /* of these, behind a gap */
    uint64_t resent;   /* requests and ACKs sent again because nothing came */
    uint16_t code;     /* of the ERROR packet that is to go out */
    uint16_t error;    /* 1 + the code of an ERROR that came; 0: none */
    char fault[FETCH_FAULT_SIZE];
};

void fetch_init(struct fetch *f, const struct fetch_terms *terms, usec_t now);

/* The octets of the file that came with it, in order; none: an empty reader. */
struct rd fetch_input(struct fetch *f, const void *dgram, size_t len, usec_t now);
void fetch_timeout(struct fetch *f, usec_t now);
/* The length of the next packet; 0: there is nothing to send. */
size_t fetch_next(struct fetch *f, uint8_t packet[FETCH_PACKET_SIZE], usec_t now);
usec_t fetch_deadline(const struct fetch *f);

/* Does this client ask for the size before it reads? */
bool fetch_asks_size_first(enum request_manner manner);

#endif
