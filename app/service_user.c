#include "app/service_user.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tftp/path.h"

#define GROUPS_MAX 256

/* -- another user's eyes --------------------------------------------------------------- */

struct rights {
    gid_t groups[GROUPS_MAX];
    int group_count;
};

static void give_back(const struct rights *own)
{
    (void)setfsuid(geteuid());
    (void)setfsgid(getegid());
    (void)setgroups((size_t)own->group_count, own->groups);
}

/* The kernel takes away what root may do to files as long as fsuid is another user. */
static bool take_on(const struct passwd *user, struct rights *own)
{
    own->group_count = getgroups(GROUPS_MAX, own->groups);
    if (own->group_count < 0 || setgroups(0, NULL) != 0) {
        return false;
    }
    (void)setfsgid(user->pw_gid);
    (void)setfsuid(user->pw_uid);
    if (setfsuid((uid_t)-1) == (int)user->pw_uid) { /* asks only */
        return true;
    }
    give_back(own);
    return false;
}

/* Whom privileges_drop() makes of root, or NULL. */
static const struct passwd *whom(const char *name)
{
    const struct passwd *user = name ? getpwnam(name) : NULL;
    user = user ? user : getpwnam("nobody");
    return user && user->pw_uid != 0 ? user : NULL;
}

/* 0, or what stands in the way of this one user: root got as far. */
static int try_open(int dir, const char *path, int more)
{
    int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more);
    if (fd < 0) {
        return errno == EACCES ? EACCES : 0;
    }
    (void)close(fd);
    return 0;
}

/* -- what is looked at ----------------------------------------------------------------- */

static void check_boot_file(struct configuration *c, const struct snapshot *s, int root,
                            const struct boot_file *b, const char *user)
{
    char file[TFTP_PATH_SIZE];
    char text[TFTP_PATH_SIZE + PATH_MAX];
    unsigned repairs;
    struct tftp_text name = {b->file, strlen(b->file)};
    if (b->state != BOOT_FILE_THERE ||
        tftp_path_clean(name, file, &repairs) != TFTP_PATH_OK ||
        try_open(root, file, 0) == 0) {
        return;
    }
    snprintf(text, sizeof text,
             "user \"%s\", whom pxed becomes, may not read \"%s\" beneath %s", user, file,
             s->tftp.root);
    boot_file_fault(s, b, FAULT_ERROR, &c->faults, text);
}

static void check_root(struct configuration *c, const struct snapshot *s,
                       const char *user)
{
    if (serves_files(s) && s->tftp.root &&
        try_open(AT_FDCWD, s->tftp.root, O_DIRECTORY) != 0) {
        faults_add(&c->faults, FAULT_WARNING, (int)s->tftp.root_line,
                   (int)s->tftp.root_column, "tftp.root",
                   "user \"%s\", whom pxed becomes, may not open %s: a reload will fail",
                   user, s->tftp.root);
    }
}

static void check_configuration(struct configuration *c, const char *user)
{
    for (size_t i = 0; i <= c->host_files.count; i++) {
        const char *path = i > 0 ? c->host_files.list[i - 1].name : c->path;
        if (try_open(AT_FDCWD, path, 0) != 0) {
            c->faults.file = (uint32_t)i;
            faults_add(&c->faults, FAULT_WARNING, 0, 0, "",
                       "user \"%s\", whom pxed becomes, may not read this file: a "
                       "reload will fail",
                       user);
        }
    }
    c->faults.file = 0;
}

void service_user_check(struct configuration *c)
{
    const struct snapshot *s = c->snapshot ? c->snapshot : c->draft;
    const struct passwd *user = s && geteuid() == 0 ? whom(s->user) : NULL;
    struct rights own;
    if (!user) {
        return;
    }
    AUTO(close)
    int root = s->tftp.root ? open(s->tftp.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (!take_on(user, &own)) {
        return;
    }
    check_configuration(c, user->pw_name);
    check_root(c, s, user->pw_name);
    for (size_t i = 0; root >= 0 && i < c->files.count; i++) {
        check_boot_file(c, s, root, &c->files.list[i], user->pw_name);
    }
    give_back(&own);
    faults_sort(&c->faults);
}
