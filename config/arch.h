/*
 * config/arch: client architectures (DHCP option 93), by number and by name.
 *
 * Spec: IANA "Processor Architecture Types" 0x00..0x29; RFC 4578 section 2.1 and its 2016
 * erratum (7 is x64 UEFI, 9 is EBC); firmware.md section 6.
 * Names are the keys of a profile: "x86-bios", "x86-uefi", "x64-uefi", "arm64-uefi",
 * "x64-uefi-http"...; a number ("7", "0x0b") is accepted wherever a name is.
 * Pure.
 */
#ifndef CONFIG_ARCH_H
#define CONFIG_ARCH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    ARCH_X86_BIOS = 0x00,
    ARCH_X86_UEFI = 0x06,
    ARCH_X64_UEFI = 0x07,
    ARCH_EBC = 0x09,
    ARCH_ARM32_UEFI = 0x0a,
    ARCH_ARM64_UEFI = 0x0b,
    ARCH_X64_UEFI_HTTP = 0x10,
    ARCH_ARM_RPIBOOT = 0x29,
    ARCH_COUNT = 0x2a, /* codes 0..0x29 are assigned */
};

/* The name, e.g. "x64-uefi"; NULL for a code that IANA has not assigned. */
const char *arch_name(uint16_t code);

/* By name (canonical or alias such as "ia32-uefi") or number; false leaves *out. */
bool arch_parse(const char *text, uint16_t *out);

/* True for the codes whose clients boot by HTTP (option 60 HTTPClient). */
bool arch_is_http(uint16_t code);

#endif
