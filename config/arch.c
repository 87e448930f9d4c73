#include "config/arch.h"

#include <stddef.h>
#include <string.h>

#define ROWS(list) (sizeof(list) / sizeof(list)[0])

/* clang-format off */
static const struct arch_row {
    const char *name;
    bool http;
} rows[ARCH_COUNT] = {
    [0x00] = {"x86-bios", false},
    [0x01] = {"nec-pc98", false},           /* obsolete, as the next four */
    [0x02] = {"itanium", false},
    [0x03] = {"dec-alpha", false},
    [0x04] = {"arc-x86", false},
    [0x05] = {"intel-lean-client", false},
    [0x06] = {"x86-uefi", false},
    [0x07] = {"x64-uefi", false},
    [0x08] = {"efi-xscale", false},         /* obsolete */
    [0x09] = {"ebc", false},
    [0x0a] = {"arm32-uefi", false},
    [0x0b] = {"arm64-uefi", false},
    [0x0c] = {"ppc-openfirmware", false},
    [0x0d] = {"ppc-epapr", false},
    [0x0e] = {"power-opal-v3", false},
    [0x0f] = {"x86-uefi-http", true},
    [0x10] = {"x64-uefi-http", true},
    [0x11] = {"ebc-http", true},
    [0x12] = {"arm32-uefi-http", true},
    [0x13] = {"arm64-uefi-http", true},
    [0x14] = {"x86-bios-http", true},
    [0x15] = {"arm32-uboot", false},
    [0x16] = {"arm64-uboot", false},
    [0x17] = {"arm32-uboot-http", true},
    [0x18] = {"arm64-uboot-http", true},
    [0x19] = {"riscv32-uefi", false},
    [0x1a] = {"riscv32-uefi-http", true},
    [0x1b] = {"riscv64-uefi", false},
    [0x1c] = {"riscv64-uefi-http", true},
    [0x1d] = {"riscv128-uefi", false},
    [0x1e] = {"riscv128-uefi-http", true},
    [0x1f] = {"s390-basic", false},
    [0x20] = {"s390-extended", false},
    [0x21] = {"mips32-uefi", false},
    [0x22] = {"mips64-uefi", false},
    [0x23] = {"sunway32-uefi", false},
    [0x24] = {"sunway64-uefi", false},
    [0x25] = {"loongarch32-uefi", false},
    [0x26] = {"loongarch32-uefi-http", true},
    [0x27] = {"loongarch64-uefi", false},
    [0x28] = {"loongarch64-uefi-http", true},
    [0x29] = {"arm-rpiboot", false},
};

/* Other words people use for the same thing. */
static const struct alias {
    const char *name;
    uint16_t code;
} aliases[] = {
    {"ia32-uefi", 0x06},
    {"ia32-uefi-http", 0x0f},
    {"x86_64-uefi", 0x07},
    {"x86_64-uefi-http", 0x10},
    {"amd64-uefi", 0x07},
    {"amd64-uefi-http", 0x10},
    {"aarch64-uefi", 0x0b},
    {"aarch64-uefi-http", 0x13},
    {"ia64", 0x02},
};
/* clang-format on */

const char *arch_name(uint16_t code)
{
    return code < ARCH_COUNT ? rows[code].name : NULL;
}

/* "7", "07", "0x0b": digits only, so that "-1" and " 7" are refused. */
static bool parse_number(const char *text, uint16_t *out)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    size_t len = strlen(digits);

    if (len == 0 || len > 5) {
        return false;
    }
    unsigned base = hex ? 16 : 10;
    unsigned long n = 0;
    for (size_t i = 0; i < len; i++) {
        const char *all = "0123456789abcdefABCDEF";
        const char *found = strchr(all, digits[i]);
        unsigned digit = found ? (unsigned)(found - all) : base;
        digit -= digit >= 16 ? 6 : 0; /* capital letters */
        if (!found || digit >= base) {
            return false;
        }
        n = n * base + digit;
    }
    if (n >= ARCH_COUNT) {
        return false;
    }
    *out = (uint16_t)n;
    return true;
}

bool arch_parse(const char *text, uint16_t *out)
{
    for (unsigned i = 0; i < ARCH_COUNT; i++) {
        if (!strcmp(rows[i].name, text)) {
            *out = (uint16_t)i;
            return true;
        }
    }
    for (size_t i = 0; i < ROWS(aliases); i++) {
        if (!strcmp(aliases[i].name, text)) {
            *out = aliases[i].code;
            return true;
        }
    }
    return parse_number(text, out);
}

bool arch_is_http(uint16_t code)
{
    return code < ARCH_COUNT && rows[code].http;
}
