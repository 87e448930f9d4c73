#include "app/service_user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/eyes.h"
#include "common/cleanup.h"
#include "tftp/path.h"

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
    struct eyes theirs;
    if (!s) {
        return;
    }
    AUTO(close)
    int root = s->tftp.root ? open(s->tftp.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (!eyes_take(&theirs, s->user)) {
        return;
    }
    check_configuration(c, theirs.user);
    check_root(c, s, theirs.user);
    for (size_t i = 0; root >= 0 && i < c->files.count; i++) {
        check_boot_file(c, s, root, &c->files.list[i], theirs.user);
    }
    eyes_back(&theirs);
    faults_sort(&c->faults);
}
