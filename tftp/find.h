/*
 * tftp/find: what is served under a name: a file beneath the root, or what stands for one.
 *
 * For every door: TFTP asks here, and so does HTTP.
 *
 *     tftp_find()          names that stand for something else, then the disk, then names
 *                          that need no file; what another file stands in for is asked of
 *                          the disk only
 *     tftp_find_long()     after STORE_WAITS: in another thread
 *     tftp_find_on()       and then, where the first was called: STORE_WAITS again, or the end
 *
 * Ownership: the quest is the caller's, its root its own until the end (tftp_quest_done());
 * what was found, octets (malloc'd) or an open file, is the caller's.
 * Errors: enum store_fault, 0 = ok.  Shell: tftp/search.
 */
#ifndef TFTP_FIND_H
#define TFTP_FIND_H

#include "tftp/hooks.h"
#include "tftp/search.h"

struct tftp_found {
    void *octets; /* NULL: it is a file */
    size_t len;
    struct opened file;
    unsigned repairs;
    char why[100]; /* of STORE_NOT_FOUND, when there is more to say; else "" */
};

struct tftp_quest {
    struct endpoint peer;
    struct endpoint local;
    char name[TFTP_PATH_SIZE]; /* clean */
    bool patient;              /* go to the disk only in tftp_find_long() */
    /* its own */
    unsigned turn;
    char path[TFTP_PATH_SIZE]; /* to be searched */
    bool far;                  /* maybe behind a server that does not answer */
    struct search_root root;
    enum store_fault fault;
    struct tftp_found found;
};

/* peer, local, name and patient are set, all else is zero.  root: of the files. */
enum store_fault tftp_find(struct tftp_quest *q, const struct search_root *root,
                           const struct tftp_hooks *hooks, struct tftp_found *out);
void tftp_find_long(struct tftp_quest *q);
enum store_fault tftp_find_on(struct tftp_quest *q, const struct tftp_hooks *hooks,
                              struct tftp_found *out);

/* When it is given up between tftp_find() and tftp_find_on(). */
void tftp_quest_done(struct tftp_quest *q);

#endif
