/*
 * app/http_threads: the connections, a thread for each, by libmicrohttpd.
 *
 * A connection's thread (app/http_connection) decides nothing: it puts its question into a
 * queue, rings the main loop's bell and waits for the answer, which it then sends
 * (app/http_response), so that a slow client or disk holds up nobody else.  What the two sides
 * share, the queue and the list of connections, is behind one lock; the rest of the process is
 * the main loop's alone, and so is all of this file.
 *
 *     http_threads_start()   after privileges went: a thread keeps what it was born with
 *     ask(), ended(), ...    called in the main loop
 *     http_threads_stop()    before loop_free(): threads ring a bell of the loop
 *
 * Bounded: connections in all and of one address; header fields by HTTP_HEADERS_SIZE; a
 * connection that makes no progress for `timeout`, and one that has not brought a whole
 * request for so long, however slowly it sends, is closed.
 *
 * Ownership: all its own; what an answer holds is taken over.
 * Errors: 0 or -errno.  Shell: libmicrohttpd, threads.
 */
#ifndef APP_HTTP_THREADS_H
#define APP_HTTP_THREADS_H

#include "app/http_host.h"
#include "app/loop.h"

struct http_threads;

/* fd: listens; it is ours from then on, if this goes well. */
int http_threads_start(int fd, const struct http_limits *limits,
                       const struct http_host *host, struct loop *loop,
                       struct http_threads **out);
/* Running transfers end here, and ended() tells so.  NULL is fine. */
void http_threads_stop(struct http_threads *t);

usec_t http_threads_deadline(const struct http_threads *t);
void http_threads_timeout(struct http_threads *t, usec_t now);

/* How many were turned away, of which the main loop is told the first at once. */
void http_threads_count(struct http_threads *t, uint64_t out[HTTP_TURNED_AWAY_COUNT]);

/* Octets of the body that the client has acknowledged, header fields included. */
uint64_t http_threads_sent(struct http_threads *t, const void *transfer);

#endif
