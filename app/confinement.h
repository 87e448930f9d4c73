/*
 * app/confinement: what the process gives up, beside its privileges, before it reads a packet.
 *
 * Files: Landlock.  Read are the boot root, the directories of the configuration, of the host
 * files and of the templates, and the few files that libraries want; written are the state's
 * directory and that of the control socket.  Each as it is when the process starts: a reload
 * that names another directory, or one put in its place, is refused and takes a restart.  Where
 * one of them is a link, the directory it lies in is read, too, so that it may be turned.
 *
 * System calls: those of app/syscall_filter.
 *
 * What the kernel cannot do is told, and served without.
 *
 * Ownership: a value.  Shell: app/landlock, app/syscall_filter, the log.
 */
#ifndef APP_CONFINEMENT_H
#define APP_CONFINEMENT_H

#include <jansson.h>

#include "app/configuration.h"

struct confinement {
    bool wanted;  /* "confinement" in the configuration */
    int landlock; /* the ABI in force, or -errno */
    int seccomp;  /* 0: system calls are filtered; or -errno */
    char user[32];
};

/* After privileges went, before the first thread: holds for this thread and those to come. */
void confinement_begin(struct confinement *c, const struct configuration *config);

/* "confinement" of the status document. */
json_t *confinement_json(const struct confinement *c);

#endif
