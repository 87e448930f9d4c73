/*
 * app/init_place: puts what was made into the boot root, and keeps what is somebody else's.
 *
 *     init_place_begin()          the root is made and locked; p->staging is an empty directory
 *     ...                         in which everything is made
 *     init_place_files()          each file goes to its place, whole or not at all
 *     init_place_configuration()
 *     init_place_end()            in every case
 *
 * A file that is there already is replaced only when it is the one that an earlier run made:
 * a list in the root, .pxed-init.json, holds what each looked like.  Others are kept and
 * named, unless `force` is set.
 *
 * Ownership: init_place_end() frees what the struct holds but `kept`, which the caller does.
 * Errors: false with a sentence in why; what was placed until then stays.  Shell: files.
 */
#ifndef APP_INIT_PLACE_H
#define APP_INIT_PLACE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct init_place {
    const char *root; /* absolute */
    bool force;
    char staging[PATH_MAX];
    size_t made;  /* new, or other than before */
    size_t same;  /* found as they are made now */
    json_t *kept; /* names of files of others: those of the configuration are paths */
    json_t *list; /* name -> what it looked like when it was made */
    int lock;
    char why[512];
};

bool init_place_begin(struct init_place *p, const char *root, bool force);
bool init_place_files(struct init_place *p);
/* A file of this path and this very content is taken for ours: it came with pxed. */
void init_place_adopt(struct init_place *p, const char *path, const char *text,
                      size_t len);
/* path: absolute; its directory is made. */
bool init_place_configuration(struct init_place *p, const char *path, const char *text,
                              size_t len);
void init_place_end(struct init_place *p);

#endif
