#include "tests/sim/link.h"

#include <stdlib.h>

/* Ethernet, IPv4 and UDP headers, preamble and gap, and the TFTP header. */
#define OVERHEAD    70
#define NS_PER_USEC 1000
#define NO_ROOM     UINT64_MAX

struct sim_flight {
    uint64_t at_ns;
    uint64_t order;
    enum sim_side to;
    struct sim_packet packet;
};

void sim_wire_init(struct sim_wire *w, const struct sim_link link[SIM_SIDES],
                   const struct sim_drop *drop, uint64_t seed)
{
    *w = (struct sim_wire){
        .link = {link[SIM_TO_CLIENT], link[SIM_TO_SERVER]},
        .random = {seed},
    };
    for (size_t i = 0; drop && i < SIM_DROPS_MAX; i++) {
        w->drop[i] = drop[i];
    }
}

void sim_wire_done(struct sim_wire *w)
{
    free(w->heap);
    w->heap = NULL;
    w->count = 0;
    w->room = 0;
}

static bool before(const struct sim_flight *a, const struct sim_flight *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void push(struct sim_wire *w, const struct sim_flight *f)
{
    if (w->count == w->room) {
        w->room = w->room ? 2 * w->room : 256;
        struct sim_flight *grown = realloc(w->heap, w->room * sizeof *grown);
        if (!grown) {
            abort();
        }
        w->heap = grown;
    }
    size_t i = w->count++;
    while (i > 0 && before(f, &w->heap[(i - 1) / 2])) {
        w->heap[i] = w->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->heap[i] = *f;
}

/* Is this the packet that is to be lost on purpose? */
static bool dropped_by_plan(struct sim_wire *w, const struct sim_packet *p)
{
    bool gone = false;
    for (size_t i = 0; i < SIM_DROPS_MAX; i++) {
        const struct sim_drop *d = &w->drop[i];
        if (d->op == 0 || d->op != p->op || d->number != p->number) {
            continue;
        }
        unsigned times = ++w->met[i];
        bool first_ones = d->time & SIM_UP_TO && times <= (d->time & ~SIM_UP_TO);
        gone = gone || d->time == 0 || d->time == times || first_ones;
    }
    return gone;
}

/* When the last bit leaves, or NO_ROOM in the queue. */
static uint64_t through_queue(struct sim_wire *w, enum sim_side to, uint32_t len,
                              uint64_t now_ns)
{
    uint64_t wire_ns = (uint64_t)(len + OVERHEAD) * w->link[to].octet_ns;
    uint64_t start = w->free_at_ns[to] > now_ns ? w->free_at_ns[to] : now_ns;
    if (w->link[to].queue > 0 && start - now_ns > w->link[to].queue * wire_ns) {
        return NO_ROOM;
    }
    w->free_at_ns[to] = start + wire_ns;
    return w->free_at_ns[to];
}

bool sim_wire_post(struct sim_wire *w, enum sim_side to, const struct sim_packet *p,
                   usec_t now)
{
    const struct sim_link *link = &w->link[to];
    uint64_t leaves = through_queue(w, to, p->len, now * NS_PER_USEC);
    bool by_plan = dropped_by_plan(w, p);
    if (leaves == NO_ROOM || by_plan || sim_random_permille(&w->random, link->loss)) {
        w->lost[to]++;
        return false;
    }
    unsigned copies = sim_random_permille(&w->random, link->doubled) ? 2 : 1;
    while (copies-- > 0) {
        struct sim_flight f = {leaves + link->delay * NS_PER_USEC, w->order++, to, *p};
        if (sim_random_permille(&w->random, link->late)) {
            f.at_ns += (1 + sim_random_below(&w->random, link->held_max)) * NS_PER_USEC;
        }
        push(w, &f);
    }
    return true;
}

usec_t sim_wire_next_at(const struct sim_wire *w)
{
    if (w->count == 0) {
        return USEC_NEVER;
    }
    return (w->heap[0].at_ns + NS_PER_USEC - 1) / NS_PER_USEC;
}

enum sim_side sim_wire_take(struct sim_wire *w, struct sim_packet *out)
{
    enum sim_side to = w->heap[0].to;
    *out = w->heap[0].packet;
    const struct sim_flight last = w->heap[--w->count];
    size_t i = 0;
    for (size_t child = 1; child < w->count; child = 2 * i + 1) {
        if (child + 1 < w->count && before(&w->heap[child + 1], &w->heap[child])) {
            child++;
        }
        if (!before(&w->heap[child], &last)) {
            break;
        }
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return to;
}
