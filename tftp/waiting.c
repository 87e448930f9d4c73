#include "tftp/waiting.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE (10 * USEC_PER_SEC)

struct tftp_wait {
    struct tftp_wait *next;
    struct tftp_waiting *list;
    struct tftp_asked asked; /* its name and options are views into octets[] */
    usec_t since;
    bool forgotten; /* nobody wants an answer any more */
    uint8_t octets[];
};

/* -- in another thread -------------------------------------------------------------------- */

static void search_work(void *job)
{
    struct tftp_wait *w = job;
    struct tftp_quest *q = &w->asked.quest;
    tftp_find_long(q);
    if (q->fault == STORE_OK) {
        q->fault = store_make(&q->found.file, w->asked.mode, &w->asked.made);
        q->found.file.fd = -1; /* taken over */
    }
}

/* -- and back ----------------------------------------------------------------------------- */

static void search_done(void *job, usec_t now);

static bool search_elsewhere(struct tftp_wait *w)
{
    const struct tftp_hooks *hooks = w->list->hooks;
    return hooks->run(hooks->context, w->asked.quest.far, search_work, search_done, w);
}

static void unlink_wait(struct tftp_wait *w)
{
    struct tftp_wait **at = &w->list->first;
    while (*at != w) {
        at = &(*at)->next;
    }
    *at = w->next;
    w->list->count--;
}

static void search_done(void *job, usec_t now)
{
    struct tftp_wait *w = job;
    struct tftp_waiting *list = w->list;
    struct tftp_found found = {.file.fd = -1};
    enum store_fault fault = STORE_NOT_FOUND;
    if (w->forgotten) {
        tftp_quest_done(&w->asked.quest);
    } else {
        fault = tftp_find_on(&w->asked.quest, list->hooks, &found);
        if (fault == STORE_WAITS && search_elsewhere(w)) {
            return;
        }
    }
    unlink_wait(w);
    if (fault == STORE_WAITS) {
        tftp_quest_done(&w->asked.quest);
        fault = STORE_TROUBLE;
    }
    list->settle(list->context, &w->asked, fault, w->forgotten ? NULL : &found, now);
    free(w);
}

/* -- the list ----------------------------------------------------------------------------- */

/* The view into old, as one into new. */
static struct tftp_text moved(struct tftp_text view, const uint8_t *old,
                              const uint8_t *new)
{
    view.at = (const char *)new + ((const uint8_t *)view.at - old);
    return view;
}

static struct tftp_wait *copy_request(struct tftp_waiting *list,
                                      const struct tftp_asked *a,
                                      const struct net_dgram *d, usec_t now)
{
    struct tftp_wait *w = malloc(sizeof *w + d->len);
    if (!w) {
        return NULL;
    }
    *w = (struct tftp_wait){.list = list, .asked = *a, .since = now};
    memcpy(w->octets, d->data, d->len);
    w->asked.name = moved(a->name, d->data, w->octets);
    size_t left = rd_left(&a->options);
    w->asked.options =
        left > 0 ? rd_over(w->octets + (a->options.p - d->data), left) : a->options;
    return w;
}

bool tftp_waiting_add(struct tftp_waiting *list, const struct tftp_asked *a,
                      const struct net_dgram *d, usec_t now)
{
    struct tftp_wait *w =
        list->count < TFTP_WAITING_MAX ? copy_request(list, a, d, now) : NULL;
    if (!w || !search_elsewhere(w)) {
        free(w);
        return false;
    }
    struct tftp_wait **end = &list->first;
    while (*end) {
        end = &(*end)->next;
    }
    *end = w;
    list->count++;
    return true;
}

bool tftp_waiting_has(struct tftp_waiting *list, const struct endpoint *peer,
                      const char *shown)
{
    for (struct tftp_wait *w = list->first; w; w = w->next) {
        if (!w->forgotten && endpoint_equal(&w->asked.wanted.path.peer, peer)) {
            w->forgotten = strcmp(w->asked.wanted.shown, shown) != 0;
            return !w->forgotten;
        }
    }
    return false;
}

/* The oldest that is waited for; NULL: none. */
static struct tftp_wait *first_of(const struct tftp_waiting *list)
{
    struct tftp_wait *w = list->first;
    while (w && w->forgotten) {
        w = w->next;
    }
    return w;
}

usec_t tftp_waiting_deadline(const struct tftp_waiting *list)
{
    const struct tftp_wait *w = first_of(list);
    return w ? w->since + PATIENCE : USEC_NEVER;
}

const struct tftp_asked *tftp_waiting_due(struct tftp_waiting *list, usec_t now)
{
    struct tftp_wait *w = first_of(list);
    if (!w || now < w->since + PATIENCE) {
        return NULL;
    }
    w->forgotten = true;
    return &w->asked;
}
