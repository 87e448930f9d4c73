/*
 * app/state: what is remembered of machines across restarts.
 *
 *     config/states      the copy in memory, which every question is answered from
 *     STATE_DIR/state.db SQLite; written in another thread, one batch at a time
 *
 * No answer ever waits for the disk.  A batch that cannot be written (locked, full) is tried
 * again, at growing intervals, until it can; what was written before stays.  A process that
 * is killed loses at most what had not been written yet, a few milliseconds' worth.
 *
 * Without a directory, or when it cannot be written, all is kept in memory only.
 *
 * Verbs of the control socket (app/control.h); M is a MAC address:
 *
 *     {"verb": "approve", "mac": M}   a host whose action is "hold" may boot
 *     {"verb": "reset", "mac": M}     as the host table says: not approved, its boot not done
 *       -> {"mac", "approved", "done"}
 *     {"verb": "known"} -> {"machines": [{"mac", "approved", "done", "first_seen",
 *       "last_seen", "arch", "host", "gate"}], "more": N, "unsaved": B}
 *       times in seconds since 1970 or null; gate: "boot", "held", "done", "local", "ignored",
 *       "unknown"; unsaved: something waits for the disk
 *
 * Ownership: all its own.  Errors: 0 or -errno.  Shell: SQLite, files.
 */
#ifndef APP_STATE_H
#define APP_STATE_H

#include <sys/types.h>

#include "app/control.h"
#include "config/gate.h"

struct state;

/*
 * While privileges last: makes the directory if it is missing, for that user.  NULL is fine.
 */
void state_prepare(const char *directory, uid_t user, gid_t group);

/*
 * After privileges went.  When the directory is of no use that is logged, and the state lives
 * in memory.  NULL: none.  -ENOMEM is the only error.
 */
int state_open(const char *directory, struct state **out);
void state_start(struct state *s, struct loop *loop);
/* After loop_free(): what is left is written.  NULL is fine. */
void state_close(struct state *s);

/* A view until the next call. */
const struct host_state *state_of(struct state *s, const struct mac *mac);
void state_seen(struct state *s, const struct mac *mac, bool has_arch, uint16_t arch);
void state_boot_done(struct state *s, const struct mac *mac);

/* The next machine that waits for approval, from *at on (0 at first); false: no more. */
bool state_next_held(const struct state *s, const struct snapshot *config, size_t *at,
                     struct state_row *out);

usec_t state_deadline(const struct state *s);
void state_timeout(struct state *s, usec_t now);

/* config: what is served by now. */
bool state_serve(struct state *s, struct control *c,
                 const struct snapshot *(*config)(void *context), void *context);

#endif
