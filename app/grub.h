/*
 * app/grub: boot files that lead to a GRUB which stops at its prompt behind a proxy.
 *
 * The file itself, or what shim loads after it, is looked into (config/grub_image).
 *
 * Errors: warnings at the place of the entry.  Shell: files beneath the root.
 */
#ifndef APP_GRUB_H
#define APP_GRUB_H

#include "app/boot_files.h"

#define GRUB_WHY_SIZE 256

/* Sets grub_learns of entries of profiles, and warns of those. */
void grub_check(const struct snapshot *s, struct boot_file_list *files,
                struct faults *faults);

/* Whether there is something to warn of: why says what it is, and what helps. */
bool grub_warning(const struct snapshot *s, const struct boot_file *b,
                  char why[GRUB_WHY_SIZE]);

#endif
