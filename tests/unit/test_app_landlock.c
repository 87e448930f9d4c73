/* What a process that has confined itself still reaches, each row in a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/landlock.h"
#include "suites.h"

static char top[] = "/tmp/pxed-landlock-XXXXXX";

static void make_file(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);
    ck_assert_int_ge(fd, 0);
    (void)close(fd);
}

static void setup(void)
{
    static const char *const directories[] = {"root", "root/sub", "state", "else"};
    memcpy(top + sizeof top - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(top));
    ck_assert_int_eq(chdir(top), 0);
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++) {
        ck_assert_int_eq(mkdir(directories[i], 0755), 0);
    }
    make_file("root/sub/file");
    make_file("state/file");
    make_file("else/file");
    make_file("else/one");
    ck_assert_int_eq(symlink("../else/file", "root/out"), 0);
}

static void teardown(void)
{
    char command[64];
    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): a folder of our own */
}

static int reads(const char *path)
{
    return open(path, O_RDONLY);
}

static int writes(const char *path)
{
    return open(path, O_WRONLY);
}

static int truncates(const char *path)
{
    return truncate(path, 0);
}

static int makes(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
}

static int makes_directory(const char *path)
{
    return mkdir(path, 0700);
}

static int makes_link(const char *path)
{
    return symlink("/etc/passwd", path);
}

static int makes_fifo(const char *path)
{
    return mkfifo(path, 0600);
}

static int runs(const char *path)
{
    char *const none[] = {NULL};
    return execve(path, none, none);
}

static int talks(const char *path)
{
    (void)path;
    return socket(AF_INET, SOCK_DGRAM, 0);
}

static const struct {
    int (*act)(const char *path);
    const char *path;
    int want;
} rows[] = {
    {reads, "root", 0},
    {reads, "root/sub/file", 0},
    {writes, "root/sub/file", EACCES},
    {truncates, "root/sub/file", EACCES},
    {makes, "root/new", EACCES},
    {unlink, "root/sub/file", EACCES},
    {reads, "root/out", EACCES},
    {reads, "root/../else/file", EACCES},
    {reads, "else", EACCES},
    {reads, "else/file", EACCES},
    {reads, "else/one", 0}, /* a rule on a file is of that file */
    {writes, "else/one", EACCES},
    {reads, "/etc/passwd", EACCES},
    {reads, "/proc/self/maps", EACCES},
    {reads, "state/file", 0},
    {writes, "state/file", 0},
    {truncates, "state/file", 0},
    {makes, "state/new", 0},
    {makes_directory, "state/new", 0},
    {unlink, "state/file", 0},
    {makes_link, "state/new", EACCES},
    {makes_fifo, "state/new", EACCES},
    {makes, "new", EACCES},
    {runs, "/bin/true", EACCES},
    {talks, "", 0},
};
#define ROWS (sizeof rows / sizeof rows[0])

#define NO_LANDLOCK 255

static int confine(void)
{
    static const struct landlock_place places[] = {
        {"root", false}, {"state", true}, {"else/one", false}, {"not-there", true}};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return -errno;
    }
    return landlock_confine(places, sizeof places / sizeof places[0]);
}

/* The errno of it in a confined process. */
static int outcome(size_t row)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        int abi = confine();
        bool lacks = rows[row].act == truncates && abi < 3; /* nobody refuses it then */
        if (abi < 1 || lacks) {
            _exit(NO_LANDLOCK);
        }
        _exit(rows[row].act(rows[row].path) < 0 ? errno : 0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(what_is_left)
{
    size_t row = (size_t)_i;
    int got = outcome(row);
    if (got != NO_LANDLOCK) {
        ck_assert_msg(got == rows[row].want, "row %d, %s: %s", _i, rows[row].path,
                      strerror(got));
    }
}
END_TEST

START_TEST(without_no_new_privs_nothing_changes)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
            _exit(1);
        }
        _exit(landlock_confine(NULL, 0) < 0 && reads("/etc/passwd") >= 0 ? 0 : 2);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

Suite *suite_app_landlock(void)
{
    Suite *s = suite_create("app/landlock");
    TCase *t = tcase_create("reach");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, what_is_left, 0, (int)ROWS);
    tcase_add_test(t, without_no_new_privs_nothing_changes);
    suite_add_tcase(s, t);
    return s;
}
