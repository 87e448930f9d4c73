/*
 * app/privileges: from whatever we were started as to a process that may do nothing special.
 *
 * Errors: 0 or -errno with the reason in words.  Shell: libcap, setresuid(2), prctl(2).
 */
#ifndef APP_PRIVILEGES_H
#define APP_PRIVILEGES_H

#include <pwd.h>
#include <stdbool.h>
#include <sys/types.h>

#define PRIVILEGES_WHY_SIZE 320

/*
 * Makes the capabilities that opening sockets needs effective (file capabilities given as
 * "+p" are only permitted at first).  Never fails: opening says what is missing.
 */
void privileges_raise(void);

/* Whom root becomes by that name, or "nobody"; NULL: there is neither, or it is root. */
const struct passwd *privileges_user(const char *name);

/*
 * Whom privileges_drop() will make of us: what is made for that user beforehand is given to
 * these.  -ENOENT: it will fail.
 */
int privileges_identity(const char *name, uid_t *uid, gid_t *gid);

/*
 * Becomes `user` when started as root (user NULL or unknown: "nobody"), empties every
 * capability set, sets no_new_privs and makes the process undumpable.  keep_raw:
 * CAP_NET_RAW, if we have it, stays permitted, though not effective.
 */
int privileges_drop(const char *user, bool keep_raw, char why[PRIVILEGES_WHY_SIZE]);

/*
 * Makes a CAP_NET_RAW that was kept effective, for the moment in which an interface that has
 * come back is opened, and ineffective again.
 */
void privileges_raise_raw(void);
void privileges_lower_raw(void);

#endif
