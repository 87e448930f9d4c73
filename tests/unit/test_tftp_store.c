#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "tftp/disk.h"
#include "tftp/scratch.h"

/* A root of its own for every test, made and left by the fixture. */
static char base[64];
static struct store *store;

static void put(const char *name, const char *text, size_t len)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
    ck_assert_int_eq(close(fd), 0);
}

static void make_root(void)
{
    memcpy(base, "/tmp/pxed-store-XXXXXX", sizeof "/tmp/pxed-store-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(base));
    ck_assert_int_eq(chdir(base), 0);
    ck_assert_int_eq(
        mkdir("root", 0755) + mkdir("root/Dir", 0755) + mkdir("root-secret", 0755), 0);
    put("secret.txt", "secret", 6);
    put("root-secret/x", "secret", 6);
    put("root/hello.txt", "hello\n", 6);
    put("root/Dir/MixedCase.efi", "MZ", 2);
    put("root/twin.a", "1", 1);
    put("root/Twin.a", "2", 1);
    put("root/zero.bin", "", 0);
    ck_assert_int_eq(mkfifo("root/fifo", 0644), 0);
    ck_assert_int_eq(symlink("../secret.txt", "root/link_out"), 0);
    ck_assert_int_eq(symlink("/etc/hostname", "root/link_absolute"), 0);
    ck_assert_int_eq(symlink("hello.txt", "root/link_in"), 0);
    ck_assert_int_eq(store_open("root", NULL, &store), 0);
}

static void leave_root(void)
{
    char command[100];
    store_close(store);
    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf %s", base);
    ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): our own folder */
}

/* All the way to a file that is lent. */
static enum store_fault get(const char *path, enum tftp_mode mode,
                            struct store_file **out, unsigned *repairs)
{
    struct opened opened;
    enum store_fault fault =
        search_long(store_root(store), false, path, &opened, repairs);
    if (fault == STORE_WAITS) {
        fault = search_long(store_root(store), true, path, &opened, repairs);
    }
    fault = fault == STORE_OK ? store_make(&opened, mode, out) : fault;
    if (fault == STORE_OK) {
        *out = store_lend(store, *out);
    }
    return fault;
}

static const struct {
    const char *path;
    enum store_fault fault;
    unsigned repairs;
} rows[] = {
    {"hello.txt", STORE_OK, 0},
    {"link_in", STORE_OK, 0},
    {"zero.bin", STORE_OK, 0},
    {"HELLO.TXT", STORE_OK, TFTP_REPAIR_CASE},
    {"dir/mixedcase.EFI", STORE_OK, TFTP_REPAIR_CASE},
    {"hello.txt\xff", STORE_OK, TFTP_REPAIR_TAIL},
    {"HELLO.txt\xff", STORE_OK, TFTP_REPAIR_TAIL | TFTP_REPAIR_CASE},
    {"twin.a", STORE_OK, 0},
    {"TWIN.A", STORE_NOT_FOUND, 0}, /* two fit */
    {"absent", STORE_NOT_FOUND, 0},
    {"hello.txt/x", STORE_NOT_FOUND, 0},
    {"Dir", STORE_NOT_REGULAR, 0},
    {"fifo", STORE_NOT_REGULAR, 0},
    {"link_out", STORE_DENIED, 0},
    {"link_absolute", STORE_DENIED, 0},
    {"../secret.txt", STORE_DENIED, 0}, /* even if the path were not cleaned before */
    {"../root-secret/x", STORE_DENIED, 0},
};

START_TEST(files_are_found_beneath_the_root_only)
{
    struct store_file *file = NULL;
    unsigned repairs = 0;
    enum store_fault got = get(rows[_i].path, TFTP_OCTET, &file, &repairs);
    ck_assert_msg(got == rows[_i].fault, "%s: got %s, want %s", rows[_i].path,
                  store_fault_name(got), store_fault_name(rows[_i].fault));
    ck_assert_msg(repairs == rows[_i].repairs, "%s: repairs %u", rows[_i].path, repairs);
    ck_assert_msg((file != NULL) == (got == STORE_OK), "%s: *out", rows[_i].path);
    if (file) {
        store_put(file);
    }
}
END_TEST

START_TEST(one_open_file_serves_all_readers)
{
    struct store_file *a;
    struct store_file *b;
    unsigned repairs = 0;
    ck_assert_int_eq(get("hello.txt", TFTP_OCTET, &a, &repairs), STORE_OK);
    ck_assert_int_eq(get("link_in", TFTP_OCTET, &b, &repairs), STORE_OK);
    ck_assert_ptr_eq(a, b);
    ck_assert_uint_eq(a->size, 6);
    ck_assert_mem_eq(a->data, "hello\n", 6);
    store_put(a);
    ck_assert_mem_eq(b->data, "hello\n", 6);
    store_put(b);
}
END_TEST

START_TEST(a_lent_file_outlives_its_store)
{
    struct store_file *file;
    unsigned repairs = 0;
    ck_assert_int_eq(get("hello.txt", TFTP_OCTET, &file, &repairs), STORE_OK);
    store_close(store);
    ck_assert_mem_eq(file->data, "hello\n", 6);
    store_put(file);
    ck_assert_int_eq(store_open("root", NULL, &store), 0);
}
END_TEST

/* -- what happens to a file while it is sent ------------------------------------------------ */

static void rewrite(void)
{
    put("root/hello.txt", "jello\n", 6);
}

/* As a copy does that keeps times, of images that are built to be the same each time. */
static void rewrite_and_set_times_back(void)
{
    struct stat st;
    ck_assert_int_eq(stat("root/hello.txt", &st), 0);
    rewrite();
    struct timespec times[2] = {st.st_atim, st.st_mtim};
    ck_assert_int_eq(utimensat(AT_FDCWD, "root/hello.txt", times, 0), 0);
}

static void grow(void)
{
    put("root/hello.txt", "jello and more\n", 15);
}

static void cut_short(void)
{
    ck_assert_int_eq(truncate("root/hello.txt", 3), 0);
}

static void empty(void)
{
    ck_assert_int_eq(truncate("root/hello.txt", 0), 0);
}

static void unlink_it(void)
{
    ck_assert_int_eq(unlink("root/hello.txt"), 0);
}

static void rename_it(void)
{
    ck_assert_int_eq(rename("root/hello.txt", "root/hello.old"), 0);
}

static void rename_over_it(void)
{
    put("root/new", "jello", 5);
    ck_assert_int_eq(rename("root/new", "root/hello.txt"), 0);
}

static void link_it(void)
{
    ck_assert_int_eq(link("root/hello.txt", "root/second-name"), 0);
}

static void forbid_it(void)
{
    ck_assert_int_eq(chmod("root/hello.txt", 0), 0);
}

static void rename_the_root(void)
{
    ck_assert_int_eq(rename("root", "was-root"), 0);
    ck_assert_int_eq(mkdir("root", 0755), 0);
}

/* The first explains nothing of the second. */
static void forbid_it_look_and_rewrite(struct store_file *file)
{
    forbid_it();
    ck_assert(store_unchanged(file));
    rewrite_and_set_times_back();
}

static const struct {
    const char *name;
    void (*happens)(void);
    bool is_change;
    void (*looked_at)(struct store_file *file); /* instead */
} events[] = {
    {"rewritten", rewrite, true, NULL},
    {"rewritten, times set back", rewrite_and_set_times_back, true, NULL},
    {"grown", grow, true, NULL},
    {"cut short", cut_short, true, NULL},
    {"emptied", empty, true, NULL},
    {"unlinked", unlink_it, false, NULL},
    {"renamed", rename_it, false, NULL},
    {"another renamed over it", rename_over_it, false, NULL},
    {"a hard link", link_it, false, NULL},
    {"permission taken away", forbid_it, false, NULL},
    {"the root renamed", rename_the_root, false, NULL},
    {"forbidden, then rewritten", NULL, true, forbid_it_look_and_rewrite},
};

START_TEST(c18_changes_are_noticed_and_what_is_none_is_not)
{
    struct store_file *file;
    unsigned repairs = 0;
    ck_assert_int_eq(get("hello.txt", TFTP_OCTET, &file, &repairs), STORE_OK);
    ck_assert(store_unchanged(file));
    usleep(20000); /* the clock of file systems has gone on */
    if (events[_i].looked_at) {
        events[_i].looked_at(file);
    } else {
        events[_i].happens();
    }
    ck_assert_msg(store_unchanged(file) == !events[_i].is_change, "%s", events[_i].name);
    if (!events[_i].is_change) {
        ck_assert_mem_eq(file->data, "hello\n", 6);
    }
    store_put(file);
}
END_TEST

START_TEST(what_went_from_a_mapping_is_a_fault_and_no_signal)
{
    struct store_file *file;
    struct scratch scratch;
    unsigned repairs = 0;
    enum { SIZE = 3 * 4096 };
    char text[SIZE];
    memset(text, 'x', SIZE);
    put("root/big", text, SIZE);
    ck_assert_int_eq(get("big", TFTP_OCTET, &file, &repairs), STORE_OK);
    ck_assert_int_eq(scratch_open(&scratch), 0);
    ck_assert_int_eq(scratch_copy(&scratch, file->data, SIZE), 0);
    ck_assert_mem_eq(scratch.at, text, SIZE);
    ck_assert_int_eq(truncate("root/big", 4096), 0);
    ck_assert_int_eq(scratch_copy(&scratch, file->data, SIZE), -EFAULT);
    ck_assert_int_eq(scratch_copy(&scratch, file->data + 8192, 10), -EFAULT);
    ck_assert_int_eq(scratch_copy(&scratch, file->data, 4096), 0);
    scratch_close(&scratch);
    store_put(file);
}
END_TEST

START_TEST(c18_a_replacement_by_rename_is_no_change)
{
    struct store_file *file;
    unsigned repairs = 0;
    ck_assert_int_eq(get("hello.txt", TFTP_OCTET, &file, &repairs), STORE_OK);
    put("root/new", "jello", 5);
    ck_assert_int_eq(rename("root/new", "root/hello.txt"), 0);
    ck_assert_mem_eq(file->data, "hello\n", 6);
    store_put(file);
    ck_assert_int_eq(get("hello.txt", TFTP_OCTET, &file, &repairs), STORE_OK);
    ck_assert_mem_eq(file->data, "jello", 5);
    store_put(file);
}
END_TEST

START_TEST(netascii_is_translated_and_counted)
{
    struct store_file *file;
    struct store_file *octet;
    unsigned repairs = 0;
    put("root/text", "a\nb\rc\r\n", 7);
    ck_assert_int_eq(get("text", TFTP_NETASCII, &file, &repairs), STORE_OK);
    ck_assert_int_eq(get("text", TFTP_OCTET, &octet, &repairs), STORE_OK);
    ck_assert_ptr_ne(file, octet);
    ck_assert_uint_eq(file->size, 11);
    ck_assert_mem_eq(file->data, "a\r\nb\r\0c\r\0\r\n", 11);
    ck_assert_uint_eq(octet->size, 7);
    store_put(file);
    store_put(octet);
}
END_TEST

START_TEST(what_is_not_in_memory_is_cold_until_it_is_read)
{
    enum { SIZE = 3 << 20 };
    struct store_file *file;
    unsigned repairs = 0;
    char *text = malloc(SIZE);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', SIZE);
    put("root/big", text, SIZE);
    free(text);
    ck_assert_int_eq(get("big", TFTP_OCTET, &file, &repairs), STORE_OK);
    int fd = open("root/big", O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fsync(fd), 0);
    ck_assert_int_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    ck_assert_int_eq(close(fd), 0);
    bool evicted = !disk_is_warm(file, DISK_CHUNK); /* a file system in memory keeps it */
    ck_assert_int_eq(disk_warm(file, DISK_CHUNK), 0);
    ck_assert(!evicted || disk_is_warm(file, DISK_CHUNK));
    ck_assert_int_eq(disk_warm(file, 64 * DISK_CHUNK), 0); /* behind the end: nothing */
    ck_assert(disk_is_warm(file, 64 * DISK_CHUNK));
    store_put(file);
}
END_TEST

START_TEST(has_knows_exact_names_only)
{
    ck_assert(store_has(store, "hello.txt"));
    ck_assert(!store_has(store, "HELLO.TXT"));
    ck_assert(!store_has(store, "Dir"));
    ck_assert(!store_has(store, "link_out"));
}
END_TEST

START_TEST(a_root_that_is_no_directory_is_refused)
{
    struct store *other = NULL;
    ck_assert_int_lt(store_open("root/hello.txt", NULL, &other), 0);
    ck_assert_int_lt(store_open("root/absent", NULL, &other), 0);
    ck_assert_ptr_null(other);
}
END_TEST

Suite *suite_tftp_store(void)
{
    Suite *s = suite_create("tftp/store");
    TCase *tc = tcase_create("files");
    tcase_add_checked_fixture(tc, make_root, leave_root);
    tcase_add_loop_test(tc, files_are_found_beneath_the_root_only, 0,
                        sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, one_open_file_serves_all_readers);
    tcase_add_test(tc, a_lent_file_outlives_its_store);
    tcase_add_loop_test(tc, c18_changes_are_noticed_and_what_is_none_is_not, 0,
                        sizeof events / sizeof events[0]);
    tcase_add_test(tc, what_went_from_a_mapping_is_a_fault_and_no_signal);
    tcase_add_test(tc, c18_a_replacement_by_rename_is_no_change);
    tcase_add_test(tc, netascii_is_translated_and_counted);
    tcase_add_test(tc, what_is_not_in_memory_is_cold_until_it_is_read);
    tcase_add_test(tc, has_knows_exact_names_only);
    tcase_add_test(tc, a_root_that_is_no_directory_is_refused);
    suite_add_tcase(s, tc);
    return s;
}
