#include <stdio.h>
#include <string.h>

#include "common/bytes.h"
#include "config/arch.h"
#include "config/bootfile.h"
#include "tests/unit/suites.h"

#define BYTES(s) (s), sizeof(s) - 1
#define BIG      100000 /* a file size no bound of these tests cares for */

/* -- files that are known by their beginning ---------------------------------------------- */

static const struct {
    const char *name;
    const char *head;
    size_t len;
    size_t at; /* the octets stand here, zeros before them */
    enum bootfile_kind kind;
} rows[] = {
    {"nothing", BYTES(""), 0, BOOTFILE_EMPTY},
    {"far jump (undionly.kpxe, pxelinux.0)", BYTES("\xea\x2e\x00\xc0\x07"), 0,
     BOOTFILE_BIOS},
    {"near jump", BYTES("\xeb\x3c\x90"), 0, BOOTFILE_BIOS},
    {"cli", BYTES("\xfa\x33\xc0"), 0, BOOTFILE_BIOS},
    {"kernel", BYTES("HdrS\x0c\x02"), 0x202, BOOTFILE_LINUX},
    {"ISO", BYTES("CD001\x01"), 0x8001, BOOTFILE_ISO},
    {"FAT", BYTES("FAT12   "), 0x36, BOOTFILE_DISK},
    {"GPT", BYTES("EFI PART"), 0x200, BOOTFILE_DISK},
    {"WIM", BYTES("MSWIM\0\0\0"), 0, BOOTFILE_WIM},
    {"gzip", BYTES("\x1f\x8b\x08"), 0, BOOTFILE_GZIP},
    {"iPXE script", BYTES("#!ipxe\nchain a\n"), 0, BOOTFILE_IPXE_SCRIPT},
    {"menu", BYTES("default linux\r\n\tkernel a\n"), 0, BOOTFILE_TEXT},
    {"text in UTF-8", BYTES("# \xc3\xa4\n"), 0, BOOTFILE_TEXT},
    {"a NUL is no text", BYTES("abc\0def"), 0, BOOTFILE_UNKNOWN},
    {"MZ alone", BYTES("MZ"), 0, BOOTFILE_TEXT},
    {"DOS program", BYTES("MZ\x90\x00\x03"), 0, BOOTFILE_UNKNOWN},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(kinds_by_their_first_octets)
{
    static uint8_t head[BOOTFILE_HEAD];
    memset(head, 0, sizeof head);
    memcpy(head + rows[_i].at, rows[_i].head, rows[_i].len);
    size_t len = rows[_i].at + rows[_i].len;
    struct bootfile b = bootfile_look(head, len, len);
    ck_assert_msg(b.kind == rows[_i].kind, "%s: got %s", rows[_i].name,
                  bootfile_kind_name(b.kind));
}
END_TEST

/* -- PE files ----------------------------------------------------------------------------- */

struct pe {
    uint16_t machine;
    bool wide; /* PE32+ */
    uint16_t subsystem;
    uint32_t certificates; /* octets */
    const char *section;
    uint32_t section_end; /* offset in the file */
};

static void le16(struct wr *w, uint16_t v)
{
    wr_u16(w, __builtin_bswap16(v));
}

static void le32(struct wr *w, uint32_t v)
{
    wr_u32(w, __builtin_bswap32(v));
}

/* The headers of a PE file as a linker would write them. */
static size_t build(const struct pe *pe, uint8_t *buf, size_t size)
{
    uint16_t optional = (uint16_t)(96 + (pe->wide ? 16 : 0) + 16 * 8);
    char name[8] = "";
    struct wr w = wr_over(buf, size);
    wr_put(&w, "MZ", 2);
    wr_zero(&w, 0x3a);
    le32(&w, 0x80);
    wr_zero(&w, 0x40);
    wr_put(&w, "PE\0\0", 4);
    le16(&w, pe->machine);
    le16(&w, 1);
    wr_zero(&w, 12);
    le16(&w, optional);
    le16(&w, 0x22);
    le16(&w, pe->wide ? 0x20b : 0x10b);
    wr_zero(&w, 66);
    le16(&w, pe->subsystem);
    wr_zero(&w, pe->wide ? 38 : 22);
    le32(&w, 16);
    wr_zero(&w, (size_t)4 * 8);
    le32(&w, 1000);
    le32(&w, pe->certificates);
    wr_zero(&w, (size_t)11 * 8);
    memcpy(name, pe->section, strlen(pe->section));
    wr_put(&w, name, 8);
    wr_zero(&w, 8);
    le32(&w, pe->section_end - 512);
    le32(&w, 512);
    wr_zero(&w, 16);
    ck_assert(wr_ok(&w));
    return wr_len(&w);
}

static const struct {
    const char *name;
    struct pe pe;
    const char *described;
    bool is_signed;
    bool has_sbat;
    bool cut_short;
} pe_rows[] = {
    {"x64", {0x8664, true, 10, 0, ".text", 4096}, "EFI application for x64", 0, 0, 0},
    {"ia32", {0x014c, false, 10, 0, ".text", 4096}, "EFI application for x86", 0, 0, 0},
    {"arm64", {0xaa64, true, 10, 0, ".text", 4096}, "EFI application for arm64", 0, 0, 0},
    {"arm", {0x01c2, false, 10, 0, ".text", 4096}, "EFI application for arm32", 0, 0, 0},
    {"arm NT",
     {0x01c4, false, 10, 0, ".text", 4096},
     "EFI application for arm32",
     0,
     0,
     0},
    {"riscv",
     {0x5064, true, 10, 0, ".text", 4096},
     "EFI application for riscv64",
     0,
     0,
     0},
    {"loong",
     {0x6264, true, 10, 0, ".text", 4096},
     "EFI application for loongarch64",
     0,
     0,
     0},
    {"mips",
     {0x0166, true, 10, 0, "", 4096},
     "EFI application for another machine",
     0,
     0,
     0},
    {"driver", {0x8664, true, 11, 0, ".text", 4096}, "PE program for x64", 0, 0, 0},
    {"windows", {0x8664, true, 3, 0, ".text", 4096}, "PE program for x64", 0, 0, 0},
    {"signed",
     {0x8664, true, 10, 900, ".sbat", 4096},
     "EFI application for x64",
     1,
     1,
     0},
    {"signed ia32",
     {0x14c, false, 10, 9, ".sbatx", 4096},
     "EFI application for x86",
     1,
     0,
     0},
    {"cut", {0x8664, true, 10, 0, ".text", BIG + 1}, "EFI application for x64", 0, 0, 1},
    {"whole", {0x8664, true, 10, 0, ".text", BIG}, "EFI application for x64", 0, 0, 0},
    {"cut certificates",
     {0x8664, true, 10, BIG, ".text", 4096},
     "EFI application for x64",
     1,
     0,
     1},
};
#define PE_ROWS ((int)(sizeof pe_rows / sizeof pe_rows[0]))

START_TEST(pe_headers)
{
    uint8_t head[1024];
    char words[64];
    size_t len = build(&pe_rows[_i].pe, head, sizeof head);
    struct bootfile b = bootfile_look(head, len, BIG);
    ck_assert_msg(
        !strcmp(bootfile_describe(&b, words, sizeof words), pe_rows[_i].described),
        "%s: got %s", pe_rows[_i].name, words);
    ck_assert_msg(b.is_signed == pe_rows[_i].is_signed, "%s: signed", pe_rows[_i].name);
    ck_assert_msg(b.has_sbat == pe_rows[_i].has_sbat, "%s: sbat", pe_rows[_i].name);
    ck_assert_msg(b.cut_short == pe_rows[_i].cut_short, "%s: cut", pe_rows[_i].name);
}
END_TEST

START_TEST(headers_cut_anywhere_are_survived)
{
    uint8_t head[1024];
    size_t len = build(&pe_rows[0].pe, head, sizeof head);
    for (size_t n = 0; n <= len; n++) {
        uint8_t
            exact[1024]; /* poisoned behind n, so that reading on changes the answer */
        memset(exact, 0xff, sizeof exact);
        memcpy(exact, head, n);
        struct bootfile b = bootfile_look(exact, n, n);
        ck_assert(b.kind != BOOTFILE_EFI || n >= 0x80 + 24 + 112);
    }
}
END_TEST

START_TEST(an_offset_far_outside_is_no_pe_file)
{
    uint8_t head[1024];
    size_t len = build(&pe_rows[0].pe, head, sizeof head);
    memset(head + 0x3c, 0xff, 4);
    ck_assert_int_eq(bootfile_look(head, len, BIG).kind, BOOTFILE_UNKNOWN);
}
END_TEST

/* -- whom it suits ------------------------------------------------------------------------ */

static const struct {
    const char *name;
    struct bootfile file;
    uint16_t arch;
    const char *why; /* NULL: it fits */
} fit_rows[] = {
    {"x64 for x64", {BOOTFILE_EFI, BIG, .machine = 0x8664}, 7, NULL},
    {"x64 for 9", {BOOTFILE_EFI, BIG, .machine = 0x8664}, 9, NULL},
    {"EBC for x64", {BOOTFILE_EFI, BIG, .machine = 0x0ebc}, 7, NULL},
    {"ia32 for x64",
     {BOOTFILE_EFI, BIG, .machine = 0x014c},
     7,
     "is an EFI application for x86, not an EFI application for x64"},
    {"BIOS program for x64",
     {BOOTFILE_BIOS, BIG, .machine = 0},
     7,
     "is a BIOS program, not an EFI application for x64"},
    {"unknown for arm64",
     {BOOTFILE_UNKNOWN, BIG, .machine = 0},
     11,
     "is a file of unknown kind, not an EFI application for arm64"},
    {"driver for x64",
     {BOOTFILE_PE, BIG, .machine = 0x8664},
     7,
     "is a PE program for x64, not an EFI application for x64"},
    {"either arm", {BOOTFILE_EFI, BIG, .machine = 0x01c4}, 10, NULL},
    {"BIOS program for BIOS", {BOOTFILE_BIOS, BIG, .machine = 0}, 0, NULL},
    {"unknown for BIOS", {BOOTFILE_UNKNOWN, BIG, .machine = 0}, 0, NULL},
    {"EFI for BIOS",
     {BOOTFILE_EFI, BIG, .machine = 0x8664},
     0,
     "is an EFI application for x64, not a BIOS program such as undionly.kpxe"},
    {"kernel for BIOS",
     {BOOTFILE_LINUX, BIG, .machine = 0},
     0,
     "is a Linux kernel image, not a BIOS program such as undionly.kpxe"},
    {"largest for BIOS", {BOOTFILE_BIOS, 623616, .machine = 0}, 0, NULL},
    {"too large for BIOS",
     {BOOTFILE_BIOS, 623617, .machine = 0},
     0,
     "has 623617 octets; a BIOS loads 623616 at most"},
    {"empty for anybody", {BOOTFILE_EMPTY, 0, .machine = 0}, 0x15, "is empty"},
    {"cut short",
     {BOOTFILE_EFI, BIG, .machine = 0x8664, .cut_short = true},
     7,
     "ends too early: it was not copied to its end"},
    {"x64 by HTTP", {BOOTFILE_EFI, BIG, .machine = 0x8664}, 16, NULL},
    {"ISO by HTTP", {BOOTFILE_ISO, BIG, .machine = 0}, 16, NULL},
    {"disk by HTTP", {BOOTFILE_UNKNOWN, BIG, .machine = 0}, 0x13, NULL},
    {"arm64 for x64 by HTTP",
     {BOOTFILE_EFI, BIG, .machine = 0xaa64},
     16,
     "is an EFI application for arm64, not an EFI application for x64"},
    {"script by HTTP",
     {BOOTFILE_IPXE_SCRIPT, BIG, .machine = 0},
     16,
     "is an iPXE script, not an EFI application for x64"},
    {"U-Boot takes anything", {BOOTFILE_TEXT, BIG, .machine = 0}, 0x15, NULL},
};
#define FIT_ROWS ((int)(sizeof fit_rows / sizeof fit_rows[0]))

START_TEST(who_can_start_what)
{
    char why[128] = "untouched";
    bool fits = bootfile_fits(&fit_rows[_i].file, fit_rows[_i].arch, why, sizeof why);
    const char *want = fit_rows[_i].why ? fit_rows[_i].why : "untouched";
    ck_assert_msg(fits == !fit_rows[_i].why, "%s: fits %d", fit_rows[_i].name, fits);
    ck_assert_msg(!strcmp(why, want), "%s: %s", fit_rows[_i].name, why);
}
END_TEST

Suite *suite_config_bootfile(void)
{
    Suite *s = suite_create("config/bootfile");
    TCase *tc = tcase_create("bootfile");
    tcase_add_loop_test(tc, kinds_by_their_first_octets, 0, ROWS);
    tcase_add_loop_test(tc, pe_headers, 0, PE_ROWS);
    tcase_add_test(tc, headers_cut_anywhere_are_survived);
    tcase_add_test(tc, an_offset_far_outside_is_no_pe_file);
    tcase_add_loop_test(tc, who_can_start_what, 0, FIT_ROWS);
    suite_add_tcase(s, tc);
    return s;
}
