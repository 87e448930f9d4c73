/*
 * config/grub_image: whether a GRUB image can find a server behind a proxy.
 *
 * GRUB takes its server from the DHCP server's ACK alone.  One that is to work behind a proxy
 * has it built in: as its prefix, or in its configuration.  An EFI image shows that in its
 * section "mods", a list of objects that grub-mkimage wrote; a BIOS image is compressed.
 *
 * Spec: GRUB 2.06, include/grub/kernel.h (grub_module_info32 and 64, grub_module_header).
 * Units: octets.  Byte order: little-endian.
 * Ownership: values only.  Errors: whatever is not such a list is GRUB_NONE.  Pure.
 */
#ifndef CONFIG_GRUB_IMAGE_H
#define CONFIG_GRUB_IMAGE_H

#include <stddef.h>

#define GRUB_MODULES_MAX ((size_t)64 << 20) /* larger sections are no GRUB's */

enum grub_server {
    GRUB_NONE,   /* no GRUB, or not to be told */
    GRUB_LEARNS, /* it knows what the DHCP server's ACK names, else nothing */
    GRUB_KNOWS,
};

/* mods: the whole section. */
enum grub_server grub_image_server(const void *mods, size_t len);

#endif
