/*
 * tftp/packet: the TFTP wire format, both ways.
 *
 * Spec: RFC 1350 section 5 (packets), RFC 2347 (options, OACK).
 * Byte order: every integer here is host order.
 * Ownership: strings and readers point into the datagram given to tftp_parse().
 * Errors: enum tftp_fault; TFTP_OK is 0.  Pure.
 */
#ifndef TFTP_PACKET_H
#define TFTP_PACKET_H

#include "common/bytes.h"

enum tftp_op {
    TFTP_RRQ = 1,
    TFTP_WRQ = 2,
    TFTP_DATA = 3,
    TFTP_ACK = 4,
    TFTP_ERROR = 5,
    TFTP_OACK = 6,
};

enum tftp_error {
    TFTP_ERR_UNDEFINED = 0,
    TFTP_ERR_NOT_FOUND = 1,
    TFTP_ERR_ACCESS = 2,
    TFTP_ERR_ILLEGAL_OP = 4,
    TFTP_ERR_UNKNOWN_TID = 5,
    TFTP_ERR_OPTIONS = 8,
};

enum tftp_mode { TFTP_OCTET, TFTP_NETASCII };

enum tftp_fault {
    TFTP_OK = 0,
    TFTP_SHORT,      /* ends inside a fixed field or a string */
    TFTP_UNKNOWN_OP, /* opcode outside 1..6 */
    TFTP_EMPTY_NAME, /* RRQ/WRQ without a file name */
    TFTP_LONG_NAME,  /* file name over TFTP_NAME_MAX octets */
    TFTP_BAD_MODE,   /* neither octet nor netascii, in any case of letters */
    TFTP_FAULT_COUNT,
};

#define TFTP_NAME_MAX   1023
#define TFTP_HEADER_LEN 4 /* opcode and block number before the octets of a DATA packet */

/* A string of the datagram; no NUL inside, none promised behind. */
struct tftp_text {
    const char *at;
    size_t len;
};

struct tftp_packet {
    enum tftp_op op;
    struct tftp_text file;    /* RRQ, WRQ: 1..TFTP_NAME_MAX octets */
    enum tftp_mode mode;      /* RRQ, WRQ */
    struct rd options;        /* RRQ, WRQ, OACK: name NUL value NUL ..., unparsed */
    uint16_t block;           /* DATA, ACK: 0..65535 as on the wire */
    bool has_window;          /* ACK: a fifth octet follows (msftwindow) ... */
    uint8_t window;           /* ... the blocks wanted before the next ACK */
    uint16_t error_code;      /* ERROR */
    struct tftp_text message; /* ERROR: may be empty */
    struct rd data;           /* DATA: 0..65464 octets */
};

/* Parse one datagram.  *out is written only when TFTP_OK is returned. */
enum tftp_fault tftp_parse(const void *dgram, size_t len, struct tftp_packet *out);

/* The four octets in front of a block of data. */
void tftp_write_data_header(struct wr *w, uint16_t block);
void tftp_write_error(struct wr *w, enum tftp_error code, const char *message);

#endif
