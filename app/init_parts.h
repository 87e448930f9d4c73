/*
 * app/init_parts: what a boot root can be made of, and which architecture boots what of it.
 *
 * Two tables: the parts, each with the Debian package that brings it, and the chains, in the
 * order in which they are preferred.  Adding a loader is adding rows.  What is not copied is
 * made: GRUB images that have this server's address built in, since GRUB behind a proxy
 * learns none (docs/chains.md), disk images for UEFI HTTP Boot, and the menus.
 *
 * Ownership: constants.  Pure.
 */
#ifndef APP_INIT_PARTS_H
#define APP_INIT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

enum init_kind {
    INIT_COPY,    /* source: a file of the package */
    INIT_MODULES, /* source: a directory, of which *.mod and *.lst are taken */
    INIT_GRUB,    /* source: the directory of the modules that an image is made of */
    INIT_DISK,    /* source: none; made of other parts, `needs` */
    INIT_MENU,    /* source: none; app/init_texts writes it */
};

struct init_part {
    const char *target; /* beneath the boot root */
    enum init_kind kind;
    const char *package;  /* that brings the source; NULL: none does */
    const char *source;   /* beneath the root of the packages */
    const char *format;   /* INIT_GRUB: what grub-mkimage calls it */
    const char *needs[2]; /* rows above it; of INIT_DISK these are shim and GRUB */
};

#define INIT_PARTS_MAX 64 /* not fewer than init_part_count */
extern const struct init_part init_parts[];
extern const size_t init_part_count;

/* The row of a target, which must be one. */
size_t init_part_of(const char *target);

/* The program that makes parts of this kind, and its package; NULL: none is needed. */
const char *init_program(enum init_kind kind);
const char *init_program_package(enum init_kind kind);

/* The NULL-terminated names of the modules that a GRUB image may hold. */
extern const char *const init_grub_modules[];

enum init_loader { LOADER_IPXE, LOADER_GRUB, LOADER_PXELINUX, LOADER_SHIM, LOADER_COUNT };
#define LOADER_ANY LOADER_COUNT /* no preference */

const char *init_loader_name(enum init_loader loader);
/* False: there is no such loader. */
bool init_loader_parse(const char *text, enum init_loader *out);

struct init_chain {
    const char *arch; /* as profiles name it */
    enum init_loader loader;
    const char *words;   /* for people: how it goes on from there */
    const char *file[2]; /* targets that must be there, the boot file first */
};

extern const struct init_chain init_chains[];
extern const size_t init_chain_count;

/*
 * The chain of an architecture whose parts are all there: that of the preferred loader, else
 * the first, which UEFI HTTP Boot always gets; NULL: none.  there: by part.
 */
const struct init_chain *init_chain_choose(const char *arch, enum init_loader preferred,
                                           const bool there[]);

#endif
