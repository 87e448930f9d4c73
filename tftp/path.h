/*
 * tftp/path: the name a client asked for, as a clean path relative to the root.
 *
 * Backslashes become slashes, leading and doubled slashes and "." go; ".." is refused, not
 * resolved.  Whether the file is there is the store's business.
 *
 * Ownership: written into the caller's buffer, untouched on failure.
 * Errors: enum tftp_path_fault, 0 = ok.  Pure.
 */
#ifndef TFTP_PATH_H
#define TFTP_PATH_H

#include "tftp/packet.h"

enum tftp_path_fault {
    TFTP_PATH_OK = 0,
    TFTP_PATH_EMPTY,   /* nothing is left: the root itself was asked for */
    TFTP_PATH_OUTSIDE, /* a ".." component */
    TFTP_PATH_LONG,    /* a component over 255 octets */
};

/* Repairs made on the way from the name asked to the file served, as bits. */
enum tftp_repair {
    TFTP_REPAIR_BACKSLASH = 1,
    TFTP_REPAIR_SLASHES = 2, /* doubled, leading or "." ones */
    TFTP_REPAIR_TAIL = 4,    /* octets no name has were cut from the end */
    TFTP_REPAIR_CASE = 8,    /* a unique file differs in case of letters only */
};

#define TFTP_PATH_SIZE (TFTP_NAME_MAX + 1)

enum tftp_path_fault tftp_path_clean(struct tftp_text name, char out[TFTP_PATH_SIZE],
                                     unsigned *repairs);

/*
 * Quirk: old BIOS ROMs read DHCP option 67 as a C string and ask with its neighbour's
 * octets behind the name ("undionly.kpxe\xff").  Cuts the path before its first octet below
 * 0x20 or above 0x7e; false when there is none, or nothing would be left.
 */
bool tftp_path_cut_tail(char *path);

/* "backslash,case"; "" for none.  Returns buf. */
char *tftp_repairs_print(unsigned repairs, char *buf, size_t size);

#endif
