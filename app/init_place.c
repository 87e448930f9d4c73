#include "app/init_place.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/host_store.h"
#include "app/read_file.h"
#include "common/beneath.h"
#include "common/cleanup.h"
#include "common/hash.h"

#define LIST     ".pxed-init.json"
#define STAGING  ".pxed-init-"
#define FILE_MAX ((size_t)512 << 20)
#define LIST_MAX ((size_t)16 << 20)
#define LOOK     20 /* octets of a hash as text */

__attribute__((format(printf, 2, 3))) static bool fail(struct init_place *p,
                                                       const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(p->why, sizeof p->why, fmt, ap);
    va_end(ap);
    return false;
}

/* -- directories -------------------------------------------------------------------------- */

/* All above the last "/" of a path. */
static bool make_above(struct init_place *p, char *path)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        bool good = mkdir(path, 0755) == 0 || errno == EEXIST;
        if (!good) {
            (void)fail(p, "%s cannot be made: %s", path, strerror(errno));
        }
        *at = '/';
        if (!good) {
            return false;
        }
    }
    return true;
}

/*
 * The directory beneath the root where this is to stand, made if need be; *base is its last name.
 * A link on the way may lead on beneath the root only, as for who serves from there.
 */
static int open_place(int root, const char *name, const char **base)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", name);
    AUTO(close) int at = open_beneath(root, ".", O_RDONLY | O_DIRECTORY);
    *base = name;
    for (char *slash = strchr(path, '/'); at >= 0 && slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdirat(at, path + (*base - name), 0755) != 0 && errno != EEXIST) {
            return -errno;
        }
        (void)close(at);
        at = open_beneath(root, path, O_RDONLY | O_DIRECTORY);
        *slash = '/';
        *base = name + (slash + 1 - path);
    }
    return at < 0 ? at : take_fd(&at);
}

static void remove_tree(const char *path)
{
    char *const paths[] = {(char *)path, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *e = walk ? fts_read(walk) : NULL; e; e = fts_read(walk)) {
        if (e->fts_info != FTS_D) {
            (void)remove(e->fts_accpath);
        }
    }
    if (walk) {
        (void)fts_close(walk);
    }
}

/* What a run left that was ended on its way; the lock says that none is under way. */
static void remove_left(const char *root)
{
    char *const paths[] = {(char *)root, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *e = walk ? fts_read(walk) : NULL; e; e = fts_read(walk)) {
        if (e->fts_info == FTS_D && e->fts_level == 1) {
            (void)fts_set(walk, e, FTS_SKIP);
            if (strncmp(e->fts_name, STAGING, strlen(STAGING)) == 0) {
                remove_tree(e->fts_path);
            }
        }
    }
    if (walk) {
        (void)fts_close(walk);
    }
}

/* What earlier runs made; nothing when there is no list that can be read. */
static json_t *read_list(int root)
{
    AUTO(free) char *text = NULL;
    size_t len = 0;
    bool there = read_file_at(root, LIST, LIST_MAX, &text, &len) == 0;
    json_t *list = there ? json_loadb(text, len, 0, NULL) : NULL;
    if (json_is_object(list)) {
        return list;
    }
    json_decref(list);
    return json_object();
}

bool init_place_begin(struct init_place *p, const char *root, bool force)
{
    char path[PATH_MAX];
    *p = (struct init_place){.root = root, .force = force, .lock = -1};
    snprintf(path, sizeof path, "%s/%s", root, LIST);
    p->kept = json_array();
    if (!p->kept || !make_above(p, path)) {
        return false;
    }
    p->lock = host_store_open(root);
    if (p->lock < 0) {
        return fail(p, "%s cannot be opened: %s", root, strerror(-p->lock));
    }
    remove_left(root);
    p->list = read_list(p->lock);
    if (!p->list) {
        return fail(p, "out of memory");
    }
    snprintf(p->staging, sizeof p->staging, "%s/" STAGING "XXXXXX", root);
    if (!mkdtemp(p->staging)) {
        int error = errno;
        p->staging[0] = '\0';
        return fail(p, "%s cannot be written: %s", root, strerror(error));
    }
    return true;
}

void init_place_end(struct init_place *p)
{
    if (p->staging[0]) {
        remove_tree(p->staging);
    }
    auto_close(&p->lock);
    json_decref(p->list);
    p->list = NULL;
    p->lock = -1;
}

/* -- files -------------------------------------------------------------------------------- */

/* What a text looks like. */
static void look_of(const char *text, size_t len, char look[LOOK])
{
    static const struct hash_seed seed = {0x70786564, 0x696e6974};
    snprintf(look, LOOK, "%016llx", (unsigned long long)hash_keyed(&seed, text, len));
}

/* 0, or -errno: -EISDIR, or -EEXIST for what is no file either, such as a link. */
static int look_at(int dir, const char *path, char look[LOOK])
{
    AUTO(free) char *text = NULL;
    size_t len = 0;
    struct stat st;
    if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return -errno;
    }
    if (!S_ISREG(st.st_mode)) {
        return S_ISDIR(st.st_mode) ? -EISDIR : -EEXIST;
    }
    int error = read_file_at(dir, path, FILE_MAX, &text, &len);
    if (error == 0) {
        look_of(text, len, look);
    }
    return error;
}

enum verdict { PLACE, SAME, KEEP };

/* What is to happen with a file of this name that would be new. */
static enum verdict judge(const struct init_place *p, const char *name, int dir,
                          const char *path, const char *look)
{
    char old[LOOK];
    int error = look_at(dir, path, old);
    if (error == -ENOENT) {
        return PLACE;
    }
    if (error == 0 && strcmp(old, look) == 0) {
        return SAME;
    }
    const char *ours = json_string_value(json_object_get(p->list, name));
    bool replaceable = error == 0 && ours && strcmp(ours, old) == 0;
    return replaceable || (p->force && error != -EISDIR) ? PLACE : KEEP;
}

/* Counts and notes what became of it. */
static void note(struct init_place *p, enum verdict verdict, const char *name,
                 const char *look)
{
    if (verdict == KEEP) {
        (void)json_array_append_new(p->kept, json_string(name));
        return;
    }
    p->made += verdict == PLACE;
    p->same += verdict == SAME;
    (void)json_object_set_new(p->list, name, json_string(look));
}

static bool place_file(struct init_place *p, const char *from, const char *name)
{
    char look[LOOK];
    const char *base;
    int error = look_at(AT_FDCWD, from, look);
    if (error != 0) {
        return fail(p, "%s cannot be read: %s", from, strerror(-error));
    }
    AUTO(close) int dir = open_place(p->lock, name, &base);
    if (dir < 0) {
        return fail(p, "%s/%s cannot be written: %s", p->root, name,
                    dir == -EXDEV ? "a link on the way leads out of the boot root"
                                  : strerror(-dir));
    }
    enum verdict verdict = judge(p, name, dir, base, look);
    if (verdict == PLACE &&
        (chmod(from, 0644) != 0 || renameat(AT_FDCWD, from, dir, base) != 0)) {
        return fail(p, "%s/%s cannot be written: %s", p->root, name, strerror(errno));
    }
    note(p, verdict, name, look);
    return true;
}

static bool place_walked(struct init_place *p, FTS *walk)
{
    size_t above = strlen(p->staging) + 1;
    for (FTSENT *e = fts_read(walk); e; e = fts_read(walk)) {
        if (e->fts_info == FTS_F && !place_file(p, e->fts_path, e->fts_path + above)) {
            return false;
        }
    }
    return true;
}

/* The list of what is ours, for the next run. */
static bool write_list(struct init_place *p)
{
    AUTO(free) char *text = json_dumps(p->list, JSON_INDENT(1) | JSON_SORT_KEYS);
    int error = text ? host_store_put(p->lock, LIST, text, strlen(text)) : -ENOMEM;
    return error == 0 ||
           fail(p, "%s/" LIST " cannot be written: %s", p->root, strerror(-error));
}

bool init_place_files(struct init_place *p)
{
    char *const paths[] = {p->staging, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!walk) {
        return fail(p, "%s cannot be read: %s", p->staging, strerror(errno));
    }
    bool good = place_walked(p, walk);
    (void)fts_close(walk);
    return write_list(p) && good;
}

void init_place_adopt(struct init_place *p, const char *path, const char *text,
                      size_t len)
{
    char look[LOOK];
    look_of(text, len, look);
    if (!json_object_get(p->list, path)) {
        (void)json_object_set_new(p->list, path, json_string(look));
    }
}

bool init_place_configuration(struct init_place *p, const char *path, const char *text,
                              size_t len)
{
    char dir[PATH_MAX];
    char look[LOOK];
    snprintf(dir, sizeof dir, "%s", path);
    if (!make_above(p, dir)) {
        return false;
    }
    char *slash = strrchr(dir, '/');
    *slash = '\0';
    look_of(text, len, look);
    enum verdict verdict = judge(p, path, AT_FDCWD, path, look);
    if (verdict == PLACE) {
        AUTO(close) int fd = host_store_open(dir[0] ? dir : "/");
        int error = fd < 0 ? fd : host_store_put(fd, slash + 1, text, len);
        if (error != 0) {
            return fail(p, "%s cannot be written: %s", path, strerror(-error));
        }
    }
    note(p, verdict, path, look);
    return write_list(p);
}
