#include "tftp/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tftp/known.h"

/* One open file, shared by all transfers that read it in the same mode. */
struct entry {
    struct store_file file;         /* first: store_put() is given its address */
    struct store *store;            /* NULL: of none, or it was closed */
    const struct tftp_hooks *hooks; /* NULL: of no store yet */
    struct entry *next;
    struct stamp stamp;
    enum tftp_mode mode;
    int fd;
    unsigned lent;
};

struct store {
    struct search_root root;
    struct entry *open;
    struct known *known;
    const struct tftp_hooks *hooks;
};

int store_open(const char *root, const struct tftp_hooks *hooks, struct store **out)
{
    struct store *s = calloc(1, sizeof *s);
    struct known *known = known_new(hooks);
    int error = s && known ? search_root_open(root, &s->root) : -ENOMEM;
    if (error != 0) {
        known_free(known);
        free(s);
        return error;
    }
    s->known = known;
    s->hooks = hooks;
    *out = s;
    return 0;
}

bool store_has(struct store *s, const char *path)
{
    return known_has(s->known, &s->root, path);
}

const struct search_root *store_root(const struct store *s)
{
    return &s->root;
}

void store_close(struct store *s)
{
    if (!s) {
        return;
    }
    for (struct entry *e = s->open; e; e = e->next) {
        e->store = NULL;
    }
    known_free(s->known);
    (void)close(s->root.fd);
    free(s);
}

/* -- for any thread ----------------------------------------------------------------------- */

static enum store_fault map_octets(struct entry *e)
{
    e->file.size = e->stamp.size;
    if (e->stamp.size == 0 || e->file.far) {
        return STORE_OK;
    }
    void *at = mmap(NULL, (size_t)e->stamp.size, PROT_READ, MAP_SHARED, e->fd, 0);
    if (at == MAP_FAILED) {
        return STORE_TROUBLE;
    }
    (void)madvise(at, (size_t)e->stamp.size, MADV_SEQUENTIAL);
    e->file.data = at;
    return STORE_OK;
}

/*
 * RFC 764: a line ends in CR LF, a bare CR is CR NUL.  The text stands in the second half of
 * the buffer and its translation grows from the first: it never catches up.
 */
static size_t translate(uint8_t *buf, size_t len)
{
    const uint8_t *in = buf + len;
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        uint8_t c = in[i];
        if (c == '\n') {
            buf[used++] = '\r';
        }
        buf[used++] = c;
        if (c == '\r') {
            buf[used++] = '\0';
        }
    }
    return used;
}

static enum store_fault read_netascii(struct entry *e)
{
    if (e->stamp.size > STORE_NETASCII_MAX) {
        return STORE_TOO_LARGE;
    }
    size_t len = (size_t)e->stamp.size;
    uint8_t *buf = malloc(2 * len + 1);
    if (!buf) {
        return STORE_TROUBLE;
    }
    bool whole = pread(e->fd, buf + len, len, 0) == (ssize_t)len &&
                 stamp_holds(e->fd, false, &e->stamp);
    if (!whole) {
        free(buf);
        return STORE_TROUBLE;
    }
    (void)close(e->fd);
    e->fd = -1; /* whatever becomes of the file */
    e->file.size = translate(buf, len);
    e->file.data = buf;
    return STORE_OK;
}

static void release(struct entry *e)
{
    if (e->file.data && e->mode == TFTP_OCTET && e->fd >= 0) {
        (void)munmap((void *)e->file.data, (size_t)e->stamp.size);
    } else {
        free((void *)e->file.data);
    }
    if (e->fd >= 0) {
        (void)close(e->fd);
    }
    free(e);
}

static void release_work(void *job)
{
    release(job);
}

static void released(void *job, usec_t now)
{
    (void)job;
    (void)now;
}

/* Closing a file of a server that does not answer takes for ever, too. */
static void drop(const struct tftp_hooks *hooks, struct entry *e)
{
    if (!e->file.far || !hooks || !hooks->run ||
        !hooks->run(hooks->context, true, release_work, released, e)) {
        release(e);
    }
}

enum store_fault store_make(const struct opened *o, enum tftp_mode mode,
                            struct store_file **out)
{
    struct entry *e = calloc(1, sizeof *e);
    if (!e) {
        (void)close(o->fd);
        return STORE_TROUBLE;
    }
    *e = (struct entry){.stamp = o->stamp, .mode = mode, .fd = o->fd, .lent = 1};
    e->file.fd = mode == TFTP_OCTET ? o->fd : -1;
    e->file.far = o->far;
    enum store_fault fault = mode == TFTP_OCTET ? map_octets(e) : read_netascii(e);
    if (fault != STORE_OK) {
        release(e);
        return fault;
    }
    *out = &e->file;
    return STORE_OK;
}

static enum store_fault translate_text(struct entry *e)
{
    size_t len = (size_t)e->file.size;
    if (len > STORE_NETASCII_MAX) {
        return STORE_TOO_LARGE;
    }
    uint8_t *buf = malloc(2 * len + 1);
    if (!buf) {
        return STORE_TROUBLE;
    }
    memcpy(buf + len, e->file.data, len);
    free((void *)e->file.data);
    e->file.size = translate(buf, len);
    e->file.data = buf;
    return STORE_OK;
}

enum store_fault store_text(void *octets, size_t len, enum tftp_mode mode,
                            struct store_file **out)
{
    struct entry *e = calloc(1, sizeof *e);
    if (!e) {
        free(octets);
        return STORE_TROUBLE;
    }
    *e = (struct entry){.mode = mode, .fd = -1, .lent = 1};
    e->file = (struct store_file){.size = len, .data = octets, .fd = -1};
    enum store_fault fault = mode == TFTP_NETASCII ? translate_text(e) : STORE_OK;
    if (fault != STORE_OK) {
        release(e);
        return fault;
    }
    *out = &e->file;
    return STORE_OK;
}

/* -- lending ------------------------------------------------------------------------------ */

struct store_file *store_lend(struct store *s, struct store_file *made)
{
    struct entry *new = (struct entry *)made;
    for (struct entry *e = s->open; e; e = e->next) {
        if (e->mode == new->mode && stamp_same(&e->stamp, &new->stamp)) {
            e->lent++;
            drop(s->hooks, new);
            return &e->file;
        }
    }
    new->store = s;
    new->hooks = s->hooks;
    new->next = s->open;
    s->open = new;
    return made;
}

void store_put(struct store_file *file)
{
    struct entry *e = (struct entry *)file;
    struct store *s = e->store;
    if (--e->lent > 0) {
        return;
    }
    if (s) {
        struct entry **at = &s->open;
        while (*at != e) {
            at = &(*at)->next;
        }
        *at = e->next;
    }
    drop(e->hooks, e);
}

bool store_unchanged(struct store_file *file)
{
    struct entry *e = (struct entry *)file;
    return e->file.fd < 0 || stamp_holds(e->fd, true, &e->stamp);
}

struct store_file *store_share(struct store_file *file)
{
    ((struct entry *)file)->lent++;
    return file;
}
