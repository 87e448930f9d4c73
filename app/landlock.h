/*
 * app/landlock: from now on files are out of reach but beneath the directories named here.
 *
 * Holds for the calling thread, for threads it starts later, and for good.  Descriptors that are
 * open already stay as they are.  A rule is on the directory itself, not on its name: what takes
 * its place later is out of reach.  Sockets are not touched.
 *
 * Spec: Linux, Documentation/userspace-api/landlock.rst, ABI 1 to 5.
 * Errors: -errno, and nothing has changed; -ENOSYS and -EOPNOTSUPP: not in this kernel, or not
 * switched on.  Shell: landlock_create_ruleset(2) and its sisters.
 */
#ifndef APP_LANDLOCK_H
#define APP_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>

struct landlock_place {
    const char *path; /* a directory, or one file; one that is not there is passed over */
    bool writes;      /* files in it are made, written and removed, too */
};

/* The version of what is in force, 1 or more.  Needs no_new_privs. */
int landlock_confine(const struct landlock_place *places, size_t count);

#endif
