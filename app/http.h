/*
 * app/http: the HTTP server: boot files, and the pages that others register.
 *
 *     http_open()       while privileges last: the listening socket
 *     http_serve()      before http_start(): who answers which path
 *     http_start()      after privileges went
 *     http_prepare(), http_configure()   after a reload
 *     http_close()      before loop_free()
 *
 * The path of a GET: app/http_connection.c on_request(), in the connection's thread, asks; in
 * the main loop on_ask() here answers, by a page or by app/http_files.c, and the thread sends.
 *
 * Ownership: all its own; what `context` points to is the caller's and must outlive it.
 * Errors: 0 or -errno.  Shell: sockets, app/http_threads.
 */
#ifndef APP_HTTP_H
#define APP_HTTP_H

#include "app/http_answer.h"
#include "app/http_journal.h"
#include "app/loop.h"
#include "common/histogram.h"
#include "config/snapshot.h"
#include "tftp/hooks.h"

struct http;

/*
 * Fills in *out, which begins as 200 without a body; http_query() gives the parameters.
 * Called in the main loop, for GET and HEAD alike (of HEAD the body is dropped).  An fd must
 * be a regular file; of it everything is sent, or the part the client asks for, when
 * out->len is left 0, else out->len octets from out->offset on.
 */
typedef void (*http_page)(void *context, const struct http_request *q,
                          struct http_answer *out);

/* hooks: those of TFTP, for boot files.  -EOPNOTSUPP and the like are told in words as well. */
#define HTTP_WHY_SIZE 160
int http_open(const struct snapshot *config, const struct tftp_hooks *hooks,
              struct http **out, char why[HTTP_WHY_SIZE]);

/*
 * "/metrics": this path alone; "/api/": whatever begins so.  The path is a literal.  Only for
 * clients of http.page_from; others get 403.  "/", "/metrics" and what is beneath "/api/" and
 * "/evidence/" is never a boot file, registered or not.  False: no room.
 */
bool http_serve(struct http *h, const char *path, http_page page, void *context);

/* Who is told of boot files; the tag that began() gives stays with the transfer. */
struct http_watch {
    uint64_t (*began)(void *context, const struct http_transfer *x);
    void (*ended)(void *context, const struct http_transfer *x, uint64_t sent,
                  usec_t now);
    void (*refused)(void *context, const struct endpoint *peer, const char *path,
                    const char *why, usec_t now);
    void *context;
};
/* Before http_start(). */
void http_tell(struct http *h, const struct http_watch *watch);
/* Each file under way, and how many octets have arrived. */
void http_each(struct http *h,
               void (*see)(void *context, const struct http_transfer *x, uint64_t sent),
               void *context);

int http_start(struct http *h, struct loop *loop);
/*
 * A new configuration is prepared, which may fail (0 or -errno: its root cannot be opened), and
 * then taken over with what was prepared, NULL: nothing; or that is closed (app/http_files).
 */
struct http_files;
int http_prepare(struct http *h, const struct snapshot *config, struct http_files **out);
void http_configure(struct http *h, const struct snapshot *config,
                    struct http_files *prepared);
void http_close(struct http *h); /* NULL is fine */

/* What was counted. */
struct http_counters {
    uint64_t active;
    uint64_t done;
    uint64_t aborted;                             /* the client went, or was too slow */
    uint64_t refused;                             /* boot files */
    uint64_t refusals[HTTP_REFUSED_COUNT];        /* pages as well */
    uint64_t turned_away[HTTP_TURNED_AWAY_COUNT]; /* before anything was answered */
    uint64_t sent_octets;
    struct histogram durations; /* seconds, of files that came whole */
};
const struct http_counters *http_counters(struct http *h);

usec_t http_deadline(const struct http *h);
void http_timeout(struct http *h, usec_t now);

/* Is this boot file there for HTTP clients? */
bool http_has_file(struct http *h, const char *file);

#endif
