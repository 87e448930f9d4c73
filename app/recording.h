/*
 * app/recording: the requests of boot clients in a recording of packets (pcap or pcapng).
 *
 * Ownership: a request's payload is good until the next call.
 * Errors: recording_open() gives NULL and says why.  Shell: libpcap, files.
 */
#ifndef APP_RECORDING_H
#define APP_RECORDING_H

#include "common/clock.h"
#include "dhcp/v6_frame.h"

struct recording;

#define RECORDING_WHY_SIZE 512
#define RECORDING_TFTP     69

/* path: "-" is standard input. */
struct recording *recording_open(const char *path, char why[RECORDING_WHY_SIZE]);
void recording_close(struct recording *r); /* NULL is fine */

struct recorded {
    uint64_t number; /* of the packet, from 1 */
    usec_t time;     /* since the epoch */
    uint16_t to_port;
    bool ipv6;
    struct frame frame;   /* not over IPv6 */
    struct frame6 frame6; /* over IPv6 */
    bool
        has_macs; /* false: the recording keeps no Ethernet headers, the MACs are zeros */
};

/* 1: the next packet to UDP port 67, 69, 547 or 4011; 0: the end; -1: the recording is broken. */
int recording_next(struct recording *r, struct recorded *out,
                   char why[RECORDING_WHY_SIZE]);

#endif
