/*
 * dhcp/capture: DHCP requests of one interface, seen and answered beside any other server,
 * and what those servers say.
 *
 * Frames are read by libpcap before any socket gets them and answers are injected as frames,
 * so port 67 is never bound: another server on this host keeps it, in either start order.
 * The host's firewall does not see either direction.
 *
 * Ownership: a frame handed out is good until the next call.
 * Errors: 0 or -errno; capture_open() says in words what is wrong.
 * Shell: libpcap.  Needs CAP_NET_RAW to open, nothing afterwards.
 */
#ifndef DHCP_CAPTURE_H
#define DHCP_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;

#define CAPTURE_WHY_SIZE 256

enum capture_kind {
    CAPTURE_INCOMING, /* requests, replies of servers elsewhere, TFTP read requests */
    CAPTURE_OUTGOING, /* address offers of another server on this host */
    CAPTURE_ANSWERS, /* what servers elsewhere say to clients: for one that plays a client */
};

int capture_open(const char *interface, enum capture_kind kind, struct capture **out,
                 char why[CAPTURE_WHY_SIZE]);
void capture_close(struct capture *c); /* NULL is fine */

/* -EPERM, with words, when the right to capture is missing altogether. */
int capture_permitted(char why[CAPTURE_WHY_SIZE]);

/* False: the interface it was opened on has been taken away, even if one came back. */
bool capture_is_on(const struct capture *c, unsigned ifindex);

/* To be watched for reading. */
int capture_fd(const struct capture *c);

/* 1: a frame; 0: none is waiting; -ENODEV: the interface is gone; else as net_is_short() says. */
int capture_next(struct capture *c, const uint8_t **frame, size_t *len);

/* How many frames its buffer had no room for, since it was last asked. */
uint32_t capture_lost(struct capture *c);

int capture_send(struct capture *c, const uint8_t *frame, size_t len);

#endif
