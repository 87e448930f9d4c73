/*
 * tftp/refusal: what is said to a client whose request gets an ERROR, and the names of the
 * reasons.
 *
 * Names (kebab-case) are what counters and documents use; the message is what the client and
 * the log get, and tells no path of ours.
 * Spec: RFC 1350 section 5 (codes).  Pure.
 */
#ifndef TFTP_REFUSAL_H
#define TFTP_REFUSAL_H

#include "tftp/packet.h"

enum tftp_refused {
    TFTP_NO_FILE,
    TFTP_NOT_REGULAR, /* a directory, a FIFO, a device */
    TFTP_NO_ACCESS,   /* not for this machine, out of the root, unreadable */
    TFTP_TOO_LARGE,   /* for netascii */
    TFTP_TROUBLE,     /* the file cannot be read now */
    TFTP_DISK_SILENT, /* nor does its disk answer */
    TFTP_CROWDED,     /* no room for one more transfer */
    TFTP_READ_ONLY,   /* a write request */
    TFTP_BAD_REQUEST, /* cannot be read */
    TFTP_NO_NAME,
    TFTP_NAME_TOO_LONG,
    TFTP_NO_SUCH_MODE,
    TFTP_REFUSED_COUNT,
};

struct tftp_refusal {
    const char *name;
    enum tftp_error code;
    const char *message;
};

const struct tftp_refusal *tftp_refusal(enum tftp_refused why);

/* Of a request that tftp_parse() could not read; not TFTP_OK. */
enum tftp_refused tftp_refused_packet(enum tftp_fault fault);

#endif
