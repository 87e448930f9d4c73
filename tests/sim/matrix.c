/*
 * Every client on thousands of seeded wires: loss, doubling, reordering, delay, rate, window
 * and block size are drawn from the seed.  No transfer may fail, storm or stall.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/run.h"
#include "tests/sim/suites.h"

#define SEEDS_DEFAULT 1000
#define COMPLAINTS    5
#define STORM_FACTOR  3.0  /* over what the wire makes unavoidable, for a single run */
#define MEAN_MAX      1.25 /* times the file, over all runs of a client */
#define QUIET_MAX     (2 * TFTP_RTO_MAX + 100 * USEC_PER_MSEC)
#define STALL_MAX     (12 * USEC_PER_SEC) /* two ACKs lost, the client's timer is 5 s */
#define WINDOW_OCTETS (512 * 1024)

#define COUNT(a)   (sizeof(a) / sizeof(a)[0])
#define PICK(r, a) ((a)[sim_random_below((r), COUNT(a))])

struct tally {
    unsigned long runs;
    uint64_t packets;
    unsigned failed;
    uint64_t needed; /* blocks, over the runs in which traffic is judged */
    uint64_t sent;
    double traffic; /* the worst of them */
    uint64_t traffic_seed;
    usec_t quiet;
    uint64_t quiet_seed;
    usec_t stall;
    uint64_t stall_seed;
};

static uint64_t draw_size(struct sim_random *r, uint32_t blksize)
{
    uint64_t blocks = 1 + sim_random_below(r, 600);
    switch (sim_random_below(r, 4)) {
    case 0:
        return blocks * blksize; /* an empty block at the end */
    case 1:
        return blocks * blksize - 1;
    default:
        return (blocks - 1) * blksize + sim_random_below(r, blksize);
    }
}

static void draw_link(struct sim_random *r, struct sim_setup *out)
{
    static const unsigned losses[] = {0, 1, 5, 10, 20, 50};
    static const unsigned doubled[] = {0, 0, 10, 50};
    static const unsigned late[] = {0, 0, 10, 50};
    static const usec_t delays[] = {50, 100, 250, 1000, 5000, 12500};
    static const unsigned rates[] = {0, 8, 80};
    struct sim_link link = {
        .delay = PICK(r, delays),
        .octet_ns = PICK(r, rates),
        .loss = PICK(r, losses),
        .doubled = PICK(r, doubled),
        .late = PICK(r, late),
    };
    link.held_max = link.delay * 2;
    out->link[SIM_TO_CLIENT] = link;
    out->link[SIM_TO_SERVER] = link;
}

static void draw(const struct sim_model *model, uint64_t seed, struct sim_setup *out)
{
    static const uint32_t windows[] = {1, 2, 3, 4, 7, 8, 16, 32, 64};
    static const uint32_t aheads[] = {1, 2, 4, 16, 32, 64};
    static const uint32_t blksizes[] = {8, 512, 512, 1024, 1428, 1468, 1468, 8192, 65464};
    struct sim_random r = {seed};
    *out = (struct sim_setup){.model = model, .seed = seed};
    draw_link(&r, out);
    out->terms = (struct tftp_terms){
        .blksize = PICK(&r, blksizes),
        .window = PICK(&r, windows),
        .oack = model->needs_oack || model->window > 0 || sim_random_permille(&r, 800),
        .rto_max = TFTP_RTO_MAX,
        .patience = TFTP_PATIENCE,
    };
    out->terms.msft_window = model->varies;
    if (!out->terms.oack) {
        out->terms.blksize = 512;
    }
    if (model->window == 0 || !out->terms.oack) {
        out->terms.window = 1;
        out->terms.ahead = PICK(&r, aheads);
    }
    /* What one socket takes at once; and a server knows of clients with small rings. */
    while (
        out->terms.window * out->terms.blksize > WINDOW_OCTETS ||
        (model->ring > 0 && out->terms.window > 1 && out->terms.window >= model->ring)) {
        out->terms.window = out->terms.window * 3 / 4;
    }
    out->terms.file_size = draw_size(&r, out->terms.blksize);
}

/* A client that is slower than the longest timer gets repeats for its slowness. */
static bool traffic_is_judged(const struct sim_setup *setup, const struct sim_result *r)
{
    const struct sim_model *m = setup->model;
    return r->needed >= 100 && !m->lies && m->block_cost == 0 && m->pause_every == 0;
}

/*
 * A client that drops what follows a gap must be sent all of it again: with w blocks out
 * and a chance p to lose one they yield (1-(1-p)^w)/p blocks at best.  One that comes too
 * late is as good as lost, and one that comes twice makes a client count its window anew.
 */
static double traffic_allowed(const struct sim_setup *setup)
{
    const struct sim_link *link = &setup->link[SIM_TO_CLIENT];
    double p = (link->loss + link->late + link->doubled) / 1000.0;
    double none = 1;
    uint32_t out = setup->terms.ahead > 1 ? setup->terms.ahead : setup->terms.window;
    out = out < TFTP_BURST_FIRST ? out : TFTP_BURST_FIRST;
    for (uint32_t i = 0; i < out; i++) {
        none *= 1 - p;
    }
    double best = p > 0 ? out * p / (1 - none) : 1;
    return best * STORM_FACTOR;
}

/* What is wrong with this run, or NULL. */
static const char *judge(const struct sim_setup *setup, const struct sim_result *r)
{
    if (r->fault) {
        return r->fault;
    }
    if (setup->model->lies) {
        return NULL; /* it may have talked itself out of its file */
    }
    if (setup->model->refuses) {
        return r->end == TFTP_END_PROBE || r->end == TFTP_END_NO_ANSWER
                   ? NULL
                   : "a size probe is a size probe";
    }
    if (r->end == TFTP_END_NO_ANSWER && r->lost >= TFTP_FIRST_SENDS &&
        (r->lost > TFTP_FIRST_SENDS || setup->model->retry >= TFTP_FIRST_PATIENCE)) {
        return NULL; /* bad luck, and it does not ask again in time */
    }
    if (!r->whole) {
        return "the whole file arrives";
    }
    if (r->end != TFTP_END_DONE && r->end != TFTP_END_NO_FINAL_ACK) {
        return "a whole file is no failure";
    }
    if (r->restarts > 1) {
        return "a request is begun again once at most";
    }
    if (r->longest_quiet > QUIET_MAX) {
        return "silence ends with the longest timer, counted from the last ACK";
    }
    const struct sim_model *m = setup->model;
    if (m->on_old != SIM_OLD_SILENT && r->longest_stall > STALL_MAX + 2 * m->block_cost) {
        return "no stall";
    }
    if (traffic_is_judged(setup, r) && sim_traffic(r) > traffic_allowed(setup)) {
        return "no storm on this wire";
    }
    return NULL;
}

static void describe(const struct sim_setup *s, const struct sim_result *r)
{
    const struct sim_link *l = &s->link[SIM_TO_CLIENT];
    printf("  size %" PRIu64 " (%" PRIu64 " blocks) blksize %" PRIu32 " window %" PRIu32
           " ahead %" PRIu32 "%s, one way %" PRIu64
           " us, %u ns/octet, loss %u doubled %u late %u permille\n",
           s->terms.file_size, r->needed, s->terms.blksize, s->terms.window,
           s->terms.ahead, s->terms.oack ? "" : " no options", l->delay, l->octet_ns,
           l->loss, l->doubled, l->late);
    printf("  end %s, %" PRIu64 " blocks at the client, %" PRIu64 " sent (%.2f), %" PRIu64
           " ACKs, %" PRIu64 " lost, %.3f s, stall %.3f s, quiet %.3f s\n",
           tftp_end_name(r->end), r->blocks, r->sent_data, sim_traffic(r), r->acks,
           r->lost, (double)r->client_time / 1e6, (double)r->longest_stall / 1e6,
           (double)r->longest_quiet / 1e6);
}

static void run_one(const struct sim_model *model, uint64_t seed, bool trace,
                    struct tally *t)
{
    struct sim_setup setup;
    struct sim_result r;
    draw(model, seed, &setup);
    setup.trace = trace;
    sim_run(&setup, &r);
    const char *wrong = judge(&setup, &r);
    if (wrong && t->failed++ < COMPLAINTS) {
        printf("SIM_ONLY=%s:%" PRIu64 " breaks the rule: %s\n", model->name, seed, wrong);
    }
    if (trace || (wrong && t->failed <= COMPLAINTS)) {
        describe(&setup, &r);
    }
    t->runs++;
    t->packets += r.sent_data + r.acks;
    if (traffic_is_judged(&setup, &r)) {
        t->needed += r.needed;
        t->sent += r.sent_data;
        if (sim_traffic(&r) > t->traffic) {
            t->traffic = sim_traffic(&r);
            t->traffic_seed = seed;
        }
    }
    if (r.longest_quiet > t->quiet) {
        t->quiet = r.longest_quiet;
        t->quiet_seed = seed;
    }
    if (r.longest_stall > t->stall) {
        t->stall = r.longest_stall;
        t->stall_seed = seed;
    }
}

static double mean_traffic(const struct tally *t)
{
    return t->needed > 0 ? (double)t->sent / (double)t->needed : 1;
}

static void print_tally(const struct sim_model *model, const struct tally *t)
{
    printf("matrix %-14s %6lu runs %9" PRIu64
           " packets  traffic %.3f, worst %.2f (%" PRIu64 ")  stall %.3f s (%" PRIu64
           ")  quiet %.3f s (%" PRIu64 ")\n",
           model->name, t->runs, t->packets, mean_traffic(t), t->traffic, t->traffic_seed,
           (double)t->stall / 1e6, t->stall_seed, (double)t->quiet / 1e6, t->quiet_seed);
    (void)fflush(stdout);
}

START_TEST(client_gets_its_file_on_every_wire)
{
    const struct sim_model *model = &sim_models[_i];
    const char *only = getenv("SIM_ONLY");
    const char *seeds = getenv("SIM_SEEDS");
    size_t name = strlen(model->name);
    struct tally t = {0};
    if (only) {
        if (strncmp(only, model->name, name) != 0 || only[name] != ':') {
            return;
        }
        run_one(model, strtoull(only + name + 1, NULL, 10), true, &t);
    } else {
        uint64_t count = seeds ? strtoull(seeds, NULL, 10) : SEEDS_DEFAULT;
        for (uint64_t seed = 1; seed <= count; seed++) {
            run_one(model, seed, false, &t);
        }
    }
    print_tally(model, &t);
    ck_assert_msg(only || mean_traffic(&t) <= MEAN_MAX,
                  "%s: traffic over all runs: got %.3f, want at most %.2f", model->name,
                  mean_traffic(&t), MEAN_MAX);
    ck_assert_msg(t.failed == 0, "%s: %u of %lu runs failed, see above", model->name,
                  t.failed, t.runs);
}
END_TEST

TCase *sim_matrix(void)
{
    TCase *tc = tcase_create("matrix");
    tcase_set_tags(tc, "volume");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, client_gets_its_file_on_every_wire, 0, (int)sim_model_count);
    return tc;
}
