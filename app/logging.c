#include "app/logging.h"

#include <string.h>

static void follow(const struct log_conf *want, bool verbose)
{
    int error = log_open(want->form, LOG_JOURNAL);
    log_set_level(verbose ? LOG_DEBUG : want->level);
    if (error != 0) {
        log_say(LOG_WARNING,
                "the journal cannot be reached, the log goes to standard error: %s",
                strerror(-error));
    }
}

void logging_start(bool verbose)
{
    static const struct log_conf first = {.form = LOG_AUTO, .level = LOG_INFO};
    follow(&first, verbose);
}

void logging_configure(const struct snapshot *s, bool verbose)
{
    follow(&s->log, verbose);
}
