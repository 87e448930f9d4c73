#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/bucket.h"
#include "common/cleanup.h"
#include "common/log_format.h"
#include "common/log_repeats.h"

#define PATIENCE_MS 100

static const struct {
    struct bucket_rate rate;
    const char *said; /* in place of more */
} limits[LOG_LIMITS] = {
    /* A thousand machines that boot at once have some 4,000 lines. */
    [LOG_OF_STRANGER] = {{USEC_PER_SEC / 20, 8192},
                         "more is heard of machines that no host names than is logged"},
    [LOG_OF_NOTHING] = {{USEC_PER_SEC / 20, 2000},
                        "more requests for files come to nothing than are logged"},
};

static struct {
    enum log_level level;
    enum log_form form; /* never LOG_AUTO */
    bool folds;
    bool in_journal; /* standard error is a stream that the journal reads */
    int socket;      /* the journal's, -1: none */
    struct sockaddr_un journal;
    uint64_t lost; /* lines that nobody took, not yet told */
    struct log_repeats repeats;
    struct bucket limited[LOG_LIMITS];
} out = {.level = LOG_INFO, .form = LOG_AS_TEXT, .socket = -1};

void log_set_level(enum log_level level)
{
    out.level = level;
}

/* -- where lines go ----------------------------------------------------------------------- */

/* JOURNAL_STREAM is "device:inode" of what systemd made standard error, which may have been
 * sent elsewhere since. */
static bool is_journal_stream(int fd)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char ours[48];
    struct stat st;
    if (!stream || fstat(fd, &st) != 0) {
        return false;
    }
    snprintf(ours, sizeof ours, "%llu:%llu", (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    return strcmp(stream, ours) == 0;
}

static int open_journal(const char *path)
{
    struct stat st;
    if (strlen(path) >= sizeof out.journal.sun_path) {
        return -ENAMETOOLONG;
    }
    out.journal = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(out.journal.sun_path, path, strlen(path) + 1);
    if (stat(path, &st) != 0) {
        return -errno;
    }
    if (out.socket < 0) {
        static const struct timeval patience = {.tv_usec = 1000L * PATIENCE_MS};
        out.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        (void)setsockopt(out.socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    }
    return out.socket < 0 ? -errno : 0;
}

int log_open(enum log_form form, const char *journal)
{
    out.in_journal = is_journal_stream(STDERR_FILENO);
    if (form == LOG_AUTO) {
        form = out.in_journal ? LOG_AS_JOURNAL : LOG_AS_TEXT;
    }
    int error = form == LOG_AS_JOURNAL ? open_journal(journal) : 0;
    out.form = error == 0 ? form : LOG_AS_TEXT;
    out.folds = true;
    return error;
}

bool log_is_text(void)
{
    return out.form == LOG_AS_TEXT && !out.in_journal;
}

/* -- writing ------------------------------------------------------------------------------ */

/* Waits a little, once: with lines lost already, nobody seems to read. */
static bool is_writable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, out.lost ? 0 : PATIENCE_MS) == 1 && (p.revents & POLLOUT);
}

static bool write_stderr(const struct text *line)
{
    return is_writable(STDERR_FILENO) &&
           write(STDERR_FILENO, line->at, line->used) == (ssize_t)line->used;
}

static int how_patient(void)
{
    return MSG_NOSIGNAL | (out.lost ? MSG_DONTWAIT : 0);
}

static bool send_descriptor(int fd)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct msghdr message = {
        .msg_name = &out.journal,
        .msg_namelen = sizeof out.journal,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    return sendmsg(out.socket, &message, how_patient()) == 0;
}

/* What no datagram can hold goes as a sealed file. */
static bool send_as_file(const struct text *fields)
{
    AUTO(close) int fd = memfd_create("pxed-log", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd >= 0 && write(fd, fields->at, fields->used) == (ssize_t)fields->used &&
           fcntl(fd, F_ADD_SEALS,
                 F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0 &&
           send_descriptor(fd);
}

static bool send_journal(const struct text *fields)
{
    ssize_t n = sendto(out.socket, fields->at, fields->used, how_patient(),
                       (const struct sockaddr *)&out.journal, sizeof out.journal);
    if (n < 0 && errno == EMSGSIZE) {
        return send_as_file(fields);
    }
    return n == (ssize_t)fields->used;
}

/* Of now: for a person, or for programs. */
static void say_time(char buf[40], bool precise)
{
    int64_t now = clock_wall();
    time_t seconds = now / (int64_t)USEC_PER_SEC;
    unsigned msec = (unsigned)(now / (int64_t)USEC_PER_MSEC % 1000);
    struct tm tm;
    size_t n;
    if (precise) {
        gmtime_r(&seconds, &tm);
        n = strftime(buf, 40, "%Y-%m-%dT%H:%M:%S", &tm);
        snprintf(buf + n, 40 - n, ".%03uZ", msec);
    } else {
        localtime_r(&seconds, &tm);
        n = strftime(buf, 40, "%H:%M:%S", &tm);
        snprintf(buf + n, 40 - n, ".%03u ", msec);
    }
}

static bool write_line(const struct log_line *l)
{
    char formatted[LOG_FORMATTED];
    char time[40];
    struct text t = {formatted, sizeof formatted, 0};
    formatted[0] = '\0';
    if (out.form == LOG_AS_JOURNAL) {
        log_as_journal(l, &t);
        return send_journal(&t);
    }
    if (out.form == LOG_AS_JSON) {
        say_time(time, true);
        log_as_json(l, time, &t);
    } else if (out.in_journal) {
        snprintf(time, sizeof time, "<%d>", log_priority(l->level));
        log_as_text(l, time, false, &t);
    } else {
        say_time(time, false);
        log_as_text(l, time, true, &t);
    }
    text_say(&t, "\n");
    return write_stderr(&t);
}

static void put(const struct log_line *l)
{
    struct log_line told;
    char sentence[64];
    if (out.lost) {
        snprintf(sentence, sizeof sentence, "%llu lines of the log were lost",
                 (unsigned long long)out.lost);
        log_line_sentence(&told, LOG_WARNING, sentence);
        out.lost = write_line(&told) ? 0 : out.lost;
    }
    out.lost += out.lost || !write_line(l);
}

/* -- lines -------------------------------------------------------------------------------- */

void log_begin(struct log_line *l, enum log_level level, const char *event)
{
    log_line_event(l, level, event);
    l->wanted = level <= out.level;
}

/* False: too many of these; that was said. */
static bool may_tell(const struct log_line *l, usec_t now)
{
    const struct bucket_rate *rate = &limits[l->limit].rate;
    struct bucket *bucket = &out.limited[l->limit];
    if (l->limit == LOG_UNLIMITED) {
        return true;
    }
    if (bucket_has(bucket, rate, now)) {
        bucket_take(bucket, rate, now);
        return true;
    }
    log_say(LOG_WARNING, "%s", limits[l->limit].said);
    return false;
}

void log_end(struct log_line *l)
{
    usec_t now = clock_now();
    if (l->wanted && (!out.folds || l->news ||
                      (log_repeats_note(&out.repeats, l, now) && may_tell(l, now)))) {
        put(l);
    }
}

__attribute__((format(printf, 3, 0))) static void say(enum log_level level, bool news,
                                                      const char *fmt, va_list ap)
{
    char text[LOG_VALUES];
    struct log_line l;
    vsnprintf(text, sizeof text, fmt, ap);
    log_line_sentence(&l, level, text);
    l.wanted = level <= out.level;
    l.news = news;
    log_end(&l);
}

void log_say(enum log_level level, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(level, false, fmt, ap);
    va_end(ap);
}

void log_news(enum log_level level, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(level, true, fmt, ap);
    va_end(ap);
}

/* -- repeats ------------------------------------------------------------------------------ */

usec_t log_deadline(void)
{
    return log_repeats_deadline(&out.repeats);
}

void log_timeout(usec_t now)
{
    struct log_line sum;
    while (log_repeats_due(&out.repeats, now, &sum)) {
        put(&sum);
    }
}

void log_flush(void)
{
    log_timeout(USEC_NEVER);
}
