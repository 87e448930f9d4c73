/*
 * app/loop: one libuv loop for descriptors, one precise deadline and signals.
 *
 *     loop_new(); loop_watch() ...; loop_on_signal() ...; loop_run()
 *
 * The deadline is a timerfd, since libuv's own timers count whole milliseconds and a round
 * trip on a LAN takes a fraction of one.
 *
 * Ownership: the loop owns its watchers; what `context` points to is the caller's and must
 * outlive the loop.
 * Errors: 0 or -errno.  Shell: libuv, timerfd.
 */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include <stdbool.h>

#include "common/clock.h"

struct loop;

enum loop_event {
    LOOP_READABLE,
    LOOP_ERROR, /* POLLERR: for a UDP socket its error queue holds something */
};

/* Returning false is loop_unwatch(). */
typedef bool (*loop_callback)(void *context, int fd, enum loop_event event, usec_t now);

int loop_new(struct loop **out);
/* Waits for work that is under way and calls its done().  NULL is fine. */
void loop_free(struct loop *loop);

int loop_watch(struct loop *loop, int fd, loop_callback callback, void *context);
/*
 * Before the descriptor is closed; its callback is not called any more, and may call this
 * itself.  A descriptor that is not watched is fine.
 */
void loop_unwatch(struct loop *loop, int fd);
int loop_on_signal(struct loop *loop, int number,
                   void (*callback)(void *context, usec_t now), void *context);

/* Asked after each round of events; the loop sleeps until then at the most. */
void loop_set_deadline(struct loop *loop, usec_t (*deadline)(void *context),
                       void (*timeout)(void *context, usec_t now), void *context);

/* work(job) in a thread of the pool, then done(job) in this one.  0 or -errno. */
int loop_work(struct loop *loop, void (*work)(void *job),
              void (*done)(void *job, usec_t now), void *job);

/* Until loop_stop(). */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* CLOCK_MONOTONIC, read now. */
usec_t loop_clock(void);

#endif
