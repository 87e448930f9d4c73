/* Ways beneath a directory and out of it, by openat2 and by steps: the same answers. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/beneath.h"
#include "suites.h"

typedef int (*opener)(int root, const char *path, int flags);

static char top[] = "/tmp/pxed-beneath-XXXXXX";
static int root = -1;

static void write_file(int dir, const char *name)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0644);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "x", 1), 1);
    (void)close(fd);
}

static void setup(void)
{
    memcpy(top + sizeof top - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(top));
    int above = open(top, O_RDONLY | O_DIRECTORY);
    write_file(above, "secret");
    ck_assert_int_eq(mkdirat(above, "root", 0755), 0);
    root = openat(above, "root", O_RDONLY | O_DIRECTORY);
    ck_assert_int_eq(mkdirat(root, "sub", 0755), 0);
    write_file(root, "file");
    write_file(root, "sub/file");
    ck_assert_int_eq(mkfifoat(root, "fifo", 0600), 0);
    const char *links[][2] = {
        {"file", "to-file"},      {"sub/file", "to-sub-file"}, {"sub", "to-sub"},
        {"../secret", "up"},      {"/etc/passwd", "absolute"}, {"ring", "ring"},
        {"to-sub/file", "twice"}, {"sub/../../secret", "up2"}, {"/", "slash"},
    };
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        ck_assert_int_eq(symlinkat(links[i][0], root, links[i][1]), 0);
    }
    (void)close(above);
}

static void teardown(void)
{
    char command[64];
    (void)close(root);
    snprintf(command, sizeof command, "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): a folder of our own */
}

/* 0 or -errno of opening it. */
static int outcome(opener open_it, const char *path, int flags)
{
    int fd = open_it(root, path, flags);
    if (fd >= 0) {
        (void)close(fd);
    }
    return fd < 0 ? fd : 0;
}

static const struct {
    const char *path;
    int flags;
    int want;
} rows[] = {
    {"file", O_RDONLY, 0},
    {"sub/file", O_RDONLY, 0},
    {"./sub//./file", O_RDONLY, 0},
    {"to-file", O_RDONLY, 0},
    {"to-sub-file", O_RDONLY, 0},
    {"to-sub/file", O_RDONLY, 0},
    {"twice", O_RDONLY, 0},
    {".", O_RDONLY | O_DIRECTORY, 0},
    {"sub", O_RDONLY | O_DIRECTORY, 0},
    {"to-sub", O_RDONLY | O_DIRECTORY, 0},
    {"fifo", O_RDONLY, 0}, /* at once: it never blocks */
    {"none", O_RDONLY, -ENOENT},
    {"sub/none", O_RDONLY, -ENOENT},
    {"file/x", O_RDONLY, -ENOTDIR},
    {"file", O_RDONLY | O_DIRECTORY, -ENOTDIR},
    {"up", O_RDONLY, -EXDEV},
    {"up2", O_RDONLY, -EXDEV},
    {"absolute", O_RDONLY, -EXDEV},
    {"slash", O_RDONLY | O_DIRECTORY, -EXDEV},
    {"../secret", O_RDONLY, -EXDEV},
    {"/etc/passwd", O_RDONLY, -EXDEV},
    {"ring", O_RDONLY, -ELOOP},
};

START_TEST(ways)
{
    ck_assert_msg(outcome(open_beneath, rows[_i].path, rows[_i].flags) == rows[_i].want,
                  "%s by openat2: %d", rows[_i].path,
                  outcome(open_beneath, rows[_i].path, rows[_i].flags));
    ck_assert_msg(outcome(open_beneath_by_steps, rows[_i].path, rows[_i].flags) ==
                      rows[_i].want,
                  "%s by steps: %d", rows[_i].path,
                  outcome(open_beneath_by_steps, rows[_i].path, rows[_i].flags));
}
END_TEST

START_TEST(no_descriptor_is_left_open)
{
    int before = dup(root);
    (void)close(before);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)outcome(open_beneath_by_steps, rows[i].path, rows[i].flags);
    }
    int after = dup(root);
    (void)close(after);
    ck_assert_int_eq(after, before);
}
END_TEST

START_TEST(names_are_those_of_a_directory)
{
    unsigned count = 0;
    DIR *d = names_of(open_beneath(root, "sub", O_RDONLY | O_DIRECTORY));
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));) {
        count += strcmp(e->d_name, "file") == 0;
    }
    ck_assert_uint_eq(count, 1);
    (void)closedir(d);
    int file = open_beneath(root, "file", O_RDONLY);
    ck_assert_int_ge(file, 0);
    ck_assert_ptr_null(names_of(file));
    ck_assert_int_lt(fcntl(file, F_GETFD), 0); /* it was taken over all the same */
    ck_assert_ptr_null(names_of(open_beneath(root, "none", O_RDONLY)));
}
END_TEST

Suite *suite_common_beneath(void)
{
    Suite *s = suite_create("common/beneath");
    TCase *t = tcase_create("ways");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, ways, 0, (int)(sizeof rows / sizeof rows[0]));
    tcase_add_test(t, no_descriptor_is_left_open);
    tcase_add_test(t, names_are_those_of_a_directory);
    suite_add_tcase(s, t);
    return s;
}
