/*
 * app/probe/download: the boot file, loaded as the client that is played would load it,
 * looked at and measured.
 *
 * Nothing is kept of it but a digest and its first octets.
 *
 * Errors: `fault` says why it is not whole, in words that are safe to show.
 * Shell: sockets, getaddrinfo(3).
 */
#ifndef APP_PROBE_DOWNLOAD_H
#define APP_PROBE_DOWNLOAD_H

#include "app/probe/fetch.h"
#include "app/terminal.h"
#include "common/sha256.h"
#include "config/bootfile.h"

#define DOWNLOAD_MAX        (UINT64_C(64) << 30) /* octets; then it is given up */
#define DOWNLOAD_TIME       FETCH_TIME           /* likewise */
#define DOWNLOAD_FAULT_SIZE 256

struct download_terms {
    struct fetch_terms fetch;
    const char *interface;
    struct ip4 local;
    struct ip4 server;
    const struct terminal *terminal; /* where progress is shown */
};

struct download {
    bool done; /* it came whole */
    char fault[DOWNLOAD_FAULT_SIZE];
    bool not_found;
    uint64_t octets;
    char sha256[SHA256_TEXT];
    struct bootfile what;
    usec_t took;       /* from the request to the last octet */
    usec_t first_byte; /* from the request */
    usec_t rtt;        /* 0: not known */
    bool has_size;     /* the server told one beforehand */
    uint64_t size;
    uint32_t block; /* 0: by HTTP */
    uint32_t window;
    uint64_t repeated; /* blocks that came again, as the next */
    uint64_t early;    /* blocks behind a gap */
    uint64_t resent;   /* requests and ACKs that were sent again */
};

void download_tftp(const struct download_terms *terms, struct download *out);
void download_http(const struct download_terms *terms, const char *url,
                   struct download *out);

/* -- for app/probe/download_*.c alone ----------------------------------------------------- */

/* Takes the octets of a file as they come. */
struct sink {
    struct sha256 digest;
    size_t head_len;
    uint64_t octets;
    struct progress progress;
    uint8_t head[BOOTFILE_HEAD];
};

void sink_begin(struct sink *s, const struct terminal *terminal, const char *what,
                uint64_t size);
void sink_add(struct sink *s, const void *octets, size_t len);
/* Fills in what the octets themselves tell. */
void sink_end(struct sink *s, struct download *out);

#endif
