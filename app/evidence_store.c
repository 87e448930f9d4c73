#include "app/evidence_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/beneath.h"
#include "common/cleanup.h"
#include "common/log.h"

#define LISTED_MAX 65536 /* recordings of a directory that are looked at */
#define UNDER_WAY  ".new"

enum kept_state { KEPT_WAITS, KEPT_IS_WRITTEN, KEPT_IN_MEMORY };

struct kept {
    char name[EVIDENCE_NAME];
    void *octets;
    size_t len;
    struct evidence_conf limits;
    enum kept_state state;
    struct kept *next; /* newer */
};

struct evidence_store {
    struct loop *loop;
    char *directory;   /* NULL: none */
    struct kept *kept; /* the oldest first */
    size_t octets;     /* of these */
    size_t waiting;    /* of these: for the disk */
    struct kept *writing;
    int error; /* of the last writing, 0 or -errno */
};

struct evidence_store *evidence_store_new(struct loop *loop, const char *directory)
{
    struct evidence_store *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->loop = loop;
    s->directory = directory ? strdup(directory) : NULL;
    if (directory && !s->directory) {
        free(s);
        return NULL;
    }
    return s;
}

static void drop(struct evidence_store *s, struct kept *gone)
{
    struct kept **link = &s->kept;
    while (*link != gone) {
        link = &(*link)->next;
    }
    *link = gone->next;
    s->octets -= gone->len;
    s->waiting -= gone->state != KEPT_IN_MEMORY;
    free(gone->octets);
    free(gone);
}

void evidence_store_free(struct evidence_store *s)
{
    if (!s) {
        return;
    }
    while (s->kept) {
        drop(s, s->kept);
    }
    free(s->directory);
    free(s);
}

bool evidence_name_is_good(const char *name)
{
    size_t day = strspn(name, "0123456789");
    size_t time = day == 8 && name[8] == '-' ? strspn(name + 9, "0123456789") : 0;
    if (time != 6 || name[15] != '-') {
        return false;
    }
    size_t who = strspn(name + 16, "0123456789abcdef");
    return who >= 8 && who <= 32 && strcmp(name + 16 + who, ".pcap") == 0;
}

/* -- in another thread -------------------------------------------------------------------- */

static int write_all(int fd, const uint8_t *octets, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, octets, len);
        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        octets += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int write_file(int dir, const struct kept *k)
{
    (void)unlinkat(dir, UNDER_WAY, 0); /* one at a time: it was left behind by a crash */
    AUTO(close)
    int fd = openat(dir, UNDER_WAY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    0640);
    if (fd < 0) {
        return -errno;
    }
    int error = write_all(fd, k->octets, k->len);
    if (error == 0 && renameat(dir, UNDER_WAY, dir, k->name) != 0) {
        error = -errno;
    }
    if (error != 0) {
        (void)unlinkat(dir, UNDER_WAY, 0);
    }
    return error;
}

/* Recordings of a directory. */
struct listing {
    size_t count;
    uint64_t octets;
    char oldest[EVIDENCE_NAME];
};

static void look_at(int dir, const char *name, struct listing *l)
{
    struct stat st;
    if (!evidence_name_is_good(name) ||
        fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(st.st_mode)) {
        return;
    }
    if (l->count++ == 0 || strcmp(name, l->oldest) < 0) {
        snprintf(l->oldest, sizeof l->oldest, "%.*s", EVIDENCE_NAME - 1, name);
    }
    l->octets += (uint64_t)st.st_size;
}

static bool list(int dir, struct listing *l)
{
    *l = (struct listing){.count = 0};
    DIR *d = names_of(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!d) {
        return false;
    }
    for (struct dirent *e = readdir(d); e && l->count < LISTED_MAX; e = readdir(d)) {
        look_at(dir, e->d_name, l);
    }
    (void)closedir(d);
    return true;
}

/* Mostly one file goes for one that came. */
static void prune(int dir, const struct evidence_conf *limits)
{
    struct listing l;
    while (list(dir, &l) && l.count > 0 &&
           (l.count > limits->max_files || l.octets > limits->max_octets)) {
        if (unlinkat(dir, l.oldest, 0) != 0) {
            return;
        }
    }
}

static int keep(const char *directory, const struct kept *k)
{
    if (mkdir(directory, 0750) != 0 && errno != EEXIST) {
        return -errno;
    }
    AUTO(close)
    int dir = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0) {
        return -errno;
    }
    int error = write_file(dir, k);
    prune(dir, &k->limits);
    return error;
}

static void write_work(void *job)
{
    struct evidence_store *s = job;
    s->error = keep(s->directory, s->writing);
}

/* -- back here ---------------------------------------------------------------------------- */

static void write_next(struct evidence_store *s);

static void stay_in_memory(struct evidence_store *s, struct kept *k)
{
    k->state = KEPT_IN_MEMORY;
    s->waiting--;
}

static void write_done(void *job, usec_t now)
{
    struct evidence_store *s = job;
    struct kept *k = s->writing;
    (void)now;
    s->writing = NULL;
    if (s->error == 0) {
        drop(s, k);
    } else {
        stay_in_memory(s, k);
        log_say(LOG_WARNING, "the recording %s cannot be written to %s: %s", k->name,
                s->directory, strerror(-s->error));
    }
    write_next(s);
}

static void write_next(struct evidence_store *s)
{
    struct kept *k = s->kept;
    while (k && k->state != KEPT_WAITS) {
        k = k->next;
    }
    if (s->writing || !k) {
        return;
    }
    s->writing = k;
    k->state = KEPT_IS_WRITTEN;
    if (loop_work(s->loop, write_work, write_done, s) != 0) {
        s->writing = NULL;
        stay_in_memory(s, k);
    }
}

/* In memory alone the oldest go; what waits for the disk does not. */
static bool make_room(struct evidence_store *s, size_t len, uint32_t max_files)
{
    size_t count = 0;
    for (const struct kept *k = s->kept; k; k = k->next) {
        count += k->state == KEPT_IN_MEMORY;
    }
    struct kept *k = s->kept;
    while (k && (s->octets + len > EVIDENCE_MEMORY || count >= max_files)) {
        struct kept *next = k->next;
        if (k->state == KEPT_IN_MEMORY) {
            drop(s, k);
            count--;
        }
        k = next;
    }
    return s->octets + len <= EVIDENCE_MEMORY;
}

bool evidence_store_has_room(const struct evidence_store *s,
                             const struct evidence_conf *limits)
{
    return s->waiting < limits->max_files;
}

bool evidence_store_put(struct evidence_store *s, const char *name, void *octets,
                        size_t len, const struct evidence_conf *limits)
{
    struct kept *k = calloc(1, sizeof *k);
    if (!k || !evidence_store_has_room(s, limits) ||
        !make_room(s, len, limits->max_files)) {
        free(k);
        free(octets);
        return false;
    }
    void *fitting = realloc(octets, len);
    snprintf(k->name, sizeof k->name, "%s", name);
    k->octets = fitting ? fitting : octets;
    k->len = len;
    k->limits = *limits;
    k->state = s->directory ? KEPT_WAITS : KEPT_IN_MEMORY;
    struct kept **end = &s->kept;
    while (*end) {
        end = &(*end)->next;
    }
    *end = k;
    s->octets += len;
    s->waiting += k->state == KEPT_WAITS;
    write_next(s);
    return true;
}

static bool get_from_disk(const struct evidence_store *s, const char *name, int *out)
{
    struct stat st;
    AUTO(close)
    int dir = open(s->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    AUTO(close)
    int fd =
        dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        return false;
    }
    *out = take_fd(&fd);
    return true;
}

bool evidence_store_get(const struct evidence_store *s, const char *name, int *fd,
                        void **octets, size_t *len)
{
    *fd = -1;
    *octets = NULL;
    if (!evidence_name_is_good(name)) {
        return false;
    }
    for (const struct kept *k = s->kept; k; k = k->next) {
        if (strcmp(k->name, name) == 0) {
            *octets = malloc(k->len);
            *len = k->len;
            if (*octets) {
                memcpy(*octets, k->octets, k->len);
            }
            return *octets != NULL;
        }
    }
    return s->directory && get_from_disk(s, name, fd);
}
