#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/loop.h"
#include "tests/unit/suites.h"

/* A pair of sockets; what is sent to theirs makes ours readable. */
struct wire {
    struct loop *loop;
    int ours;
    int theirs;
    unsigned calls;
    unsigned stop_after; /* calls; 0: the callback never says stop */
    struct wire *other;  /* whose watching the callback ends */
};

static void send_one(const struct wire *w)
{
    ck_assert_int_eq(send(w->theirs, "x", 1, 0), 1);
}

static bool on_readable(void *context, int fd, enum loop_event event, usec_t now)
{
    struct wire *w = context;
    char octet;
    (void)event;
    (void)now;
    ck_assert_int_eq(fd, w->ours);
    ck_assert_int_eq(recv(fd, &octet, 1, 0), 1);
    w->calls++;
    if (w->other) {
        loop_unwatch(w->loop, w->other->ours);
    }
    return w->calls != w->stop_after;
}

static bool on_end(void *context, int fd, enum loop_event event, usec_t now)
{
    (void)fd;
    (void)event;
    (void)now;
    loop_stop(context);
    return false;
}

static void open_wire(struct wire *w, struct loop *loop)
{
    int pair[2];
    *w = (struct wire){.loop = loop};
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
    w->ours = pair[0];
    w->theirs = pair[1];
}

static void watch_wire(struct wire *w)
{
    ck_assert_int_eq(loop_watch(w->loop, w->ours, on_readable, w), 0);
}

static void close_wire(struct wire *w)
{
    ck_assert_int_eq(close(w->ours), 0);
    ck_assert_int_eq(close(w->theirs), 0);
}

/* Runs what is due: a further descriptor becomes readable last and stops the loop. */
static void run_round(struct loop *loop)
{
    struct wire end;
    for (int i = 0; i < 3; i++) {
        open_wire(&end, loop);
        ck_assert_int_eq(loop_watch(loop, end.ours, on_end, loop), 0);
        send_one(&end);
        loop_run(loop);
        close_wire(&end);
    }
}

static struct loop *new_loop(void)
{
    struct loop *loop;
    ck_assert_int_eq(loop_new(&loop), 0);
    return loop;
}

START_TEST(a_descriptor_is_watched_until_it_is_unwatched)
{
    struct loop *loop = new_loop();
    struct wire w;
    open_wire(&w, loop);
    watch_wire(&w);
    send_one(&w);
    run_round(loop);
    ck_assert_uint_eq(w.calls, 1);
    loop_unwatch(loop, w.ours);
    loop_unwatch(loop, w.ours);
    send_one(&w);
    run_round(loop);
    ck_assert_uint_eq(w.calls, 1);
    close_wire(&w);
    loop_free(loop);
}
END_TEST

START_TEST(a_callback_that_says_stop_is_not_called_again)
{
    struct loop *loop = new_loop();
    struct wire w;
    open_wire(&w, loop);
    w.stop_after = 1;
    watch_wire(&w);
    send_one(&w);
    send_one(&w);
    run_round(loop);
    ck_assert_uint_eq(w.calls, 1);
    close_wire(&w);
    loop_free(loop);
}
END_TEST

START_TEST(a_callback_may_unwatch_itself)
{
    struct loop *loop = new_loop();
    struct wire w;
    open_wire(&w, loop);
    w.other = &w;
    watch_wire(&w);
    send_one(&w);
    send_one(&w);
    run_round(loop);
    ck_assert_uint_eq(w.calls, 1);
    close_wire(&w);
    loop_free(loop);
}
END_TEST

/* Both are readable in one round; whichever is served first ends the other's watching. */
START_TEST(a_callback_may_unwatch_another)
{
    struct loop *loop = new_loop();
    struct wire a;
    struct wire b;
    open_wire(&a, loop);
    open_wire(&b, loop);
    a.other = &b;
    b.other = &a;
    watch_wire(&a);
    watch_wire(&b);
    send_one(&a);
    send_one(&b);
    run_round(loop);
    ck_assert_uint_eq(a.calls + b.calls, 1);
    close_wire(&a);
    close_wire(&b);
    loop_free(loop);
}
END_TEST

/* The kernel gives the number of a closed descriptor to the next one that is opened. */
START_TEST(slots_and_numbers_are_used_again)
{
    struct loop *loop = new_loop();
    struct wire w;
    for (unsigned i = 0; i < 1000; i++) {
        open_wire(&w, loop);
        watch_wire(&w);
        loop_unwatch(loop, w.ours);
        close_wire(&w);
        if (i % 100 == 99) {
            run_round(loop);
        }
    }
    open_wire(&w, loop);
    watch_wire(&w);
    send_one(&w);
    run_round(loop);
    ck_assert_uint_eq(w.calls, 1);
    close_wire(&w);
    loop_free(loop);
}
END_TEST

static bool note_event(void *context, int fd, enum loop_event event, usec_t now)
{
    enum loop_event *seen = context;
    (void)fd;
    (void)now;
    *seen = event;
    return true;
}

START_TEST(what_is_waited_for_can_change)
{
    struct loop *loop = new_loop();
    struct wire w;
    enum loop_event seen = LOOP_ERROR;
    open_wire(&w, loop);
    ck_assert_int_eq(loop_watch(loop, w.ours, note_event, &seen), 0);
    run_round(loop);
    ck_assert_int_eq(seen, LOOP_ERROR); /* it could be written to, but nobody asked */
    loop_wait_for(loop, w.ours, LOOP_WAIT_WRITE);
    send_one(&w);
    run_round(loop);
    ck_assert_int_eq(seen, LOOP_WRITABLE);
    loop_wait_for(loop, w.ours, 0);
    seen = LOOP_ERROR;
    run_round(loop);
    ck_assert_int_eq(seen, LOOP_ERROR);
    loop_wait_for(loop, w.ours, LOOP_WAIT_READ);
    run_round(loop);
    ck_assert_int_eq(seen, LOOP_READABLE);
    loop_unwatch(loop, w.ours);
    close_wire(&w);
    loop_free(loop);
}
END_TEST

/* Takes nothing of what came, and rests; the third time it stops the loop. */
static bool rest(void *context, int fd, enum loop_event event, usec_t now)
{
    struct wire *w = context;
    (void)event;
    (void)now;
    if (++w->calls == 3) {
        loop_stop(w->loop);
    } else {
        loop_rest(w->loop, fd);
    }
    return true;
}

START_TEST(what_cannot_be_taken_is_let_rest)
{
    struct loop *loop = new_loop();
    struct wire w;
    struct wire other;
    open_wire(&w, loop);
    open_wire(&other, loop);
    ck_assert_int_eq(loop_watch(loop, w.ours, rest, &w), 0);
    watch_wire(&other);
    send_one(&w);
    usec_t start = clock_now();
    run_round(loop);
    ck_assert_uint_le(w.calls, 1 + (clock_now() - start) / (100 * USEC_PER_MSEC));
    send_one(&other);
    run_round(loop);
    ck_assert_uint_eq(other.calls, 1);
    while (w.calls < 3) {
        loop_run(loop);
    }
    ck_assert_uint_ge(clock_now() - start,
                      198 * USEC_PER_MSEC); /* libuv counts whole ones */
    loop_unwatch(loop, w.ours);
    loop_unwatch(loop, other.ours);
    loop_rest(loop, w.ours); /* nobody watches it */
    close_wire(&w);
    close_wire(&other);
    loop_free(loop);
}
END_TEST

struct change_test {
    struct loop *loop;
    unsigned calls;
};

static void on_changed(void *context, usec_t now)
{
    struct change_test *t = context;
    (void)now;
    t->calls++;
    loop_stop(t->loop);
}

START_TEST(changes_of_a_directory_are_told_once_it_is_quiet)
{
    char dir[] = "/tmp/pxed-loop-XXXXXX";
    struct change_test t = {.loop = new_loop()};
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(loop_on_change(t.loop, dir, 20, on_changed, &t), 0);
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%d", dir, i);
        int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        ck_assert_int_ge(fd, 0);
        close(fd);
        unlink(name);
    }
    loop_run(t.loop);
    ck_assert_uint_eq(t.calls, 1);
    loop_free(t.loop);
    rmdir(dir);
}
END_TEST

Suite *suite_app_loop(void)
{
    Suite *s = suite_create("app/loop");
    TCase *tc = tcase_create("loop");
    tcase_add_test(tc, a_descriptor_is_watched_until_it_is_unwatched);
    tcase_add_test(tc, a_callback_that_says_stop_is_not_called_again);
    tcase_add_test(tc, a_callback_may_unwatch_itself);
    tcase_add_test(tc, a_callback_may_unwatch_another);
    tcase_add_test(tc, slots_and_numbers_are_used_again);
    tcase_add_test(tc, what_is_waited_for_can_change);
    tcase_add_test(tc, what_cannot_be_taken_is_let_rest);
    tcase_add_test(tc, changes_of_a_directory_are_told_once_it_is_quiet);
    suite_add_tcase(s, tc);
    return s;
}
