#include "app/http_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/text.h"
#include "tftp/find.h"

struct http_files {
    struct store *store;
    struct tftp_hooks hooks;
};

int http_files_open(const char *root, const struct tftp_hooks *hooks,
                    struct http_files **out)
{
    struct http_files *f = calloc(1, sizeof *f);
    if (!f) {
        return -ENOMEM;
    }
    f->hooks = *hooks;
    int error = store_open(root, &f->store);
    if (error != 0) {
        free(f);
        return error;
    }
    *out = f;
    return 0;
}

void http_files_close(struct http_files *f)
{
    if (f) {
        store_close(f->store);
        free(f);
    }
}

bool http_files_has(struct http_files *f, const char *file)
{
    char path[TFTP_PATH_SIZE];
    unsigned repairs = 0;
    struct tftp_text name = {file, strlen(file)};
    return tftp_path_clean(name, path, &repairs) == TFTP_PATH_OK &&
           store_has(f->store, path);
}

/* -- the body ----------------------------------------------------------------------------- */

/* A descriptor of its own for the thread that sends: another's may be closed meanwhile. */
static void take_file(const struct http_request *q, const struct store_file *file,
                      struct http_answer *out)
{
    struct stat st;
    AUTO(close) int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 || fstat(fd, &st) != 0) {
        http_answer_refuse(out, 503, "cannot read the file now, try again");
        return;
    }
    struct http_file about = {(uint64_t)st.st_size, st.st_mtim.tv_sec,
                              (uint32_t)st.st_mtim.tv_nsec};
    http_answer_file(q, &about, out);
    if (out->len > 0) {
        out->fd = take_fd(&fd);
    }
}

/* What was rendered for this client alone is sent whole, and nobody is to keep it. */
static void take_text(const struct store_file *file, struct http_answer *out)
{
    out->octets = malloc(file->size > 0 ? (size_t)file->size : 1);
    if (!out->octets) {
        http_answer_refuse(out, 503, "out of memory");
        return;
    }
    memcpy(out->octets, file->data, (size_t)file->size);
    out->len = file->size;
    http_answer_add(out, "Cache-Control", "no-store");
}

static const struct {
    unsigned status;
    const char *why;
} refusals[STORE_FAULT_COUNT] = {
    [STORE_NOT_FOUND] = {404, "file not found"},
    [STORE_NOT_REGULAR] = {404, "not a regular file"},
    [STORE_DENIED] = {403, "access denied"},
    [STORE_TOO_LARGE] = {503, "too large"},
    [STORE_TROUBLE] = {503, "cannot read the file now, try again"},
};

static void refuse(struct http_answer *out, enum store_fault fault, const char *why)
{
    http_answer_refuse(out, refusals[fault].status, why[0] ? why : refusals[fault].why);
}

static bool is_denied(const struct http_files *f, const struct http_request *q)
{
    struct tftp_client client = {0};
    if (f->hooks.who) {
        f->hooks.who(f->hooks.context, &q->peer, q->ifindex, &client);
    }
    return client.denied;
}

/* What is logged of a body, and told of at its end. */
static void begin(const struct http_files *f, const struct http_request *q,
                  const char *name, const struct tftp_found *found,
                  struct http_answer *out, struct http_transfer *begun)
{
    *begun = (struct http_transfer){
        .peer = q->peer,
        .repairs = found->repairs,
        .size = found->file->size,
        .from = out->offset,
        .len = out->len,
        .file = store_share(found->file),
    };
    text_show(name, strlen(name), begun->shown, sizeof begun->shown);
    if (f->hooks.began && out->len == found->file->size) {
        begun->tell_whole = f->hooks.began(f->hooks.context, &q->peer, name);
    }
    out->tell_whole = begun->tell_whole;
    out->transfer = begun;
}

void http_files_answer(struct http_files *f, const struct http_request *q,
                       const char *path, struct http_answer *out,
                       struct http_transfer *begun)
{
    char name[TFTP_PATH_SIZE];
    struct tftp_found found = {.repairs = 0};
    struct tftp_text text = {path, strlen(path)};
    if (is_denied(f, q)) {
        http_answer_refuse(out, 403, "access denied");
        return;
    }
    enum tftp_path_fault unclean = tftp_path_clean(text, name, &found.repairs);
    if (unclean != TFTP_PATH_OK) {
        refuse(out, unclean == TFTP_PATH_OUTSIDE ? STORE_DENIED : STORE_NOT_FOUND, "");
        return;
    }
    struct tftp_wanted wanted = {&q->peer, &q->local, name, TFTP_OCTET};
    enum store_fault fault = tftp_find(f->store, &f->hooks, &wanted, &found);
    if (fault != STORE_OK) {
        refuse(out, fault, found.why);
        return;
    }
    out->type = http_type_of(name);
    if (found.file->fd >= 0) {
        take_file(q, found.file, out);
    } else {
        take_text(found.file, out);
    }
    bool sends = out->fd >= 0 || out->octets;
    if (sends && strcmp(q->method, "GET") == 0) {
        begin(f, q, name, &found, out, begun);
    }
    store_put(found.file);
}

bool http_files_unchanged(const struct http_transfer *x)
{
    return store_unchanged(x->file);
}

void http_files_end(struct http_transfer *x)
{
    store_put(x->file);
    x->file = NULL;
}

void http_files_whole(struct http_files *f, const struct http_transfer *x)
{
    if (f->hooks.whole) {
        f->hooks.whole(f->hooks.context, &x->peer);
    }
}
