#include "tests/unit/suites.h"
#include "tftp/path.h"

#define BYTES(s) (s), sizeof(s) - 1

static char component_255[256];
static char component_256[257];

static const struct {
    const char *name;
    size_t len;
    enum tftp_path_fault fault;
    const char *path;
    unsigned repairs;
} rows[] = {
    {BYTES("hello.txt"), TFTP_PATH_OK, "hello.txt", 0},
    {BYTES("/hello.txt"), TFTP_PATH_OK, "hello.txt", 0},
    {BYTES("//hello.txt"), TFTP_PATH_OK, "hello.txt", TFTP_REPAIR_SLASHES},
    {BYTES("a//b"), TFTP_PATH_OK, "a/b", TFTP_REPAIR_SLASHES},
    {BYTES("./a/./b"), TFTP_PATH_OK, "a/b", TFTP_REPAIR_SLASHES},
    {BYTES("dir\\inner.txt"), TFTP_PATH_OK, "dir/inner.txt", TFTP_REPAIR_BACKSLASH},
    {BYTES("\\Boot\\BCD"), TFTP_PATH_OK, "Boot/BCD",
     TFTP_REPAIR_BACKSLASH | TFTP_REPAIR_SLASHES},
    {BYTES("/boot\\x64/a"), TFTP_PATH_OK, "boot/x64/a", TFTP_REPAIR_BACKSLASH},
    {BYTES("dir/"), TFTP_PATH_OK, "dir", TFTP_REPAIR_SLASHES},
    {BYTES("..."), TFTP_PATH_OK, "...", 0},
    {BYTES("a..b"), TFTP_PATH_OK, "a..b", 0},
    {BYTES("../secret.txt"), TFTP_PATH_OUTSIDE, NULL, 0},
    {BYTES("dir/../../secret.txt"), TFTP_PATH_OUTSIDE, NULL, 0},
    {BYTES("..\\secret.txt"), TFTP_PATH_OUTSIDE, NULL, 0},
    {BYTES("dir\\..\\..\\secret.txt"), TFTP_PATH_OUTSIDE, NULL, 0},
    {BYTES("dir/.."), TFTP_PATH_OUTSIDE, NULL, 0},
    {BYTES("/"), TFTP_PATH_EMPTY, NULL, 0},
    {BYTES("."), TFTP_PATH_EMPTY, NULL, 0},
    {BYTES(""), TFTP_PATH_EMPTY, NULL, 0},
    {component_255, 255, TFTP_PATH_OK, component_255, 0},
    {component_256, 256, TFTP_PATH_LONG, NULL, 0},
};

START_TEST(clean_stays_beneath_the_root)
{
    memset(component_255, 'x', 255);
    memset(component_256, 'x', 256);
    char got[TFTP_PATH_SIZE] = "untouched";
    unsigned repairs = 0;
    struct tftp_text name = {rows[_i].name, rows[_i].len};
    enum tftp_path_fault fault = tftp_path_clean(name, got, &repairs);
    ck_assert_msg(fault == rows[_i].fault, "\"%s\": got fault %d, want %d", rows[_i].name,
                  fault, rows[_i].fault);
    ck_assert_str_eq(got, rows[_i].path ? rows[_i].path : "untouched");
    ck_assert_msg(repairs == rows[_i].repairs, "\"%s\": got repairs %u, want %u",
                  rows[_i].name, repairs, rows[_i].repairs);
}
END_TEST

static const struct {
    const char *path;
    const char *cut; /* NULL: nothing to cut */
} tail_rows[] = {
    {"undionly.kpxe\xff", "undionly.kpxe"},
    {"pxelinux.bin\n;o\x1e", "pxelinux.bin"},
    {"dir/x64.efi\xff\xff", "dir/x64.efi"},
    {"x64.efi", NULL},
    {"\xff", NULL},
    {"dir/\xff", NULL},
};

START_TEST(a05_tail_of_old_roms_is_cut)
{
    char path[64];
    memcpy(path, tail_rows[_i].path, strlen(tail_rows[_i].path) + 1);
    ck_assert_int_eq(tftp_path_cut_tail(path), tail_rows[_i].cut != NULL);
    ck_assert_str_eq(path, tail_rows[_i].cut ? tail_rows[_i].cut : tail_rows[_i].path);
}
END_TEST

START_TEST(repairs_have_names)
{
    char buf[64];
    ck_assert_str_eq(tftp_repairs_print(0, buf, sizeof buf), "");
    ck_assert_str_eq(tftp_repairs_print(TFTP_REPAIR_TAIL, buf, sizeof buf), "tail");
    ck_assert_str_eq(
        tftp_repairs_print(TFTP_REPAIR_BACKSLASH | TFTP_REPAIR_CASE, buf, sizeof buf),
        "backslash,case");
}
END_TEST

Suite *suite_tftp_path(void)
{
    Suite *s = suite_create("tftp/path");
    TCase *tc = tcase_create("rows");
    tcase_add_loop_test(tc, clean_stays_beneath_the_root, 0,
                        sizeof rows / sizeof rows[0]);
    tcase_add_loop_test(tc, a05_tail_of_old_roms_is_cut, 0,
                        sizeof tail_rows / sizeof tail_rows[0]);
    tcase_add_test(tc, repairs_have_names);
    suite_add_tcase(s, tc);
    return s;
}
