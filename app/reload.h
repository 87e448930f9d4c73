/*
 * app/reload: takes the configuration file anew while the process serves.
 *
 *     asked -> read and checked in another thread -> swapped between two events
 *           -> the old one is freed in another thread
 *
 * One at a time: who asks while one is under way is answered by the next, since the file may
 * have changed after it was read.  One with faults changes nothing.
 *
 * The verb "reload" of the control socket answers when it is done:
 *
 *     {"ok": true, "file": F, "good": true, "faults": [...], "report": T, "hosts": N, "msec": N}
 *     {"ok": false, "error": W, "file": F, "good": false, "faults": [...], "report": T}
 *
 * faults as `pxed check --json` has them, RELOAD_FAULTS at the most; report as `pxed check`
 * prints them; "good": false stands for faults, true with "error" for something else that is
 * in the way, such as the boot root.
 *
 * Ownership: the machine owns what is being read; `take` hands the old one over.
 * Errors: 0 or -errno.  Shell: the loop's threads, files, log.
 */
#ifndef APP_RELOAD_H
#define APP_RELOAD_H

#include "app/configuration.h"
#include "app/control.h"

#define RELOAD_FAULTS 200

struct reload;

/*
 * Serve by *config from now on, and leave in it what was served by before.  NULL, or why
 * that is not possible; then nothing has changed.
 */
typedef const char *(*reload_take)(void *context, struct configuration *config);

int reload_new(struct loop *loop, const char *path, reload_take take, void *context,
               struct reload **out);
/* After loop_free().  NULL is fine. */
void reload_free(struct reload *r);

void reload_ask(struct reload *r);
bool reload_serve(struct reload *r, struct control *c);
/* How the last one went; at 0: there was none. */
struct reload_outcome {
    usec_t at;
    bool good;
    size_t faults;
    char first[256]; /* of its faults, in a line; "": none */
};
const struct reload_outcome *reload_last(const struct reload *r);
/* Asks by itself when the file, or its directory entry, has changed. */
int reload_watch(struct reload *r);
/* Asks when anything in this directory has changed. */
int reload_watch_directory(struct reload *r, const char *directory);

/* The faults as `pxed check` prints them, at most RELOAD_FAULTS; malloc'd, or NULL. */
char *faults_report(const struct configuration *c, const char *path, int error);

#endif
