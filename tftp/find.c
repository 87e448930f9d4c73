#include "tftp/find.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The disk is asked for this path: here, or in another thread. */
static enum store_fault ask_disk(struct tftp_quest *q, const struct search_root *root,
                                 const char *path, struct tftp_found *out)
{
    if (!q->patient) {
        enum store_fault fault = search_now(root, path, &out->file);
        if (fault != STORE_WAITS) {
            return fault;
        }
    }
    if (path != q->path) {
        snprintf(q->path, sizeof q->path, "%s", path);
    }
    if (root != &q->root) { /* a reload may close the other one */
        q->root = (struct search_root){fcntl(root->fd, F_DUPFD_CLOEXEC, 0), root->far};
    }
    q->far = root->far;
    return q->root.fd < 0 ? STORE_TROUBLE : STORE_WAITS;
}

static enum store_fault go_on(struct tftp_quest *q, const struct search_root *root,
                              const struct tftp_hooks *hooks, struct tftp_found *out)
{
    static const enum tftp_turn turns[] = {TFTP_BEFORE_DISK, TFTP_NOT_ON_DISK};
    enum store_fault fault = STORE_NOT_FOUND;
    while (q->turn < 2 && fault == STORE_NOT_FOUND) {
        struct tftp_answer answer = {0};
        enum tftp_turn turn = turns[q->turn++];
        enum tftp_virtual found =
            hooks->find
                ? hooks->find(hooks->context, &q->peer, &q->local, q->name, turn, &answer)
                : TFTP_VIRTUAL_NONE;
        if (found == TFTP_VIRTUAL_REFUSED) {
            snprintf(out->why, sizeof out->why, "%s", answer.why);
            return STORE_NOT_FOUND;
        }
        if (found == TFTP_VIRTUAL_TEXT) {
            out->octets = answer.octets;
            out->len = answer.len;
            return STORE_OK;
        }
        if (found == TFTP_VIRTUAL_FILE) {
            q->turn = 2;
            return ask_disk(q, root, answer.file, out);
        }
        if (turn == TFTP_BEFORE_DISK) {
            fault = ask_disk(q, root, q->name, out);
        }
    }
    return fault;
}

enum store_fault tftp_find(struct tftp_quest *q, const struct search_root *root,
                           const struct tftp_hooks *hooks, struct tftp_found *out)
{
    q->root.fd = -1;
    q->found.file.fd = -1;
    *out = (struct tftp_found){.file.fd = -1};
    return go_on(q, root, hooks, out);
}

void tftp_find_long(struct tftp_quest *q)
{
    q->found = (struct tftp_found){.file.fd = -1};
    q->fault = search_long(&q->root, q->far, q->path, &q->found.file, &q->found.repairs);
}

enum store_fault tftp_find_on(struct tftp_quest *q, const struct tftp_hooks *hooks,
                              struct tftp_found *out)
{
    *out = q->found;
    q->found.file.fd = -1;
    enum store_fault fault = q->fault;
    if (fault == STORE_NOT_FOUND) {
        fault = go_on(q, &q->root, hooks, out);
    } else if (fault == STORE_WAITS) {
        q->far = true; /* once more, with more patience */
    }
    if (fault != STORE_WAITS) {
        tftp_quest_done(q);
    }
    return fault;
}

void tftp_quest_done(struct tftp_quest *q)
{
    if (q->root.fd >= 0) {
        (void)close(q->root.fd);
        q->root.fd = -1;
    }
    if (q->found.file.fd >= 0) {
        (void)close(q->found.file.fd);
        q->found.file.fd = -1;
    }
}
