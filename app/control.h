/*
 * app/control: the socket on which the running process is asked and told things.
 *
 * A Unix stream socket.  The peer sends one JSON object a line and gets one JSON object a
 * line for each, in order:
 *
 *     {"verb": "reload"}
 *     {"ok": true, ...what the verb tells...}
 *     {"ok": false, "error": "a sentence"}
 *
 * Verbs that are always there: "ping" -> {}, "version" -> {"version", "pid"}, "verbs" ->
 * {"verbs": [names]}.  The others belong to whoever adds them (control_add), which see:
 * app/reload.h, app/state.h.  No verb takes a path or a command: whoever may ask can reload,
 * look, and set what the host table allows, nothing else.
 *
 * Who may ask: root, the user that serves, and members of its group, as the kernel names the
 * peer.  A user or group that the kernel cannot name (65534) is nobody's.
 *
 * Limits: CONTROL_CLIENTS peers, of whom the one idle longest makes room for a new one, or
 * the one that waits longest where all wait for an answer;
 * questions of CONTROL_LINE octets, answers of CONTROL_ANSWER.
 *
 * Ownership: a question is the verb's until it returns; control_answer() takes the answer.
 * Errors: 0 or -errno.  Shell: sockets, jansson.
 */
#ifndef APP_CONTROL_H
#define APP_CONTROL_H

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/loop.h"

#define CONTROL_CLIENTS 16
#define CONTROL_LINE    4096
#define CONTROL_ANSWER  (4u << 20)

struct control;

/* Why a peer, or its question, got nowhere; named in app/refusals. */
enum control_refused {
    CONTROL_NOT_ALLOWED, /* neither root nor of the group that serves */
    CONTROL_DISPLACED,   /* idle or gone, and its place was needed */
    CONTROL_CROWDED,     /* it waited, as all did, and its place was needed */
    CONTROL_TOO_LONG,    /* a question over CONTROL_LINE */
    CONTROL_ERROR,       /* a question that was answered by "error" */
    CONTROL_REFUSED_COUNT,
};

const uint64_t *control_refusals(const struct control *c); /* by that enum */

/* Whose question it is; worth nothing once it was answered or the peer has gone. */
struct control_ticket {
    struct control *control;
    unsigned client;
    uint64_t serial;
};

/* Answers once, at once or later: control_answer() or control_refuse(). */
typedef void (*control_verb)(void *context, struct control_ticket ticket,
                             const json_t *question);

/*
 * Binds the socket, and makes the directory it stands in when that is missing; both belong
 * to user and group afterwards.  -EADDRINUSE: another process answers there.
 */
int control_open(const char *path, uid_t user, gid_t group, struct control **out);
/* After privileges went: serve from now on. */
int control_start(struct control *c, struct loop *loop);
/* After loop_free().  NULL is fine. */
void control_close(struct control *c);

/* name must stay.  False: no room. */
bool control_add(struct control *c, const char *name, control_verb verb, void *context);

/* The members of an answer, without "ok"; NULL counts as out of memory. */
void control_answer(struct control_ticket ticket, json_t *answer);
/* "ok": false, with a reason, and what else there is to tell (NULL: nothing). */
void control_refuse(struct control_ticket ticket, const char *why, json_t *more);
/* False: its peer has gone, or made room for another.  One that waits has one ticket. */
bool control_waits(struct control_ticket ticket);

#endif
