#include "config/bootfile.h"

#include <stdio.h>
#include <string.h>

#include "common/bytes.h"
#include "config/arch.h"

#define MACHINE_IA32        0x014c
#define MACHINE_ARM         0x01c2 /* Thumb; EFI uses this one */
#define MACHINE_ARM_NT      0x01c4
#define MACHINE_EBC         0x0ebc
#define MACHINE_RISCV32     0x5032
#define MACHINE_RISCV64     0x5064
#define MACHINE_LOONGARCH32 0x6232
#define MACHINE_LOONGARCH64 0x6264
#define MACHINE_X64         0x8664
#define MACHINE_ARM64       0xaa64

#define SUBSYSTEM_EFI_APPLICATION 10
#define CERTIFICATES              4 /* index of the data directory */

/* BIOS PXE loads to 0x7c00 and memory ends at 0xa0000 at the latest (640 KiB). */
#define BIOS_PROGRAM_MAX (0xa0000 - 0x7c00)

/* clang-format off */
static const struct {
    const char *name;
    const char *words;
} kinds[BOOTFILE_KIND_COUNT] = {
    [BOOTFILE_UNKNOWN] = {"unknown", "file of unknown kind"},
    [BOOTFILE_EMPTY] = {"empty", "empty file"},
    [BOOTFILE_EFI] = {"efi-application", "EFI application"},
    [BOOTFILE_PE] = {"pe-program", "PE program"},
    [BOOTFILE_BIOS] = {"bios-program", "BIOS program"},
    [BOOTFILE_LINUX] = {"linux-kernel", "Linux kernel image"},
    [BOOTFILE_ISO] = {"iso-image", "ISO image"},
    [BOOTFILE_DISK] = {"disk-image", "disk image"},
    [BOOTFILE_WIM] = {"wim-image", "WIM image"},
    [BOOTFILE_GZIP] = {"gzip", "gzip archive"},
    [BOOTFILE_IPXE_SCRIPT] = {"ipxe-script", "iPXE script"},
    [BOOTFILE_TEXT] = {"text", "text file"},
};

static const struct {
    uint16_t code;
    const char *name;
} machines[] = {
    {MACHINE_IA32, "x86"},
    {MACHINE_X64, "x64"},
    {MACHINE_ARM, "arm32"},
    {MACHINE_ARM_NT, "arm32"},
    {MACHINE_ARM64, "arm64"},
    {MACHINE_EBC, "EBC"},
    {MACHINE_RISCV32, "riscv32"},
    {MACHINE_RISCV64, "riscv64"},
    {MACHINE_LOONGARCH32, "loongarch32"},
    {MACHINE_LOONGARCH64, "loongarch64"},
};

/* What the firmware of an architecture starts; 7 and 9 are told apart by nobody. */
static const struct {
    uint16_t arch;
    uint16_t machine;
    uint16_t other; /* 0: none */
} firmware[] = {
    {ARCH_X86_UEFI, MACHINE_IA32, MACHINE_EBC},
    {ARCH_X64_UEFI, MACHINE_X64, MACHINE_EBC},
    {ARCH_EBC, MACHINE_EBC, MACHINE_X64},
    {ARCH_ARM32_UEFI, MACHINE_ARM, MACHINE_ARM_NT},
    {ARCH_ARM64_UEFI, MACHINE_ARM64, 0},
    {0x19, MACHINE_RISCV32, 0},
    {0x1b, MACHINE_RISCV64, 0},
    {0x25, MACHINE_LOONGARCH32, 0},
    {0x27, MACHINE_LOONGARCH64, 0},
    {0x0f, MACHINE_IA32, MACHINE_EBC}, /* by HTTP, from here on */
    {ARCH_X64_UEFI_HTTP, MACHINE_X64, MACHINE_EBC},
    {0x11, MACHINE_EBC, MACHINE_X64},
    {0x12, MACHINE_ARM, MACHINE_ARM_NT},
    {0x13, MACHINE_ARM64, 0},
    {0x1a, MACHINE_RISCV32, 0},
    {0x1c, MACHINE_RISCV64, 0},
    {0x26, MACHINE_LOONGARCH32, 0},
    {0x28, MACHINE_LOONGARCH64, 0},
};
/* clang-format on */

#define ROWS(list) (sizeof(list) / sizeof(list)[0])

/* -- reading --------------------------------------------------------------------------- */

static uint16_t le16(struct rd *r)
{
    return __builtin_bswap16(rd_u16(r));
}

static uint32_t le32(struct rd *r)
{
    return __builtin_bswap32(rd_u32(r));
}

/* A reader that begins at an offset. */
static struct rd reader_at(const void *head, size_t len, size_t offset)
{
    struct rd r = rd_over(head, len);
    (void)rd_take(&r, offset);
    return r;
}

static bool has_at(const void *head, size_t len, size_t offset, const char *magic)
{
    struct rd r = reader_at(head, len, offset);
    const uint8_t *at = rd_take(&r, strlen(magic));
    return at && !memcmp(at, magic, strlen(magic));
}

/* Section table: 40 octets each, of which name, and size and offset in the file count. */
static void read_sections(struct rd *r, unsigned count, struct bootfile *b)
{
    for (unsigned i = 0; i < count && rd_ok(r); i++) {
        struct rd section = rd_sub(r, 40);
        const uint8_t *name = rd_take(&section, 8);
        (void)rd_take(&section, 8); /* size and address in memory */
        uint64_t size = le32(&section);
        uint64_t offset = le32(&section);
        if (!rd_ok(&section) || !name) {
            return;
        }
        b->has_sbat = b->has_sbat || !memcmp(name, ".sbat\0\0", 8);
        if (!memcmp(name, "mods\0\0\0", 8)) {
            b->mods_at = offset;
            b->mods_size = size;
        }
        b->cut_short = b->cut_short || (size > 0 && offset + size > b->size);
    }
}

/* The optional header: 32- and 64-bit forms differ in the width of a few fields. */
static void read_optional(struct rd optional, struct bootfile *b)
{
    bool wide = le16(&optional) == 0x20b;
    (void)rd_take(&optional, 66);
    uint16_t subsystem = le16(&optional);
    (void)rd_take(&optional, wide ? 38 : 22);
    uint32_t directories = le32(&optional);
    if (!rd_ok(&optional)) {
        return;
    }
    if (subsystem == SUBSYSTEM_EFI_APPLICATION) {
        b->kind = BOOTFILE_EFI;
    }
    (void)rd_take(&optional, (size_t)CERTIFICATES * 8);
    uint64_t offset = le32(&optional);
    uint64_t size = le32(&optional);
    if (directories > CERTIFICATES && rd_ok(&optional) && size > 0) {
        b->is_signed = true;
        b->cut_short = offset + size > b->size;
    }
}

/* False: no PE file. */
static bool read_pe(const void *head, size_t len, struct bootfile *b)
{
    if (!has_at(head, len, 0, "MZ")) {
        return false;
    }
    struct rd r = reader_at(head, len, 0x3c);
    r = reader_at(head, len, le32(&r));
    const uint8_t *magic = rd_take(&r, 4);
    if (!magic || memcmp(magic, "PE\0\0", 4) != 0) {
        return false;
    }
    uint16_t machine = le16(&r);
    uint16_t sections = le16(&r);
    (void)rd_take(&r, 12); /* date and symbols */
    uint16_t optional = le16(&r);
    (void)rd_take(&r, 2); /* flags */
    if (!rd_ok(&r)) {
        return false;
    }
    b->kind = BOOTFILE_PE;
    b->machine = machine;
    read_optional(rd_sub(&r, optional), b);
    read_sections(&r, sections, b);
    return true;
}

/* Printable in the first kilobyte: good enough to tell a menu from a program. */
static bool is_text(const void *head, size_t len)
{
    struct rd r = rd_over(head, len < 1024 ? len : 1024);
    while (rd_left(&r) > 0) {
        uint8_t c = rd_u8(&r);
        if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static enum bootfile_kind kind_of(const void *head, size_t len)
{
    static const struct {
        size_t offset;
        const char *magic;
        enum bootfile_kind kind;
    } magics[] = {
        {0x8001, "CD001", BOOTFILE_ISO}, /* first: its beginning may be a boot sector */
        {0x36, "FAT1", BOOTFILE_DISK},       {0x52, "FAT32", BOOTFILE_DISK},
        {0x200, "EFI PART", BOOTFILE_DISK},  {0x202, "HdrS", BOOTFILE_LINUX},
        {0, "MSWIM", BOOTFILE_WIM},          {0, "\x1f\x8b", BOOTFILE_GZIP},
        {0, "#!ipxe", BOOTFILE_IPXE_SCRIPT}, {0, "#!gpxe", BOOTFILE_IPXE_SCRIPT},
        {0, "\xea", BOOTFILE_BIOS}, /* a far jump: iPXE, PXELINUX, Windows' pxeboot */
        {0, "\xeb", BOOTFILE_BIOS}, /* a near one */
        {0, "\xe9", BOOTFILE_BIOS},          {0, "\xfa", BOOTFILE_BIOS}, /* cli */
        {0, "\xfc", BOOTFILE_BIOS},                                      /* cld */
    };

    if (len == 0) {
        return BOOTFILE_EMPTY;
    }
    for (size_t i = 0; i < ROWS(magics); i++) {
        if (has_at(head, len, magics[i].offset, magics[i].magic)) {
            return magics[i].kind;
        }
    }
    return is_text(head, len) ? BOOTFILE_TEXT : BOOTFILE_UNKNOWN;
}

struct bootfile bootfile_look(const void *head, size_t len, uint64_t size)
{
    struct bootfile b = {.size = size};
    if (has_at(head, len, 0x8001, "CD001") || !read_pe(head, len, &b)) {
        b.kind = kind_of(head, len);
    }
    return b;
}

/* -- words ----------------------------------------------------------------------------- */

const char *bootfile_kind_name(enum bootfile_kind kind)
{
    return kinds[kind].name;
}

static const char *machine_name(uint16_t code)
{
    for (size_t i = 0; i < ROWS(machines); i++) {
        if (machines[i].code == code) {
            return machines[i].name;
        }
    }
    return "another machine";
}

char *bootfile_describe(const struct bootfile *b, char *buf, size_t size)
{
    bool pe = b->kind == BOOTFILE_EFI || b->kind == BOOTFILE_PE;
    snprintf(buf, size, "%s%s%s", kinds[b->kind].words, pe ? " for " : "",
             pe ? machine_name(b->machine) : "");
    return buf;
}

/* -- whom it suits --------------------------------------------------------------------- */

static const char *article(const struct bootfile *b)
{
    return strchr("AEIOUaeiou", kinds[b->kind].words[0]) ? "an" : "a";
}

static bool fits_uefi(const struct bootfile *b, size_t row, char *why, size_t size)
{
    char words[64];
    bool right = b->machine == firmware[row].machine ||
                 (firmware[row].other && b->machine == firmware[row].other);

    if (b->kind != BOOTFILE_EFI || !right) {
        snprintf(why, size, "is %s %s, not an EFI application for %s", article(b),
                 bootfile_describe(b, words, sizeof words),
                 machine_name(firmware[row].machine));
        return false;
    }
    return true;
}

/* UEFI 2.10 section 24.7.3.2: an application, or the image of a disc or disk. */
static bool fits_http(const struct bootfile *b, size_t row, char *why, size_t size)
{
    bool image = b->kind == BOOTFILE_ISO || b->kind == BOOTFILE_DISK ||
                 b->kind == BOOTFILE_BIOS || b->kind == BOOTFILE_UNKNOWN;
    return image || fits_uefi(b, row, why, size);
}

static bool fits_bios(const struct bootfile *b, char *why, size_t size)
{
    char words[64];
    if (b->kind != BOOTFILE_BIOS && b->kind != BOOTFILE_UNKNOWN) {
        snprintf(why, size, "is %s %s, not a BIOS program such as undionly.kpxe",
                 article(b), bootfile_describe(b, words, sizeof words));
        return false;
    }
    if (b->size > BIOS_PROGRAM_MAX) {
        snprintf(why, size, "has %llu octets; a BIOS loads %d at most",
                 (unsigned long long)b->size, BIOS_PROGRAM_MAX);
        return false;
    }
    return true;
}

bool bootfile_fits(const struct bootfile *b, uint16_t arch, char *why, size_t size)
{
    if (b->kind == BOOTFILE_EMPTY) {
        snprintf(why, size, "is empty");
        return false;
    }
    if (b->cut_short) {
        snprintf(why, size, "ends too early: it was not copied to its end");
        return false;
    }
    if (arch == ARCH_X86_BIOS) {
        return fits_bios(b, why, size);
    }
    for (size_t i = 0; i < ROWS(firmware); i++) {
        if (firmware[i].arch == arch) {
            return arch_is_http(arch) ? fits_http(b, i, why, size)
                                      : fits_uefi(b, i, why, size);
        }
    }
    return true;
}
