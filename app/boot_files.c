#include "app/boot_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "app/read_file.h"
#include "app/virtual.h"
#include "common/beneath.h"
#include "common/cleanup.h"
#include "common/text.h"
#include "config/hosts.h"
#include "tftp/path.h"

#define LISTED_MAX 20000 /* directory entries looked at for a similar name */

/* One run over all profiles and hosts. */
struct check {
    const struct snapshot *s;
    enum fault_severity severity;
    struct faults *faults;
    int root; /* descriptor */
};

/* -- complaints ------------------------------------------------------------------------ */

/* "profiles.rescue", "hosts[3]", and in a host file "[3]" or nothing. */
static void print_owner(const struct snapshot *s, const struct boot_file *b, char *buf,
                        size_t size)
{
    if (!b->host) {
        snprintf(buf, size, "profiles.%s.", s->profiles[b->profile].name);
    } else if (b->host->own->index == OF_HOST_ALONE) {
        buf[0] = '\0';
    } else {
        snprintf(buf, size, "%s[%u].", b->host->file == 0 ? "hosts" : "",
                 (unsigned)b->host->own->index);
    }
}

void boot_file_fault(const struct snapshot *s, const struct boot_file *b,
                     enum fault_severity severity, struct faults *faults,
                     const char *text)
{
    char owner[80];
    char path[128];
    print_owner(s, b, owner, sizeof owner);
    if (b->item) {
        const struct menu *menu =
            b->host ? b->host->own->menu : s->profiles[b->profile].menu;
        snprintf(path, sizeof path, "%smenu.items[%td].file", owner,
                 b->item - menu->item);
    } else {
        snprintf(path, sizeof path, "%s%s", owner, slot_name(b->slot));
    }
    faults->file = b->host ? b->host->file : 0;
    faults_add(faults, severity, (int)b->line, (int)b->column, path, "%s", text);
    faults->file = 0;
}

__attribute__((format(printf, 3, 4))) static void
object(const struct check *c, const struct boot_file *b, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    boot_file_fault(c->s, b, c->severity, c->faults, text);
}

/* A name in the same directory that was probably meant; false: none. */
static bool similar_name(int root, const char *path, char out[NAME_MAX + 1])
{
    char dir[TFTP_PATH_SIZE] = ".";
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    unsigned best = 3;

    if (slash) {
        snprintf(dir, sizeof dir, "%.*s", (int)(slash - path), path);
    }
    DIR *d = names_of(open_beneath(root, dir, O_RDONLY | O_DIRECTORY));
    if (!d) {
        return false;
    }
    unsigned seen = 0;
    for (struct dirent *e = readdir(d); e && seen < LISTED_MAX; e = readdir(d), seen++) {
        unsigned far = strcasecmp(e->d_name, name) ? text_distance(e->d_name, name) : 0;
        if (e->d_name[0] != '.' && far < best) {
            best = far;
            snprintf(out, NAME_MAX + 1, "%s", e->d_name);
        }
    }
    (void)closedir(d);
    return best < 3;
}

void boot_file_missing(int root, const char *root_name, const char *path, int error,
                       char *buf, size_t size)
{
    char name[NAME_MAX + 1];
    if (error == EXDEV || error == ELOOP) {
        snprintf(buf, size,
                 "\"%s\" leads out of %s by a symbolic link; clients will not get it",
                 path, root_name);
    } else if (error == ENOENT && similar_name(root, path, name)) {
        snprintf(buf, size, "\"%s\" does not exist beneath %s; did you mean \"%s\"?",
                 path, root_name, name);
    } else if (error == ENOENT || error == ENOTDIR) {
        snprintf(buf, size, "\"%s\" does not exist beneath %s", path, root_name);
    } else if (error == EISDIR) {
        snprintf(buf, size, "\"%s\" is a directory or something special, not a file",
                 path);
    } else {
        snprintf(buf, size, "\"%s\" beneath %s cannot be read: %s", path, root_name,
                 strerror(error));
    }
}

static void object_missing(const struct check *c, const struct boot_file *b,
                           const char *path, int error)
{
    char text[256];
    boot_file_missing(c->root, c->s->tftp.root, path, error, text, sizeof text);
    object(c, b, "%s", text);
}

/* -- one file -------------------------------------------------------------------------- */

/* The beginning of a file; fewer octets at its end or at an error. */
static size_t read_head(int fd, uint8_t *head, size_t size)
{
    size_t len = 0;
    while (len < size) {
        ssize_t n = pread(fd, head + len, size - len, (off_t)len);
        if (n <= 0) {
            break;
        }
        len += (size_t)n;
    }
    return len;
}

int boot_file_look(int root, const char *path, struct bootfile *out)
{
    uint8_t head[BOOTFILE_HEAD];
    struct stat st;
    int error = 0;
    int fd = open_beneath(root, path, O_RDONLY);
    if (fd < 0) {
        return fd;
    }
    if (fstat(fd, &st) != 0) {
        error = -errno;
    } else if (!S_ISREG(st.st_mode)) {
        error = -EISDIR;
    } else {
        *out =
            bootfile_look(head, read_head(fd, head, sizeof head), (uint64_t)st.st_size);
    }
    (void)close(fd);
    return error;
}

void *boot_file_part(int root, const char *path, uint64_t at, size_t len)
{
    AUTO(close) int fd = open_beneath(root, path, O_RDONLY);
    uint8_t *part = fd < 0 ? NULL : malloc(len);
    size_t got = 0;
    while (part && got < len) {
        ssize_t n = pread(fd, part + got, len - got, (off_t)(at + got));
        if (n <= 0) {
            free(part);
            return NULL;
        }
        got += (size_t)n;
    }
    return part;
}

static void look_into(const struct check *c, struct boot_file *b, int fd, uint64_t size)
{
    uint8_t head[BOOTFILE_HEAD];
    char why[128] = "";
    b->state = BOOT_FILE_THERE;
    b->what = bootfile_look(head, read_head(fd, head, sizeof head), size);
    b->fits = b->slot == ARCH_ANY || bootfile_fits(&b->what, b->slot, why, sizeof why);
    if (!b->fits) {
        object(c, b, "\"%s\" %s", b->file, why);
    }
}

static bool is_elsewhere(const struct check *c, const struct boot_file *b)
{
    const struct profile *p = &c->s->profiles[b->profile];
    bool http = b->slot < ARCH_COUNT && arch_is_http(b->slot);
    return !serves_files(c->s) || strstr(b->file, "://") ||
           (!http && !ip4_is_any(plan_answer(p, b->host).next_server)) ||
           (b->item && !ip4_is_any(b->item->next_server)) ||
           (b->slot == SLOT_IPXE && strstr(b->file, "${")); /* iPXE fills that in */
}

static void check_file(const struct check *c, struct boot_file *b)
{
    char path[TFTP_PATH_SIZE];
    unsigned repairs = 0;
    struct stat st;

    if (is_elsewhere(c, b)) {
        b->state = BOOT_FILE_ELSEWHERE;
        return;
    }
    b->state = BOOT_FILE_MISSING;
    if (c->root < 0) {
        return; /* the root was complained of */
    }
    struct tftp_text name = {b->file, strlen(b->file)};
    if (tftp_path_clean(name, path, &repairs) != TFTP_PATH_OK) {
        object(c, b, "\"%s\" is no name that a client could ask for", b->file);
        return;
    }
    const char *real = NULL;
    if (virtual_has(c->s, path, &real)) {
        if (!real) {
            b->state = BOOT_FILE_VIRTUAL;
            return;
        }
        snprintf(path, sizeof path, "%s", real);
    }
    int fd = open_beneath(c->root, path, O_RDONLY);
    if (fd < 0) {
        object_missing(c, b, path, -fd);
        return;
    }
    if (fstat(fd, &st) != 0) {
        object_missing(c, b, path, errno);
    } else if (!S_ISREG(st.st_mode)) {
        object(c, b, "\"%s\" is %s, not a file", path,
               S_ISDIR(st.st_mode) ? "a directory" : "something special");
    } else {
        look_into(c, b, fd, (uint64_t)st.st_size);
    }
    (void)close(fd);
}

/* -- all files ------------------------------------------------------------------------- */

static bool is_own(const struct snapshot *s, size_t profile, unsigned slot)
{
    const struct boot_entry *entry = &s->profiles[profile].boot[slot];
    return entry->file && entry->profile == profile;
}

/* The menu that stands in this profile itself, or NULL. */
static const struct menu *own_menu(const struct snapshot *s, size_t profile)
{
    const struct menu *menu = s->profiles[profile].menu;
    return menu && menu->profile == profile ? menu : NULL;
}

static size_t count_menu(const struct menu *menu)
{
    size_t count = 0;
    for (size_t item = 0; menu && item < menu->item_count; item++) {
        count += menu->item[item].file_count;
    }
    return count;
}

/* NULL: it says nothing over its profile, or it has none, as in a faulty draft. */
static const struct host_own *own_words(const struct snapshot *s, size_t host)
{
    const struct host *h = hosts_at(s->hosts, host);
    return h->profile < s->profile_count ? h->own : NULL;
}

static size_t count_own(const struct snapshot *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->profile_count; i++) {
        count += count_menu(own_menu(s, i));
        for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
            count += is_own(s, i, slot);
        }
    }
    for (size_t i = 0; i < hosts_count(s->hosts); i++) {
        const struct host_own *own = own_words(s, i);
        count += own ? own->boot_count + count_menu(own->menu) : 0;
    }
    return count;
}

static int open_root(const struct snapshot *s, struct faults *faults)
{
    if (!serves_files(s) || !s->tftp.root) {
        return -1;
    }
    int root = open(s->tftp.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) {
        faults_add(faults, FAULT_ERROR, (int)s->tftp.root_line, (int)s->tftp.root_column,
                   "tftp.root", "the directory %s cannot be opened: %s", s->tftp.root,
                   read_fault(s->tftp.root, -errno));
    }
    return root;
}

/* `at` says whose it is. */
static void check_menu(const struct check *c, const struct boot_file *at,
                       const struct menu *menu, struct boot_file_list *out)
{
    for (size_t i = 0; menu && i < menu->item_count; i++) {
        const struct menu_item *item = &menu->item[i];
        for (size_t f = 0; f < item->file_count; f++) {
            struct boot_file *b = &out->list[out->count++];
            *b = *at;
            b->slot = item->files[f].arch;
            b->item = item;
            b->file = item->files[f].file;
            b->line = item->files[f].line;
            b->column = item->files[f].column;
            check_file(c, b);
        }
    }
}

static void check_entry(const struct check *c, const struct boot_file *at,
                        const struct boot_entry *entry, struct boot_file_list *out)
{
    struct boot_file *b = &out->list[out->count++];
    *b = *at;
    b->slot = entry->slot;
    b->file = entry->file;
    b->line = entry->line;
    b->column = entry->column;
    check_file(c, b);
}

static void check_profile(const struct check *c, size_t profile,
                          struct boot_file_list *out)
{
    const struct boot_file at = {.profile = (uint16_t)profile};
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        if (is_own(c->s, profile, slot)) {
            check_entry(c, &at, &c->s->profiles[profile].boot[slot], out);
        }
    }
    check_menu(c, &at, own_menu(c->s, profile), out);
}

static void check_host(const struct check *c, const struct host *host,
                       struct boot_file_list *out)
{
    const struct boot_file at = {.profile = host->profile, .host = host};
    for (uint16_t i = 0; i < host->own->boot_count; i++) {
        check_entry(c, &at, &host->own->boot[i], out);
    }
    check_menu(c, &at, host->own->menu, out);
}

int boot_files_check(const struct snapshot *s, enum fault_severity severity,
                     struct faults *faults, struct boot_file_list *out)
{
    *out = (struct boot_file_list){0};
    AUTO(close) int root = open_root(s, faults);
    struct check c = {s, severity, faults, root};

    out->list = calloc(count_own(s) + 1, sizeof *out->list);
    if (!out->list) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < s->profile_count; i++) {
        check_profile(&c, i, out);
    }
    for (size_t i = 0; i < hosts_count(s->hosts); i++) {
        if (own_words(s, i)) {
            check_host(&c, hosts_at(s->hosts, i), out);
        }
    }
    return 0;
}

/* The better, the higher. */
static unsigned fitness(const struct boot_file *b, uint16_t arch, const struct host *host)
{
    bool whose = b->host == host;
    return 1 + 2 * whose + (b->slot == arch);
}

const struct boot_file *boot_files_find(const struct boot_file_list *files,
                                        const char *file, uint16_t arch,
                                        const struct host *host)
{
    const struct boot_file *found = NULL;
    for (size_t i = 0; i < files->count; i++) {
        const struct boot_file *b = &files->list[i];
        if (!strcmp(b->file, file) &&
            (!found || fitness(b, arch, host) > fitness(found, arch, host))) {
            found = b;
        }
    }
    return found;
}
