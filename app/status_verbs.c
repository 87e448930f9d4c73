#include "app/status_verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/boot_json.h"
#include "app/boot_watch.h"
#include "app/timeline_json.h"

#define WAIT_MAX 60 /* seconds */

/* A "log" that waits for the next end. */
struct waiting {
    struct control_ticket ticket;
    bool has_mac;
    struct mac mac;
    uint64_t after;
    usec_t due;
};

struct status_verbs {
    const struct appliance *appliance;
    size_t count;
    struct waiting waiting[CONTROL_CLIENTS];
};

int status_verbs_new(const struct appliance *a, struct status_verbs **out)
{
    struct status_verbs *v = calloc(1, sizeof *v);
    if (!v) {
        return -ENOMEM;
    }
    v->appliance = a;
    *out = v;
    return 0;
}

void status_verbs_free(struct status_verbs *v)
{
    free(v);
}

/* -- questions ---------------------------------------------------------------------------- */

/* False after a refusal.  Without "mac" *has is false. */
static bool read_mac(struct control_ticket ticket, const json_t *question, bool *has,
                     struct mac *out)
{
    const json_t *value = json_object_get(question, "mac");
    const char *text = json_string_value(value);
    *has = value != NULL;
    if (value && (!text || !mac_parse(text, out))) {
        control_refuse(ticket, "expected a \"mac\" such as \"52:54:00:12:34:56\"", NULL);
        return false;
    }
    return true;
}

/* False after a refusal.  Without the key *out is 0. */
static bool read_count(struct control_ticket ticket, const json_t *question,
                       const char *key, const char *why, uint64_t *out)
{
    const json_t *value = json_object_get(question, key);
    *out = 0;
    if (!value) {
        return true;
    }
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        control_refuse(ticket, why, NULL);
        return false;
    }
    *out = (uint64_t)json_integer_value(value);
    return true;
}

static void on_status(void *context, struct control_ticket ticket, const json_t *question)
{
    const struct status_verbs *v = context;
    bool files = !json_is_false(json_object_get(question, "files"));
    control_answer(ticket,
                   status_json(v->appliance, files ? BOOT_WITH_FILES : BOOT_ALONE));
}

static void on_boots(void *context, struct control_ticket ticket, const json_t *question)
{
    const struct status_verbs *v = context;
    struct mac mac;
    bool has_mac;
    struct boots_wanted wanted = {.mac = NULL};
    if (read_mac(ticket, question, &has_mac, &mac) &&
        read_count(ticket, question, "id", "expected an \"id\" such as 17", &wanted.id)) {
        wanted.mac = has_mac ? &mac : NULL;
        control_answer(ticket, boots_json(v->appliance, &wanted));
    }
}

/* False: there is nothing yet, and it may wait. */
static bool answer_log(const struct status_verbs *v, struct waiting *w, bool may_wait)
{
    size_t count;
    json_t *answer =
        ended_json(v->appliance, w->has_mac ? &w->mac : NULL, w->after, &count);
    if (count == 0 && may_wait) {
        w->after = (uint64_t)json_integer_value(json_object_get(answer, "next"));
        json_decref(answer);
        return false;
    }
    control_answer(w->ticket, answer);
    return true;
}

/* Those whose peer has gone are not known; the one that has waited longest makes room. */
static void put_waiting(struct status_verbs *v, const struct waiting *w)
{
    if (v->count == CONTROL_CLIENTS) {
        (void)answer_log(v, &v->waiting[0], false);
        memmove(v->waiting, v->waiting + 1, --v->count * sizeof *w);
    }
    v->waiting[v->count++] = *w;
}

static void on_log(void *context, struct control_ticket ticket, const json_t *question)
{
    struct status_verbs *v = context;
    struct waiting w = {.ticket = ticket};
    uint64_t wait;
    if (!read_mac(ticket, question, &w.has_mac, &w.mac) ||
        !read_count(ticket, question, "after", "expected \"after\" as a number",
                    &w.after) ||
        !read_count(ticket, question, "wait", "expected \"wait\" as seconds, 0..60",
                    &wait)) {
        return;
    }
    wait = wait < WAIT_MAX ? wait : WAIT_MAX;
    if (!answer_log(v, &w, wait > 0)) {
        w.due = clock_now() + wait * USEC_PER_SEC;
        put_waiting(v, &w);
    }
}

/* -- those that wait ---------------------------------------------------------------------- */

static void answer_waiting(struct status_verbs *v, usec_t now)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->count; i++) {
        struct waiting w = v->waiting[i];
        if (!answer_log(v, &w, now < w.due)) {
            v->waiting[kept++] = w;
        }
    }
    v->count = kept;
}

static void on_end(void *context)
{
    answer_waiting(context, clock_now());
}

usec_t status_verbs_deadline(const struct status_verbs *v)
{
    usec_t first = USEC_NEVER;
    for (size_t i = 0; i < v->count; i++) {
        first = v->waiting[i].due < first ? v->waiting[i].due : first;
    }
    return first;
}

void status_verbs_timeout(struct status_verbs *v, usec_t now)
{
    if (status_verbs_deadline(v) <= now) {
        answer_waiting(v, now);
    }
}

bool status_verbs_serve(struct status_verbs *v, struct control *c)
{
    boot_watch_on_end(v->appliance->boots, on_end, v);
    return control_add(c, "status", on_status, v) &&
           control_add(c, "boots", on_boots, v) && control_add(c, "log", on_log, v);
}
