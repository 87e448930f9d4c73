/*
 * tests/bench/crowd: many clients, each with a socket of its own, in one epoll loop.
 *
 *     crowd_open(), crowd_run(), then read the results, crowd_close()
 *
 * Loss is drawn per client from a seeded generator; a round trip is made by sending each ACK
 * late.  A run ends when every client has, or when its time is over.
 *
 * Units: usec_t for time.  Errors: 0 or -errno.  Shell: sockets, epoll.
 */
#ifndef TESTS_BENCH_CROWD_H
#define TESTS_BENCH_CROWD_H

#include <sys/socket.h>

#include "common/clock.h"
#include "tests/bench/client.h"

struct crowd_conf {
    struct sockaddr_storage server;
    socklen_t server_len;
    uint32_t first_address; /* IPv4, host order; 0: the kernel chooses */
    unsigned address_count;
    size_t clients;
    usec_t apart;      /* between two starts, 0: all at once */
    usec_t retry;      /* a client that hears nothing repeats itself */
    unsigned tries;    /* and gives up after so many repetitions */
    usec_t round_trip; /* ACKs leave so much later */
    usec_t limit;      /* of the whole run */
    double data_loss;  /* 0..1 */
    double ack_loss;
    uint64_t seed;
    int receive_buffer; /* octets, 0: the system's default */
    bool progress;      /* on stderr */
};

struct crowd_member {
    struct client client;
    struct crowd *crowd;
    int fd;
    bool connected;
    unsigned tries;
    unsigned waiting; /* ACKs that have not left yet */
    uint64_t random;
    usec_t began;
    usec_t ended;
    usec_t heard;
    struct crowd_member *older; /* by `heard` */
    struct crowd_member *newer;
};

struct crowd {
    struct crowd_conf conf;
    struct client_plan *plan;
    struct crowd_member *members;
    size_t started;
    size_t ok;
    size_t failed;
    size_t open; /* sockets */
    int epoll_fd;
    usec_t began;
    usec_t now;
    uint64_t acks;
    uint64_t retries;           /* requests and ACKs repeated because nothing came */
    uint64_t lost;              /* packets thrown away on purpose */
    struct crowd_member oldest; /* head of the list, no member */
    struct crowd_inbox *inbox;
    struct crowd_acks *late;
};

int crowd_open(const struct crowd_conf *conf, struct client_plan *plan,
               struct crowd *out);
int crowd_run(struct crowd *crowd);
void crowd_close(struct crowd *crowd);

#endif
