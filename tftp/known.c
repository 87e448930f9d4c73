#include "tftp/known.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRESH (5 * USEC_PER_SEC)

struct file {
    char path[TFTP_PATH_SIZE]; /* "": free */
    bool there;
    bool asking;
    usec_t asked_at;
    usec_t used_at;
};

struct known {
    struct tftp_hooks hooks;
    unsigned users; /* the store, and questions under way */
    struct file files[KNOWN_FILES];
};

struct question {
    struct known *known;
    struct search_root root;
    char path[TFTP_PATH_SIZE];
    bool there;
};

struct known *known_new(const struct tftp_hooks *hooks)
{
    struct known *k = calloc(1, sizeof *k);
    if (k) {
        k->hooks = hooks ? *hooks : (struct tftp_hooks){0};
        k->users = 1;
    }
    return k;
}

void known_free(struct known *k)
{
    if (k && --k->users == 0) {
        free(k);
    }
}

static struct file *find(struct known *k, const char *path)
{
    for (size_t i = 0; i < KNOWN_FILES; i++) {
        if (strcmp(k->files[i].path, path) == 0) {
            return &k->files[i];
        }
    }
    return NULL;
}

static struct file *add(struct known *k, const char *path)
{
    struct file *f = &k->files[0];
    for (size_t i = 1; i < KNOWN_FILES; i++) {
        f = k->files[i].used_at < f->used_at ? &k->files[i] : f;
    }
    *f = (struct file){.there = true};
    snprintf(f->path, sizeof f->path, "%s", path);
    return f;
}

/* What cannot be told now is believed to be there: its reader is told better. */
static bool may_be_there(enum store_fault fault)
{
    return fault == STORE_OK || fault == STORE_TROUBLE;
}

static void ask(void *job)
{
    struct question *q = job;
    q->there = may_be_there(search_has(&q->root, q->path, true));
}

static void answered(void *job, usec_t now)
{
    struct question *q = job;
    struct file *f = find(q->known, q->path);
    if (f) {
        f->there = q->there;
        f->asking = false;
        f->asked_at = now;
    }
    known_free(q->known);
    (void)close(q->root.fd);
    free(q);
}

/* False: nobody can be asked now. */
static bool ask_elsewhere(struct known *k, const struct search_root *root,
                          const char *path)
{
    struct question *q = malloc(sizeof *q);
    int fd = q ? fcntl(root->fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (fd < 0) {
        free(q);
        return false;
    }
    *q = (struct question){.known = k, .root = {fd, root->far}};
    snprintf(q->path, sizeof q->path, "%s", path);
    if (!k->hooks.run(k->hooks.context, true, ask, answered, q)) {
        (void)close(fd);
        free(q);
        return false;
    }
    k->users++;
    /* cppcheck-suppress memleak ; answered() has it */
    return true;
}

bool known_has(struct known *k, const struct search_root *root, const char *path)
{
    enum store_fault fault = search_has(root, path, !k->hooks.run);
    if (fault != STORE_WAITS) {
        return may_be_there(fault);
    }
    usec_t now = clock_now();
    struct file *f = find(k, path);
    f = f ? f : add(k, path);
    f->used_at = now;
    if (!f->asking && (f->asked_at == 0 || now >= f->asked_at + FRESH)) {
        f->asking = ask_elsewhere(k, root, path);
    }
    return f->there;
}
