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

#define LOOP_THREADS 6 /* of the pool */

enum loop_event {
    LOOP_READABLE,
    LOOP_ERROR,    /* POLLERR: for a UDP socket its error queue holds something */
    LOOP_WRITABLE, /* only after loop_wait_for() */
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
/*
 * What a watched descriptor is waited for from now on, LOOP_WAIT_* together; 0: nothing
 * for a while.  When both are there LOOP_WRITABLE comes first.
 */
#define LOOP_WAIT_READ  1u
#define LOOP_WAIT_WRITE 2u
void loop_wait_for(struct loop *loop, int fd, unsigned what);
/*
 * For a moment the descriptor is not looked at: what it has cannot be taken now, for want of
 * memory or descriptors, and the loop would run in circles.
 */
void loop_rest(struct loop *loop, int fd);
/*
 * Calls back when something in this directory has changed and then nothing for `quiet`
 * milliseconds, or has not come to rest for some of these.  Not recursive.
 */
int loop_on_change(struct loop *loop, const char *directory, unsigned quiet,
                   void (*callback)(void *context, usec_t now), void *context);
int loop_on_signal(struct loop *loop, int number,
                   void (*callback)(void *context, usec_t now), void *context);

/* Asked after each round of events; the loop sleeps until then at the most. */
void loop_set_deadline(struct loop *loop, usec_t (*deadline)(void *context),
                       void (*timeout)(void *context, usec_t now), void *context);

/*
 * The threads of the pool, from now on.  libuv would make them with the first work, and end the
 * process when the host is short of threads by then.
 */
int loop_start_pool(struct loop *loop);
/* work(job) in a thread of the pool, then done(job) in this one.  0 or -errno. */
int loop_work(struct loop *loop, void (*work)(void *job),
              void (*done)(void *job, usec_t now), void *job);

/*
 * A bell that any thread may ring: callback() in this one, soon, once for however many rings
 * that came since the last time.  The only thing of a loop that other threads may touch, and
 * not after loop_free().  0 or -errno.
 */
struct loop_bell;
int loop_on_bell(struct loop *loop, void (*callback)(void *context, usec_t now),
                 void *context, struct loop_bell **out);
void loop_ring(struct loop_bell *bell);

/* Until loop_stop(). */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

#endif
