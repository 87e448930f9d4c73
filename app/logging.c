#include "app/logging.h"

#include <signal.h>
#include <stdio.h>
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
    (void)signal(SIGPIPE, SIG_IGN); /* who reads the log may go: serving goes on */
    follow(&first, verbose);
}

void logging_configure(const struct snapshot *s, bool verbose)
{
    follow(&s->log, verbose);
}

/* What is quoted from the file is indented. */
static void log_fault(const char *line, size_t len)
{
    char text[LOG_VALUES];
    if (len == 0 || line[0] == ' ') {
        return;
    }
    snprintf(text, sizeof text, "%.*s", (int)len, line);
    log_news(strstr(text, ": warning: ") ? LOG_WARNING : LOG_ERROR, "%s", text);
}

void logging_report(const char *report)
{
    if (report && log_is_text()) {
        fputs(report, stderr);
        return;
    }
    while (report && *report) {
        size_t len = strcspn(report, "\n");
        log_fault(report, len);
        report += len + (report[len] == '\n');
    }
}
