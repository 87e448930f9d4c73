#include "app/loop.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <uv.h>

#define WATCHERS_MAX 192
#define SIGNALS_MAX  8
#define CHANGES_MAX  4
#define BELLS_MAX    4

#define REST_MSEC 100

#define QUIET_PATIENCE                                                                   \
    4 /* quiet times: where it is never quiet (a log file) this must do */

struct watcher {
    uv_poll_t poll;
    enum {
        SLOT_FREE,
        SLOT_WATCHES,
        SLOT_CLOSES, /* until libuv has let go of the handle */
    } state;
    int fd;
    unsigned waits_for; /* LOOP_WAIT_* */
    bool rests;         /* until the loop's rest is over */
    loop_callback callback;
    void *context;
};

struct signal_watcher {
    uv_signal_t signal;
    void (*callback)(void *context, usec_t now);
    void *context;
};

struct change_watcher {
    uv_fs_event_t event;
    uv_timer_t quiet;
    unsigned quiet_msec;
    uint64_t since; /* the first change that was not told yet */
    void (*callback)(void *context, usec_t now);
    void *context;
};

struct loop_bell {
    uv_async_t async;
    void (*callback)(void *context, usec_t now);
    void *context;
};

struct loop {
    uv_loop_t uv;
    uv_prepare_t before_sleep;
    uv_timer_t rest;
    uv_poll_t alarm_poll;
    int alarm_fd;
    usec_t alarm_set; /* what the timerfd is set to, USEC_NEVER: off */
    usec_t (*deadline)(void *context);
    void (*timeout)(void *context, usec_t now);
    void *deadline_context;
    struct watcher watchers[WATCHERS_MAX];
    struct signal_watcher signals[SIGNALS_MAX];
    size_t signal_count;
    struct change_watcher changes[CHANGES_MAX];
    size_t change_count;
    struct loop_bell bells[BELLS_MAX];
    size_t bell_count;
};

/* -- the deadline ------------------------------------------------------------------------- */

/*
 * An alarm that is set too early stays: it goes off once for nothing and is set anew then.
 * A transfer moves its deadline with every window, and a system call each time is dear.
 */
static void set_alarm(struct loop *loop, usec_t due)
{
    if (due >= loop->alarm_set) {
        return;
    }
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(due / USEC_PER_SEC),
                     .tv_nsec = (long)(due % USEC_PER_SEC) * 1000 + 1}, /* 0: off */
    };
    if (timerfd_settime(loop->alarm_fd, TFD_TIMER_ABSTIME, &when, NULL) == 0) {
        loop->alarm_set = due;
    }
}

static void before_sleep(uv_prepare_t *prepare)
{
    struct loop *loop = prepare->data;
    if (loop->deadline) {
        set_alarm(loop, loop->deadline(loop->deadline_context));
    }
}

static void on_alarm(uv_poll_t *poll, int status, int events)
{
    struct loop *loop = poll->data;
    uint64_t expiries;
    (void)status;
    (void)events;
    ssize_t n = read(loop->alarm_fd, &expiries, sizeof expiries);
    (void)n; /* nothing to read: it was set anew in between */
    loop->alarm_set = USEC_NEVER;
    if (loop->timeout) {
        loop->timeout(loop->deadline_context, clock_now());
    }
}

void loop_set_deadline(struct loop *loop, usec_t (*deadline)(void *context),
                       void (*timeout)(void *context, usec_t now), void *context)
{
    loop->deadline = deadline;
    loop->timeout = timeout;
    loop->deadline_context = context;
}

/* -- work for other threads --------------------------------------------------------------- */

struct errand {
    uv_work_t uv;
    void (*work)(void *job);
    void (*done)(void *job, usec_t now);
    void *job;
};

static void in_the_pool(uv_work_t *uv)
{
    struct errand *e = uv->data;
    e->work(e->job);
}

static void back_here(uv_work_t *uv, int status)
{
    struct errand *e = uv->data;
    (void)status; /* nothing is ever cancelled */
    e->done(e->job, clock_now());
    free(e);
}

int loop_work(struct loop *loop, void (*work)(void *job),
              void (*done)(void *job, usec_t now), void *job)
{
    struct errand *e = malloc(sizeof *e);
    if (!e) {
        return -ENOMEM;
    }
    *e = (struct errand){.work = work, .done = done, .job = job};
    e->uv.data = e;
    int error = uv_queue_work(&loop->uv, &e->uv, in_the_pool, back_here);
    if (error != 0) {
        free(e);
    }
    return error;
}

static void do_nothing(void *job)
{
    (void)job;
}

static void done_nothing(void *job, usec_t now)
{
    (void)job;
    (void)now;
}

static void *end_at_once(void *unused)
{
    return unused;
}

int loop_start_pool(struct loop *loop)
{
    pthread_t probe;
    int error = pthread_create(&probe, NULL, end_at_once, NULL);
    if (error != 0) {
        return -error; /* libuv would not say so much */
    }
    (void)pthread_join(probe, NULL);
    return loop_work(loop, do_nothing, done_nothing, NULL);
}

/* -- start and end ------------------------------------------------------------------------ */

static int start(struct loop *loop)
{
    loop->alarm_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (loop->alarm_fd < 0) {
        return -errno;
    }
    loop->alarm_set = USEC_NEVER;
    loop->alarm_poll.data = loop;
    loop->before_sleep.data = loop;
    loop->rest.data = loop;
    int error = uv_poll_init(&loop->uv, &loop->alarm_poll, loop->alarm_fd);
    if (error == 0) {
        error = uv_poll_start(&loop->alarm_poll, UV_READABLE, on_alarm);
    }
    if (error == 0) {
        error = uv_prepare_init(&loop->uv, &loop->before_sleep);
    }
    if (error == 0) {
        error = uv_timer_init(&loop->uv, &loop->rest);
    }
    return error == 0 ? uv_prepare_start(&loop->before_sleep, before_sleep) : error;
}

int loop_new(struct loop **out)
{
    char threads[12];
    snprintf(threads, sizeof threads, "%d", LOOP_THREADS);
    (void)setenv("UV_THREADPOOL_SIZE", threads, 1); /* libuv has no other way */
    struct loop *loop = calloc(1, sizeof *loop);
    if (!loop) {
        return -ENOMEM;
    }
    loop->alarm_fd = -1;
    int error = uv_loop_init(&loop->uv);
    if (error != 0) {
        free(loop);
        return error;
    }
    error = start(loop);
    if (error != 0) {
        loop_free(loop);
        return error;
    }
    *out = loop;
    return 0;
}

static void close_handle(uv_handle_t *handle, void *unused)
{
    (void)unused;
    if (!uv_is_closing(handle)) {
        uv_close(handle, NULL);
    }
}

void loop_free(struct loop *loop)
{
    if (!loop) {
        return;
    }
    uv_walk(&loop->uv, close_handle, NULL);
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    (void)uv_loop_close(&loop->uv);
    if (loop->alarm_fd >= 0) {
        (void)close(loop->alarm_fd);
    }
    free(loop);
}

void loop_run(struct loop *loop)
{
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *loop)
{
    uv_stop(&loop->uv);
}

/* -- descriptors and signals -------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    struct watcher *w = handle->data;
    w->state = SLOT_FREE;
}

static void let_go(struct watcher *w)
{
    if (w->state == SLOT_WATCHES && !uv_is_closing((uv_handle_t *)&w->poll)) {
        w->state = SLOT_CLOSES;
        uv_close((uv_handle_t *)&w->poll, on_closed);
    }
}

static void on_event(uv_poll_t *poll, int status, int events);

static int wait_on(struct watcher *w)
{
    int events = (w->waits_for & LOOP_WAIT_READ ? UV_READABLE : 0) |
                 (w->waits_for & LOOP_WAIT_WRITE ? UV_WRITABLE : 0);
    if (uv_is_closing((uv_handle_t *)&w->poll)) {
        return 0; /* the loop is being freed, and finished work still has its say */
    }
    return events && !w->rests ? uv_poll_start(&w->poll, events, on_event)
                               : uv_poll_stop(&w->poll);
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct watcher *w = poll->data;
    bool go_on = true;
    if (status >= 0 && events & UV_WRITABLE) {
        go_on = w->callback(w->context, w->fd, LOOP_WRITABLE, clock_now());
    }
    if (go_on && w->state == SLOT_WATCHES && (status < 0 || events & UV_READABLE)) {
        enum loop_event event = status < 0 ? LOOP_ERROR : LOOP_READABLE;
        go_on = w->callback(w->context, w->fd, event, clock_now());
    }
    if (!go_on) {
        let_go(w);
    } else if (status < 0 && w->state == SLOT_WATCHES) {
        (void)wait_on(w); /* libuv stops on POLLERR */
    }
}

static struct watcher *slot_of(struct loop *loop, int fd)
{
    for (size_t i = 0; i < WATCHERS_MAX; i++) {
        if (loop->watchers[i].state == SLOT_WATCHES && loop->watchers[i].fd == fd) {
            return &loop->watchers[i];
        }
    }
    return NULL;
}

static struct watcher *free_slot(struct loop *loop)
{
    for (size_t i = 0; i < WATCHERS_MAX; i++) {
        if (loop->watchers[i].state == SLOT_FREE) {
            return &loop->watchers[i];
        }
    }
    return NULL;
}

int loop_watch(struct loop *loop, int fd, loop_callback callback, void *context)
{
    struct watcher *w = free_slot(loop);
    if (!w) {
        return -EMFILE;
    }
    int error = uv_poll_init(&loop->uv, &w->poll, fd);
    if (error != 0) {
        return error;
    }
    w->state = SLOT_WATCHES;
    w->fd = fd;
    w->waits_for = LOOP_WAIT_READ;
    w->rests = false;
    w->callback = callback;
    w->context = context;
    w->poll.data = w;
    error = wait_on(w);
    if (error != 0) {
        let_go(w);
    }
    return error;
}

void loop_unwatch(struct loop *loop, int fd)
{
    struct watcher *w = slot_of(loop, fd);
    if (w) {
        let_go(w);
    }
}

void loop_wait_for(struct loop *loop, int fd, unsigned what)
{
    struct watcher *w = slot_of(loop, fd);
    if (w && w->waits_for != what) {
        w->waits_for = what;
        (void)wait_on(w);
    }
}

static void on_rested(uv_timer_t *timer)
{
    struct loop *loop = timer->data;
    for (size_t i = 0; i < WATCHERS_MAX; i++) {
        struct watcher *w = &loop->watchers[i];
        if (w->state == SLOT_WATCHES && w->rests) {
            w->rests = false;
            (void)wait_on(w);
        }
    }
}

void loop_rest(struct loop *loop, int fd)
{
    struct watcher *w = slot_of(loop, fd);
    if (!w || (!uv_is_active((uv_handle_t *)&loop->rest) &&
               uv_timer_start(&loop->rest, on_rested, REST_MSEC, 0) != 0)) {
        return;
    }
    w->rests = true;
    (void)wait_on(w);
}

static void on_signal(uv_signal_t *signal, int number)
{
    struct signal_watcher *w = signal->data;
    (void)number;
    w->callback(w->context, clock_now());
}

int loop_on_signal(struct loop *loop, int number,
                   void (*callback)(void *context, usec_t now), void *context)
{
    if (loop->signal_count == SIGNALS_MAX) {
        return -EMFILE;
    }
    struct signal_watcher *w = &loop->signals[loop->signal_count++];
    *w = (struct signal_watcher){.callback = callback, .context = context};
    w->signal.data = w;
    int error = uv_signal_init(&loop->uv, &w->signal);
    return error == 0 ? uv_signal_start(&w->signal, on_signal, number) : error;
}

/* -- changes of directories --------------------------------------------------------------- */

static void on_quiet(uv_timer_t *timer)
{
    struct change_watcher *w = timer->data;
    w->callback(w->context, clock_now());
}

static void on_change(uv_fs_event_t *event, const char *name, int events, int status)
{
    struct change_watcher *w = event->data;
    (void)name;
    (void)events;
    (void)status;
    uint64_t now = uv_now(event->loop);
    if (!uv_is_active((uv_handle_t *)&w->quiet)) {
        w->since = now;
    }
    if (now - w->since < (uint64_t)QUIET_PATIENCE * w->quiet_msec) {
        (void)uv_timer_start(&w->quiet, on_quiet, w->quiet_msec, 0);
    }
}

int loop_on_change(struct loop *loop, const char *directory, unsigned quiet,
                   void (*callback)(void *context, usec_t now), void *context)
{
    if (loop->change_count == CHANGES_MAX) {
        return -EMFILE;
    }
    struct change_watcher *w = &loop->changes[loop->change_count++];
    *w = (struct change_watcher){
        .quiet_msec = quiet, .callback = callback, .context = context};
    w->event.data = w;
    w->quiet.data = w;
    int error = uv_timer_init(&loop->uv, &w->quiet);
    if (error == 0) {
        error = uv_fs_event_init(&loop->uv, &w->event);
    }
    return error == 0 ? uv_fs_event_start(&w->event, on_change, directory, 0) : error;
}

/* -- word from other threads --------------------------------------------------------------- */

static void on_ring(uv_async_t *async)
{
    struct loop_bell *bell = async->data;
    bell->callback(bell->context, clock_now());
}

int loop_on_bell(struct loop *loop, void (*callback)(void *context, usec_t now),
                 void *context, struct loop_bell **out)
{
    if (loop->bell_count == BELLS_MAX) {
        return -EMFILE;
    }
    struct loop_bell *bell = &loop->bells[loop->bell_count];
    *bell = (struct loop_bell){.callback = callback, .context = context};
    bell->async.data = bell;
    int error = uv_async_init(&loop->uv, &bell->async, on_ring);
    if (error == 0) {
        loop->bell_count++;
        *out = bell;
    }
    return error;
}

void loop_ring(struct loop_bell *bell)
{
    (void)uv_async_send(&bell->async);
}
