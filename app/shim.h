/*
 * app/shim: what shim loads next, and whether Secure Boot can get that far.
 *
 * shim names its second stage itself: GRUB for its architecture, in its own directory
 * (firmware.md section 7).  No profile mentions that file, so nothing else misses it before
 * a machine stops with an error.
 *
 * Errors: warnings at the place of the shim's own entry.  Shell: files beneath the root.
 */
#ifndef APP_SHIM_H
#define APP_SHIM_H

#include "app/boot_files.h"

void shim_check(const struct snapshot *s, const struct boot_file_list *files,
                struct faults *faults);

/* "x64/shimx64.efi": "x64/grubx64.efi"; false: it has not the name of a shim. */
bool shim_second_stage(const char *file, char *out, size_t size);

#endif
