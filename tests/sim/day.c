/*
 * Twenty-four hours of a busy network on virtual time: thousands of machines boot, files are
 * lost and repeated, clients fall silent, strangers ask.  Every hour is like the others, and
 * what is kept when it is over is what was kept after the first, to the last piece.
 *
 * The clock passes 2^31 or 2^32 milliseconds at noon, and seconds since 1970 pass 2^31.
 */
#include <stdio.h>

#include "app/boot_rules.h"
#include "app/evidence.h"
#include "config/machines.h"
#include "config/states.h"
#include "tests/sim/live.h"
#include "tests/sim/machine.h"
#include "tests/sim/random.h"
#include "tests/sim/suites.h"
#include "tftp/grant.h"
#include "tftp/misses.h"
#include "tftp/table.h"

#define HOURS     24
#define HOUR      (UINT64_C(3600) * USEC_PER_SEC)
#define BUSY      (UINT64_C(3000) * USEC_PER_SEC) /* of each hour; then nobody begins */
#define STEP      (100 * USEC_PER_MSEC)
#define MACHINES  1500
#define BOOTS     4500 /* an hour */
#define STRANGERS 3    /* a second */
#define FILES     3
#define TRANSFERS 256
#define LINGER    (2 * USEC_PER_SEC)
#define LOSS      15  /* permille, each way */
#define MUTE      20  /* permille: clients that are not heard again */
#define ROUND     200 /* usec: there and back */

static const struct hash_seed seed = {7, 8};

/* A machine on its way through its files. */
struct player {
    bool boots;
    bool mute;
    unsigned machine;
    unsigned file;
    uint64_t got; /* blocks, in order */
    timeline_tag tag;
};

struct day {
    usec_t now;
    int64_t epoch; /* seconds of now = 0 */
    struct sim_random random;
    struct timeline *timeline;
    struct evidence *evidence;
    struct tftp_table *table;
    struct tftp_windows *windows;
    struct states *states;
    struct machines *machines;
    struct tftp_misses misses;
    struct timers timers;
    struct timer *slots[TRANSFERS];
    uint64_t turn; /* of boots that have ended */
    uint64_t boots;
    struct player players[TRANSFERS];
};

/* What is kept when nothing is under way. */
struct kept {
    long live; /* pieces of memory */
    uint64_t timeline;
    size_t evidence;
    size_t windows;
    size_t states;
    size_t machines;
};

static void start(struct day *d, usec_t noon)
{
    *d = (struct day){.now = noon - HOURS / 2 * HOUR};
    d->epoch = INT32_MAX - (int64_t)(noon / USEC_PER_SEC);
    d->timeline = timeline_new(TIMELINE_BOOTS, TIMELINE_OCTETS, &seed);
    d->evidence = evidence_new(EVIDENCE_CLIENTS, &seed);
    d->table = tftp_table_new(TRANSFERS / 2, TRANSFERS / 2, &seed);
    d->windows = tftp_windows_new(4 * TRANSFERS, &seed);
    d->states = states_new(4096, 4096, &seed);
    d->machines = machines_new(1024, &seed);
    timers_init(&d->timers, d->slots, TRANSFERS);
}

static void stop(struct day *d)
{
    timeline_free(d->timeline);
    evidence_free(d->evidence);
    tftp_table_free(d->table);
    tftp_windows_free(d->windows);
    states_free(d->states);
    machines_free(d->machines);
}

/* -- who they are ------------------------------------------------------------------------- */

static struct endpoint address_of(unsigned machine, uint16_t port)
{
    struct ip4 ip = {{10, 1, (uint8_t)(machine >> 8), (uint8_t)machine}};
    return endpoint_ip4(ip, port);
}

static struct timeline_who who_of(unsigned machine)
{
    return (struct timeline_who){.has_mac = true,
                                 .mac = sim_mac(0x52, machine),
                                 .has_address = true,
                                 .address = address_of(machine, 0)};
}

/* -- DHCP --------------------------------------------------------------------------------- */

static void note_packet(struct day *d, const struct mac *mac, enum evidence_part part)
{
    static const uint8_t octets[300];
    struct seen_client who = {.has_mac = true, .mac = *mac};
    struct seen_packet packet = {.head = octets, .head_len = sizeof octets};
    packet.from = address_of(1, 68);
    packet.to = address_of(2, 67);
    evidence_note(d->evidence, &who, &packet, part, part == EVIDENCE_DHCP, d->now);
}

static void discover(struct day *d, const struct timeline_who *who, bool in_table)
{
    sim_discover(d->timeline, who, in_table, d->now);
    note_packet(d, &who->mac, EVIDENCE_DHCP);
    (void)states_seen(d->states, &who->mac, true, 7,
                      d->epoch + (int64_t)(d->now / USEC_PER_SEC));
}

static void strangers(struct day *d)
{
    struct tftp_miss sum;
    char name[40];
    for (unsigned i = 0; i < STRANGERS; i++) {
        uint64_t n = sim_random_next(&d->random);
        struct timeline_who who = {.has_mac = true, .mac = sim_mac(0x0a, n)};
        struct endpoint from = address_of((unsigned)(n % 65536), 1000);
        discover(d, &who, false);
        snprintf(name, sizeof name, "name%llu", (unsigned long long)n);
        (void)tftp_misses_note(&d->misses, &from, name, d->now);
    }
    while (tftp_misses_due(&d->misses, d->now, &sum)) {
        ck_assert_uint_ge(sum.count, 1);
    }
}

/* -- TFTP --------------------------------------------------------------------------------- */

static void begin_file(struct day *d, struct player *p);

static void forget(struct day *d, struct tftp_transfer *x)
{
    timers_set(&d->timers, &x->timer, USEC_NEVER);
    tftp_table_remove(d->table, x);
}

static void end_file(struct day *d, struct tftp_transfer *x)
{
    struct player *p = &d->players[x->tag];
    bool whole = x->session.end == TFTP_END_DONE;
    struct boot_progress progress = {.size = x->session.terms.file_size,
                                     .sent = whole ? x->session.terms.file_size : 0,
                                     .heard = !p->mute};
    timeline_file_ended(d->timeline, p->tag, &progress,
                        whole ? BOOT_FILE_DONE : BOOT_FILE_STALLED, d->now);
    tftp_grant_told(d->windows, &x->path.peer, &x->shape, &x->session, d->now);
    tftp_table_linger(d->table, x);
    timers_set(&d->timers, &x->timer, d->now + LINGER);
    p->boots = whole && ++p->file < FILES;
    if (p->boots) {
        begin_file(d, p);
    } else if (whole) {
        struct mac mac = sim_mac(0x52, p->machine);
        (void)states_mark(d->states, &mac, false, p->machine % 2 == 0);
    }
}

/* The client has all of this round's blocks that follow each other; is anything sent? */
static bool hear(struct day *d, struct tftp_transfer *x, struct player *p)
{
    struct tftp_send send;
    bool sent = false;
    while (tftp_session_next(&x->session, d->now, &send)) {
        bool comes = !sim_random_permille(&d->random, LOSS);
        p->got += comes && send.op == TFTP_DATA && send.number == p->got + 1;
        sent = true;
    }
    return sent;
}

static void pump(struct day *d, struct tftp_transfer *x)
{
    struct player *p = &d->players[x->tag];
    while (x->session.state != TFTP_ENDED && hear(d, x, p) && !p->mute) {
        struct tftp_packet ack = {.op = TFTP_ACK, .block = (uint16_t)p->got};
        d->now += ROUND;
        if (!sim_random_permille(&d->random, LOSS)) {
            tftp_session_input(&x->session, &ack, d->now);
        }
    }
    if (x->session.state == TFTP_ENDED) {
        end_file(d, x);
    } else {
        timers_set(&d->timers, &x->timer, tftp_session_deadline(&x->session));
    }
}

static void begin_file(struct day *d, struct player *p)
{
    static const uint8_t options[] = "blksize\0001468\0windowsize\00016";
    struct timeline_who who = who_of(p->machine);
    uint16_t port = (uint16_t)(1024 + d->boots % 50000 + p->file);
    struct net_path path = {.peer = address_of(p->machine, port)};
    struct boot_load load = {
        .began = d->now, .peer = path.peer, .last_file = p->file + 1 == FILES};
    struct tftp_grant grant;
    const struct tftp_wish wish = {
        .client = path.peer,
        .asked = tftp_opts_parse(rd_over(options, sizeof options)),
        .limits = {.max_block_size = 1468, .max_window_size = 64},
        .file_size = 20000 + UINT64_C(10000) * p->file,
    };
    struct tftp_transfer *x = tftp_table_add(d->table, &path);
    ck_assert_ptr_nonnull(x);
    tftp_grant(d->windows, &wish, d->now, &grant);
    snprintf(load.name, sizeof load.name, "file%u", p->file);
    p->tag = timeline_file_began(d->timeline, &who, &load);
    p->got = 0;
    p->mute = sim_random_permille(&d->random, MUTE);
    x->tag = (uint64_t)(p - d->players);
    x->shape = grant.shape;
    tftp_session_init(&x->session, &grant.terms, d->now);
    note_packet(d, &who.mac, EVIDENCE_FILE);
    pump(d, x);
}

static void begin_boot(struct day *d)
{
    struct player *p = d->players;
    while (p->boots) {
        p++;
    }
    ck_assert(p < d->players + TRANSFERS);
    *p = (struct player){.boots = true, .machine = (unsigned)(d->boots++ % MACHINES)};
    struct timeline_who who = who_of(p->machine);
    struct machine machine = {.mac = who.mac};
    discover(d, &who, true);
    if (sim_random_permille(&d->random, 300)) {
        discover(d, &who, true);
    }
    machines_learn(d->machines, &who.address, &machine, d->now);
    begin_file(d, p);
}

/* -- time --------------------------------------------------------------------------------- */

static void timeouts(struct day *d)
{
    struct timer *due;
    while ((due = timers_due(&d->timers, d->now))) {
        struct tftp_transfer *x =
            (struct tftp_transfer *)((char *)due - offsetof(struct tftp_transfer, timer));
        if (x->lingers) {
            forget(d, x);
        } else {
            tftp_session_timeout(&x->session, d->now);
            pump(d, x);
        }
    }
    timeline_timeout(d->timeline, d->now);
}

/* As app/evidence_watch and app/state do: recordings of what has ended go, changes are written. */
static void settle(struct day *d)
{
    struct state_row rows[64];
    const struct boot *b;
    while ((b = timeline_after(d->timeline, d->turn)) != NULL) {
        struct seen_client who = {.has_mac = b->has_mac, .mac = b->mac};
        d->turn = b->turn;
        evidence_forget(d->evidence, &who);
    }
    (void)states_changes(d->states, rows, 64);
}

static void hour(struct day *d)
{
    usec_t begin = d->now;
    uint64_t boots = 0;
    d->random = (struct sim_random){1}; /* every hour is like the others */
    d->boots = 0;
    for (usec_t at = 0; at < HOUR; at += STEP) {
        d->now = d->now > begin + at ? d->now : begin + at;
        for (; at < BUSY && boots < BOOTS * at / BUSY; boots++) {
            begin_boot(d);
        }
        if (at < BUSY && at % USEC_PER_SEC == 0) {
            strangers(d);
        }
        timeouts(d);
        settle(d);
    }
    d->now = begin + HOUR;
}

static struct kept look(struct day *d)
{
    struct tftp_miss sum;
    while (tftp_misses_due(&d->misses, d->now, &sum)) {
    }
    ck_assert_uint_eq(tftp_table_running(d->table), 0);
    ck_assert_ptr_null(tftp_table_oldest(d->table));
    ck_assert_uint_eq(d->timers.count, 0);
    ck_assert_uint_eq(d->misses.count, 0);
    ck_assert_uint_eq(timeline_deadline(d->timeline), USEC_NEVER);
    return (struct kept){live_pieces(),
                         timeline_size(d->timeline),
                         evidence_clients(d->evidence),
                         tftp_windows_count(d->windows),
                         states_count(d->states),
                         machines_count(d->machines)};
}

static const uint64_t noons[] = {UINT64_C(1) << 31, UINT64_C(1) << 32};

START_TEST(a_day_leaves_no_more_than_its_first_hour)
{
    struct day d;
    struct kept first = {0};
    start(&d, noons[_i] * USEC_PER_MSEC);
    for (unsigned h = 1; h <= HOURS; h++) {
        hour(&d);
        struct kept now = look(&d);
        if (h == 1) {
            first = now;
        } else {
            ck_assert_int_eq(now.live, first.live);
            ck_assert_uint_eq(now.timeline, first.timeline);
            ck_assert_uint_eq(now.evidence, first.evidence);
            ck_assert_uint_eq(now.windows, first.windows);
            ck_assert_uint_eq(now.states, first.states);
            ck_assert_uint_eq(now.machines, first.machines);
        }
    }
    ck_assert_uint_ge(timeline_totals(d.timeline)->booted, HOURS * BOOTS / 2);
    stop(&d);
}
END_TEST

TCase *sim_day(void)
{
    TCase *tc = tcase_create("day");
    tcase_set_tags(tc, "volume");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, a_day_leaves_no_more_than_its_first_hour, 0,
                        sizeof noons / sizeof noons[0]);
    return tc;
}
