#include "app/host_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/read_file.h"
#include "common/beneath.h"
#include "common/cleanup.h"
#include "config/locate.h"

/* -- one file -------------------------------------------------------------------------- */

/* Never waits for whoever is at the other end of a pipe. */
static int read_regular(int dir, const char *name, struct fault_source *out)
{
    struct stat st;
    char *text = NULL;
    AUTO(close) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0) {
        return -errno;
    }
    if (!S_ISREG(st.st_mode)) {
        return -EISDIR;
    }
    if (st.st_size > JSON_TEXT_MAX) {
        return -EFBIG;
    }
    int error =
        read_open_file(fd, (size_t)st.st_size + 1, JSON_TEXT_MAX, &text, &out->len);
    if (error != 0) {
        free(text);
        return error;
    }
    out->text = text;
    return 0;
}

/* -- the directory --------------------------------------------------------------------- */

struct names {
    char **list;
    size_t count;
    size_t room;
};

static void names_done(struct names *n)
{
    for (size_t i = 0; i < n->count; i++) {
        free(n->list[i]);
    }
    free((void *)n->list);
}

static bool add_name(struct names *n, const char *name)
{
    if (n->count == n->room) {
        size_t room = n->room ? 2 * n->room : 64;
        char **list = realloc((void *)n->list, room * sizeof *list);
        if (!list) {
            return false;
        }
        n->list = list;
        n->room = room;
    }
    n->list[n->count] = strdup(name);
    return n->list[n->count] && ++n->count;
}

static bool is_host_file(const char *name)
{
    size_t len = strlen(name);
    return name[0] != '.' && len > 5 && !strcmp(name + len - 5, ".json");
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int list_names(int dir, const struct host_change *change, struct names *out)
{
    DIR *d = names_of(dir < 0 ? -1 : fcntl(dir, F_DUPFD_CLOEXEC, 0));
    bool good = d || dir < 0;
    for (struct dirent *e = d ? readdir(d) : NULL; e && good; e = readdir(d)) {
        bool changed = change && !strcmp(change->name, e->d_name);
        good = changed || !is_host_file(e->d_name) || add_name(out, e->d_name);
    }
    if (d) {
        (void)closedir(d);
    }
    if (good && change && change->text) {
        good = add_name(out, change->name);
    }
    if (good && out->count > 1) {
        qsort((void *)out->list, out->count, sizeof *out->list, by_name);
    }
    return good ? 0 : -ENOMEM;
}

static int copy_text(const struct host_change *change, struct fault_source *out)
{
    char *text = malloc(change->len + 1);
    if (text) {
        memcpy(text, change->text, change->len);
        out->text = text;
        out->len = change->len;
    }
    return text ? 0 : -ENOMEM;
}

static int read_names(const char *path, int dir, const struct names *names,
                      const struct host_change *change, struct faults *faults,
                      struct host_file_list *out)
{
    out->list = calloc(names->count + 1, sizeof *out->list);
    if (!out->list) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < names->count; i++) {
        struct fault_source *file = &out->list[i];
        const char *name = names->list[i];
        char *full = NULL;
        if (asprintf(&full, "%s/%s", path, name) < 0) {
            return -ENOMEM;
        }
        file->name = full;
        out->count++;
        bool changed = change && !strcmp(change->name, name);
        int error = changed ? copy_text(change, file) : read_regular(dir, name, file);
        if (error == -ENOMEM) {
            return error;
        }
        if (error != 0) {
            faults->file = (uint32_t)i + 1;
            faults_add(faults, FAULT_ERROR, 0, 0, "", "cannot be read: %s",
                       error == -EISDIR ? "it is no file" : strerror(-error));
        }
    }
    return 0;
}

int host_files_read(const char *dir, const struct host_change *change,
                    struct faults *faults, struct host_file_list *out)
{
    struct names names = {0};
    *out = (struct host_file_list){0};
    AUTO(close) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && !(errno == ENOENT && change && change->text)) {
        return -errno;
    }
    int error = list_names(fd, change, &names);
    if (error == 0) {
        error = read_names(dir, fd, &names, change, faults, out);
    }
    faults->file = 0;
    faults->sources = out->list;
    names_done(&names);
    return error;
}

void host_files_done(struct host_file_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free((char *)l->list[i].name);
        free((char *)l->list[i].text);
    }
    free(l->list);
    *l = (struct host_file_list){0};
}
