#include "app/configuration.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "app/grub.h"
#include "app/read_file.h"
#include "app/shim.h"
#include "app/system_files.h"
#include "app/templates.h"
#include "common/cleanup.h"
#include "config/comments.h"
#include "config/load.h"
#include "config/locate.h"

/* Names in a file are beside it, wherever the process stands; a pipe has no place.  0 or -ENOMEM. */
static int make_absolute(const char *path, char **name)
{
    char *full = *name ? path_beside(path, *name) : NULL;
    if (full) {
        free(*name);
        *name = full;
        return 0;
    }
    return *name && errno == ENOMEM ? -ENOMEM : 0;
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
                   read_fault(s->host_files, error));
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
        out->path ? read_file(path, JSON_TEXT_MAX, &out->text, &out->len) : -ENOMEM;
    if (error != 0) {
        return error;
    }
    struct snapshot *s = config_read(out->text, out->len, &out->faults);
    if (s) {
        error = make_absolute(path, &s->tftp.root);
        error = error == 0 ? make_absolute(path, &s->host_files) : error;
        templates_load(s, path, &out->faults);
        error = error == 0 ? read_host_files(out, s, change) : error;
        if (error == 0) {
            error = boot_files_check(s, missing_files, &out->faults, &out->files);
        }
        system_files_check(s, missing_files, &out->faults);
        shim_check(s, &out->files, &out->faults);
        grub_check(s, &out->files, &out->faults);
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

char *configuration_control(const char *path)
{
    AUTO(free) char *text = NULL;
    size_t len = 0;
    size_t at;
    json_auto_t *root = NULL;
    if (read_file(path, JSON_TEXT_MAX, &text, &len) == 0) {
        (void)comments_blank(text, len, &at);
        root = json_loadb(text, len, 0, NULL);
    }
    const char *said = json_string_value(json_object_get(root, "control"));
    if (said && strcmp(said, "off") == 0) {
        return NULL;
    }
    return strdup(said ? said : CONFIG_CONTROL_DEFAULT);
}
