#include "app/http_threads.h"

#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/http_coming.h"
#include "app/http_response.h"
#include "app/http_socket.h"
#include "common/log.h"
#include "common/net.h"

#define STACK_SIZE (256u << 10)
#define BATCH      64 /* questions answered before others get their turn */
#define NOTES_MAX  16 /* of clients turned away since the last look; more are not told */
#define LOOK_EVERY (1 * USEC_PER_SEC)
#define SPARE      16 /* connections that libmicrohttpd may have over our limit */
#define TAKEN_MAX  16 /* connections before others get their turn */

struct connection {
    struct connection *next;
    struct connection *previous;
    int fd;
    struct endpoint peer;
    struct endpoint local;
    unsigned ifindex;
    usec_t waits_since; /* for a whole request; USEC_NEVER: it has one */
    bool turned_away;
    char target[HTTP_TARGET_SIZE];
    bool target_is_long;
    void *transfer; /* of the answer that is being sent */
    bool tell_whole;
    uint64_t acknowledged; /* octets, before that answer */
    uint64_t len;          /* of its body */
    uint64_t sent;
    enum http_end end;
    enum http_body_end body_end;
    /* The question to the main loop, of which one at a time is there. */
    pthread_cond_t done;
    enum { NO_CALL, CALL_ASK, CALL_ENDED } call;
    struct connection *behind; /* in the queue */
    struct http_request request;
    struct http_answer answer;
};

struct note {
    struct endpoint peer;
    enum http_turned_away why;
};

struct http_threads {
    struct MHD_Daemon *daemon;
    int fd; /* listens */
    struct http_limits limits;
    struct http_host host;
    struct loop *loop;
    struct loop_bell *bell;
    usec_t look_at; /* the main loop's: when to look for slow ones */
    pthread_mutex_t
        lock; /* of all that follows, and of each connection's list and call */
    bool closing;
    struct connection *connections;
    size_t count;
    size_t leaving; /* of these: turned away, and not gone yet */
    struct http_coming coming;
    int taking;               /* the descriptor that on_accept() is called for */
    struct connection *first; /* of the queue */
    struct connection *last;
    struct note notes[NOTES_MAX];
    size_t note_count;
    uint64_t turned_away[HTTP_TURNED_AWAY_COUNT];
};

/* -- from a connection's thread to the main loop ------------------------------------------ */

static void append(struct http_threads *t, struct connection *c)
{
    c->behind = NULL;
    if (t->last) {
        t->last->behind = c;
    } else {
        t->first = c;
    }
    t->last = c;
}

/* Waits until the main loop has dealt with it.  False: there is no main loop any more. */
static bool call_main(struct http_threads *t, struct connection *c, int call)
{
    (void)pthread_mutex_lock(&t->lock);
    bool open = !t->closing;
    if (open) {
        bool first = t->first == NULL;
        c->call = call;
        append(t, c);
        if (first) {
            loop_ring(t->bell);
        }
        while (c->call != NO_CALL) {
            (void)pthread_cond_wait(&c->done, &t->lock);
        }
        open = !t->closing;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return open;
}

/* The lock is held. */
static void finish(struct connection *c)
{
    c->call = NO_CALL;
    (void)pthread_cond_signal(&c->done);
}

static struct connection *take_first(struct http_threads *t)
{
    (void)pthread_mutex_lock(&t->lock);
    struct connection *c = t->first;
    if (c) {
        t->first = c->behind;
        t->last = t->first ? t->last : NULL;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return c;
}

/* The thread of this connection waits, so what it has written can be read. */
static void deal_with(struct http_threads *t, struct connection *c, usec_t now)
{
    if (c->call == CALL_ASK) {
        t->host.ask(t->host.context, &c->request, &c->answer, now);
    } else {
        t->host.ended(t->host.context, c->transfer, c->end, c->sent, now);
    }
    (void)pthread_mutex_lock(&t->lock);
    if (c->call == CALL_ASK) {
        c->transfer = c->answer.transfer;
        c->tell_whole = c->answer.tell_whole;
        c->len = c->answer.len;
    } else {
        c->transfer = NULL;
    }
    finish(c);
    (void)pthread_mutex_unlock(&t->lock);
}

static void tell_notes(struct http_threads *t, usec_t now)
{
    struct note notes[NOTES_MAX];
    (void)pthread_mutex_lock(&t->lock);
    size_t count = t->note_count;
    memcpy(notes, t->notes, count * sizeof notes[0]);
    t->note_count = 0;
    (void)pthread_mutex_unlock(&t->lock);
    for (size_t i = 0; i < count; i++) {
        t->host.turned_away(t->host.context, &notes[i].peer, notes[i].why, now);
    }
}

static void on_bell(void *context, usec_t now)
{
    struct http_threads *t = context;
    struct connection *c = NULL;
    for (int i = 0; i < BATCH && (c = take_first(t)); i++) {
        deal_with(t, c, now);
    }
    if (c) {
        loop_ring(t->bell); /* others first */
    }
    tell_notes(t, now);
    if (t->look_at == USEC_NEVER) {
        t->look_at = now + LOOK_EVERY; /* there are connections now */
    }
}

void http_threads_count(struct http_threads *t, uint64_t out[HTTP_TURNED_AWAY_COUNT])
{
    (void)pthread_mutex_lock(&t->lock);
    memcpy(out, t->turned_away, sizeof t->turned_away);
    (void)pthread_mutex_unlock(&t->lock);
}

/* -- connections -------------------------------------------------------------------------- */

/* The lock is held. */
static void note(struct http_threads *t, const struct endpoint *peer,
                 enum http_turned_away why)
{
    t->turned_away[why]++;
    if (t->note_count < NOTES_MAX) {
        t->notes[t->note_count++] = (struct note){*peer, why};
        loop_ring(t->bell);
    }
}

static bool has_room_for_coming(struct http_threads *t)
{
    (void)pthread_mutex_lock(&t->lock);
    bool room = http_coming_has_room(&t->coming, clock_now());
    (void)pthread_mutex_unlock(&t->lock);
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
        (void)pthread_mutex_lock(&t->lock);
        http_coming_take(&t->coming, fd, &who);
        (void)pthread_mutex_unlock(&t->lock);
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
    size_t same = http_coming_of(&t->coming, peer);
    for (const struct connection *c = t->connections; c; c = c->next) {
        same += endpoint_same_ip(&c->peer, peer);
    }
    return same;
}

/* The lock is held, as in what follows. */
static void turn_away(struct http_threads *t, struct connection *c,
                      enum http_turned_away why)
{
    c->turned_away = true;
    t->leaving++;
    (void)shutdown(c->fd, SHUT_RDWR);
    note(t, &c->peer, why);
}

static bool is_full(const struct http_threads *t)
{
    return t->count - t->leaving + t->coming.count >= t->limits.connections;
}

/* Whoever has waited longest without asking for anything goes.  False: nobody does. */
static bool make_room(struct http_threads *t)
{
    struct connection *longest = NULL;
    for (struct connection *c = t->connections; c; c = c->next) {
        if (!c->turned_away && c->waits_since != USEC_NEVER &&
            (!longest || c->waits_since < longest->waits_since)) {
            longest = c;
        }
    }
    if (!longest || t->leaving >= SPARE) {
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
    (void)pthread_mutex_lock(&t->lock);
    struct endpoint former;
    http_coming_take(&t->coming, t->taking, &former);
    size_t same = count_of(t, &peer);
    bool greedy = same >= t->limits.per_address;
    bool full = !greedy && is_full(t) && !make_room(t);
    if (full || greedy) {
        note(t, &peer, full ? HTTP_TOO_MANY : HTTP_TOO_MANY_OF_ONE);
    }
    bool taken = !full && !greedy && !t->closing;
    if (taken) {
        http_coming_add(&t->coming, t->taking, &peer, clock_now());
    }
    (void)pthread_mutex_unlock(&t->lock);
    return taken ? MHD_YES : MHD_NO;
}

/* The lock is held. */
static void link_connection(struct http_threads *t, struct connection *c)
{
    c->next = t->connections;
    if (c->next) {
        c->next->previous = c;
    }
    t->connections = c;
    t->count++;
}

static struct connection *open_connection(struct http_threads *t, int fd)
{
    struct endpoint peer = http_socket_peer(fd); /* none of one that was reset since */
    struct connection *c = calloc(1, sizeof *c);
    if (c && pthread_cond_init(&c->done, NULL) != 0) {
        free(c);
        c = NULL;
    }
    if (c) {
        c->fd = fd;
        c->local = http_socket_own(fd);
        c->ifindex = http_socket_interface(fd);
        c->waits_since = clock_now();
    }
    (void)pthread_mutex_lock(&t->lock);
    http_coming_take(&t->coming, fd, &peer);
    if (c) {
        c->peer = peer;
        link_connection(t, c);
    }
    bool first = c && t->count == 1;
    (void)pthread_mutex_unlock(&t->lock);
    if (first) {
        loop_ring(t->bell);
    }
    return c;
}

static void close_connection(struct http_threads *t, struct connection *c)
{
    (void)pthread_mutex_lock(&t->lock);
    if (c->previous) {
        c->previous->next = c->next;
    } else {
        t->connections = c->next;
    }
    if (c->next) {
        c->next->previous = c->previous;
    }
    t->count--;
    t->leaving -= c->turned_away;
    (void)pthread_mutex_unlock(&t->lock);
    (void)pthread_cond_destroy(&c->done);
    free(c);
}

/* libmicrohttpd closes the descriptor after this only, and its thread has ended by then. */
static void on_connection(void *context, struct MHD_Connection *mhd, void **slot,
                          enum MHD_ConnectionNotificationCode what)
{
    struct http_threads *t = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
        *slot = info ? open_connection(t, info->connect_fd) : NULL;
    } else if (*slot) {
        close_connection(t, *slot);
        *slot = NULL;
    }
}

static struct connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
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
    (void)pthread_mutex_lock(&t->lock);
    for (struct connection *c = t->connections; c; c = c->next) {
        bool late = c->waits_since != USEC_NEVER &&
                    now > c->waits_since + t->limits.timeout * USEC_PER_SEC;
        if (late && !c->turned_away) {
            turn_away(t, c, HTTP_TOO_SLOW);
        }
    }
    t->look_at = t->count > 0 ? now + LOOK_EVERY : USEC_NEVER;
    (void)pthread_mutex_unlock(&t->lock);
}

static void set_waiting(struct http_threads *t, struct connection *c, usec_t since)
{
    (void)pthread_mutex_lock(&t->lock);
    c->waits_since = since;
    (void)pthread_mutex_unlock(&t->lock);
}

/* -- what was acknowledged ---------------------------------------------------------------- */

static uint64_t sent_of(const struct connection *c)
{
    uint64_t now = http_socket_acknowledged(c->fd);
    uint64_t sent = now > c->acknowledged ? now - c->acknowledged : 0;
    return sent < c->len ? sent : c->len;
}

uint64_t http_threads_sent(struct http_threads *t, const void *transfer)
{
    uint64_t sent = 0;
    (void)pthread_mutex_lock(&t->lock);
    for (const struct connection *c = t->connections; c; c = c->next) {
        if (c->transfer == transfer) {
            sent = sent_of(c);
        }
    }
    (void)pthread_mutex_unlock(&t->lock);
    return sent;
}

static bool has_transfer(struct http_threads *t, struct connection *c)
{
    (void)pthread_mutex_lock(&t->lock);
    bool has = c->transfer != NULL;
    (void)pthread_mutex_unlock(&t->lock);
    return has;
}

/* Of a body that was not sent whole. */
static enum http_end end_of(const struct connection *c,
                            enum MHD_RequestTerminationCode why)
{
    if (c->body_end != HTTP_BODY_GOOD) {
        return c->body_end == HTTP_BODY_CHANGED ? HTTP_END_CHANGED : HTTP_END_UNREADABLE;
    }
    return why == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED ? HTTP_END_STALLED
                                                         : HTTP_END_ABORTED;
}

/* A body that was not sent whole lacks at least its last octet. */
static void on_completed(void *context, struct MHD_Connection *mhd, void **slot,
                         enum MHD_RequestTerminationCode why)
{
    struct http_threads *t = context;
    struct connection *c = connection_of(mhd);
    (void)slot;
    if (!c) {
        return;
    }
    if (has_transfer(t, c)) {
        bool good = why == MHD_REQUEST_TERMINATED_COMPLETED_OK &&
                    (!c->tell_whole || http_socket_delivered(c->fd));
        uint64_t sent = sent_of(c);
        c->sent = good ? c->len : sent < c->len ? sent : c->len - (c->len > 0);
        c->end = good ? HTTP_END_DONE : end_of(c, why);
        (void)call_main(t, c, CALL_ENDED);
    }
    set_waiting(t, c, clock_now());
}

/* -- answers ------------------------------------------------------------------------------ */

static enum MHD_Result send_answer(struct connection *c, struct MHD_Connection *mhd)
{
    c->body_end = HTTP_BODY_GOOD;
    struct MHD_Response *r = http_response_make(&c->answer, &c->body_end);
    if (!r) {
        return MHD_NO;
    }
    enum MHD_Result result = MHD_queue_response(mhd, c->answer.status, r);
    MHD_destroy_response(r);
    return result;
}

static const char *field_of(struct MHD_Connection *mhd, const char *name)
{
    return MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, name);
}

static enum MHD_Result look_for_body(void *context, enum MHD_ValueKind kind,
                                     const char *name, const char *value)
{
    bool *says = context;
    (void)kind;
    (void)value;
    *says = *says || strncasecmp(name, "Content-Length", 14) == 0 ||
            strncasecmp(name, "Transfer-Encoding", 17) == 0;
    return MHD_YES;
}

/*
 * RFC 9112 section 11.2: where a body ends can be said in ways that a proxy before us reads
 * otherwise, and what one takes for its end the other takes for the next request.  What asks
 * here has no body; so one that says so is the last of its connection.
 */
static bool says_body(struct MHD_Connection *mhd)
{
    bool says = false;
    (void)MHD_get_connection_values(mhd, MHD_HEADER_KIND, look_for_body, &says);
    return says;
}

/* False: there is no main loop any more. */
static bool ask(struct http_threads *t, struct connection *c)
{
    const struct http_answer *a = &c->answer;
    bool answered = call_main(t, c, CALL_ASK);
    while (answered && a->quest) {
        t->host.look(a->quest);
        answered = call_main(t, c, CALL_ASK);
    }
    if (a->quest) {
        t->host.forget(a->quest);
    }
    return answered;
}

static enum MHD_Result answer(struct http_threads *t, struct connection *c,
                              struct MHD_Connection *mhd, const char *method)
{
    struct http_answer *a = &c->answer;
    *a = http_answer_new();
    c->request = (struct http_request){
        .method = method,
        .target = c->target,
        .host = field_of(mhd, "Host"),
        .range = field_of(mhd, "Range"),
        .if_range = field_of(mhd, "If-Range"),
        .if_none_match = field_of(mhd, "If-None-Match"),
        .if_modified_since = field_of(mhd, "If-Modified-Since"),
        .peer = c->peer,
        .local = c->local,
        .ifindex = c->ifindex,
    };
    c->acknowledged = http_socket_acknowledged(c->fd);
    if (c->target_is_long) {
        (void)pthread_mutex_lock(&t->lock);
        note(t, &c->peer, HTTP_NAME_TOO_LONG);
        (void)pthread_mutex_unlock(&t->lock);
        http_answer_refuse(a, 414, "the name is too long");
        a->closes = true;
    } else if (!ask(t, c)) {
        http_answer_refuse(a, 503, "this server stops");
        a->closes = true;
    }
    a->closes = a->closes || says_body(mhd);
    return send_answer(c, mhd);
}

/* Called once the header fields are there, and again when there is no body, or for its parts. */
/* NOLINTNEXTLINE(readability-function-size): its parameters are the library's */
static enum MHD_Result on_request(void *context, struct MHD_Connection *mhd,
                                  const char *url, const char *method,
                                  const char *version, const char *upload,
                                  size_t *upload_len, void **slot)
{
    struct http_threads *t = context;
    struct connection *c = connection_of(mhd);
    static char begun;
    (void)url;
    (void)version;
    (void)upload;
    if (!c) {
        return MHD_NO;
    }
    bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (reads && *slot != &begun) {
        *slot = &begun; /* an answer now would end the connection */
        return MHD_YES;
    }
    if (*upload_len > 0) {
        *upload_len = 0; /* nobody wants the body of a GET */
        return MHD_YES;
    }
    set_waiting(t, c, USEC_NEVER);
    return answer(t, c, mhd, method);
}

/* The target as it was sent; libmicrohttpd takes its own to pieces. */
static void *on_target(void *context, const char *target, struct MHD_Connection *mhd)
{
    struct connection *c = connection_of(mhd);
    (void)context;
    if (c) {
        c->target_is_long = strlen(target) >= sizeof c->target;
        snprintf(c->target, sizeof c->target, "%s", target);
    }
    return NULL;
}

/* Left as it is: app/http_request decodes. */
static size_t unescape_nothing(void *context, struct MHD_Connection *mhd, char *text)
{
    (void)context;
    (void)mhd;
    return strlen(text);
}

/* -- start and end ------------------------------------------------------------------------ */

int http_threads_start(int fd, const struct http_limits *limits,
                       const struct http_host *host, struct loop *loop,
                       struct http_threads **out)
{
    struct http_threads *t = calloc(1, sizeof *t);
    if (!t || pthread_mutex_init(&t->lock, NULL) != 0) {
        free(t);
        return -ENOMEM;
    }
    t->limits = *limits;
    t->host = *host;
    t->loop = loop;
    t->look_at = USEC_NEVER;
    int error = loop_on_bell(loop, on_bell, t, &t->bell);
    error = error == 0 ? loop_watch(loop, fd, on_listener, t) : error;
    if (error == 0) {
        t->daemon = MHD_start_daemon(
            MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
                MHD_USE_POLL | MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET,
            0, on_accept, t, on_request, t, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
            t, MHD_OPTION_NOTIFY_COMPLETED, on_completed, t, MHD_OPTION_URI_LOG_CALLBACK,
            on_target, t, MHD_OPTION_UNESCAPE_CALLBACK, unescape_nothing, t,
            MHD_OPTION_CONNECTION_LIMIT, (unsigned)limits->connections + SPARE,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)limits->timeout,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_HEADERS_SIZE,
            MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_SIZE, MHD_OPTION_END);
        error = t->daemon ? 0 : errno > 0 ? -errno : -EIO;
    }
    if (error != 0) {
        loop_unwatch(loop, fd);
        (void)pthread_mutex_destroy(&t->lock);
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
    (void)pthread_mutex_lock(&t->lock);
    t->closing = true;
    for (struct connection *c = t->connections; c; c = c->next) {
        if (c->transfer) {
            bool ended = c->call == CALL_ENDED;
            t->host.ended(t->host.context, c->transfer, ended ? c->end : HTTP_END_CLOSED,
                          ended ? c->sent : sent_of(c), now);
            c->transfer = NULL;
        }
        if (c->call != NO_CALL) {
            finish(c);
        }
    }
    (void)pthread_mutex_unlock(&t->lock);
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
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
}
