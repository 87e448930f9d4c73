#include "tftp/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/beneath.h"
#include "common/cleanup.h"
#include "tftp/stamp.h"

/* Directory entries looked at for a name in another case: bounds the work of one request. */
#define CASE_ENTRIES_MAX 20000

/* One open file, shared by all transfers that read it in the same mode. */
struct entry {
    struct store_file file; /* first: store_put() is given its address */
    struct store *store;    /* NULL once the store was closed */
    struct entry *next;
    struct stamp stamp;
    enum tftp_mode mode;
    int fd;
    unsigned lent;
};

struct store {
    int root;
    struct entry *open;
};

int store_open(const char *root, struct store **out)
{
    AUTO(close) int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    struct store *s = calloc(1, sizeof *s);
    if (!s) {
        return -ENOMEM;
    }
    s->root = take_fd(&fd);
    *out = s;
    return 0;
}

void store_close(struct store *s)
{
    if (!s) {
        return;
    }
    for (struct entry *e = s->open; e; e = e->next) {
        e->store = NULL;
    }
    (void)close(s->root);
    free(s);
}

/* -- opening ------------------------------------------------------------------------------ */

static enum store_fault fault_of(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
        return STORE_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EXDEV: /* a link out of the root */
    case ELOOP:
        return STORE_DENIED;
    case ENXIO: /* a FIFO nobody reads, a device without driver */
        return STORE_NOT_REGULAR;
    default:
        return STORE_TROUBLE;
    }
}

static enum store_fault open_regular(const struct store *s, const char *path, int *fd,
                                     struct stamp *st)
{
    AUTO(close) int f = open_beneath(s->root, path, O_RDONLY);
    if (f < 0) {
        return fault_of(-f);
    }
    int error = stamp_take(f, false, st);
    if (error != 0) {
        return fault_of(-error);
    }
    if (!S_ISREG(st->mode)) {
        return STORE_NOT_REGULAR;
    }
    *fd = take_fd(&f);
    return STORE_OK;
}

bool store_has(struct store *s, const char *path)
{
    struct stamp st;
    AUTO(close) int fd = -1;
    enum store_fault fault = open_regular(s, path, &fd, &st);
    return fault == STORE_OK || fault == STORE_TROUBLE;
}

/* -- names in another case ---------------------------------------------------------------- */

/* The entry of that name, else the one that differs in case only; false: none, or several. */
static bool find_case(const struct store *s, const char *dir, const char *name,
                      char out[NAME_MAX + 1])
{
    int fd = open_beneath(s->root, dir[0] ? dir : ".", O_RDONLY | O_DIRECTORY);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return false;
    }
    unsigned hits = 0;
    unsigned seen = 0;
    for (struct dirent *e = readdir(d); e && seen < CASE_ENTRIES_MAX;
         e = readdir(d), seen++) {
        if (strcasecmp(e->d_name, name) != 0) {
            continue;
        }
        memcpy(out, e->d_name, strlen(e->d_name) + 1);
        hits++;
        if (strcmp(e->d_name, name) == 0) {
            hits = 1; /* what is there as it was asked is no guess */
            break;
        }
    }
    (void)closedir(d);
    return hits == 1 && seen < CASE_ENTRIES_MAX;
}

/* Rewrites path, component by component, to a name that exists. */
static bool repair_case(const struct store *s, char path[TFTP_PATH_SIZE])
{
    char found[TFTP_PATH_SIZE] = "";
    size_t used = 0;
    char *rest = path;
    while (rest) {
        char *name = strsep(&rest, "/");
        char real[NAME_MAX + 1];
        found[used] = '\0';
        if (strlen(name) > NAME_MAX || !find_case(s, found, name, real)) {
            return false;
        }
        size_t len = strlen(real); /* as long as name: only the case differs */
        if (used > 0) {
            found[used++] = '/';
        }
        memcpy(found + used, real, len);
        used += len;
    }
    found[used] = '\0';
    memcpy(path, found, used + 1);
    return true;
}

/* -- lending ------------------------------------------------------------------------------ */

static enum store_fault map_octets(struct entry *e)
{
    e->file.size = e->stamp.size;
    if (e->stamp.size == 0) {
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
    if (pread(e->fd, buf + len, len, 0) != (ssize_t)len) {
        free(buf);
        return STORE_TROUBLE;
    }
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

static enum store_fault lend_new(struct store *s, int fd, const struct stamp *st,
                                 enum tftp_mode mode, struct store_file **out)
{
    struct entry *e = calloc(1, sizeof *e);
    if (!e) {
        (void)close(fd);
        return STORE_TROUBLE;
    }
    *e = (struct entry){.store = s, .stamp = *st, .mode = mode, .fd = fd, .lent = 1};
    e->file.fd = mode == TFTP_OCTET ? fd : -1;
    enum store_fault fault = mode == TFTP_OCTET ? map_octets(e) : read_netascii(e);
    if (fault != STORE_OK) {
        release(e);
        return fault;
    }
    e->next = s->open;
    s->open = e;
    *out = &e->file;
    return STORE_OK;
}

static enum store_fault lend(struct store *s, const char *path, enum tftp_mode mode,
                             struct store_file **out)
{
    int fd = -1;
    struct stamp st;
    enum store_fault fault = open_regular(s, path, &fd, &st);
    if (fault != STORE_OK) {
        return fault;
    }
    for (struct entry *e = s->open; e; e = e->next) {
        if (e->mode == mode && stamp_same(&e->stamp, &st)) {
            (void)close(fd);
            e->lent++;
            *out = &e->file;
            return STORE_OK;
        }
    }
    return lend_new(s, fd, &st, mode, out);
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

enum store_fault store_get(struct store *s, const char *path, enum tftp_mode mode,
                           struct store_file **out, unsigned *repairs)
{
    enum store_fault fault = lend(s, path, mode, out);
    if (fault != STORE_NOT_FOUND) {
        return fault;
    }
    char other[TFTP_PATH_SIZE];
    memcpy(other, path, strlen(path) + 1);
    unsigned made = 0;
    if (tftp_path_cut_tail(other)) {
        made |= TFTP_REPAIR_TAIL;
        fault = lend(s, other, mode, out);
    }
    if (fault == STORE_NOT_FOUND && repair_case(s, other)) {
        made |= TFTP_REPAIR_CASE;
        fault = lend(s, other, mode, out);
    }
    if (fault == STORE_OK) {
        *repairs |= made;
    }
    return fault;
}

void store_put(struct store_file *file)
{
    struct entry *e = (struct entry *)file;
    if (--e->lent > 0) {
        return;
    }
    if (e->store) {
        struct entry **at = &e->store->open;
        while (*at != e) {
            at = &(*at)->next;
        }
        *at = e->next;
    }
    release(e);
}

bool store_unchanged(struct store_file *file)
{
    struct entry *e = (struct entry *)file;
    struct stamp now;
    if (e->fd < 0) {
        return true;
    }
    if (stamp_take(e->fd, true, &now) != 0 || !stamp_same(&now, &e->stamp)) {
        return false;
    }
    e->stamp = now; /* what is explained once explains nothing that comes later */
    return true;
}

struct store_file *store_share(struct store_file *file)
{
    ((struct entry *)file)->lent++;
    return file;
}

const char *store_fault_name(enum store_fault fault)
{
    static const char *const names[STORE_FAULT_COUNT] = {
        [STORE_OK] = "ok",
        [STORE_NOT_FOUND] = "not-found",
        [STORE_NOT_REGULAR] = "not-regular",
        [STORE_DENIED] = "denied",
        [STORE_TOO_LARGE] = "too-large",
        [STORE_TROUBLE] = "trouble",
    };
    return names[fault];
}
