/*
 * dnsmasq_fit(): what was carried over and our own loader refuses is taken out again, and the
 * line that it came from is told why.
 *
 * The configuration is printed and loaded as `pxed check` would; a fault's line leads to the
 * value, as every member stands in a line of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "app/dnsmasq.h"
#include "config/load.h"

#define DEPTH_MAX 16

/* A value, and where it stands. */
struct place {
    json_t *value;
    json_t *in; /* NULL: it is the configuration itself */
    const char *key;
    size_t index; /* where `in` is a list */
};

struct removal {
    struct place place;
    const struct dnsmasq_line *from;
    const struct fault *why;
};

/* One walk over the configuration, line by line of its text. */
struct walk {
    struct dnsmasq *d;
    const struct faults *faults; /* in the order of their lines */
    size_t next;                 /* of them */
    int line;
    struct place at[DEPTH_MAX]; /* the way to the value at hand */
    size_t depth;
    struct removal *removal; /* room for as many as there are faults */
    size_t removals;
};

/* -- which line it comes from ------------------------------------------------------------- */

/* By their values; of one value the newest is the last: an older one is gone. */
static int by_value(const void *a, const void *b)
{
    const struct dnsmasq_origin *x = a;
    const struct dnsmasq_origin *y = b;
    if (x->value != y->value) {
        return x->value < y->value ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

static const struct dnsmasq_line *origin_of(const struct dnsmasq *d, const json_t *value)
{
    size_t low = 0;
    size_t high = d->origins;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->origin[middle].value <= value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low > 0 && d->origin[low - 1].value == value;
    return found ? d->origin[low - 1].line : NULL;
}

/* That of the value, or of what it stands in. */
static const struct dnsmasq_line *line_of(const struct walk *w)
{
    static const struct dnsmasq_line whole = {.file = "dnsmasq"};
    const struct dnsmasq_line *line = NULL;
    for (size_t i = w->depth; i-- > 0 && !line;) {
        line = origin_of(w->d, w->at[i].value);
    }
    return line ? line : &whole;
}

/* -- what goes ---------------------------------------------------------------------------- */

static bool is_key(const struct place *p, const char *key)
{
    return p->key && strcmp(p->key, key) == 0;
}

/* What is nothing without the value at hand goes as a whole: a host, an item, a menu. */
static const struct place *what_goes(const struct walk *w)
{
    const struct place *last = &w->at[w->depth - 1];
    for (size_t i = 1; i + 1 < w->depth; i++) {
        const struct place *list = &w->at[i];
        const struct place *member = i + 2 < w->depth ? &w->at[i + 2] : NULL;
        if (is_key(list, "hosts") && !(member && is_key(member, "name"))) {
            return &w->at[i + 1];
        }
        if (is_key(list, "items") && !(member && is_key(member, "next_server"))) {
            return &w->at[i + 1];
        }
    }
    return is_key(last, "items") ? last - 1 : last;
}

static bool is_same(const struct place *a, const struct place *b)
{
    return a->in == b->in && a->value == b->value;
}

/* The faults of this line are of the value at hand. */
static void note_faults(struct walk *w)
{
    for (; w->next < w->faults->count; w->next++) {
        const struct fault *f = &w->faults->list[w->next];
        if (f->line > w->line) {
            return;
        }
        struct removal r = {*what_goes(w), line_of(w), f};
        bool again =
            w->removals > 0 && is_same(&w->removal[w->removals - 1].place, &r.place);
        if (f->severity == FAULT_ERROR && r.place.in && !again) {
            w->removal[w->removals++] = r;
        }
    }
}

static void walk(struct walk *w, struct place here)
{
    const char *key;
    json_t *member;
    size_t i;
    if (w->depth == DEPTH_MAX) {
        return;
    }
    w->at[w->depth++] = here;
    w->line++;
    note_faults(w);
    json_object_foreach (here.value, key, member) {
        walk(w, (struct place){member, here.value, key, 0});
    }
    json_array_foreach (here.value, i, member) {
        walk(w, (struct place){member, here.value, NULL, i});
    }
    if (json_object_size(here.value) > 0 || json_array_size(here.value) > 0) {
        w->line++; /* the bracket that ends it */
        note_faults(w);
    }
    w->depth--;
}

static void take_out(struct dnsmasq *d, const struct removal *r)
{
    dnsmasq_say(d, r->from, DNSMASQ_LOST, "%s: %s", r->why->path, r->why->text);
    if (r->place.key) {
        (void)json_object_del(r->place.in, r->place.key);
    } else {
        (void)json_array_remove(r->place.in, r->place.index);
    }
}

/* False: nothing was in the way, or it could not be found. */
static bool fit_once(struct dnsmasq *d)
{
    struct faults faults = {0};
    char *text = json_dumps(d->config, JSON_INDENT(2));
    struct snapshot *s = text ? config_load(text, strlen(text), &faults) : NULL;
    struct walk w = {.d = d, .faults = &faults};
    w.removal = calloc(faults.count + 1, sizeof *w.removal);
    d->no_memory = d->no_memory || !text || !w.removal || faults.lost > 0;
    if (!s && w.removal) {
        walk(&w, (struct place){.value = d->config});
    }
    /* The last one first: what is within another stands behind it. */
    for (size_t i = w.removals; i-- > 0;) {
        take_out(d, &w.removal[i]);
    }
    free(w.removal);
    snapshot_free(s);
    faults_done(&faults);
    free(text);
    return w.removals > 0;
}

/* What a configuration must say, where what it said was taken out. */
static void complete(struct dnsmasq *d)
{
    int errors = 0;
    json_t *tftp = json_object_get(d->config, "tftp");
    if (!json_object_get(d->config, "interfaces")) {
        errors += json_object_set_new(d->config, "interfaces", json_array());
    }
    if (!tftp) {
        errors += json_object_set_new(d->config, "tftp", json_object());
        tftp = json_object_get(d->config, "tftp");
    }
    if (!json_object_get(tftp, "root")) {
        errors += json_object_set_new(tftp, "enabled", json_false());
    }
    d->no_memory = d->no_memory || errors != 0;
}

void dnsmasq_fit(struct dnsmasq *d)
{
    if (d->origins > 1) {
        qsort(d->origin, d->origins, sizeof d->origin[0], by_value);
    }
    do {
        complete(d);
    } while (fit_once(d) && !d->no_memory);
}
