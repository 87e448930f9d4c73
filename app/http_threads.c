#include "app/http_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "app/http_connection.h"
#include "app/http_socket.h"
#include "common/log.h"
#include "common/net.h"

#define BATCH      64 /* questions answered before others get their turn */
#define LOOK_EVERY (1 * USEC_PER_SEC)
#define TAKEN_MAX  16 /* connections before others get their turn */

struct http_threads {
    struct MHD_Daemon *daemon;
    int fd; /* listens */
    struct http_limits limits;
    struct loop *loop;
    usec_t look_at; /* when to look for slow ones */
    int taking;     /* the descriptor that on_accept() is called for */
    struct http_connections all;
};

/* -- what a connection's thread asks ------------------------------------------------------- */

/* The lock is held. */
static void finish(struct http_connection *c)
{
    c->call = HTTP_CALL_NONE;
    (void)pthread_cond_signal(&c->done);
}

/* Likewise. */
static void leave_queue(struct http_threads *t, struct http_connection *c)
{
    DL_DELETE2(t->all.queue, c, before, behind);
}

static struct http_connection *take_first(struct http_threads *t)
{
    (void)pthread_mutex_lock(&t->all.lock);
    struct http_connection *c = t->all.queue;
    if (c) {
        leave_queue(t, c);
    }
    (void)pthread_mutex_unlock(&t->all.lock);
    return c;
}

/* The thread of this connection waits, so what it has written can be read. */
static void deal_with(struct http_threads *t, struct http_connection *c, usec_t now)
{
    if (c->call == HTTP_CALL_ASK) {
        t->all.host.ask(t->all.host.context, &c->request, &c->answer, now);
    } else {
        t->all.host.ended(t->all.host.context, c->transfer, c->end, c->sent, now);
    }
    (void)pthread_mutex_lock(&t->all.lock);
    if (c->call == HTTP_CALL_ASK) {
        c->transfer = c->answer.transfer;
        c->tell_whole = c->answer.tell_whole;
        c->len = c->answer.len;
    } else {
        c->transfer = NULL;
    }
    finish(c);
    (void)pthread_mutex_unlock(&t->all.lock);
}

static void tell_notes(struct http_threads *t, usec_t now)
{
    struct http_note notes[HTTP_NOTES_MAX];
    (void)pthread_mutex_lock(&t->all.lock);
    size_t count = t->all.note_count;
    memcpy(notes, t->all.notes, count * sizeof notes[0]);
    t->all.note_count = 0;
    (void)pthread_mutex_unlock(&t->all.lock);
    for (size_t i = 0; i < count; i++) {
        t->all.host.turned_away(t->all.host.context, &notes[i].peer, notes[i].why, now);
    }
}

static void on_bell(void *context, usec_t now)
{
    struct http_threads *t = context;
    struct http_connection *c = NULL;
    for (int i = 0; i < BATCH && (c = take_first(t)); i++) {
        deal_with(t, c, now);
    }
    if (c) {
        loop_ring(t->all.bell); /* others first */
    }
    tell_notes(t, now);
    if (t->look_at == USEC_NEVER) {
        t->look_at = now + LOOK_EVERY; /* there are connections now */
    }
}

void http_threads_count(struct http_threads *t, uint64_t out[HTTP_TURNED_AWAY_COUNT])
{
    (void)pthread_mutex_lock(&t->all.lock);
    memcpy(out, t->all.turned_away, sizeof t->all.turned_away);
    (void)pthread_mutex_unlock(&t->all.lock);
}

/* -- connections are taken ---------------------------------------------------------------- */

static bool has_room_for_coming(struct http_threads *t)
{
    (void)pthread_mutex_lock(&t->all.lock);
    bool room = http_coming_has_room(&t->all.coming, clock_now());
    (void)pthread_mutex_unlock(&t->all.lock);
    return room;
}

static void add_connection(struct http_threads *t, int fd,
                           const struct sockaddr_storage *peer, socklen_t len)
{
    struct endpoint who;
    if (http_socket_is_gone(fd)) {
        (void)close(fd); /* it takes nobody's place until a thread has found that out */
        return;
    }
    t->taking = fd;
    if (MHD_add_connection(t->daemon, fd, (const struct sockaddr *)peer, len) !=
        MHD_YES) {
        (void)pthread_mutex_lock(&t->all.lock);
        http_coming_take(&t->all.coming, fd, &who);
        (void)pthread_mutex_unlock(&t->all.lock);
    }
}

/*
 * The main loop takes connections, and not a thread of libmicrohttpd: that one would run in
 * circles when there are no descriptors left.
 */
static bool on_listener(void *context, int listener, enum loop_event event, usec_t now)
{
    struct http_threads *t = context;
    (void)event;
    (void)now;
    for (int i = 0; i < TAKEN_MAX; i++) {
        if (!has_room_for_coming(t)) {
            loop_rest(t->loop, listener);
            break;
        }
        struct sockaddr_storage peer;
        socklen_t len = sizeof peer;
        int fd = accept4(listener, (struct sockaddr *)&peer, &len,
                         SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            add_connection(t, fd, &peer, len);
            continue;
        }
        if (net_is_short(-errno)) {
            log_say(LOG_WARNING, "no HTTP connection can be taken now: %s",
                    strerror(errno));
            loop_rest(t->loop, listener);
        }
        break;
    }
    return true;
}

/* Connections of this address; the lock is held. */
static size_t count_of(const struct http_threads *t, const struct endpoint *peer)
{
    size_t same = http_coming_of(&t->all.coming, peer);
    for (const struct http_connection *c = t->all.list; c; c = c->next) {
        same += endpoint_same_ip(&c->peer, peer);
    }
    return same;
}

/* The lock is held, as in what follows. */
static void turn_away(struct http_threads *t, struct http_connection *c,
                      enum http_turned_away why)
{
    c->turned_away = true;
    t->all.leaving++;
    (void)shutdown(c->fd, SHUT_RDWR);
    http_connections_note(&t->all, &c->peer, why);
}

static bool is_full(const struct http_threads *t)
{
    return t->all.count - t->all.leaving + t->all.coming.count >= t->limits.connections;
}

/* Whoever has waited longest without asking for anything goes.  False: nobody does. */
static bool make_room(struct http_threads *t)
{
    struct http_connection *longest = NULL;
    for (struct http_connection *c = t->all.list; c; c = c->next) {
        if (!c->turned_away && c->waits_since != USEC_NEVER &&
            (!longest || c->waits_since < longest->waits_since)) {
            longest = c;
        }
    }
    if (!longest || t->all.leaving >= HTTP_SPARE) {
        return false;
    }
    turn_away(t, longest, HTTP_TOO_MANY);
    return true;
}

/* Before a connection is taken; what is refused here costs neither thread nor memory. */
static enum MHD_Result on_accept(void *context, const struct sockaddr *addr,
                                 socklen_t len)
{
    struct http_threads *t = context;
    struct endpoint peer = http_socket_endpoint(addr);
    (void)len;
    (void)pthread_mutex_lock(&t->all.lock);
    struct endpoint former;
    http_coming_take(&t->all.coming, t->taking, &former);
    size_t same = count_of(t, &peer);
    bool greedy = same >= t->limits.per_address;
    bool full = !greedy && is_full(t) && !make_room(t);
    if (full || greedy) {
        http_connections_note(&t->all, &peer,
                              full ? HTTP_TOO_MANY : HTTP_TOO_MANY_OF_ONE);
    }
    bool taken = !full && !greedy && !t->all.closing;
    if (taken) {
        http_coming_add(&t->all.coming, t->taking, &peer, clock_now());
    }
    (void)pthread_mutex_unlock(&t->all.lock);
    return taken ? MHD_YES : MHD_NO;
}

/* -- slow clients ------------------------------------------------------------------------- */

usec_t http_threads_deadline(const struct http_threads *t)
{
    return t->look_at;
}

void http_threads_timeout(struct http_threads *t, usec_t now)
{
    if (now < t->look_at) {
        return;
    }
    (void)pthread_mutex_lock(&t->all.lock);
    for (struct http_connection *c = t->all.list; c; c = c->next) {
        bool late = c->waits_since != USEC_NEVER &&
                    now > c->waits_since + t->limits.timeout * USEC_PER_SEC;
        if (late && !c->turned_away) {
            turn_away(t, c, HTTP_TOO_SLOW);
        }
    }
    t->look_at = t->all.count > 0 ? now + LOOK_EVERY : USEC_NEVER;
    (void)pthread_mutex_unlock(&t->all.lock);
}

uint64_t http_threads_sent(struct http_threads *t, const void *transfer)
{
    uint64_t sent = 0;
    (void)pthread_mutex_lock(&t->all.lock);
    for (const struct http_connection *c = t->all.list; c; c = c->next) {
        if (c->transfer == transfer) {
            sent = http_connection_sent(c);
        }
    }
    (void)pthread_mutex_unlock(&t->all.lock);
    return sent;
}

/* -- start and end ------------------------------------------------------------------------ */

int http_threads_start(int fd, const struct http_limits *limits,
                       const struct http_host *host, struct loop *loop,
                       struct http_threads **out)
{
    struct http_threads *t = calloc(1, sizeof *t);
    if (!t || pthread_mutex_init(&t->all.lock, NULL) != 0) {
        free(t);
        return -ENOMEM;
    }
    t->limits = *limits;
    t->all.host = *host;
    t->loop = loop;
    t->look_at = USEC_NEVER;
    int error = loop_on_bell(loop, on_bell, t, &t->all.bell);
    error = error == 0 ? loop_watch(loop, fd, on_listener, t) : error;
    if (error == 0) {
        error = http_connections_start(&t->all, limits, on_accept, t, &t->daemon);
    }
    if (error != 0) {
        loop_unwatch(loop, fd);
        (void)pthread_mutex_destroy(&t->all.lock);
        free(t);
        return error;
    }
    t->fd = fd;
    *out = t;
    return 0;
}

/* Nobody waits for the main loop from here on; transfers are told as far as they came. */
static void close_questions(struct http_threads *t)
{
    usec_t now = clock_now();
    (void)pthread_mutex_lock(&t->all.lock);
    t->all.closing = true;
    for (struct http_connection *c = t->all.list; c; c = c->next) {
        if (c->transfer) {
            bool ended = c->call == HTTP_CALL_ENDED;
            t->all.host.ended(t->all.host.context, c->transfer,
                              ended ? c->end : HTTP_END_CLOSED,
                              ended ? c->sent : http_connection_sent(c), now);
            c->transfer = NULL;
        }
        if (c->call != HTTP_CALL_NONE) {
            finish(c);
        }
    }
    (void)pthread_mutex_unlock(&t->all.lock);
}

void http_threads_stop(struct http_threads *t)
{
    if (!t) {
        return;
    }
    loop_unwatch(t->loop, t->fd);
    (void)close(t->fd);
    close_questions(t);
    MHD_stop_daemon(t->daemon);
    (void)pthread_mutex_destroy(&t->all.lock);
    free(t);
}
