/*
 * app/http_connection: a connection, in the thread that libmicrohttpd gave it, and what these
 * threads share with the main loop (app/http_threads).
 *
 * Ownership: a connection is its thread's, which takes it off the list in the end.  The main
 * loop reads it under the lock, and writes to its answer while the thread waits for that.
 * Errors: 0 or -errno.  Shell: libmicrohttpd, threads.
 */
#ifndef APP_HTTP_CONNECTION_H
#define APP_HTTP_CONNECTION_H

#include <microhttpd.h>
#include <pthread.h>

#include "app/http_body.h"
#include "app/http_coming.h"
#include "app/http_host.h"
#include "app/loop.h"

#define HTTP_SPARE     16 /* connections that libmicrohttpd may have over our limit */
#define HTTP_NOTES_MAX 16 /* of clients turned away since the last look, and told */

struct http_connection {
    struct http_connection *next;
    struct http_connection *previous;
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
    enum { HTTP_CALL_NONE, HTTP_CALL_ASK, HTTP_CALL_ENDED } call;
    struct http_connection *before; /* in the queue */
    struct http_connection *behind;
    struct http_request request;
    struct http_answer answer;
};

/* A client that was turned away. */
struct http_note {
    struct endpoint peer;
    enum http_turned_away why;
};

struct http_connections {
    struct http_host host;
    struct loop_bell *bell;
    pthread_mutex_t
        lock; /* of all that follows, and of each connection's list and call */
    bool closing;
    struct http_connection *list;
    size_t count;
    size_t leaving; /* of these: turned away, and not gone yet */
    struct http_coming coming;
    struct http_connection *queue; /* of those that wait for the main loop */
    struct http_note notes[HTTP_NOTES_MAX];
    size_t note_count;
    uint64_t turned_away[HTTP_TURNED_AWAY_COUNT];
};

/* From here on connections can be added; on_accept(context) is asked about each. */
int http_connections_start(struct http_connections *t, const struct http_limits *limits,
                           MHD_AcceptPolicyCallback on_accept, void *context,
                           struct MHD_Daemon **out);

/* Counts it, and tells the main loop.  The lock is held. */
void http_connections_note(struct http_connections *t, const struct endpoint *peer,
                           enum http_turned_away why);

/* Octets of the body that the client has acknowledged.  The lock is held, or it is its thread. */
uint64_t http_connection_sent(const struct http_connection *c);

#endif
