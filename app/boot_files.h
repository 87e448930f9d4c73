/*
 * app/boot_files: are the files that profiles and hosts name there, and of the right kind?
 *
 * Every entry a profile or host has of its own is looked up beneath tftp.root, the way the TFTP
 * service will: by its exact name, regular files only, no way out of the root.
 *
 * Ownership: boot_files_check() allocates the list, the caller frees it; its strings are
 * views into the snapshot.
 * Errors: what is wrong is added to the faults, at the place of the entry; a root that
 * cannot be opened always is one of FAULT_ERROR.  -ENOMEM: the list is left out.
 * Shell: common/beneath, fstat, read, readdir.
 */
#ifndef APP_BOOT_FILES_H
#define APP_BOOT_FILES_H

#include "config/bootfile.h"
#include "config/faults.h"
#include "config/snapshot.h"

enum boot_file_state {
    BOOT_FILE_THERE,
    BOOT_FILE_MISSING,   /* or not to be read */
    BOOT_FILE_ELSEWHERE, /* a URL, or a file of another TFTP server: not looked at */
    BOOT_FILE_VIRTUAL,   /* made for each client ("files", auto): not looked at */
};

/* One entry of a profile or host, or one file of an item of its menu. */
struct boot_file {
    uint16_t profile;        /* index; the host's, if it stands in a host */
    const struct host *host; /* NULL: it stands in the profile */
    uint16_t slot; /* an architecture or SLOT_IPXE; of a menu item also ARCH_ANY */
    const struct menu_item *item; /* NULL: an entry of the profile or host itself */
    const char *file;
    uint32_t line; /* of the name in the configuration file, or the host's */
    uint32_t column;
    enum boot_file_state state;
    struct bootfile what; /* BOOT_FILE_THERE only, as the next one */
    bool fits;
    bool grub_learns; /* it is, or as a shim it loads, a GRUB that cannot work behind a
                         proxy; app/grub sets it, for entries of profiles */
};

struct boot_file_list {
    struct boot_file *list; /* those of the profiles, in their order, then the hosts' */
    size_t count;
};

/* A complaint about a boot file, at the place where it is named. */
void boot_file_fault(const struct snapshot *s, const struct boot_file *b,
                     enum fault_severity severity, struct faults *faults,
                     const char *text);

/*
 * What a file beneath the root is.  0, or -errno; -EXDEV: the way leads out of the root;
 * -EISDIR: it is no regular file.
 */
int boot_file_look(int root, const char *path, struct bootfile *out);

/* len octets of it; malloc'd.  NULL: it has not so many, or cannot be read. */
void *boot_file_part(int root, const char *path, uint64_t at, size_t len);

/* Why it was not found or read, as a sentence; error: errno.  A near name is suggested. */
void boot_file_missing(int root, const char *root_name, const char *path, int error,
                       char *buf, size_t size);

/* s->tftp.root must be a path that can be opened from here.  out is always set. */
int boot_files_check(const struct snapshot *s, enum fault_severity severity,
                     struct faults *faults, struct boot_file_list *out);

/*
 * The entry of this name, of this architecture and this host (NULL: of a profile) if there is
 * one; NULL: none names it.
 */
const struct boot_file *boot_files_find(const struct boot_file_list *files,
                                        const char *file, uint16_t arch,
                                        const struct host *host);

#endif
