/*
 * tftp/shape: which program a request is from, by what it asks for and in which order.
 *
 * Programs of one kind on one network carry about the same windows; and some kinds that know
 * no windows are known to take several blocks at once.
 *
 * Pure.
 */
#ifndef TFTP_SHAPE_H
#define TFTP_SHAPE_H

#include "tftp/options.h"

enum tftp_kind {
    TFTP_KIND_OTHER,
    TFTP_KIND_EDK2,          /* UEFI firmware: a window of 4 */
    TFTP_KIND_EDK2_LOCKSTEP, /* the same from before it knew windows, and what it loads */
    TFTP_KIND_UBOOT,
    TFTP_KIND_IPXE,
    TFTP_KIND_GRUB,
    TFTP_KIND_PXELINUX,
    TFTP_KIND_BOOTMGR, /* Windows Boot Manager */
    TFTP_KIND_COUNT,
};

struct tftp_shape {
    enum tftp_kind kind;
    uint32_t key; /* the options, their order, and the block size */
};

struct tftp_shape tftp_shape_of(const struct tftp_opts *asked);
const char *tftp_kind_name(enum tftp_kind kind);
/* It knows no windows, and the real one was seen to take several blocks at once. */
bool tftp_kind_takes_ahead(enum tftp_kind kind);

#endif
