/*
 * tftp/queue: transfers one behind the other.  A transfer is in one queue at the most.
 *
 * Pure.
 */
#ifndef TFTP_QUEUE_H
#define TFTP_QUEUE_H

#include <stddef.h>

struct tftp_transfer;

struct tftp_queue {
    struct tftp_transfer *oldest;
    size_t count;
};

void tftp_queue_join(struct tftp_queue *q, struct tftp_transfer *x);
void tftp_queue_quit(struct tftp_queue *q, struct tftp_transfer *x);

#endif
