/*
 * config/bootfile: what a boot file is, told by its first octets, and whom it suits.
 *
 * Spec: PE/COFF 8.3 (headers, certificate table, sections), UEFI 2.10 section 2.1.1
 * (subsystems), the Linux boot protocol (HdrS), ECMA-119 (CD001).
 * Units: octets.  Byte order: PE is little-endian.
 * Ownership: values only.
 * Errors: none; what is not known is BOOTFILE_UNKNOWN, which suits BIOS and HTTP Boot.  Pure.
 */
#ifndef CONFIG_BOOTFILE_H
#define CONFIG_BOOTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOTFILE_HEAD 36864 /* octets that are looked at; an ISO shows itself at 32769 */

enum bootfile_kind {
    BOOTFILE_UNKNOWN,
    BOOTFILE_EMPTY,
    BOOTFILE_EFI,   /* PE, subsystem 10: an EFI application */
    BOOTFILE_PE,    /* PE of another subsystem: an EFI driver, a Windows program */
    BOOTFILE_BIOS,  /* machine code without a header, as BIOS PXE loads it */
    BOOTFILE_LINUX, /* bzImage or .lkrn that is no EFI application */
    BOOTFILE_ISO,
    BOOTFILE_DISK, /* a FAT file system or a partition table: UEFI HTTP Boot starts those */
    BOOTFILE_WIM,
    BOOTFILE_GZIP,
    BOOTFILE_IPXE_SCRIPT,
    BOOTFILE_TEXT,
    BOOTFILE_KIND_COUNT,
};

struct bootfile {
    enum bootfile_kind kind;
    uint64_t size;      /* of the whole file */
    uint16_t machine;   /* EFI, PE: 0x8664 is x64, ... */
    bool is_signed;     /* EFI, PE: the certificate table is not empty */
    bool has_sbat;      /* EFI, PE: there is a .sbat section, which shim asks for */
    bool cut_short;     /* EFI, PE: a section or the certificates lie behind the end */
    uint64_t mods_at;   /* EFI, PE: where GRUB's section of modules is, */
    uint64_t mods_size; /* and how long; 0: there is none */
};

/* head: the first len octets of a file of size octets, BOOTFILE_HEAD of them at best. */
struct bootfile bootfile_look(const void *head, size_t len, uint64_t size);

/* "efi-application", "bios-program"...: stable words for --json. */
const char *bootfile_kind_name(enum bootfile_kind kind);

/* "EFI application for x64", "iPXE script": words for people.  Returns buf. */
char *bootfile_describe(const struct bootfile *b, char *buf, size_t size);

/*
 * True when a client of this architecture can start the file, as far as can be told.
 * Else why is a sentence without subject: "is a BIOS program, not an EFI application for x64".
 */
bool bootfile_fits(const struct bootfile *b, uint16_t arch, char *why, size_t size);

#endif
