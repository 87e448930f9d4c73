#include "app/configuration.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "config/comments.h"
#include "config/load.h"
#include "config/locate.h"

/* Read to the end, whatever kind of file it is (a pipe has no size beforehand). */
static int read_all(int fd, char **text, size_t *len)
{
    size_t room = 65536;
    *text = malloc(room);
    *len = 0;
    while (*text) {
        ssize_t n = read(fd, *text + *len, room - *len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? -errno : 0;
        }
        *len += (size_t)n;
        if (*len > JSON_TEXT_MAX) {
            return -EFBIG;
        }
        if (*len == room) {
            char *more = realloc(*text, 2 * room);
            if (!more) {
                return -ENOMEM;
            }
            *text = more;
            room *= 2;
        }
    }
    return -ENOMEM;
}

static int read_file(const char *path, char **text, size_t *len)
{
    AUTO(close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : read_all(fd, text, len);
}

/* dir/root, dir being where the configuration file is; links to the file are followed. */
static char *absolute_root(const char *path, const char *root)
{
    char file[PATH_MAX];
    char *out = NULL;

    if (!realpath(path, file)) {
        return NULL;
    }
    const char *slash = strrchr(file, '/');
    int dir = slash ? (int)(slash - file) : 0;
    return asprintf(&out, "%.*s/%s", dir, file, root) < 0 ? NULL : out;
}

static void resolve_root(const char *path, struct tftp_conf *tftp)
{
    if (!tftp->root || tftp->root[0] == '/') {
        return;
    }
    char *root = absolute_root(path, tftp->root);
    if (root) {
        free(tftp->root);
        tftp->root = root;
    }
}

int configuration_read(const char *path, enum fault_severity missing_files,
                       struct configuration *out)
{
    *out = (struct configuration){.path = strdup(path)};
    int error = out->path ? read_file(path, &out->text, &out->len) : -ENOMEM;
    if (error != 0) {
        return error;
    }
    struct snapshot *s = config_read(out->text, out->len, &out->faults);
    if (s) {
        resolve_root(path, &s->tftp);
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
    if (read_file(path, &text, &len) == 0) {
        (void)comments_blank(text, len, &at);
        root = json_loadb(text, len, 0, NULL);
    }
    const char *said = json_string_value(json_object_get(root, "control"));
    if (said && strcmp(said, "off") == 0) {
        return NULL;
    }
    return strdup(said ? said : CONFIG_CONTROL_DEFAULT);
}
