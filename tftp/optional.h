/*
 * tftp/optional: names that boot programs ask for on the chance, and do well without.
 *
 *   PXELINUX, GRUB          a search from the machine's own configuration to the general one
 *   Windows Boot Manager    policies, revocations, fonts; BCD in the root before \Boot\BCD
 *   Raspberry Pi            its serial number's directory, updates, options, kernels by model
 *
 * That one of them is not there is no fault; without its last name (pxelinux.cfg/default,
 * grub.cfg) a search has failed, though.  Sources: syslinux core/fs/pxe/pxe.c, GRUB
 * grub-core/net/net.c, bootmgfw.efi as seen on the wire, Raspberry Pi's documentation.
 *
 * Pure.
 */
#ifndef TFTP_OPTIONAL_H
#define TFTP_OPTIONAL_H

#include <stdbool.h>

bool tftp_is_optional(const char *path); /* clean */

#endif
