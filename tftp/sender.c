#include "tftp/sender.h"

#include <errno.h>
#include <stdlib.h>

#include "tftp/disk.h"
#include "tftp/watch.h"

/* Blocks of one run, with their headers in place. */
struct run {
    struct tftp_send first;
    size_t count;
    size_t octets; /* of the file */
    struct iovec parts[2 * NET_SEGMENTS];
    uint8_t headers[NET_SEGMENTS][TFTP_HEADER_LEN];
};

static int send_oack(struct tftp_transfer *x, const struct tftp_hooks *hooks)
{
    uint8_t packet[512];
    struct wr w = wr_over(packet, sizeof packet);
    tftp_opts_write(&x->agreed, &w);
    struct iovec part = {packet, wr_len(&w)};
    struct tftp_watched told = {&x->path, x->port, packet, wr_len(&w), NULL, 0};
    tftp_watch_went(hooks, &told);
    return net_send(x->fd, &x->path, &part, 1, 0, false);
}

static const uint8_t *octets_at(const struct tftp_transfer *x, uint64_t offset)
{
    return x->file->far ? x->octets + (offset - x->warm_from) : x->file->data + offset;
}

static void add_block(struct run *run, const struct tftp_transfer *x,
                      const struct tftp_send *send)
{
    size_t i = run->count++;
    struct wr w = wr_over(run->headers[i], TFTP_HEADER_LEN);
    tftp_write_data_header(&w, (uint16_t)send->number);
    run->parts[2 * i] = (struct iovec){run->headers[i], TFTP_HEADER_LEN};
    run->parts[2 * i + 1] = (struct iovec){
        send->len > 0 ? (void *)octets_at(x, send->offset) : run->headers[i],
        send->len,
    };
    run->octets += send->len;
}

/* How many blocks of this size one call can carry. */
static size_t run_room(const struct tftp_transfer *x)
{
    size_t fit = NET_SEGMENTED / (x->session.terms.blksize + TFTP_HEADER_LEN);
    fit = fit < NET_SEGMENTS ? fit : NET_SEGMENTS;
    return fit > 0 ? fit : 1;
}

void tftp_sender_read(struct tftp_transfer *x, uint64_t from, uint8_t *octets)
{
    free(x->octets);
    x->octets = octets;
    x->warm_from = from;
    x->warm_to = from + disk_far_len(x->file, from);
}

void tftp_sender_warmed(struct tftp_transfer *x, uint64_t from)
{
    if (from ==
        x->warm_to) { /* reading on: what lies a chunk back may be asked for again */
        x->warm_from = from > DISK_CHUNK ? from - DISK_CHUNK : 0;
    } else {
        x->warm_from = from;
    }
    x->warm_to = from + DISK_CHUNK;
    disk_hint(x->file, x->warm_to);
}

static bool is_in_range(const struct tftp_transfer *x, uint64_t offset)
{
    return offset >= x->warm_from && offset < x->warm_to;
}

/* Is this octet in memory, so that sending it does not wait for the disk? */
static bool is_warm(struct tftp_transfer *x, uint64_t offset, uint64_t *cold_at)
{
    if (is_in_range(x, offset)) {
        return true;
    }
    uint64_t chunk = offset / DISK_CHUNK * DISK_CHUNK;
    if (disk_is_warm(x->file, chunk)) {
        tftp_sender_warmed(x, chunk);
        return true;
    }
    *cold_at = chunk;
    return false;
}

/* An OACK promises that the file can be read, so its first octets must be there as well. */
static bool is_ready(struct tftp_transfer *x, const struct tftp_send *send,
                     uint64_t *cold_at)
{
    uint64_t last = send->len > 0 ? send->offset + send->len - 1 : send->offset;
    if (x->file->far) {
        *cold_at = send->offset;
        return last >= x->file->size ||
               (is_in_range(x, send->offset) && is_in_range(x, last));
    }
    return is_warm(x, send->offset, cold_at) && is_warm(x, last, cold_at);
}

enum gathered { GATHERED_NOTHING, GATHERED_OACK, GATHERED_BLOCKS, GATHERED_COLD };

/* Takes blocks that follow each other, or the OACK alone. */
static enum gathered gather(struct tftp_transfer *x, usec_t now, struct run *run,
                            uint64_t *cold_at)
{
    struct tftp_send send;
    size_t room = run_room(x);
    run->count = 0;
    run->octets = 0;
    while (run->count < room && tftp_session_next(&x->session, now, &send)) {
        if (!is_ready(x, &send, cold_at)) {
            tftp_session_unsend(&x->session, &send);
            return run->count > 0 ? GATHERED_BLOCKS : GATHERED_COLD;
        }
        if (run->count == 0) {
            run->first = send;
        }
        if (send.op == TFTP_OACK) {
            return GATHERED_OACK;
        }
        add_block(run, x, &send);
        if (send.number + 1 != x->session.next) {
            break; /* a probe from further back: what follows is no neighbour */
        }
    }
    return run->count > 0 ? GATHERED_BLOCKS : GATHERED_NOTHING;
}

/* Refusals that say "not by this way", as against "not now". */
static bool refuses_segments(int error)
{
    return error == -EIO || error == -EINVAL || error == -EMSGSIZE ||
           error == -ENOPROTOOPT || error == -EOPNOTSUPP;
}

static int send_run(struct tftp_transfer *x, const struct run *run)
{
    if (run->count == 1) {
        int error = net_send(x->fd, &x->path, run->parts, 2, 0, false);
        return error == 0 ? 1 : error;
    }
    if (!x->no_segments) {
        uint16_t segment = (uint16_t)(x->session.terms.blksize + TFTP_HEADER_LEN);
        int error = net_send(x->fd, &x->path, run->parts, 2 * run->count, segment, false);
        if (error == 0) {
            return (int)run->count;
        }
        if (!refuses_segments(error)) {
            return error;
        }
        x->no_segments = true;
        x->interface_refuses = error == -EIO; /* which no forged ICMP error sets */
    }
    return net_send_pairs(x->fd, &x->path, run->parts, run->count);
}

/* Any of these may be all that the client still lacks. */
static bool may_end(const struct tftp_transfer *x)
{
    return x->session.high >= x->session.last;
}

/* Looking at the file costs system calls, so not every window does. */
#define CHECK_EVERY (10 * USEC_PER_MSEC)

static bool is_unchanged(struct tftp_transfer *x, usec_t now)
{
    if (now < x->file->checked + CHECK_EVERY && !may_end(x)) {
        return true;
    }
    x->file->checked = now;
    return store_unchanged(x->file);
}

/* From here on they stay what they are, and may be read by us.  False: they are gone. */
static bool copy_blocks(const struct sender *s, const struct tftp_transfer *x,
                        struct run *run)
{
    if (x->file->fd < 0 || x->file->far || run->octets == 0) {
        return true; /* in our own memory */
    }
    if (scratch_copy(&s->scratch, x->file->data + run->first.offset, run->octets) != 0) {
        return false;
    }
    const uint8_t *at = s->scratch.at;
    for (size_t i = 0; i < run->count; i++) {
        run->parts[2 * i + 1].iov_base = (void *)at;
        at += run->parts[2 * i + 1].iov_len;
    }
    return true;
}

/* The kernel's queues are full; anything else is as good as a loss, and the timer's work. */
static bool is_full(int error)
{
    return error == -EAGAIN || error == -EWOULDBLOCK || error == -ENOBUFS ||
           error == -ENOMEM;
}

/* Gives back what did not leave; says whether to go on. */
static enum sender_result settle(struct tftp_transfer *x, const struct run *run,
                                 int taken)
{
    if (taken == -EFAULT) {
        return SENDER_FILE_CHANGED; /* the mapping ends before the file once did */
    }
    if (taken < 0 && !is_full(taken)) {
        return SENDER_IDLE;
    }
    size_t gone = taken < 0 ? 0 : (size_t)taken;
    if (gone < run->count || taken < 0) {
        struct tftp_send first = run->first;
        first.number += gone;
        tftp_session_unsend(&x->session, &first);
        return SENDER_BLOCKED;
    }
    return SENDER_IDLE;
}

static void tell_block(const struct tftp_transfer *x, const struct tftp_hooks *hooks,
                       const struct run *run, size_t i)
{
    const struct iovec *head = &run->parts[2 * i];
    struct tftp_watched told = {&x->path,        x->port,          head[0].iov_base,
                                head[0].iov_len, head[1].iov_base, head[1].iov_len};
    tftp_watch_went(hooks, &told);
}

/* Those of a run that are told: the first when it goes out again, else a few or none. */
static void tell_run(struct tftp_transfer *x, const struct tftp_hooks *hooks,
                     const struct run *run, bool again)
{
    size_t i = 0;
    while (i < run->count &&
           tftp_watch_wants_out(x, run->first.number + i, again && i == 0)) {
        tell_block(x, hooks, run, i++);
    }
    bool ends = run->count > 0 && run->first.number + run->count - 1 == x->session.last;
    if (ends && i < run->count) {
        tell_block(x, hooks, run, run->count - 1);
    }
}

/* False: what was gathered is not to be had any more, or is of another version. */
static bool is_sound(const struct sender *s, struct tftp_transfer *x, struct run *run,
                     bool again, usec_t now)
{
    bool told = s->hooks->packet && tftp_watch_may_want(x, run->first.number, again);
    return (!(told || may_end(x)) || copy_blocks(s, x, run)) && is_unchanged(x, now);
}

enum sender_result tftp_sender_run(const struct sender *s, struct tftp_transfer *x,
                                   usec_t now, uint64_t *cold_at)
{
    const struct tftp_hooks *hooks = s->hooks;
    struct run run;
    for (;;) {
        uint64_t resent = x->session.stats.resent_blocks;
        enum gathered what = gather(x, now, &run, cold_at);
        if (what == GATHERED_NOTHING || what == GATHERED_COLD) {
            return what == GATHERED_COLD ? SENDER_COLD : SENDER_IDLE;
        }
        bool again = x->session.stats.resent_blocks != resent;
        if (what == GATHERED_BLOCKS && !is_sound(s, x, &run, again, now)) {
            return SENDER_FILE_CHANGED;
        }
        int taken = what == GATHERED_OACK ? send_oack(x, hooks) : send_run(x, &run);
        enum sender_result result = settle(x, &run, taken);
        if (result != SENDER_IDLE) {
            return result;
        }
        *s->octets += run.octets;
        if (hooks->packet) {
            tell_run(x, hooks, &run, again);
        }
    }
}
