#include "tftp/queue.h"

#include "tftp/slot.h"

void tftp_queue_join(struct tftp_queue *q, struct tftp_transfer *x)
{
    x->older = q->newest;
    x->newer = NULL;
    if (q->newest) {
        q->newest->newer = x;
    } else {
        q->oldest = x;
    }
    q->newest = x;
    q->count++;
}

void tftp_queue_quit(struct tftp_queue *q, struct tftp_transfer *x)
{
    if (x->older) {
        x->older->newer = x->newer;
    } else {
        q->oldest = x->newer;
    }
    if (x->newer) {
        x->newer->older = x->older;
    } else {
        q->newest = x->older;
    }
    q->count--;
}
