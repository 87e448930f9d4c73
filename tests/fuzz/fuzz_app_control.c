/*
 * The control socket: whatever its peers send, in whatever pieces, over real sockets and the
 * real loop, with the verbs of app/state and one that answers late.
 *
 * The input: an octet says which of three peers sends, connects, reads, leaves or shuts down;
 * then come the octets that it sends.
 *
 * Properties: an answer is a line that is a JSON object with "ok", and with "error" if that is
 * false; there are no more answers than questions, and as many in the end as the peer sent
 * whole lines, unless it was dropped; only a peer that asked for more than a line is dropped;
 * marks of machines change by "approve" and "reset" alone, and a mark has a valid MAC.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/control.h"
#include "app/state.h"
#include "app/unix_socket.h"
#include "tests/fuzz/fuzz.h"

#define PEERS  3
#define ROUNDS 4

static const char json[] =
    "{\"interfaces\": [\"eth0\"], \"tftp\": {\"root\": \"/t\"}, \"profiles\": "
    "{\"default\": "
    "{\"7\": \"a\"}}, \"hosts\": [{\"name\": \"h\", \"mac\": \"02:00:00:00:00:01\", "
    "\"action\": \"hold\"}]}";

struct peer {
    int fd;          /* -1: not connected */
    size_t asked;    /* whole lines sent */
    size_t answered; /* and got */
    size_t open;     /* octets since its last line end */
    bool too_long;
    size_t used;
    char line[65536];
};

struct world {
    char folder[32];
    char path[64];
    struct loop *loop;
    struct control *control;
    struct state *state;
    struct snapshot *config;
    struct peer peer[PEERS];
    struct control_ticket late;
    bool is_late;
    unsigned rounds;
};

static struct world w;

/* -- the loop, a few rounds at a time ----------------------------------------------------- */

static usec_t deadline(void *context)
{
    (void)context;
    return 0;
}

static void on_round(void *context, usec_t now)
{
    (void)context;
    (void)now;
    if (++w.rounds >= ROUNDS) {
        loop_stop(w.loop);
    }
}

static void run(void)
{
    w.rounds = 0;
    loop_run(w.loop);
}

static void answer_late(void)
{
    if (w.is_late) {
        w.is_late = false;
        control_answer(w.late, json_object());
    }
}

static void on_late(void *context, struct control_ticket ticket, const json_t *question)
{
    (void)context;
    (void)question;
    answer_late(); /* the ticket of a peer that may be gone */
    w.late = ticket;
    w.is_late = true;
}

static const struct snapshot *config_of(void *context)
{
    (void)context;
    return w.config;
}

static void clean_up(void)
{
    (void)unlink(w.path);
    (void)rmdir(w.folder);
}

static void set_up(void)
{
    log_set_level(LOG_ERROR);
    w.config = fuzz_config(json);
    snprintf(w.folder, sizeof w.folder, "/tmp/pxed-fuzz-XXXXXX");
    must(mkdtemp(w.folder) != NULL);
    snprintf(w.path, sizeof w.path, "%s/control", w.folder);
    must(loop_new(&w.loop) == 0);
    must(control_open(w.path, geteuid(), getegid(), &w.control) == 0);
    must(state_open(NULL, &w.state) == 0);
    must(control_add(w.control, "late", on_late, NULL));
    must(state_serve(w.state, w.control, config_of, NULL));
    must(control_start(w.control, w.loop) == 0);
    loop_set_deadline(w.loop, deadline, on_round, NULL);
    for (size_t i = 0; i < PEERS; i++) {
        w.peer[i].fd = -1;
    }
    (void)atexit(clean_up);
}

/* -- peers -------------------------------------------------------------------------------- */

static void leave(struct peer *p)
{
    if (p->fd >= 0) {
        (void)close(p->fd);
    }
    *p = (struct peer){.fd = -1};
}

static void check_answer(const char *line, size_t len)
{
    json_t *answer = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *ok = json_object_get(answer, "ok");
    must(json_is_boolean(ok));
    must(json_is_true(ok) || json_is_string(json_object_get(answer, "error")));
    json_decref(answer);
}

/* False: the connection has ended. */
static bool take(struct peer *p)
{
    for (;;) {
        ssize_t n =
            recv(p->fd, p->line + p->used, sizeof p->line - p->used, MSG_DONTWAIT);
        if (n <= 0) {
            return n < 0 && errno == EAGAIN;
        }
        p->used += (size_t)n;
        char *end;
        while ((end = memchr(p->line, '\n', p->used))) {
            check_answer(p->line, (size_t)(end - p->line));
            p->used -= (size_t)(end + 1 - p->line);
            memmove(p->line, end + 1, p->used);
            must(++p->answered <= p->asked);
        }
        must(p->used < sizeof p->line);
    }
}

static void count(struct peer *p, struct rd octets)
{
    while (rd_left(&octets) > 0) {
        if (rd_u8(&octets) == '\n') {
            p->asked++;
            p->open = 0;
        } else if (++p->open >= CONTROL_LINE) {
            p->too_long = true;
        }
    }
}

static void send_some(struct peer *p, struct rd octets)
{
    if (p->fd < 0 && unix_connect(w.path, 100, &p->fd) != 0) {
        p->fd = -1;
        return;
    }
    size_t len = rd_left(&octets);
    if (len == 0 ||
        send(p->fd, octets.p, len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)len) {
        return;
    }
    count(p, octets);
}

static void step(struct rd *in)
{
    uint8_t what = rd_u8(in);
    struct peer *p = &w.peer[what % PEERS];
    if (what < 200) {
        send_some(p, fuzz_octets(in, 5000));
    } else if (what < 220) {
        leave(p);
    } else if (what < 235) {
        answer_late();
    } else if (p->fd >= 0 && what < 245) {
        (void)shutdown(p->fd, SHUT_WR);
    } else if (p->fd >= 0 && !take(p)) {
        leave(p);
    }
    if (what & 8) {
        run();
    }
}

/* All that can be answered is answered now. */
static void settle(struct peer *p)
{
    bool open = p->fd >= 0;
    for (unsigned i = 0; open && i < 400 && p->answered < p->asked; i++) {
        run();
        answer_late();
        open = take(p);
    }
    must(!open || p->too_long || p->answered == p->asked);
}

static void check_state(void)
{
    for (uint8_t n = 0; n < 4; n++) {
        const struct mac mac = {{2, 0, 0, 0, 0, n}};
        const struct host_state *s = state_of(w.state, &mac);
        must(!s || !s->done); /* nobody booted */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd in = rd_over(data, size);
    if (!w.loop) {
        set_up();
    }
    while (rd_left(&in) > 0) {
        step(&in);
    }
    for (size_t i = 0; i < PEERS; i++) {
        settle(&w.peer[i]);
        leave(&w.peer[i]);
    }
    run();
    check_state();
    answer_late();
    return 0;
}
