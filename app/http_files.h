/*
 * app/http_files: boot files by HTTP: the same root, repairs, host table and virtual files as
 * by TFTP.
 *
 * Ownership: all its own.  Errors: 0 or -errno.  Shell: tftp/store.
 */
#ifndef APP_HTTP_FILES_H
#define APP_HTTP_FILES_H

#include "app/http_answer.h"
#include "app/http_journal.h"
#include "tftp/hooks.h"

struct http_files;

/* root: of the files; the hooks are those of TFTP. */
int http_files_open(const char *root, const struct tftp_hooks *hooks,
                    struct http_files **out);
void http_files_close(struct http_files *f); /* NULL is fine; running transfers go on */

/* Is this boot file there?  (The name as the configuration has it.) */
bool http_files_has(struct http_files *f, const char *file);

/*
 * The answer to GET or HEAD of a file (path: decoded).  When a body is to be sent
 * out->transfer is `begun`, which is filled in, and http_files_end() belongs to it.
 */
void http_files_answer(struct http_files *f, const struct http_request *q,
                       const char *path, struct http_answer *out,
                       struct http_transfer *begun);

/* False: what is being sent was written to since. */
bool http_files_unchanged(const struct http_transfer *x);
void http_files_end(struct http_transfer *x);

/* The client has all of it. */
void http_files_whole(struct http_files *f, const struct http_transfer *x);

#endif
