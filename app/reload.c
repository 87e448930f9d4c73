#include "app/reload.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/json.h"
#include "app/logging.h"
#include "app/notify.h"
#include "app/read_file.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/tell.h"
#include "config/hosts.h"

#define QUIET_MSEC 300 /* an editor or a script writes more than once */

struct waiters {
    struct control_ticket ticket[CONTROL_CLIENTS];
    size_t count;
};

struct reload {
    struct loop *loop;
    char *path;
    reload_take take;
    void *context;
    bool busy;
    bool again; /* somebody asked meanwhile */
    struct waiters now;
    struct waiters next;
    struct stat seen; /* of the file, when it was last read */
    struct reload_outcome last;
    /* of the one under way */
    usec_t began;
    struct configuration config;
    int error;
    char *report;
    json_t *faults;
};

char *faults_report(const struct configuration *c, const char *path, int error)
{
    char *text = NULL;
    size_t len = 0;
    struct faults some = c->faults;
    FILE *to = open_memstream(&text, &len);
    if (!to) {
        return NULL;
    }
    size_t more = some.count > RELOAD_FAULTS ? some.count - RELOAD_FAULTS : 0;
    some.count -= more;
    faults_print(&some, path, c->text, c->len, to);
    if (more > 0) {
        tell(to, "%s: %zu more\n", path, more);
    }
    if (error != 0) {
        tell(to, "%s: cannot be read: %s\n", path, read_fault(path, error));
    }
    if (fclose(to) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* -- in another thread -------------------------------------------------------------------- */

static void read_anew(void *job)
{
    struct reload *r = job;
    r->error = configuration_read(r->path, FAULT_WARNING, &r->config);
    r->report = faults_report(&r->config, r->path, r->error);
    r->faults = faults_json(&r->config.faults, r->path, RELOAD_FAULTS);
}

/* The allocator would keep what parser and old table had: several times what is in use. */
static void free_old(void *job)
{
    configuration_done(job);
    free(job);
    (void)malloc_trim(0);
}

/* -- back here ---------------------------------------------------------------------------- */

static void nothing_left(void *job, usec_t now)
{
    (void)job;
    (void)now;
}

/* A table of 100,000 hosts takes a while to free. */
static void free_elsewhere(struct reload *r)
{
    struct configuration *old = malloc(sizeof *old);
    if (old) {
        *old = r->config;
        if (loop_work(r->loop, free_old, nothing_left, old) == 0) {
            return;
        }
        free(old);
    }
    configuration_done(&r->config);
}

static json_t *answer_with(struct reload *r, bool good)
{
    json_t *faults = r->faults ? json_incref(r->faults) : json_array();
    return json_pack("{s:o, s:b, s:o, s:o}", "file", json_text(r->path), "good", good,
                     "faults", faults, "report", json_text(r->report ? r->report : ""));
}

static void tell_waiters(struct reload *r, const char *why, bool good, size_t hosts,
                         usec_t took)
{
    for (size_t i = 0; i < r->now.count; i++) {
        json_t *answer = answer_with(r, good);
        if (why) {
            control_refuse(r->now.ticket[i], why, answer);
            continue;
        }
        (void)json_object_set_new(answer, "hosts", json_integer((json_int_t)hosts));
        (void)json_object_set_new(answer, "msec",
                                  json_integer((json_int_t)(took / USEC_PER_MSEC)));
        control_answer(r->now.ticket[i], answer);
    }
    r->now.count = 0;
}

static void log_taken(const struct reload *r, size_t hosts, usec_t took, usec_t held)
{
    struct log_line l;
    log_begin(&l, LOG_INFO, "pxed reloaded");
    l.news = true;
    log_text(&l, "file", r->path);
    log_number(&l, "hosts", hosts);
    log_number(&l, "msec", took / USEC_PER_MSEC);
    log_number(&l, "held_usec", held); /* for so long nothing else was done */
    log_end(&l);
}

/* The configuration that is there stays. */
static void log_refused(const struct reload *r, const char *why, size_t faults)
{
    struct log_line l;
    log_begin(&l, LOG_ERROR, "reload refused");
    l.news = true;
    log_text(&l, "file", r->path);
    log_text(&l, "reason", why);
    log_number(&l, "faults", faults);
    log_end(&l);
}

static void begin(struct reload *r);

static const struct fault *first_error(const struct faults *f)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->list[i].severity == FAULT_ERROR) {
            return &f->list[i];
        }
    }
    return NULL;
}

static void note_outcome(struct reload *r, const char *why, const struct faults *f,
                         usec_t now)
{
    const struct fault *first = first_error(f);
    r->last = (struct reload_outcome){.at = now, .good = !why, .faults = f->errors};
    if (why && first) {
        (void)fault_say(f, first, r->path, r->last.first, sizeof r->last.first);
    } else if (why) {
        snprintf(r->last.first, sizeof r->last.first, "%s: %s", r->path, why);
    }
}

const struct reload_outcome *reload_last(const struct reload *r)
{
    return &r->last;
}

static void finish(void *job, usec_t now)
{
    struct reload *r = job;
    bool good = r->error == 0 && r->config.snapshot;
    size_t hosts = good ? hosts_count(r->config.snapshot->hosts) : 0;
    logging_report(r->report, &r->config.faults, r->path);
    const struct faults found = r->config.faults; /* taking it over swaps */
    const char *why =
        !good ? "the configuration has faults" : r->take(r->context, &r->config);
    usec_t held = clock_now() - now;
    if (r->error != 0) {
        why = strerror(-r->error);
    }
    note_outcome(r, why, &found, now);
    if (why) {
        log_refused(r, why, found.errors);
    } else {
        log_taken(r, hosts, now - r->began, held);
    }
    free_elsewhere(r);
    tell_waiters(r, why, good, hosts, now - r->began);
    notify_systemd("READY=1");
    free(r->report);
    json_decref(r->faults);
    r->config = (struct configuration){0};
    r->report = NULL;
    r->faults = NULL;
    r->busy = false;
    if (r->again) {
        begin(r);
    }
}

static void begin(struct reload *r)
{
    char state[64];
    r->busy = true;
    r->again = false;
    r->now = r->next;
    r->next.count = 0;
    r->began = clock_now();
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%llu",
             (unsigned long long)r->began);
    notify_systemd(state);
    (void)stat(r->path, &r->seen);
    if (loop_work(r->loop, read_anew, finish, r) != 0) {
        read_anew(r);
        finish(r, clock_now());
    }
}

void reload_ask(struct reload *r)
{
    if (r->busy) {
        r->again = true;
    } else {
        begin(r);
    }
}

static void forget_gone(struct waiters *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (control_waits(w->ticket[i])) {
            w->ticket[kept++] = w->ticket[i];
        }
    }
    w->count = kept;
}

static void on_verb(void *context, struct control_ticket ticket, const json_t *question)
{
    struct reload *r = context;
    (void)question;
    forget_gone(&r->next); /* so that there is room for each peer there may be */
    r->next.ticket[r->next.count++] = ticket;
    reload_ask(r);
}

bool reload_serve(struct reload *r, struct control *c)
{
    return control_add(c, "reload", on_verb, r);
}

/* -- watching ----------------------------------------------------------------------------- */

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Something happened beside the file: was it the file, or what a link now leads to? */
static void on_directory(void *context, usec_t now)
{
    struct reload *r = context;
    struct stat st;
    (void)now;
    if (stat(r->path, &st) == 0 && !same(&st, &r->seen)) {
        reload_ask(r);
    }
}

static void on_any_change(void *context, usec_t now)
{
    (void)now;
    reload_ask(context);
}

int reload_watch(struct reload *r)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", r->path);
    return loop_on_change(r->loop, dirname(path), QUIET_MSEC, on_directory, r);
}

int reload_watch_directory(struct reload *r, const char *directory)
{
    return loop_on_change(r->loop, directory, QUIET_MSEC, on_any_change, r);
}

/* -- start and end ------------------------------------------------------------------------ */

int reload_new(struct loop *loop, const char *path, reload_take take, void *context,
               struct reload **out)
{
    struct reload *r = calloc(1, sizeof *r);
    if (!r) {
        return -ENOMEM;
    }
    r->path = strdup(path);
    if (!r->path) {
        free(r);
        return -ENOMEM;
    }
    r->loop = loop;
    r->take = take;
    r->context = context;
    (void)stat(path, &r->seen);
    *out = r;
    return 0;
}

void reload_free(struct reload *r)
{
    if (r) {
        free(r->path);
        free(r);
    }
}
