#include "common/losses.h"

#include "common/log.h"

void losses_add(struct losses *l, uint32_t more, usec_t now)
{
    struct log_line line;
    if (more == 0) {
        return;
    }
    l->count += more;
    l->last = now;
    log_begin(&line, LOG_WARNING, "packets lost");
    log_text(&line, "socket", l->socket);
    if (l->interface) {
        log_text(&line, "interface", l->interface);
    }
    log_text(&line, "reason", "not-read-in-time");
    log_varying(&line);
    log_number(&line, "lost", l->count);
    log_end(&line);
}
