/*
 * sim/run: the real tftp/session against a client model over a simulated wire.
 *
 * Units: usec_t for (virtual) time.  A setup with the same seed is the same run for ever.
 */
#ifndef TESTS_SIM_RUN_H
#define TESTS_SIM_RUN_H

#include "tests/sim/client.h"

struct sim_setup {
    const struct sim_model *model;
    struct tftp_terms terms;
    struct sim_link link[SIM_SIDES];
    struct sim_drop drop[SIM_DROPS_MAX]; /* op 0: none */
    bool vanishes;
    uint64_t vanish_after; /* packets heard, 0: mute from the start */
    uint64_t seed;
    bool trace; /* every packet to standard output */
};

struct sim_result {
    enum tftp_end end;
    bool whole;            /* the client has every octet, in order, and the end */
    uint64_t bytes;        /* octets it accepted */
    uint64_t blocks;       /* blocks it accepted */
    uint64_t needed;       /* blocks of the file */
    uint64_t sent_data;    /* DATA packets sent, repeats included */
    uint64_t sent_first;   /* packets sent before the client was heard */
    uint64_t acks;         /* ACK packets that reached the server */
    uint64_t lost;         /* by the wire, both ways, and by a full ring */
    uint64_t restarts;     /* requests that began a new transfer */
    unsigned copies_max;   /* how often the most repeated of the first blocks went out */
    usec_t time;           /* when the server's side ended */
    usec_t client_time;    /* when the client took its last block */
    usec_t longest_quiet;  /* the server sent nothing although it was not through */
    usec_t longest_stall;  /* the client accepted nothing */
    struct tftp_session s; /* as it was left */
    const char *fault;     /* a rule that was broken, NULL: none */
};

void sim_run(const struct sim_setup *setup, struct sim_result *out);

/* Blocks sent for one that was needed. */
double sim_traffic(const struct sim_result *r);

/* What a session must never be in; NULL: all is well.  After it has been pulled empty. */
const char *sim_session_fault(const struct tftp_session *s);

#endif
