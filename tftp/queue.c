#include "tftp/queue.h"

#include <utlist.h>

#include "tftp/slot.h"

void tftp_queue_join(struct tftp_queue *q, struct tftp_transfer *x)
{
    DL_APPEND2(q->oldest, x, older, newer);
    q->count++;
}

void tftp_queue_quit(struct tftp_queue *q, struct tftp_transfer *x)
{
    DL_DELETE2(q->oldest, x, older, newer);
    q->count--;
}
