/*
 * app/virtual: names that are served although no file beneath the root has them.
 *
 *   "files" of the configuration     before the disk is asked
 *   auto                             the boot file of the architecture that was seen in this
 *                                    client's DHCP requests; for an iPXE, its script
 *   autoexec.ipxe, in any directory  a script that chains the profile's "ipxe" entry by an
 *                                    absolute URL: iPXE may take another host for its server
 *   pxelinux.cfg/01-MAC, grub.cfg-01-MAC, their defaults, auto.ipxe, in any directory
 *                                    what "boot" says, in the loader's words
 *   whatever is in "directory"       beneath it, a Raspberry Pi's own directory taken away
 *
 * All but the first only when the disk has no such file.
 *
 * Ownership: what was rendered is the caller's.  Takes memory; no system call.
 */
#ifndef APP_VIRTUAL_H
#define APP_VIRTUAL_H

#include "app/virtual_parts.h"

enum tftp_virtual virtual_find(const struct virtual_question *q, enum tftp_turn turn,
                               struct tftp_answer *out);

/*
 * Is this the file that ends a boot of this machine: the profile's "done_when", else its
 * "ipxe" entry, else the boot file of the architecture?
 */
bool virtual_ends_boot(const struct virtual_question *q);

/*
 * Does "files" have something under this clean name, for some client?  *file, when it is set,
 * is the name beneath the root that must be there for it.
 */
bool virtual_has(const struct snapshot *config, const char *name, const char **file);

#endif
