#include "common/timers.h"

#include <assert.h>

void timers_init(struct timers *t, struct timer **slots, size_t room)
{
    *t = (struct timers){.heap = slots, .room = room};
}

static void put(struct timers *t, size_t at, struct timer *timer)
{
    t->heap[at] = timer;
    timer->place = at + 1;
}

static void sift_up(struct timers *t, size_t at, struct timer *timer)
{
    while (at > 0 && t->heap[(at - 1) / 2]->due > timer->due) {
        put(t, at, t->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(t, at, timer);
}

static void sift_down(struct timers *t, size_t at, struct timer *timer)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= t->count) {
            break;
        }
        if (child + 1 < t->count && t->heap[child + 1]->due < t->heap[child]->due) {
            child++;
        }
        if (t->heap[child]->due >= timer->due) {
            break;
        }
        put(t, at, t->heap[child]);
        at = child;
    }
    put(t, at, timer);
}

static void settle(struct timers *t, size_t at, struct timer *timer)
{
    if (at > 0 && t->heap[(at - 1) / 2]->due > timer->due) {
        sift_up(t, at, timer);
    } else {
        sift_down(t, at, timer);
    }
}

static void take_out(struct timers *t, struct timer *timer)
{
    size_t at = timer->place - 1;
    timer->place = 0;
    struct timer *moved = t->heap[--t->count];
    if (moved != timer) {
        settle(t, at, moved);
    }
}

void timers_set(struct timers *t, struct timer *timer, usec_t due)
{
    timer->due = due;
    if (timer->place == 0) {
        if (due != USEC_NEVER) {
            assert(t->count < t->room);
            sift_up(t, t->count++, timer);
        }
    } else if (due == USEC_NEVER) {
        take_out(t, timer);
    } else {
        settle(t, timer->place - 1, timer);
    }
}

struct timer *timers_due(struct timers *t, usec_t now)
{
    if (t->count == 0 || t->heap[0]->due > now) {
        return NULL;
    }
    struct timer *first = t->heap[0];
    take_out(t, first);
    return first;
}

usec_t timers_next(const struct timers *t)
{
    return t->count > 0 ? t->heap[0]->due : USEC_NEVER;
}
