/*
 * tftp/end: the ways in which a transfer ends, and their names for logs and counters.
 *
 * Pure.
 */
#ifndef TFTP_END_H
#define TFTP_END_H

enum tftp_end {
    TFTP_END_NONE = 0,
    TFTP_END_DONE,         /* last block acknowledged */
    TFTP_END_NO_FINAL_ACK, /* everything sent, only the last ACK never came: not a failure */
    TFTP_END_PROBE,     /* ERROR before any data was acknowledged: a size probe (EDK2) */
    TFTP_END_ABORTED,   /* ERROR from the client in mid-transfer */
    TFTP_END_NO_ANSWER, /* the first packet was never answered */
    TFTP_END_STALLED,   /* no progress for terms.patience */
    TFTP_END_UNREACHABLE, /* the client's port is closed (ICMP) */
    TFTP_END_DISPLACED,   /* another one needed its place: tftp/table, tftp/holders */
    TFTP_END_CLOSED,      /* tftp_session_close(): the owner ended it */
    TFTP_END_COUNT,
};

const char *tftp_end_name(enum tftp_end end);

#endif
