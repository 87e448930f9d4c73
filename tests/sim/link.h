/*
 * sim/link: a wire on virtual time, both ways: loss, doubling, reordering, delay, rate, a
 * bounded queue with tail drop, and exact drops ("DATA 7, the first time").
 *
 *     sim_wire_post()         a packet leaves one end
 *     sim_wire_next_at()      when the next one reaches the other end
 *     sim_wire_take()         here it is
 *
 * Units: usec_t for time; nanoseconds inside, so that a rate is exact; chances in permille.
 * Ownership: sim_wire_done() frees what sim_wire_post() stored.
 */
#ifndef TESTS_SIM_LINK_H
#define TESTS_SIM_LINK_H

#include "common/clock.h"
#include "tests/sim/random.h"
#include "tftp/packet.h"

enum sim_side { SIM_TO_CLIENT, SIM_TO_SERVER, SIM_SIDES };

struct sim_packet {
    enum tftp_op op;
    uint64_t number; /* DATA, ACK: wide; both ends may look at the low 16 bits only */
    uint64_t offset; /* DATA */
    uint32_t len;    /* DATA */
    uint16_t code;   /* ERROR */
    uint8_t window;  /* ACK: of an msftwindow client, 0: no such octet */
};

/* One direction. */
struct sim_link {
    usec_t delay;      /* one way */
    unsigned octet_ns; /* time on the wire for an octet: 8 is 1 Gbit/s, 0 takes no time */
    unsigned queue;    /* packets that may wait for the wire, 0: no limit */
    unsigned loss;
    unsigned doubled;
    unsigned late;   /* chance to be held back, so that others overtake */
    usec_t held_max; /* by 1..held_max */
};

/* Loses one packet on purpose. */
struct sim_drop {
    enum tftp_op op;
    uint64_t number; /* DATA, ACK */
    unsigned time; /* the k-th time it is sent, from 1; 0: always; n | SIM_UP_TO: 1..n */
};

#define SIM_UP_TO     0x10000u
#define SIM_DROPS_MAX 8

struct sim_wire {
    struct sim_link link[SIM_SIDES];
    struct sim_random random;
    struct sim_drop drop[SIM_DROPS_MAX]; /* op 0: none */
    unsigned met[SIM_DROPS_MAX];         /* how often each drop's packet was seen */
    uint64_t free_at_ns[SIM_SIDES];
    uint64_t order; /* packets due at the same moment keep their order */
    uint64_t lost[SIM_SIDES];
    struct sim_flight *heap;
    size_t count;
    size_t room;
};

void sim_wire_init(struct sim_wire *w, const struct sim_link link[SIM_SIDES],
                   const struct sim_drop *drop, uint64_t seed);
/* Frees the packets still under way. */
void sim_wire_done(struct sim_wire *w);
/* True: at least one copy is on its way. */
bool sim_wire_post(struct sim_wire *w, enum sim_side to, const struct sim_packet *p,
                   usec_t now);
/* USEC_NEVER: nothing under way. */
usec_t sim_wire_next_at(const struct sim_wire *w);
/* Only when something is under way. */
enum sim_side sim_wire_take(struct sim_wire *w, struct sim_packet *out);

#endif
