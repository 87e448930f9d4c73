#include "app/logging.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define LOGGED_MAX 200 /* faults */

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
    (void)signal(SIGPIPE, SIG_IGN); /* who reads the log may go: serving goes on */
    follow(&first, verbose);
}

void logging_configure(const struct snapshot *s, bool verbose)
{
    follow(&s->log, verbose);
}

void logging_report(const char *report, const struct faults *f, const char *path)
{
    if (log_is_text()) {
        fputs(report ? report : "", stderr);
        return;
    }
    size_t most = f->count < LOGGED_MAX ? f->count : LOGGED_MAX;
    for (size_t i = 0; i < most; i++) {
        const struct fault *one = &f->list[i];
        char said[LOG_VALUES];
        log_news(one->severity == FAULT_WARNING ? LOG_WARNING : LOG_ERROR, "%s",
                 fault_say(f, one, path, said, sizeof said));
    }
    if (most < f->count) {
        log_news(LOG_WARNING, "%s: %zu more", path, f->count - most);
    }
}
