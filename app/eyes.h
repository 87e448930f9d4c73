/*
 * app/eyes: files looked at with the rights of the user that pxed becomes.
 *
 * root reads a configuration before it becomes that user; what the configuration names for
 * clients is to be nothing that only root may read.
 *
 * Errors: where this process cannot take on those rights, or there is no such user, it looks
 * with its own.  Shell: setfsuid, setgroups; while there is one thread.
 */
#ifndef APP_EYES_H
#define APP_EYES_H

#include <stdbool.h>
#include <sys/types.h>

#define EYES_GROUPS_MAX 256

struct eyes {
    bool taken; /* others' are used until eyes_back() */
    char user[64];
    gid_t groups[EYES_GROUPS_MAX];
    int group_count;
};

/* name: "user" of the configuration, NULL: its default.  Returns e->taken. */
bool eyes_take(struct eyes *e, const char *name);
void eyes_back(struct eyes *e);

#endif
