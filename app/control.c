#include "app/control.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/json.h"
#include "app/unix_socket.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/net.h"

#define VERBS_MAX   24
#define GROUPS_MAX  1024
#define NOBODY      65534 /* what the kernel says of users of another namespace */
#define NESTING_MAX 8     /* of a question */

struct client {
    int fd; /* -1: free */
    uint64_t serial;
    usec_t heard;
    bool asked; /* a question waits for its answer; nothing is read meanwhile */
    size_t used;
    char line[CONTROL_LINE];
    char *out; /* NULL: nothing to send */
    size_t out_len;
    size_t out_sent;
};

struct control {
    struct loop *loop;
    int fd;
    char path[UNIX_PATH_SIZE];
    uid_t user;
    gid_t group;
    uint64_t serials;
    uint64_t refused[CONTROL_REFUSED_COUNT];
    size_t verb_count;
    struct {
        const char *name;
        control_verb run;
        void *context;
    } verbs[VERBS_MAX];
    struct client clients[CONTROL_CLIENTS];
};

/* -- who may ask -------------------------------------------------------------------------- */

static bool has_group(int fd, gid_t group)
{
    gid_t groups[GROUPS_MAX];
    socklen_t len = sizeof groups;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) != 0) {
        return false;
    }
    for (size_t i = 0; i < len / sizeof groups[0]; i++) {
        if (groups[i] == group) {
            return true;
        }
    }
    return false;
}

static bool may_ask(const struct control *c, int fd)
{
    struct ucred who;
    socklen_t len = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) != 0) {
        return false;
    }
    return who.uid == 0 || (who.uid == c->user && who.uid != NOBODY) ||
           (c->group != NOBODY && (who.gid == c->group || has_group(fd, c->group)));
}

/* -- one client --------------------------------------------------------------------------- */

static void drop(struct control *c, struct client *client)
{
    loop_unwatch(c->loop, client->fd);
    (void)close(client->fd);
    free(client->out);
    *client = (struct client){.fd = -1};
}

static bool has_line(const struct client *client)
{
    return memchr(client->line, '\n', client->used) != NULL;
}

/* False: the client is gone.  What it asked meanwhile is taken up from the loop. */
static bool send_rest(struct control *c, struct client *client)
{
    while (client->out_sent < client->out_len) {
        ssize_t n = send(client->fd, client->out + client->out_sent,
                         client->out_len - client->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN) {
            loop_wait_for(c->loop, client->fd, LOOP_WAIT_WRITE);
            return true;
        }
        if (n < 0 && errno != EINTR) {
            drop(c, client);
            return false;
        }
        client->out_sent += n > 0 ? (size_t)n : 0;
    }
    free(client->out);
    client->out = NULL;
    loop_wait_for(c->loop, client->fd,
                  LOOP_WAIT_READ | (has_line(client) ? LOOP_WAIT_WRITE : 0));
    return true;
}

static struct client *client_of(struct control_ticket t)
{
    struct client *client = &t.control->clients[t.client];
    return client->fd >= 0 && client->asked && client->serial == t.serial ? client : NULL;
}

bool control_waits(struct control_ticket ticket)
{
    return client_of(ticket) != NULL;
}

/* What is said when the answer cannot be put together. */
static char *poor_answer(void)
{
    return strdup("{\"ok\": false, \"error\": \"out of memory\"}");
}

static void send_answer(struct control_ticket ticket, bool ok, json_t *answer)
{
    json_auto_t *mine = answer;
    struct client *client = client_of(ticket);
    if (!client) {
        return;
    }
    char *text = NULL;
    if (mine && json_object_set_new(mine, "ok", json_boolean(ok)) == 0) {
        text = json_dumps(mine, JSON_COMPACT | JSON_DIGITS);
    }
    if (!text || strlen(text) >= CONTROL_ANSWER) {
        free(text);
        text = poor_answer();
    }
    if (!text) {
        drop(ticket.control, client);
        return;
    }
    client->asked = false;
    client->out = text;
    client->out_len = strlen(text) + 1;
    client->out_sent = 0;
    text[client->out_len - 1] = '\n'; /* in place of the NUL, which nobody needs */
    (void)send_rest(ticket.control, client);
}

void control_answer(struct control_ticket ticket, json_t *answer)
{
    send_answer(ticket, true, answer);
}

void control_refuse(struct control_ticket ticket, const char *why, json_t *more)
{
    json_t *answer = more ? more : json_object();
    ticket.control->refused[CONTROL_ERROR]++;
    (void)json_object_set_new(answer, "error", json_string(why));
    send_answer(ticket, false, answer);
}

/* -- questions ---------------------------------------------------------------------------- */

static void dispatch(struct control *c, struct control_ticket ticket,
                     const json_t *question)
{
    const char *name = json_string_value(json_object_get(question, "verb"));
    if (!name) {
        control_refuse(ticket, "expected an object with a \"verb\"", NULL);
        return;
    }
    for (size_t i = 0; i < c->verb_count; i++) {
        if (strcmp(c->verbs[i].name, name) == 0) {
            c->verbs[i].run(c->verbs[i].context, ticket, question);
            return;
        }
    }
    control_refuse(ticket, "unknown verb; ask \"verbs\" for those there are", NULL);
}

/* jansson would follow 2048 levels of nesting, on the stack. */
static bool is_flat(const char *line, size_t len)
{
    size_t depth = 0;
    for (size_t i = 0; i < len; i++) {
        depth += line[i] == '{' || line[i] == '[';
    }
    return depth <= NESTING_MAX;
}

static void ask(struct control *c, struct client *client, const char *line, size_t len)
{
    struct control_ticket ticket = {c, (unsigned)(client - c->clients), client->serial};
    json_auto_t *question =
        is_flat(line, len) ? json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    client->asked = true;
    loop_wait_for(c->loop, client->fd, 0);
    dispatch(c, ticket, question);
}

/* Whole lines that have come, one after another, as long as each is answered at once. */
static void take_lines(struct control *c, struct client *client)
{
    uint64_t serial = client->serial;
    char *end;
    while (client->fd >= 0 && client->serial == serial && !client->asked &&
           !client->out && (end = memchr(client->line, '\n', client->used))) {
        char line[CONTROL_LINE];
        size_t len = (size_t)(end - client->line);
        memcpy(line, client->line, len);
        client->used -= len + 1;
        memmove(client->line, end + 1, client->used);
        ask(c, client, line, len);
    }
    if (client->fd >= 0 && client->serial == serial && !client->asked && !client->out &&
        client->used == sizeof client->line) {
        c->refused[CONTROL_TOO_LONG]++; /* no question is that long */
        drop(c, client);
    }
}

static struct client *find_client(struct control *c, int fd)
{
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++) {
        if (c->clients[i].fd == fd) {
            return &c->clients[i];
        }
    }
    return NULL;
}

static bool on_client(void *context, int fd, enum loop_event event, usec_t now)
{
    struct control *c = context;
    struct client *client = find_client(c, fd);
    if (!client) {
        return false;
    }
    client->heard = now;
    if (event == LOOP_WRITABLE) {
        uint64_t serial = client->serial;
        if (!client->out) {
            take_lines(c, client);
        }
        if (client->serial == serial && !client->asked) {
            (void)send_rest(c, client);
        }
        return true;
    }
    ssize_t n = recv(fd, client->line + client->used, sizeof client->line - client->used,
                     MSG_DONTWAIT);
    if (n > 0) {
        client->used += (size_t)n;
        take_lines(c, client);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        drop(c, client);
    }
    return true; /* drop() has ended the watching already */
}

/* Nothing is read of a client that waits for its answer, so nobody has noticed. */
static bool is_gone(const struct client *client)
{
    struct pollfd peer = {.fd = client->fd};
    return poll(&peer, 1, 0) > 0;
}

static bool waits(const struct client *client)
{
    return client->asked && !is_gone(client);
}

/* A free slot, or that of the client heard of longest ago: one that waits goes last. */
static struct client *make_room(struct control *c)
{
    struct client *first = NULL;
    bool first_waits = false;
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++) {
        struct client *client = &c->clients[i];
        if (client->fd < 0) {
            return client;
        }
        bool last = waits(client);
        if (!first || (last == first_waits ? client->heard < first->heard : !last)) {
            first = client;
            first_waits = last;
        }
    }
    c->refused[first_waits ? CONTROL_CROWDED : CONTROL_DISPLACED]++;
    drop(c, first);
    return first;
}

static bool on_connection(void *context, int listener, enum loop_event event, usec_t now)
{
    struct control *c = context;
    (void)event;
    AUTO(close) int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && net_is_short(-errno)) {
        log_say(LOG_WARNING, "nobody can be let in at the control socket: %s",
                strerror(errno));
        loop_rest(c->loop, listener);
    }
    if (fd < 0) {
        return true;
    }
    if (!may_ask(c, fd)) {
        c->refused[CONTROL_NOT_ALLOWED]++;
        return true;
    }
    struct client *client = make_room(c);
    if (loop_watch(c->loop, fd, on_client, c) == 0) {
        *client = (struct client){.serial = ++c->serials, .heard = now};
        client->fd = take_fd(&fd);
    }
    return true;
}

const uint64_t *control_refusals(const struct control *c)
{
    return c->refused;
}

/* -- verbs that are always there ---------------------------------------------------------- */

static void on_ping(void *context, struct control_ticket ticket, const json_t *question)
{
    (void)context;
    (void)question;
    control_answer(ticket, json_object());
}

static void on_version(void *context, struct control_ticket ticket,
                       const json_t *question)
{
    (void)context;
    (void)question;
    control_answer(
        ticket, json_pack("{s:s, s:i}", "version", PXED_VERSION, "pid", (int)getpid()));
}

static void on_verbs(void *context, struct control_ticket ticket, const json_t *question)
{
    const struct control *c = context;
    json_t *names = json_array();
    (void)question;
    for (size_t i = 0; i < c->verb_count; i++) {
        (void)json_array_append_new(names, json_string(c->verbs[i].name));
    }
    control_answer(ticket, json_pack("{s:o}", "verbs", names));
}

bool control_add(struct control *c, const char *name, control_verb verb, void *context)
{
    if (c->verb_count == VERBS_MAX) {
        return false;
    }
    c->verbs[c->verb_count].name = name;
    c->verbs[c->verb_count].run = verb;
    c->verbs[c->verb_count].context = context;
    c->verb_count++;
    return true;
}

/* -- start and end ------------------------------------------------------------------------ */

int control_open(const char *path, uid_t user, gid_t group, struct control **out)
{
    struct control *c = calloc(1, sizeof *c);
    if (!c) {
        return -ENOMEM;
    }
    c->fd = -1;
    c->user = user;
    c->group = group;
    snprintf(c->path, sizeof c->path, "%s", path);
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++) {
        c->clients[i].fd = -1;
    }
    int error = unix_listen(path, user, group, &c->fd);
    if (error != 0) {
        free(c);
        return error;
    }
    (void)control_add(c, "ping", on_ping, c);
    (void)control_add(c, "version", on_version, c);
    (void)control_add(c, "verbs", on_verbs, c);
    *out = c;
    return 0;
}

int control_start(struct control *c, struct loop *loop)
{
    c->loop = loop;
    return loop_watch(loop, c->fd, on_connection, c);
}

void control_close(struct control *c)
{
    if (!c) {
        return;
    }
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++) {
        if (c->clients[i].fd >= 0) {
            (void)close(c->clients[i].fd);
            free(c->clients[i].out);
        }
    }
    (void)close(c->fd);
    (void)unlink(c->path);
    free(c);
}
