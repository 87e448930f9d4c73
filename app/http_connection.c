#include "app/http_connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utlist.h>

#include "app/http_response.h"
#include "app/http_socket.h"

#define STACK_SIZE (256u << 10)

/* -- to the main loop --------------------------------------------------------------------- */

/* Waits until the main loop has dealt with it.  False: there is no main loop any more. */
static bool call_main(struct http_connections *t, struct http_connection *c, int call)
{
    (void)pthread_mutex_lock(&t->lock);
    bool open = !t->closing;
    if (open) {
        bool first = t->queue == NULL;
        c->call = call;
        DL_APPEND2(t->queue, c, before, behind);
        if (first) {
            loop_ring(t->bell);
        }
        while (c->call != HTTP_CALL_NONE) {
            (void)pthread_cond_wait(&c->done, &t->lock);
        }
        open = !t->closing;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return open;
}

void http_connections_note(struct http_connections *t, const struct endpoint *peer,
                           enum http_turned_away why)
{
    t->turned_away[why]++;
    if (t->note_count < HTTP_NOTES_MAX) {
        t->notes[t->note_count++] = (struct http_note){*peer, why};
        loop_ring(t->bell);
    }
}

/* -- its beginning and end ---------------------------------------------------------------- */

static struct http_connection *open_connection(struct http_connections *t, int fd)
{
    struct endpoint peer = http_socket_peer(fd); /* none of one that was reset since */
    struct http_connection *c = calloc(1, sizeof *c);
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
        DL_PREPEND2(t->list, c, previous, next);
        t->count++;
    }
    bool first = c && t->count == 1;
    (void)pthread_mutex_unlock(&t->lock);
    if (first) {
        loop_ring(t->bell);
    }
    return c;
}

static void close_connection(struct http_connections *t, struct http_connection *c)
{
    (void)pthread_mutex_lock(&t->lock);
    DL_DELETE2(t->list, c, previous, next);
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
    struct http_connections *t = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
        *slot = info ? open_connection(t, info->connect_fd) : NULL;
    } else if (*slot) {
        close_connection(t, *slot);
        *slot = NULL;
    }
}

static struct http_connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void set_waiting(struct http_connections *t, struct http_connection *c,
                        usec_t since)
{
    (void)pthread_mutex_lock(&t->lock);
    c->waits_since = since;
    (void)pthread_mutex_unlock(&t->lock);
}

/* -- what was acknowledged ---------------------------------------------------------------- */

uint64_t http_connection_sent(const struct http_connection *c)
{
    uint64_t now = http_socket_acknowledged(c->fd);
    uint64_t sent = now > c->acknowledged ? now - c->acknowledged : 0;
    return sent < c->len ? sent : c->len;
}

static bool has_transfer(struct http_connections *t, struct http_connection *c)
{
    (void)pthread_mutex_lock(&t->lock);
    bool has = c->transfer != NULL;
    (void)pthread_mutex_unlock(&t->lock);
    return has;
}

/* Of a body that was not sent whole. */
static enum http_end end_of(const struct http_connection *c,
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
    struct http_connections *t = context;
    struct http_connection *c = connection_of(mhd);
    (void)slot;
    if (!c) {
        return;
    }
    if (has_transfer(t, c)) {
        bool good = why == MHD_REQUEST_TERMINATED_COMPLETED_OK &&
                    (!c->tell_whole || http_socket_delivered(c->fd));
        uint64_t sent = http_connection_sent(c);
        c->sent = good ? c->len : sent < c->len ? sent : c->len - (c->len > 0);
        c->end = good ? HTTP_END_DONE : end_of(c, why);
        (void)call_main(t, c, HTTP_CALL_ENDED);
    }
    set_waiting(t, c, clock_now());
}

/* -- answers ------------------------------------------------------------------------------ */

static enum MHD_Result send_answer(struct http_connection *c, struct MHD_Connection *mhd)
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
static bool ask(struct http_connections *t, struct http_connection *c)
{
    const struct http_answer *a = &c->answer;
    bool answered = call_main(t, c, HTTP_CALL_ASK);
    while (answered && a->quest) {
        t->host.look(a->quest);
        answered = call_main(t, c, HTTP_CALL_ASK);
    }
    if (a->quest) {
        t->host.forget(a->quest);
    }
    return answered;
}

static enum MHD_Result answer(struct http_connections *t, struct http_connection *c,
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
        http_connections_note(t, &c->peer, HTTP_NAME_TOO_LONG);
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
    struct http_connections *t = context;
    struct http_connection *c = connection_of(mhd);
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
    struct http_connection *c = connection_of(mhd);
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

int http_connections_start(struct http_connections *t, const struct http_limits *limits,
                           MHD_AcceptPolicyCallback on_accept, void *context,
                           struct MHD_Daemon **out)
{
    *out = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
            MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET,
        0, on_accept, context, on_request, t, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
        t, MHD_OPTION_NOTIFY_COMPLETED, on_completed, t, MHD_OPTION_URI_LOG_CALLBACK,
        on_target, t, MHD_OPTION_UNESCAPE_CALLBACK, unescape_nothing, t,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)limits->connections + HTTP_SPARE,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)limits->timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_HEADERS_SIZE,
        MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_SIZE, MHD_OPTION_END);
    return *out ? 0 : errno > 0 ? -errno : -EIO;
}
