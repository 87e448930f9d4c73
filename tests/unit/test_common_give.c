/* What root gives away is what it made, and nothing that was put in its place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/give.h"
#include "suites.h"

#define OTHER 54321 /* nobody has this number */

static char top[] = "/tmp/pxed-give-XXXXXX";
static char path[64];

static void setup(void)
{
    snprintf(top + sizeof top - 7, 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
}

static void teardown(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): a folder of our own */
}

static const char *at(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", top, name);
    return path;
}

static uid_t owner(const char *name)
{
    struct stat st;
    ck_assert_int_eq(lstat(at(name), &st), 0);
    return st.st_uid;
}

/* root gives to another user, anybody else to itself. */
static uid_t taker(void)
{
    return geteuid() == 0 ? OTHER : geteuid();
}

static int give(const char *name, mode_t kind)
{
    return give_away(at(name), kind, taker(), (gid_t)-1);
}

static void make_socket(const char *name)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    memcpy(a.sun_path, at(name), strlen(at(name)) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    (void)close(fd);
}

START_TEST(what_was_made_is_given)
{
    make_socket("socket");
    ck_assert_int_eq(mkdir(at("dir"), 0755), 0);
    ck_assert_int_eq(give("socket", S_IFSOCK), 0);
    ck_assert_int_eq(give("dir", S_IFDIR), 0);
    ck_assert_uint_eq(owner("socket"), taker());
    ck_assert_uint_eq(owner("dir"), taker());
    ck_assert_int_eq(give("none", S_IFSOCK), -ENOENT);
}
END_TEST

START_TEST(what_was_put_in_its_place_is_not)
{
    int fd = open(at("file"), O_WRONLY | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    (void)close(fd);
    make_socket("socket");
    ck_assert_int_eq(mkdir(at("dir"), 0755), 0);
    ck_assert_int_eq(symlink("file", at("to-file")), 0);
    ck_assert_int_eq(symlink("socket", at("to-socket")), 0);
    ck_assert_int_eq(symlink("dir", at("to-dir")), 0);
    ck_assert_int_eq(give("file", S_IFSOCK), -EEXIST); /* as a hard link is one */
    ck_assert_int_eq(give("to-file", S_IFSOCK), -EEXIST);
    ck_assert_int_eq(give("to-socket", S_IFSOCK), -EEXIST);
    ck_assert_int_eq(give("to-dir", S_IFDIR), -EEXIST);
    ck_assert_uint_eq(owner("file"), geteuid());
    ck_assert_uint_eq(owner("socket"), geteuid());
    ck_assert_uint_eq(owner("dir"), geteuid());
}
END_TEST

Suite *suite_common_give(void)
{
    Suite *s = suite_create("common/give");
    TCase *tc = tcase_create("give");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, what_was_made_is_given);
    tcase_add_test(tc, what_was_put_in_its_place_is_not);
    suite_add_tcase(s, tc);
    return s;
}
