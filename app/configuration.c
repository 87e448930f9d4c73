#include "app/configuration.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "app/read_file.h"
#include "app/templates.h"
#include "common/cleanup.h"
#include "config/comments.h"
#include "config/load.h"
#include "config/locate.h"

static void resolve_root(const char *path, struct tftp_conf *tftp)
{
    char *root = tftp->root ? path_beside(path, tftp->root) : NULL;
    if (root) {
        free(tftp->root);
        tftp->root = root;
    }
}

int configuration_read(const char *path, enum fault_severity missing_files,
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
        resolve_root(path, &s->tftp);
        templates_load(s, path, &out->faults);
        error = boot_files_check(s, missing_files, &out->faults, &out->files);
        faults_sort(&out->faults);
    }
    if (out->faults.errors > 0) {
        out->draft = s;
    } else {
        out->snapshot = s;
    }
    return error;
}

void configuration_done(struct configuration *c)
{
    free(c->files.list);
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
