#include "app/state.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/state_db.h"
#include "common/give.h"
#include "common/log.h"
#include "config/states.h"

#define MARKS_MAX   131072 /* machines approved or done */
#define SEEN_MAX    16384  /* others */
#define BATCH       256
#define LISTED_MAX  1000
#define LAZY        (2 * USEC_PER_SEC) /* seen machines are written in batches */
#define RETRY_FIRST (1 * USEC_PER_SEC)
#define RETRY_LAST  (60 * USEC_PER_SEC)

struct state {
    struct states *states;
    struct state_db *db; /* NULL: in memory only */
    struct loop *loop;
    usec_t due; /* when to write; USEC_NEVER: nothing to */
    usec_t retry;
    bool writing; /* in another thread, which has batch and db to itself */
    size_t batch_count;
    struct state_row batch[BATCH];
    size_t since_prune; /* rows written */
    int result;
    bool anew; /* of the last batch: it went to another file than those before */
    const struct snapshot *(*config)(void *context);
    void *context;
};

/* -- start and end ------------------------------------------------------------------------ */

void state_prepare(const char *directory, uid_t user, gid_t group)
{
    if (directory && mkdir(directory, 0750) == 0 &&
        give_away(directory, S_IFDIR, user, group) != 0) {
        return; /* opening it says why it is of no use */
    }
}

static void on_row(void *context, const struct state_row *row)
{
    struct state *s = context;
    (void)states_put(s->states, row);
}

static void open_db(struct state *s, const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/state.db", directory);
    int code = access(directory, W_OK) == 0 ? state_db_open(path, &s->db, on_row, s) : -1;
    if (code == 0) {
        code = state_db_prune(s->db, SEEN_MAX);
    }
    if (code == 0) {
        return;
    }
    log_say(
        LOG_WARNING,
        "cannot keep state in %s: %s; what is approved or done is forgotten at the end",
        path, code < 0 ? strerror(errno) : state_db_explain(code));
    state_db_close(s->db);
    s->db = NULL;
}

int state_open(const char *directory, struct state **out)
{
    struct hash_seed seed;
    struct state *s = calloc(1, sizeof *s);
    if (!s || getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        free(s);
        return -ENOMEM;
    }
    s->states = states_new(MARKS_MAX, SEEN_MAX, &seed);
    if (!s->states) {
        free(s);
        return -ENOMEM;
    }
    s->due = USEC_NEVER;
    s->retry = RETRY_FIRST;
    if (directory) {
        open_db(s, directory);
    }
    *out = s;
    return 0;
}

void state_start(struct state *s, struct loop *loop)
{
    s->loop = loop;
}

/* Once, without waiting longer than that takes. */
static void write_rest(struct state *s)
{
    while (s->batch_count > 0 ||
           (s->batch_count = states_changes(s->states, s->batch, BATCH)) > 0) {
        int code = state_db_write(s->db, s->batch, s->batch_count, &s->anew);
        if (code != 0) {
            log_say(LOG_ERROR, "the last changes of state are lost: %s",
                    state_db_explain(code));
            return;
        }
        if (s->anew) {
            states_change_all(s->states);
        }
        s->batch_count = 0;
    }
}

void state_close(struct state *s)
{
    if (!s) {
        return;
    }
    if (s->db) {
        write_rest(s);
    }
    state_db_close(s->db);
    states_free(s->states);
    free(s);
}

/* -- writing ------------------------------------------------------------------------------ */

static void write_batch(void *job)
{
    struct state *s = job;
    s->result = state_db_write(s->db, s->batch, s->batch_count, &s->anew);
    if (s->result == 0 && s->since_prune > SEEN_MAX / 4) {
        s->since_prune = 0;
        (void)state_db_prune(s->db, SEEN_MAX); /* again next time */
    }
}

static void written(void *job, usec_t now)
{
    struct state *s = job;
    s->writing = false;
    if (s->result == 0) {
        if (s->retry != RETRY_FIRST) {
            log_say(LOG_INFO, "state is written again");
        }
        if (s->anew) {
            log_say(LOG_WARNING,
                    "the file of state was taken away; all is written to another");
            states_change_all(s->states);
        }
        s->since_prune += s->batch_count;
        s->batch_count = 0;
        s->due = now; /* there may be more */
        s->retry = RETRY_FIRST;
        return;
    }
    if (s->retry == RETRY_FIRST) {
        log_say(LOG_WARNING, "cannot write state now, it is kept and tried again: %s",
                state_db_explain(s->result));
    }
    s->due = now + s->retry;
    s->retry = 2 * s->retry < RETRY_LAST ? 2 * s->retry : RETRY_LAST;
}

usec_t state_deadline(const struct state *s)
{
    return s->writing || !s->db ? USEC_NEVER : s->due;
}

void state_timeout(struct state *s, usec_t now)
{
    if (s->writing || !s->db || now < s->due) {
        return;
    }
    s->due = USEC_NEVER;
    if (s->batch_count == 0) {
        s->batch_count = states_changes(s->states, s->batch, BATCH);
    }
    if (s->batch_count == 0) {
        return;
    }
    s->writing = true;
    if (loop_work(s->loop, write_batch, written, s) != 0) {
        s->writing = false;
        s->due = now + s->retry;
    }
}

/* Not earlier than a retry that is waited for. */
static void write_soon(struct state *s, usec_t wait)
{
    usec_t due = clock_now() + wait;
    if (s->batch_count == 0 && due < s->due) {
        s->due = due;
    }
}

/* -- what is asked and told --------------------------------------------------------------- */

const struct host_state *state_of(struct state *s, const struct mac *mac)
{
    return states_find(s->states, mac);
}

void state_seen(struct state *s, const struct mac *mac, bool has_arch, uint16_t arch)
{
    if (states_seen(s->states, mac, has_arch, arch, time(NULL))) {
        write_soon(s, LAZY);
    }
}

static void mark(struct state *s, const struct mac *mac, bool approved, bool done)
{
    if (states_mark(s->states, mac, approved, done)) {
        write_soon(s, 0);
    }
}

void state_boot_done(struct state *s, const struct mac *mac)
{
    const struct host_state *old = states_find(s->states, mac);
    mark(s, mac, old && old->approved, true);
}

bool state_next_held(const struct state *s, const struct snapshot *config, size_t *at,
                     struct state_row *out)
{
    while (states_next(s->states, at, out)) {
        const struct host_facts facts = {.mac = &out->mac,
                                         .archs = &out->state.arch,
                                         .arch_count = out->state.has_arch};
        if (gate_ask(config, &facts, &out->state).verdict == GATE_HELD) {
            return true;
        }
    }
    return false;
}

/* -- the control socket ------------------------------------------------------------------- */

static void answer_marks(struct state *s, struct control_ticket ticket,
                         const struct mac *mac)
{
    char text[MAC_TEXT];
    const struct host_state *now = states_find(s->states, mac);
    control_answer(ticket,
                   json_pack("{s:s, s:b, s:b}", "mac", mac_print(mac, text), "approved",
                             now && now->approved, "done", now && now->done));
}

static bool mac_of(struct control_ticket ticket, const json_t *question, struct mac *out)
{
    const char *text = json_string_value(json_object_get(question, "mac"));
    if (!text || !mac_parse(text, out)) {
        control_refuse(ticket, "expected a \"mac\" such as \"52:54:00:12:34:56\"", NULL);
        return false;
    }
    return true;
}

static void log_order(const char *event, const struct mac *mac)
{
    char text[MAC_TEXT];
    struct log_line l;
    log_begin(&l, LOG_INFO, event);
    l.news = true;
    log_text(&l, "mac", mac_print(mac, text));
    log_end(&l);
}

static void on_approve(void *context, struct control_ticket ticket,
                       const json_t *question)
{
    struct state *s = context;
    struct mac mac;
    if (mac_of(ticket, question, &mac)) {
        const struct host_state *old = states_find(s->states, &mac);
        mark(s, &mac, true, old && old->done);
        log_order("host approved", &mac);
        answer_marks(s, ticket, &mac);
    }
}

static void on_reset(void *context, struct control_ticket ticket, const json_t *question)
{
    struct state *s = context;
    struct mac mac;
    if (mac_of(ticket, question, &mac)) {
        mark(s, &mac, false, false);
        log_order("host reset", &mac);
        answer_marks(s, ticket, &mac);
    }
}

static json_t *json_time(int64_t seconds)
{
    return seconds > 0 ? json_integer(seconds) : json_null();
}

static json_t *json_row(const struct snapshot *config, const struct state_row *row)
{
    static const char *const words[] = {
        [GATE_BOOT] = "boot",
        [GATE_HOST_IGNORED] = "ignored",
        [GATE_UNKNOWN_HOST] = "unknown",
        [GATE_HELD] = "held",
        [GATE_DONE] = "done",
        [GATE_LOCAL] = "local",
    };
    char mac[MAC_TEXT];
    const struct host_state *s = &row->state;
    const struct host_facts facts = {
        .mac = &row->mac, .archs = &s->arch, .arch_count = s->has_arch};
    struct gate gate = gate_ask(config, &facts, s);
    const char *arch = s->has_arch ? arch_name(s->arch) : NULL;
    return json_pack("{s:s, s:b, s:b, s:o, s:o, s:s?, s:s?, s:s}", "mac",
                     mac_print(&row->mac, mac), "approved", s->approved, "done", s->done,
                     "first_seen", json_time(s->first_seen), "last_seen",
                     json_time(s->last_seen), "arch", arch, "host",
                     gate.host ? gate.host->name : NULL, "gate", words[gate.verdict]);
}

static void on_known(void *context, struct control_ticket ticket, const json_t *question)
{
    struct state *s = context;
    const struct snapshot *config = s->config(s->context);
    json_t *list = json_array();
    struct state_row row;
    size_t at = 0;
    (void)question;
    while (json_array_size(list) < LISTED_MAX && states_next(s->states, &at, &row)) {
        if (json_array_append_new(list, json_row(config, &row)) != 0) {
            break;
        }
    }
    size_t more = states_count(s->states) - json_array_size(list);
    bool unsaved = s->db && (s->batch_count > 0 || s->due != USEC_NEVER);
    control_answer(ticket, json_pack("{s:o, s:I, s:b}", "machines", list, "more",
                                     (json_int_t)more, "unsaved", unsaved));
}

bool state_serve(struct state *s, struct control *c,
                 const struct snapshot *(*config)(void *context), void *context)
{
    s->config = config;
    s->context = context;
    return control_add(c, "approve", on_approve, s) &&
           control_add(c, "reset", on_reset, s) && control_add(c, "known", on_known, s);
}
