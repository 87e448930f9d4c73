#include "tftp/search.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "common/beneath.h"
#include "common/cleanup.h"

/* Directory entries looked at for a name in another case: bounds the work of one request. */
#define CASE_ENTRIES_MAX 20000

#define FRESH_TRIES 5
#define FRESH_WAIT  12 /* milliseconds: more than a step of a file system's clock */

/* -- behind a server? --------------------------------------------------------------------- */

/* linux/magic.h lacks some of them. */
static bool is_far(int fd)
{
    static const uint32_t types[] = {
        0x6969,     /* NFS */
        0x65735546, /* FUSE */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB */
        0x01021997, /* 9P */
        0x00c36400, /* Ceph */
        0x5346414f, /* AFS */
        0x0bd00bd0, /* Lustre */
        0x786f4256, /* shared folders of VirtualBox */
    };
    struct statfs fs;
    bool found = fstatfs(fd, &fs) != 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        found = found || (uint32_t)fs.f_type == types[i];
    }
    return found;
}

int search_root_open(const char *path, struct search_root *out)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    *out = (struct search_root){fd, is_far(fd)};
    return 0;
}

/* -- opening ------------------------------------------------------------------------------ */

/* Where is looked, and how far that may go. */
struct view {
    int root;
    int (*open)(int root, const char *path, int flags);
    bool ends_here; /* STORE_WAITS: beyond it */
};

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
    case ENXIO: /* a device without driver */
        return STORE_NOT_REGULAR;
    default:
        return STORE_TROUBLE;
    }
}

static bool is_regular(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static enum store_fault refused(const struct view *v, int error)
{
    bool beyond = error == EXDEV || error == EAGAIN;
    return v->ends_here && beyond ? STORE_WAITS : fault_of(error);
}

static enum store_fault open_regular(const struct view *v, const char *path,
                                     struct opened *out)
{
    AUTO(close) int there = v->open(v->root, path, O_PATH);
    if (there < 0) {
        return refused(v, -there);
    }
    if (!is_regular(there)) {
        return STORE_NOT_REGULAR;
    }
    AUTO(close) int fd = v->open(v->root, path, O_RDONLY);
    struct stamp stamp;
    int error = fd < 0 ? fd : stamp_take(fd, false, &stamp);
    if (error < 0) {
        return refused(v, -error);
    }
    if (!S_ISREG(stamp.mode)) { /* another one by now */
        return STORE_NOT_REGULAR;
    }
    *out = (struct opened){.fd = take_fd(&fd), .stamp = stamp};
    return STORE_OK;
}

enum store_fault search_now(const struct search_root *root, const char *path,
                            struct opened *out)
{
    const struct view view = {root->fd, open_beneath_now, true};
    struct opened found;
    if (root->far) {
        return STORE_WAITS;
    }
    enum store_fault fault = open_regular(&view, path, &found);
    if (fault == STORE_OK && stamp_is_fresh(&found.stamp)) {
        (void)close(found.fd);
        return STORE_WAITS;
    }
    if (fault == STORE_OK) {
        *out = found;
    }
    return fault == STORE_NOT_FOUND ? STORE_WAITS : fault; /* its repairs take reading */
}

static struct view view_of(const struct search_root *root, bool far)
{
    return (struct view){root->fd, far ? open_beneath : open_beneath_here, !far};
}

enum store_fault search_has(const struct search_root *root, const char *path, bool far)
{
    const struct view view = view_of(root, far);
    struct opened found;
    if (root->far && !far) {
        return STORE_WAITS;
    }
    enum store_fault fault = open_regular(&view, path, &found);
    if (fault == STORE_OK) {
        (void)close(found.fd);
    }
    return fault;
}

/* A file that is being written this very moment is waited for: see stamp_is_fresh(). */
static enum store_fault settle(struct opened *o)
{
    const struct timespec wait = {.tv_nsec = FRESH_WAIT * 1000000L};
    for (int tries = 0; stamp_is_fresh(&o->stamp); tries++) {
        if (tries == FRESH_TRIES) {
            return STORE_TROUBLE;
        }
        (void)nanosleep(&wait, NULL);
        int error = stamp_take(o->fd, false, &o->stamp);
        if (error != 0) {
            return fault_of(-error);
        }
    }
    return STORE_OK;
}

static enum store_fault open_settled(const struct view *v, const char *path,
                                     struct opened *out)
{
    struct opened found;
    enum store_fault fault = open_regular(v, path, &found);
    if (fault != STORE_OK) {
        return fault;
    }
    fault = settle(&found);
    if (fault != STORE_OK) {
        (void)close(found.fd);
        return fault;
    }
    found.far = is_far(found.fd);
    *out = found;
    return STORE_OK;
}

/* -- names in another case ---------------------------------------------------------------- */

/* The entry of that name, else the one that differs in case only; false: none, or several. */
static bool pick_name(DIR *d, const char *name, char out[NAME_MAX + 1])
{
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
    return hits == 1 && seen < CASE_ENTRIES_MAX;
}

static enum store_fault find_case(const struct view *v, const char *dir, const char *name,
                                  char out[NAME_MAX + 1])
{
    int fd = v->open(v->root, dir[0] ? dir : ".", O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        return refused(v, -fd) == STORE_WAITS ? STORE_WAITS : STORE_NOT_FOUND;
    }
    DIR *d = names_of(fd);
    if (!d) {
        return STORE_NOT_FOUND;
    }
    bool found = pick_name(d, name, out);
    (void)closedir(d);
    return found ? STORE_OK : STORE_NOT_FOUND;
}

/* Rewrites path, component by component, to a name that exists. */
static enum store_fault repair_case(const struct view *v, char path[TFTP_PATH_SIZE])
{
    char found[TFTP_PATH_SIZE] = "";
    size_t used = 0;
    char *rest = path;
    while (rest) {
        char *name = strsep(&rest, "/");
        char real[NAME_MAX + 1];
        found[used] = '\0';
        enum store_fault fault =
            strlen(name) > NAME_MAX ? STORE_NOT_FOUND : find_case(v, found, name, real);
        if (fault != STORE_OK) {
            return fault;
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
    return STORE_OK;
}

/* -- any thread --------------------------------------------------------------------------- */

enum store_fault search_long(const struct search_root *root, bool far, const char *path,
                             struct opened *out, unsigned *repairs)
{
    const struct view view = view_of(root, far);
    char other[TFTP_PATH_SIZE];
    unsigned made = 0;
    enum store_fault fault = open_settled(&view, path, out);
    if (fault != STORE_NOT_FOUND) {
        return fault;
    }
    memcpy(other, path, strlen(path) + 1);
    if (tftp_path_cut_tail(other)) {
        made |= TFTP_REPAIR_TAIL;
        fault = open_settled(&view, other, out);
    }
    if (fault == STORE_NOT_FOUND) {
        fault = repair_case(&view, other);
        made |= TFTP_REPAIR_CASE;
        fault = fault == STORE_OK ? open_settled(&view, other, out) : fault;
    }
    if (fault == STORE_OK) {
        *repairs |= made;
    }
    return fault;
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
        [STORE_WAITS] = "waits",
    };
    return names[fault];
}
