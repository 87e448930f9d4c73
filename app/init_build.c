#include "app/init_build.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/read_file.h"
#include "common/cleanup.h"

#define PART_MAX    ((size_t)256 << 20) /* octets of a file */
#define ARGUMENTS   64
#define DISK_SECTOR 512
#define DISK_SPARE  ((off_t)1 << 20) /* beside the files: the file system itself */

/* -- what there is ------------------------------------------------------------------------ */

/* dir/name and what is to follow; false: too long. */
static bool join(char path[PATH_MAX], const char *dir, const char *name, const char *end)
{
    return snprintf(path, PATH_MAX, "%s/%s%s", dir, name, end) < PATH_MAX;
}

/* Where a file of the packages is, or false. */
static bool locate(const struct init_build *b, const char *source, char path[PATH_MAX])
{
    for (size_t i = 0; i < b->from_count; i++) {
        if (join(path, b->from[i], source, "") && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

bool init_has_program(const char *name)
{
    char path[PATH_MAX];
    const char *folders = getenv("PATH");
    for (const char *at = folders; at && *at;) {
        size_t len = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)len, at, name);
        if (access(path, X_OK) == 0) {
            return true;
        }
        at += len + (at[len] == ':');
    }
    return false;
}

static bool is_there(const struct init_build *b, const struct init_part *part,
                     const bool there[])
{
    char path[PATH_MAX];
    const char *program = init_program(part->kind);
    for (size_t i = 0; i < 2; i++) {
        if (part->needs[i] && !there[init_part_of(part->needs[i])]) {
            return false;
        }
    }
    return (!part->source || locate(b, part->source, path)) &&
           (!program || init_has_program(program));
}

void init_find(const struct init_build *b, bool there[])
{
    for (size_t i = 0; i < init_part_count; i++) {
        there[i] = is_there(b, &init_parts[i], there);
    }
}

/* -- files -------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static bool fail(struct init_build *b,
                                                       const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(b->why, sizeof b->why, fmt, ap);
    va_end(ap);
    return false;
}

/* `into`/name; the directories above it are made. */
static bool place_for(struct init_build *b, const char *name, char path[PATH_MAX])
{
    if (!join(path, b->into, name, "")) {
        return fail(b, "%s: %s", name, strerror(ENAMETOOLONG));
    }
    for (char *at = path + strlen(b->into) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        bool made = mkdir(path, 0755) == 0 || errno == EEXIST;
        if (!made) {
            return fail(b, "%s cannot be made: %s", path, strerror(errno));
        }
        *at = '/';
    }
    return true;
}

bool init_write(struct init_build *b, const char *name, const char *text, size_t len)
{
    char path[PATH_MAX];
    if (!place_for(b, name, path)) {
        return false;
    }
    FILE *f = fopen(path, "we");
    bool good = f && fwrite(text, 1, len, f) == len;
    good = f && fclose(f) == 0 && good;
    return good || fail(b, "%s cannot be written: %s", path, strerror(errno));
}

static bool copy_file(struct init_build *b, const char *source, const char *target)
{
    AUTO(free) char *octets = NULL;
    size_t len = 0;
    int error = read_file(source, PART_MAX, &octets, &len);
    if (error != 0) {
        return fail(b, "%s cannot be read: %s", source, strerror(-error));
    }
    return init_write(b, target, octets, len);
}

static bool is_module(const char *name)
{
    size_t len = strlen(name);
    return len > 4 &&
           (!strcmp(name + len - 4, ".mod") || !strcmp(name + len - 4, ".lst"));
}

static bool copy_modules(struct init_build *b, const char *dir, const char *target)
{
    char from[PATH_MAX];
    char to[PATH_MAX];
    bool good = true;
    DIR *d = opendir(dir);
    if (!d) {
        return fail(b, "%s cannot be read: %s", dir, strerror(errno));
    }
    for (struct dirent *e = readdir(d); e && good; e = readdir(d)) {
        if (is_module(e->d_name)) {
            good = join(from, dir, e->d_name, "") && join(to, target, e->d_name, "") &&
                   copy_file(b, from, to);
        }
    }
    (void)closedir(d);
    return good;
}

/* -- programs ----------------------------------------------------------------------------- */

/* What a program that failed said first. */
static bool fail_program(struct init_build *b, const char *name, const char *log)
{
    AUTO(free) char *text = NULL;
    size_t len = 0;
    const char *said = "";
    if (read_file(log, PART_MAX, &text, &len) == 0 && text) {
        char *line = memchr(text, '\n', len);
        if (line) {
            *line = '\0';
            said = text;
        }
    }
    return fail(b, "%s failed%s%.300s", name, *said ? ": " : "", said);
}

static bool start(const char *const argv[], const char *log, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    int flags = O_WRONLY | O_CREAT | O_TRUNC;
    bool good =
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
        posix_spawn_file_actions_addopen(&actions, 1, log, flags, 0600) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 &&
        posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)argv, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    return good;
}

static bool run(struct init_build *b, const char *const argv[])
{
    char log[PATH_MAX];
    pid_t pid;
    int status = 0;
    if (!place_for(b, ".log", log)) {
        return false;
    }
    if (!start(argv, log, &pid)) {
        return fail(b, "%s cannot be started", argv[0]);
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return fail(b, "%s: %s", argv[0], strerror(errno));
        }
    }
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    good = good || fail_program(b, argv[0], log);
    (void)unlink(log);
    return good;
}

/* -- images ------------------------------------------------------------------------------- */

static bool make_grub(struct init_build *b, const struct init_part *part, const char *dir)
{
    char out[PATH_MAX];
    char module[PATH_MAX];
    char prefix[64];
    char address[IP4_TEXT];
    const char *argv[ARGUMENTS] = {"grub-mkimage", "-O",   part->format, "-d", dir,
                                   "-p",           prefix, "-o",         out};
    size_t argc = 9;

    if (!place_for(b, part->target, out)) {
        return false;
    }
    snprintf(prefix, sizeof prefix, "(tftp,%s)/grub",
             ip4_print(b->terms->address, address));
    for (const char *const *name = init_grub_modules; *name; name++) {
        if (argc < ARGUMENTS - 1 && join(module, dir, *name, ".mod") &&
            access(module, R_OK) == 0) {
            argv[argc++] = *name;
        }
    }
    return run(b, argv);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Sectors for these files, or 0. */
static unsigned long disk_size(const char *const files[], size_t count)
{
    off_t octets = DISK_SPARE;
    for (size_t i = 0; i < count; i++) {
        struct stat st;
        if (stat(files[i], &st) != 0) {
            return 0;
        }
        octets += st.st_size;
    }
    return (unsigned long)(octets / DISK_SECTOR);
}

/* The name by which firmware finds what to start: "shimx64.efi" becomes "BOOTX64.EFI". */
static void loader_name(const char *shim, char *out, size_t size)
{
    snprintf(out, size, "::/EFI/BOOT/BOOT%s", name_of(shim) + strlen("shim"));
    for (char *at = out; *at; at++) {
        *at = (char)toupper((unsigned char)*at);
    }
}

/*
 * A FAT file system without partitions.  GRUB's prefix is /grub, on the device that it was
 * loaded from.
 */
static bool fill_disk(struct init_build *b, const char *image, const char *const files[3],
                      const struct init_part *part)
{
    char sectors[32];
    char shim[64];
    char grub[64];
    snprintf(sectors, sizeof sectors, "%lu", disk_size(files, 3));
    loader_name(part->needs[0], shim, sizeof shim);
    snprintf(grub, sizeof grub, "::/EFI/BOOT/%s", name_of(part->needs[1]));

    const char *const format[] = {"mformat", "-C",       "-i", image, "-T",
                                  sectors,   "-h",       "16", "-s",  "63",
                                  "-N",      "50584544", "::", NULL};
    const char *const folders[] = {"mmd",         "-i",      image, "::/EFI",
                                   "::/EFI/BOOT", "::/grub", NULL};
    const char *const copy_shim[] = {"mcopy", "-i", image, files[0], shim, NULL};
    const char *const copy_grub[] = {"mcopy", "-i", image, files[1], grub, NULL};
    const char *const copy_menu[] = {"mcopy", "-i", image, files[2], "::/grub/grub.cfg",
                                     NULL};
    return run(b, format) && run(b, folders) && run(b, copy_shim) && run(b, copy_grub) &&
           run(b, copy_menu);
}

static bool make_disk(struct init_build *b, const struct init_part *part)
{
    char image[PATH_MAX];
    char shim[PATH_MAX];
    char grub[PATH_MAX];
    char menu[PATH_MAX];
    char octets[INIT_TEXT_SIZE] = "";
    struct text text = {octets, sizeof octets, 0};

    /* The same parts are to make the same image: mtools takes the time of files from here. */
    (void)setenv("SOURCE_DATE_EPOCH", "1704067200", 1);
    (void)setenv("MTOOLS_SKIP_CHECK", "1", 1);
    init_disk_menu(&text, b->terms);
    if (!init_write(b, ".menu", octets, text.used) ||
        !place_for(b, part->target, image) || !place_for(b, part->needs[0], shim) ||
        !place_for(b, part->needs[1], grub) || !place_for(b, ".menu", menu)) {
        return false;
    }
    const char *const files[3] = {shim, grub, menu};
    bool good = fill_disk(b, image, files, part);
    (void)unlink(menu);
    return good;
}

static bool make_menu(struct init_build *b, const char *target)
{
    char octets[INIT_TEXT_SIZE] = "";
    struct text text = {octets, sizeof octets, 0};
    init_menu(&text, target, b->terms);
    return init_write(b, target, octets, text.used);
}

bool init_make(struct init_build *b, const struct init_part *part)
{
    char source[PATH_MAX];
    if (part->source && !locate(b, part->source, source)) {
        return fail(b, "%s has gone", part->source);
    }
    switch (part->kind) {
    case INIT_COPY:
        return copy_file(b, source, part->target);
    case INIT_MODULES:
        return copy_modules(b, source, part->target);
    case INIT_GRUB:
        return make_grub(b, part, source);
    case INIT_DISK:
        return make_disk(b, part);
    case INIT_MENU:
    default:
        return make_menu(b, part->target);
    }
}
