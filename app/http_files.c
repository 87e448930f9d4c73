#include "app/http_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"
#include "tftp/find.h"
#include "tftp/store.h"

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
    int error = store_open(root, &f->hooks, &f->store);
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

/* A request whose file is looked for. */
struct http_quest {
    struct tftp_quest quest;
    unsigned repairs; /* of the name that was asked */
    enum store_fault fault;
    struct tftp_found found;
};

/* -- the body ----------------------------------------------------------------------------- */

/* A file that is not sent, as to HEAD, is closed by whoever sends the answer. */
static void take_file(const struct http_request *q, const struct opened *file,
                      struct http_answer *out)
{
    http_answer_file(q, &file->stamp, out);
    out->fd = file->fd;
    out->stamp = file->stamp;
}

/* What was rendered for this client alone is sent whole, and nobody is to keep it. */
static void take_text(const struct tftp_found *found, struct http_answer *out)
{
    out->octets = found->octets;
    out->len = found->len;
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
                  const struct http_quest *quest, struct http_answer *out,
                  struct http_transfer *begun)
{
    const struct tftp_found *found = &quest->found;
    const char *name = quest->quest.name;
    uint64_t size = found->octets ? found->len : found->file.stamp.size;
    *begun = (struct http_transfer){
        .peer = q->peer,
        .repairs = quest->repairs | found->repairs,
        .size = size,
        .from = out->offset,
        .len = out->len,
    };
    text_show(name, strlen(name), begun->shown, sizeof begun->shown);
    if (f->hooks.began && out->len == size) {
        begun->tell_whole = f->hooks.began(f->hooks.context, &q->peer, name);
    }
    out->tell_whole = begun->tell_whole;
    out->transfer = begun;
}

/* The quest has come to its end. */
static void settle(const struct http_files *f, const struct http_request *q,
                   const struct http_quest *quest, struct http_answer *out,
                   struct http_transfer *begun)
{
    if (quest->fault != STORE_OK) {
        refuse(out, quest->fault, quest->found.why);
        return;
    }
    out->type = http_type_of(quest->quest.name);
    if (quest->found.octets) {
        take_text(&quest->found, out);
    } else {
        take_file(q, &quest->found.file, out);
    }
    bool sends = out->octets || out->len > 0;
    if (sends && strcmp(q->method, "GET") == 0) {
        begin(f, q, quest, out, begun);
    }
}

/* -- every request ------------------------------------------------------------------------ */

void http_files_answer(struct http_files *f, const struct http_request *q,
                       const char *path, struct http_answer *out,
                       struct http_transfer *begun)
{
    struct tftp_text text = {path, strlen(path)};
    if (is_denied(f, q)) {
        http_answer_refuse(out, 403, "access denied");
        return;
    }
    struct http_quest *quest = calloc(1, sizeof *quest);
    if (!quest) {
        refuse(out, STORE_TROUBLE, "");
        return;
    }
    quest->quest.peer = q->peer;
    quest->quest.local = q->local;
    enum tftp_path_fault unclean =
        tftp_path_clean(text, quest->quest.name, &quest->repairs);
    if (unclean != TFTP_PATH_OK) {
        refuse(out, unclean == TFTP_PATH_OUTSIDE ? STORE_DENIED : STORE_NOT_FOUND, "");
        free(quest);
        return;
    }
    quest->fault =
        tftp_find(&quest->quest, store_root(f->store), &f->hooks, &quest->found);
    if (quest->fault == STORE_WAITS) {
        out->quest = quest;
        return;
    }
    settle(f, q, quest, out, begun);
    free(quest);
}

void http_files_look(struct http_quest *quest)
{
    tftp_find_long(&quest->quest);
}

void http_files_go_on(struct http_files *f, const struct http_request *q,
                      struct http_answer *out, struct http_transfer *begun)
{
    struct http_quest *quest = out->quest;
    quest->fault = tftp_find_on(&quest->quest, &f->hooks, &quest->found);
    if (quest->fault == STORE_WAITS) {
        return;
    }
    out->quest = NULL;
    settle(f, q, quest, out, begun);
    free(quest);
}

void http_files_forget(struct http_quest *quest)
{
    tftp_quest_done(&quest->quest);
    free(quest);
}

const char *http_files_name(const struct http_quest *quest)
{
    return quest->quest.name;
}

void http_files_whole(struct http_files *f, const struct http_transfer *x)
{
    if (f->hooks.whole) {
        f->hooks.whole(f->hooks.context, &x->peer);
    }
}
