#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/text.h"

static enum log_level wanted_level = LOG_INFO;

void log_set_level(enum log_level level)
{
    wanted_level = level;
}

static const char *const level_names[] = {"error", "warning", "info", "debug"};

bool log_level_parse(const char *text, enum log_level *out)
{
    for (unsigned i = 0; i < sizeof level_names / sizeof level_names[0]; i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *out = (enum log_level)i;
            return true;
        }
    }
    return false;
}

/* Room is kept for the newline. */
static void append(struct log_line *l, const char *text, size_t len)
{
    size_t room = sizeof l->text - 1 - l->len;
    len = len < room ? len : room;
    memcpy(l->text + l->len, text, len);
    l->len += len;
}

/* The journal reads "<N>"; a person reads the time and what is not plain information. */
static void open_line(struct log_line *l)
{
    static const int syslog_priority[] = {3, 4, 6, 7};
    char head[48];
    int n;
    if (getenv("JOURNAL_STREAM")) {
        n = snprintf(head, sizeof head, "<%d>", syslog_priority[l->level]);
    } else {
        struct timespec ts;
        struct tm tm;
        clock_gettime(CLOCK_REALTIME, &ts);
        localtime_r(&ts.tv_sec, &tm);
        n = snprintf(head, sizeof head, "%02d:%02d:%02d.%03ld %s%s", tm.tm_hour,
                     tm.tm_min, tm.tm_sec, ts.tv_nsec / 1000000,
                     l->level == LOG_INFO ? "" : level_names[l->level],
                     l->level == LOG_INFO ? "" : ": ");
    }
    append(l, head, (size_t)n);
}

void log_begin(struct log_line *l, enum log_level level, const char *event)
{
    l->level = level;
    l->wanted = level <= wanted_level;
    l->len = 0;
    if (l->wanted) {
        open_line(l);
        append(l, event, strlen(event));
    }
}

static void append_pair(struct log_line *l, const char *key, const char *value)
{
    bool quote = value[0] == '\0' || strpbrk(value, " \"=") != NULL;
    append(l, " ", 1);
    append(l, key, strlen(key));
    append(l, quote ? "=\"" : "=", quote ? 2 : 1);
    for (const char *p = value; *p; p++) {
        if (*p == '"') {
            append(l, "\\", 1);
        }
        append(l, p, 1);
    }
    append(l, "\"", quote ? 1 : 0);
}

void log_text(struct log_line *l, const char *key, const char *value)
{
    if (l->wanted) {
        append_pair(l, key, value ? value : "-");
    }
}

void log_peer(struct log_line *l, const char *key, const void *octets, size_t len)
{
    char shown[300];
    if (l->wanted) {
        append_pair(l, key, text_show(octets, len, shown, sizeof shown));
    }
}

void log_number(struct log_line *l, const char *key, uint64_t value)
{
    char digits[24];
    if (l->wanted) {
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
        append_pair(l, key, digits);
    }
}

void log_decimal(struct log_line *l, const char *key, double value, int digits)
{
    char text[40];
    if (l->wanted) {
        snprintf(text, sizeof text, "%.*f", digits, value);
        append_pair(l, key, text);
    }
}

void log_end(struct log_line *l)
{
    if (!l->wanted) {
        return;
    }
    l->text[l->len++] = '\n';
    /* A log nobody can write to must not stop the service. */
    ssize_t n = write(STDERR_FILENO, l->text, l->len);
    (void)n;
}

void log_say(enum log_level level, const char *fmt, ...)
{
    char text[LOG_LINE_SIZE];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    struct log_line l;
    log_begin(&l, level, text);
    log_end(&l);
}
