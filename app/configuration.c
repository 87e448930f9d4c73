#include "app/configuration.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "app/shim.h"
#include "config/load.h"

/* dir/name, dir being where the configuration file is; links to the file are followed. */
static char *beside(const char *path, const char *name)
{
    char file[PATH_MAX];
    char *out = NULL;

    if (!realpath(path, file)) {
        return NULL;
    }
    const char *slash = strrchr(file, '/');
    int dir = slash ? (int)(slash - file) : 0;
    return asprintf(&out, "%.*s/%s", dir, file, name) < 0 ? NULL : out;
}

static void make_absolute(const char *path, char **name)
{
    char *full = *name && **name != '/' ? beside(path, *name) : NULL;
    if (full) {
        free(*name);
        *name = full;
    }
}

static int read_host_files(struct configuration *c, struct snapshot *s,
                           const struct host_change *change)
{
    if (!s->host_files) {
        return 0;
    }
    int error = host_files_read(s->host_files, change, &c->faults, &c->host_files);
    if (error == -ENOMEM) {
        return error;
    }
    if (error != 0) {
        faults_add(&c->faults, FAULT_ERROR, (int)s->host_files_line,
                   (int)s->host_files_column, "host_files",
                   "the directory %s cannot be opened: %s", s->host_files,
                   strerror(-error));
        return 0;
    }
    config_read_hosts(s, c->host_files.list, c->host_files.count, &c->faults);
    return 0;
}

int configuration_read_changed(const char *path, const struct host_change *change,
                               enum fault_severity missing_files,
                               struct configuration *out)
{
    *out = (struct configuration){.path = strdup(path)};
    int error =
        out->path ? read_whole_file(AT_FDCWD, path, &out->text, &out->len) : -ENOMEM;
    if (error != 0) {
        return error;
    }
    struct snapshot *s = config_read(out->text, out->len, &out->faults);
    if (s) {
        make_absolute(path, &s->tftp.root);
        make_absolute(path, &s->host_files);
        error = read_host_files(out, s, change);
        if (error == 0) {
            error = boot_files_check(s, missing_files, &out->faults, &out->files);
        }
        shim_check(s, &out->files, &out->faults);
        faults_sort(&out->faults);
    }
    if (out->faults.errors > 0) {
        out->draft = s;
    } else {
        out->snapshot = s;
    }
    return error;
}

int configuration_read(const char *path, enum fault_severity missing_files,
                       struct configuration *out)
{
    return configuration_read_changed(path, NULL, missing_files, out);
}

const char *configuration_file(const struct configuration *c, uint32_t file)
{
    return file > 0 ? c->host_files.list[file - 1].name : c->path;
}

void configuration_done(struct configuration *c)
{
    free(c->files.list);
    host_files_done(&c->host_files);
    faults_done(&c->faults);
    snapshot_free(c->snapshot);
    snapshot_free(c->draft);
    free(c->text);
    free(c->path);
    *c = (struct configuration){0};
}
