/*
 * common/timers: many deadlines, the earliest at hand (a binary heap).
 *
 * A timer is embedded in what it wakes; the heap holds pointers to armed timers only.
 *
 *     timers_set(&heap, &x->timer, deadline)     USEC_NEVER takes it out
 *     while ((t = timers_due(&heap, now))) ...   each is taken out before it is handed over
 *     timers_next(&heap)                         when to wake
 *
 * Ownership: the caller gives the slots at start (timers_init) and owns every timer.
 * Errors: none; a full heap is a programmer's mistake (assert).  Pure.
 */
#ifndef COMMON_TIMERS_H
#define COMMON_TIMERS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/clock.h"

struct timer {
    usec_t due;
    size_t place; /* 1 + index in the heap; 0: not armed */
};

struct timers {
    struct timer **heap;
    size_t count;
    size_t room;
};

void timers_init(struct timers *t, struct timer **slots, size_t room);
void timers_set(struct timers *t, struct timer *timer, usec_t due);
/* The earliest timer with due <= now, taken out; or NULL. */
struct timer *timers_due(struct timers *t, usec_t now);
/* USEC_NEVER when none is armed. */
usec_t timers_next(const struct timers *t);

#endif
