#include "app/confinement.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/json.h"
#include "app/landlock.h"
#include "app/read_file.h"
#include "app/syscall_filter.h"
#include "common/cleanup.h"
#include "common/log.h"

/* -- which files -------------------------------------------------------------------------- */

/* Besides what the configuration names. */
static const char *const system_files[] = {
    "/dev/urandom",                   /* SQLite's seed */
    "/sys/devices/system/cpu/online", /* malloc, for a further thread */
    "/proc/sys/vm/overcommit_memory", /* malloc, giving memory back */
};
#define SYSTEM_FILES (sizeof system_files / sizeof system_files[0])

#define OTHERS 16 /* places of one configuration beside those of its templates */

struct places {
    struct landlock_place *list; /* their paths are ours to free */
    size_t count;
    size_t room;
};

static void add(struct places *p, const char *path, bool writes)
{
    char *copy = path && p->count < p->room ? strdup(path) : NULL;
    if (copy) {
        p->list[p->count++] = (struct landlock_place){copy, writes};
    }
}

/* The directory that holds it; of what lies in / only itself. */
static void add_around(struct places *p, const char *path, bool writes)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    const char *directory = dirname(copy);
    add(p, strcmp(directory, "/") == 0 ? path : directory, writes);
}

/* A file that is replaced, and may be a link to one elsewhere. */
static void add_file(struct places *p, const char *path)
{
    char real[PATH_MAX];
    add_around(p, path, false);
    if (realpath(path, real)) {
        add_around(p, real, false);
    }
}

static void add_directory(struct places *p, const char *path)
{
    struct stat st;
    add(p, path, false);
    if (path && lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
        add_around(p, path, false);
    }
}

static void add_templates(struct places *p, const struct configuration *config)
{
    const struct snapshot *s = config->snapshot;
    for (size_t i = 0; i < s->file_count; i++) {
        AUTO(free)
        char *path =
            s->files[i].template ? path_beside(config->path, s->files[i].template) : NULL;
        if (path) {
            add_file(p, path);
        }
    }
}

static void add_all(struct places *p, const struct configuration *config)
{
    const struct snapshot *s = config->snapshot;
    for (size_t i = 0; i < SYSTEM_FILES; i++) {
        add(p, system_files[i], false);
    }
    add_file(p, config->path);
    add_directory(p, s->host_files);
    add_directory(p, s->tftp.root);
    add(p, s->state_dir, true);
    if (s->control) {
        add_around(p, s->control, true);
    }
    add_templates(p, config);
}

static int confine_files(const struct configuration *config)
{
    struct places p = {.room = OTHERS + 2 * config->snapshot->file_count};
    p.list = calloc(p.room, sizeof *p.list);
    if (!p.list) {
        return -ENOMEM;
    }
    add_all(&p, config);
    int abi = landlock_confine(p.list, p.count);
    for (size_t i = 0; i < p.count; i++) {
        free((char *)p.list[i].path);
    }
    free(p.list);
    return abi;
}

/* -- the whole ---------------------------------------------------------------------------- */

/* A sanitizer's run-time reads and calls what it likes, the more so when it has found something. */
static bool is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

static const char *explain(const struct confinement *c, int error)
{
    if (!c->wanted) {
        return "\"confinement\" is \"off\"";
    }
    if (is_sanitized()) {
        return "this pxed is built with a sanitizer";
    }
    return error == -ENOSYS       ? "this kernel has none"
           : error == -EOPNOTSUPP ? "it is switched off in this kernel"
                                  : strerror(-error);
}

static void announce(const struct confinement *c)
{
    if (c->landlock >= 1) {
        log_say(LOG_INFO, "confined: files by Landlock, ABI %d", c->landlock);
    } else {
        log_say(LOG_INFO, "files are not confined by Landlock: %s",
                explain(c, c->landlock));
    }
    if (c->seccomp == 0) {
        log_say(LOG_INFO, "confined: system calls by seccomp");
    } else {
        log_say(LOG_INFO, "system calls are not filtered by seccomp: %s",
                explain(c, c->seccomp));
    }
}

/* Told later, when /etc/passwd is out of reach. */
static void note_user(struct confinement *c)
{
    const struct passwd *user = getpwuid(geteuid());
    if (user) {
        snprintf(c->user, sizeof c->user, "%s", user->pw_name);
    } else {
        snprintf(c->user, sizeof c->user, "%u", (unsigned)geteuid());
    }
}

void confinement_begin(struct confinement *c, const struct configuration *config)
{
    *c = (struct confinement){
        .wanted = config->snapshot->confined, .landlock = -EPERM, .seccomp = -EPERM};
    note_user(c);
    if (c->wanted && !is_sanitized()) {
        tzset(); /* the log's times, while its file can be read */
        c->landlock = confine_files(config);
        c->seccomp = syscall_filter_load(); /* the last: it refuses Landlock's calls */
    }
    announce(c);
}

/* -- told --------------------------------------------------------------------------------- */

/* "none", or as libcap writes them: "cap_net_raw=p". */
static json_t *capabilities_json(void)
{
    cap_t caps = cap_get_proc();
    char *text = caps ? cap_to_text(caps, NULL) : NULL;
    json_t *o = !text ? json_null() : json_string(strlen(text) > 1 ? text : "none");
    (void)cap_free(text);
    (void)cap_free(caps);
    return o;
}

json_t *confinement_json(const struct confinement *c)
{
    json_t *o = json_pack("{s:o, s:o, s:b}", "user", json_text(c->user), "capabilities",
                          capabilities_json(), "no_new_privs",
                          prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    (void)json_object_set_new(o, "landlock", json_boolean(c->landlock >= 1));
    if (c->landlock >= 1) {
        (void)json_object_set_new(o, "landlock_abi", json_integer(c->landlock));
    } else {
        (void)json_object_set_new(o, "landlock_why", json_text(explain(c, c->landlock)));
    }
    (void)json_object_set_new(o, "seccomp", json_boolean(c->seccomp == 0));
    if (c->seccomp != 0) {
        (void)json_object_set_new(o, "seccomp_why", json_text(explain(c, c->seccomp)));
    }
    return o;
}
