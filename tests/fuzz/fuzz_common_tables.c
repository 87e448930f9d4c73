/*
 * The tables that peers fill: common/timers, common/recent, common/log_repeats,
 * config/machines, config/states, tftp/table, tftp/misses, tftp/window, each against a model
 * that is plain and slow.
 *
 * The first octet says which; the rest is a script of what is put, asked, forgotten, and of
 * time that passes.
 *
 * Properties: a timer is due when its time has come, in order, once; a table holds no more than
 * its room, finds what the model holds and nothing else, and forgets what was heard of longest
 * ago; a line is folded only if an equal one was told within LOG_REPEATS_SPAN, and each folded
 * line is told of in a sum; a mark of a machine stays until it is taken back, and every change
 * is handed over once; a transfer is found by its peer until it is removed, and running ones
 * are counted; each miss is told, alone or in a sum; a window that is granted is one that was
 * allowed.
 */
#include "common/log_repeats.h"
#include "common/recent.h"
#include "common/timers.h"
#include "config/machines.h"
#include "config/states.h"
#include "tests/fuzz/fuzz.h"
#include "tftp/misses.h"
#include "tftp/table.h"
#include "tftp/window.h"

static const struct hash_seed seed = {1, 2};

static struct endpoint endpoint_of(uint8_t n)
{
    return endpoint_ip4((struct ip4){{10, 0, n >> 5, n >> 2 & 7}}, 2000 + (n & 3));
}

/* -- common/timers ------------------------------------------------------------------------ */

#define TIMERS 12

static void timers(struct rd *in)
{
    struct timer timer[TIMERS] = {{0}};
    struct timer *slots[TIMERS];
    struct timers t;
    usec_t now = 0;
    timers_init(&t, slots, TIMERS);
    while (rd_left(in) > 0) {
        uint8_t what = rd_u8(in);
        struct timer *one = &timer[what % TIMERS];
        if (what < 200) {
            timers_set(&t, one, what < 160 ? now + rd_u8(in) : USEC_NEVER);
        } else {
            now += what - 200;
        }
        usec_t next = USEC_NEVER;
        for (size_t i = 0; i < TIMERS; i++) {
            next = timer[i].place > 0 && timer[i].due < next ? timer[i].due : next;
        }
        must(timers_next(&t) == next);
        if (what & 1) {
            usec_t last = 0;
            for (struct timer *due; (due = timers_due(&t, now)); last = due->due) {
                must(due->due <= now && due->due >= last && due->place == 0);
            }
            must(timers_next(&t) > now);
        }
    }
}

/* -- common/recent ------------------------------------------------------------------------ */

#define RECENT 5

static size_t forgotten;

static void on_forget(void *context, void *value)
{
    must(context == &forgotten && *(uint8_t *)value > 0);
    forgotten++;
}

struct order {
    uint8_t key[RECENT];
    size_t count;
};

static void strike(struct order *o, uint8_t key)
{
    size_t kept = 0;
    for (size_t i = 0; i < o->count; i++) {
        if (o->key[i] != key) {
            o->key[kept++] = o->key[i];
        }
    }
    o->count = kept;
}

static void check_order(const struct recent *t, const struct order *o)
{
    const void *at = NULL;
    must(recent_count(t) == o->count);
    for (size_t i = 0; i < o->count; i++) {
        const uint8_t *value = recent_each(t, &at);
        must(value && *(const uint8_t *)at == o->key[i] && *value == o->key[i] + 1);
    }
    must(!recent_each(t, &at));
}

static void recent(struct rd *in)
{
    struct order o = {.count = 0};
    struct recent *t = recent_new(RECENT, 1, 1, &seed);
    must(t != NULL);
    recent_on_forget(t, on_forget, &forgotten);
    while (rd_left(in) > 0) {
        uint8_t what = rd_u8(in);
        uint8_t key = rd_u8(in) % 16;
        if (what < 160) {
            uint8_t *value = recent_put(t, &key);
            bool known = memchr(o.key, key, o.count) != NULL;
            must(value && *value == (known ? key + 1 : 0));
            *value = key + 1;
            strike(&o, key);
            if (o.count == RECENT) {
                strike(&o, o.key[0]);
            }
            o.key[o.count++] = key;
        } else if (what < 250) {
            recent_remove(t, &key);
            strike(&o, key);
        } else {
            recent_clear(t);
            o.count = 0;
        }
        must((recent_find(t, &key) != NULL) == (memchr(o.key, key, o.count) != NULL));
        check_order(t, &o);
    }
    recent_free(t);
}

/* -- common/log_repeats ------------------------------------------------------------------- */

static void repeats(struct rd *in)
{
    static struct log_repeats r;
    static struct log_line line;
    static struct log_line sum;
    usec_t told[64] = {0}; /* 0: never */
    size_t noted = 0;
    size_t counted = 0;
    usec_t now = LOG_REPEATS_SPAN;
    memset(&r, 0, sizeof r);
    while (rd_left(in) > 0) {
        uint8_t what = rd_u8(in);
        if (what >= 128) {
            now += (usec_t)(what - 128) * USEC_PER_SEC / 2;
        } else {
            log_line_event(&line, LOG_INFO, "dhcp silent");
            log_number(&line, "n", what % 64);
            log_varying(&line);
            log_number(&line, "port", what);
            noted++;
            if (log_repeats_note(&r, &line, now)) {
                counted++;
                told[what % 64] = now;
            } else {
                must(told[what % 64] > 0 && now >= told[what % 64]);
            }
        }
        while (log_repeats_due(&r, now, &sum)) {
            must(sum.repeated > 0);
            counted += sum.repeated;
            told[strtoul(log_value(&sum, 0), NULL, 10) % 64] = now;
        }
        must(log_repeats_deadline(&r) > now && r.count <= LOG_REPEATS_MAX);
    }
    while (log_repeats_due(&r, USEC_NEVER, &sum)) {
        counted += sum.repeated;
    }
    must(counted == noted);
}

/* -- config/machines ---------------------------------------------------------------------- */

static void machines(struct rd *in)
{
    struct machines *t = machines_new(RECENT, &seed);
    usec_t now = 1;
    must(t != NULL);
    while (rd_left(in) > 0) {
        uint8_t what = rd_u8(in);
        struct endpoint at = endpoint_of(rd_u8(in));
        struct machine m = {.mac = {{2, 0, 0, 0, 0, what & 3}},
                            .has_arch = what & 4,
                            .arch = 7,
                            .ipxe = what & 8};
        now += what > 250 ? MACHINES_LIFE : what;
        if (what & 16) {
            machines_learn(t, &at, &m, now);
            const struct machine *found = machines_find(t, &at, now);
            must(found && mac_equal(&found->mac, &m.mac));
            must(!m.has_arch || (found->has_arch && found->arch == 7));
        }
        const struct machine *found = machines_find(t, &at, now);
        must(!found || !machines_find(t, &at, now + MACHINES_LIFE + 1));
        must(machines_count(t) <= RECENT);
    }
    machines_free(t);
}

/* -- config/states ------------------------------------------------------------------------ */

#define MARKS 4
#define SEEN  5

static size_t take_changes(struct states *t)
{
    struct state_row rows[3];
    size_t count = 0;
    size_t n;
    while ((n = states_changes(t, rows, 3)) > 0) {
        must(n <= 3);
        count += n;
        for (size_t i = 0; i < n; i++) {
            const struct host_state *s = states_find(t, &rows[i].mac);
            must(s && s->approved == rows[i].state.approved);
        }
    }
    return count;
}

static void states(struct rd *in)
{
    struct states *t = states_new(MARKS, SEEN, &seed);
    bool approved[16] = {false};
    int64_t now = 1000;
    must(t != NULL);
    while (rd_left(in) > 0) {
        uint8_t what = rd_u8(in);
        uint8_t n = what % 16;
        const struct mac mac = {{2, 0, 0, 0, 0, n}};
        bool changed = false;
        now += what;
        if (what < 120) {
            changed = states_seen(t, &mac, what & 16, 7, now);
        } else if (what < 200) {
            bool wanted = what & 16;
            changed = states_mark(t, &mac, wanted, false);
            const struct host_state *s = states_find(t, &mac);
            must(changed == (s && s->approved == wanted && approved[n] != wanted));
            approved[n] = s && s->approved;
        } else {
            const struct state_row row = {.mac = mac,
                                          .state = {.approved = approved[n],
                                                    .first_seen = 1,
                                                    .last_seen = now - 500}};
            (void)states_put(t, &row);
        }
        must(!changed || take_changes(t) >= 1);
        (void)take_changes(t);
        must(take_changes(t) == 0 && states_count(t) <= MARKS + SEEN);
        for (uint8_t i = 0; i < 16; i++) {
            const struct host_state *s =
                states_find(t, &(struct mac){{2, 0, 0, 0, 0, i}});
            must((s && s->approved) == approved[i]);
        }
    }
    states_free(t);
}

/* -- tftp/table --------------------------------------------------------------------------- */

#define TRANSFERS 4
#define HALF_OPEN 2
#define PEERS     32

struct transfers {
    struct tftp_table *t;
    struct tftp_transfer *have[PEERS];
};

/* Of this address, running and answered. */
static size_t holds(const struct transfers *w, const struct endpoint *who)
{
    size_t count = 0;
    for (size_t i = 0; i < PEERS; i++) {
        const struct tftp_transfer *x = w->have[i];
        count += x && x->heard && !x->lingers && endpoint_same_ip(&x->path.peer, who);
    }
    return count;
}

/* Nothing stands still at the time 0, so that only who holds most gives way. */
static void check_who_gives_way(const struct transfers *w, const struct endpoint *asks)
{
    size_t most = 0;
    for (size_t i = 0; i < PEERS; i++) {
        const struct endpoint peer = endpoint_of((uint8_t)i);
        size_t count = holds(w, &peer);
        most = count > most ? count : most;
    }
    const struct tftp_transfer *x = tftp_table_gives_way(w->t, asks, 0);
    must((x != NULL) == (most > holds(w, asks) + 1));
    must(!x || (x->heard && !x->lingers && holds(w, &x->path.peer) == most));
}

static void check_table(const struct transfers *w)
{
    size_t running = 0;
    size_t half = 0;
    size_t seen = 0;
    for (size_t i = 0; i < PEERS; i++) {
        const struct tftp_transfer *x = w->have[i];
        const struct endpoint peer = endpoint_of((uint8_t)i);
        must(tftp_table_find(w->t, &peer) == x);
        check_who_gives_way(w, &peer);
        running += x && !x->lingers;
        half += x && !x->lingers && !x->heard;
    }
    const struct tftp_transfer *x = NULL;
    while ((x = tftp_table_next(w->t, x))) {
        must(!x->lingers);
        seen++;
    }
    must(running == seen && tftp_table_running(w->t) == running);
    must(tftp_table_half_open(w->t) == half && half <= HALF_OPEN);
    must((tftp_table_in_the_way(w->t) != NULL) == (half == HALF_OPEN));
    must(tftp_table_is_full(w->t) == (running - half >= TRANSFERS));
    must((tftp_table_any(w->t) != NULL) == (running > 0));
    const struct tftp_transfer *oldest = tftp_table_oldest(w->t);
    must(!oldest || oldest->lingers);
}

static void forget(struct transfers *w, struct tftp_transfer *x)
{
    for (size_t i = 0; x && i < PEERS; i++) {
        if (w->have[i] == x) {
            w->have[i] = NULL;
        }
    }
    if (x) {
        tftp_table_remove(w->t, x);
    }
}

/* As tftp/requests does it: who is in the way makes room. */
static void begin(struct transfers *w, uint8_t n)
{
    struct net_path path = {.peer = endpoint_of(n)};
    if (tftp_table_is_full(w->t)) {
        return;
    }
    forget(w, tftp_table_in_the_way(w->t));
    w->have[n] = tftp_table_add(w->t, &path);
    if (!w->have[n]) {
        must(tftp_table_oldest(w->t) != NULL); /* those that linger hold the slots */
        forget(w, tftp_table_oldest(w->t));
        w->have[n] = tftp_table_add(w->t, &path);
    }
    must(w->have[n] && !w->have[n]->heard && !w->have[n]->lingers);
}

static void table(struct rd *in)
{
    static struct transfers w;
    memset(&w, 0, sizeof w);
    w.t = tftp_table_new(TRANSFERS, HALF_OPEN, &seed);
    must(w.t != NULL);
    while (rd_left(in) > 0) {
        uint8_t what = rd_u8(in);
        uint8_t n = rd_u8(in) % PEERS;
        struct tftp_transfer *x = w.have[n];
        if (!x) {
            begin(&w, n);
        } else if (!x->heard && !x->lingers && what < 100 && !tftp_table_is_full(w.t)) {
            tftp_table_heard(w.t, x);
        } else if (!x->lingers && what < 180) {
            tftp_table_linger(w.t, x);
        } else {
            forget(&w, x);
        }
        check_table(&w);
    }
    tftp_table_free(w.t);
}

/* -- tftp/misses -------------------------------------------------------------------------- */

static void misses(struct rd *in)
{
    static struct tftp_misses m;
    struct tftp_miss sum;
    usec_t now = 1;
    size_t noted = 0;
    size_t told = 0;
    memset(&m, 0, sizeof m);
    while (rd_left(in) > 0) {
        uint8_t what = rd_u8(in);
        if (what < 200) {
            struct endpoint peer = endpoint_ip4((struct ip4){{10, 0, 0, what}}, 1);
            noted++;
            told += tftp_misses_note(&m, &peer, "grub.cfg", now);
        } else {
            now += (usec_t)(what - 199) * 100 * USEC_PER_MSEC;
        }
        while (tftp_misses_due(&m, now, &sum)) {
            must(sum.count > 0 && sum.oldest <= sum.newest && sum.newest <= now);
            told += sum.count;
        }
        must(tftp_misses_deadline(&m) > now && m.count <= TFTP_MISSES_MAX);
    }
    now += TFTP_MISSES_SPAN;
    while (tftp_misses_due(&m, now, &sum)) {
        told += sum.count;
    }
    must(m.count == 0 && told == noted);
}

/* -- tftp/window -------------------------------------------------------------------------- */

static void windows(struct rd *in)
{
    struct tftp_windows *t = tftp_windows_new(8, &seed);
    usec_t now = 1;
    must(t != NULL);
    while (rd_left(in) > 0) {
        uint8_t what = rd_u8(in);
        struct endpoint client = endpoint_of(rd_u8(in));
        struct tftp_shape shape = {.kind = (enum tftp_kind)(what % TFTP_KIND_COUNT),
                                   .key = what >> 4};
        struct tftp_wire wire;
        struct tftp_window entry;
        now += what > 250 ? TFTP_WINDOWS_LIFE / 2 : what;
        uint32_t before = tftp_windows_ask(t, &client, &shape, now, &wire);
        must(before >= 1 && tftp_kind_name(shape.kind)[0] != '\0');
        if (what & 1) {
            const struct tftp_carried how = {.granted = 1 + fuzz_below(in, 64),
                                             .blocks = rd_u16(in),
                                             .resent = rd_u8(in),
                                             .stalled = what & 2,
                                             .refused = what & 4};
            tftp_windows_tell(t, &client, &shape, &how, now);
            uint32_t after = tftp_windows_ask(t, &client, &shape, now, &wire);
            must(after >= 1 && after <= UINT16_MAX);
            bool heard = how.stalled || how.blocks >= 64; /* not of a short file */
            must(!how.refused || !heard || after == 1);
        }
        for (size_t i = 0; tftp_windows_at(t, i, &entry); i++) {
            must(entry.blocks >= 1 && entry.told <= now && i < tftp_windows_count(t));
        }
        must(tftp_windows_count(t) <= 8);
    }
    tftp_windows_reset(t);
    must(tftp_windows_count(t) == 0);
    tftp_windows_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tables[])(struct rd *) = {timers, recent, repeats, machines,
                                                  states, table,  misses,  windows};
    struct rd in = rd_over(data, size);
    tables[fuzz_below(&in, sizeof tables / sizeof tables[0])](&in);
    return 0;
}
