/*
 * app/init_build: finds the parts of a boot root in installed packages, and makes them.
 *
 * Everything is made in a directory of the caller's, from which app/init_place takes it: so
 * nothing of the boot root is touched until all is there.
 *
 * Ownership: the struct holds views only.
 * Errors: false with a sentence in why.
 * Shell: files; runs grub-mkimage and mtools, without a shell.
 */
#ifndef APP_INIT_BUILD_H
#define APP_INIT_BUILD_H

#include "app/init_parts.h"
#include "app/init_texts.h"

struct init_build {
    const char *const
        *from; /* trees of packages, asked in this order; "/" is the machine */
    size_t from_count;
    const char *into; /* the directory, absolute */
    const struct init_terms *terms;
    char why[512];
};

/* Which parts there are or can be made; there: by part. */
void init_find(const struct init_build *b, bool there[]);

/* Whether this machine has a program, found by PATH. */
bool init_has_program(const char *name);

/* One part, under its target in `into`. */
bool init_make(struct init_build *b, const struct init_part *part);

/* A text as a file in `into`; the directories above it are made. */
bool init_write(struct init_build *b, const char *name, const char *text, size_t len);

#endif
