/*
 * tftp/transfer: the life of transfers, from the first packet to the last log line.
 *
 *     tftp_transfer_begin()     a request was granted
 *     tftp_transfer_heard()     its client has answered
 *     tftp_transfer_pump()      something came in: send what is due, set the alarm
 *     tftp_engine_timeout()     alarms that went off
 *
 * Ownership: the engine owns transfers, their files (given back to the store at the end) and
 * their timers.
 * Shell: tftp/sender, tftp/store.
 */
#ifndef TFTP_TRANSFER_H
#define TFTP_TRANSFER_H

#include "tftp/engine.h"

/* 0 or -ENOMEM; tftp_engine_done() is fine either way. */
int tftp_engine_init(struct tftp_engine *e, size_t max_transfers,
                     const struct tftp_hooks *hooks);
/* Tells the clients of running transfers and forgets them. */
void tftp_engine_done(struct tftp_engine *e);
void tftp_engine_timeout(struct tftp_engine *e, usec_t now);

/* Takes over the file.  False: no slot is free, the file was given back. */
bool tftp_transfer_begin(struct tftp_engine *e, const struct tftp_transfer *wanted,
                         struct rd options, const struct tftp_limits *limits, usec_t now);
/* The client has answered its first packet.  Another one may have to make room for it. */
void tftp_transfer_heard(struct tftp_engine *e, struct tftp_transfer *x, usec_t now);
void tftp_transfer_pump(struct tftp_engine *e, struct tftp_transfer *x, usec_t now);
struct tftp_report tftp_transfer_report(const struct tftp_transfer *x, usec_t now);
/* Takes an ended or unwanted transfer out of the table. */
void tftp_transfer_forget(struct tftp_engine *e, struct tftp_transfer *x, usec_t now);

#endif
