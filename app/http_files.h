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
 * out->transfer is `begun`, which is filled in.
 *
 * When a disk must be waited for out->quest is set: http_files_look() waits, in another thread,
 * then http_files_go_on() goes on, maybe to wait again; or the quest is forgotten.
 */
void http_files_answer(struct http_files *f, const struct http_request *q,
                       const char *path, struct http_answer *out,
                       struct http_transfer *begun);
void http_files_look(struct http_quest *quest);
void http_files_go_on(struct http_files *f, const struct http_request *q,
                      struct http_answer *out, struct http_transfer *begun);
void http_files_forget(struct http_quest *quest);
const char *http_files_name(const struct http_quest *quest);

/* The client has all of it. */
void http_files_whole(struct http_files *f, const struct http_transfer *x);

#endif
