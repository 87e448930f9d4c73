#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/log.h"
#include "common/log_format.h"
#include "common/log_repeats.h"
#include "tests/unit/suites.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof(rows)[0]))

static char shown[LOG_FORMATTED];

static struct text empty(void)
{
    shown[0] = '\0';
    return (struct text){shown, sizeof shown, 0};
}

/* -- the three forms ---------------------------------------------------------------------- */

static void a_line(struct log_line *l)
{
    log_line_event(l, LOG_WARNING, "tftp failed");
    log_text(l, "file", "a b\"c");
    log_peer(l, "name", "x\n\xff\\", 4);
    log_number(l, "size", 1600000000);
    log_decimal(l, "seconds", 0.25, 3);
    log_decimal(l, "rtt_ms", NAN, 2);
    log_text(l, "host", NULL);
}

START_TEST(text_form)
{
    struct log_line l;
    struct text t = empty();
    a_line(&l);
    log_as_text(&l, "17:04:05.123 ", true, &t);
    ck_assert_str_eq(shown, "17:04:05.123 warning: tftp failed file=\"a b\\\"c\" "
                            "name=x\\x0a\\xff\\x5c size=1600000000 seconds=0.250 "
                            "rtt_ms=nan host=-");
}
END_TEST

START_TEST(json_form)
{
    struct log_line l;
    struct text t = empty();
    a_line(&l);
    l.repeated = 17;
    log_as_json(&l, "2026-11-30T17:04:05.123Z", &t);
    ck_assert_str_eq(
        shown,
        "{\"time\": \"2026-11-30T17:04:05.123Z\", \"level\": \"warning\", "
        "\"event\": \"tftp failed\", \"id\": \"4fb41d451bbc42b0a68465fe0b2a5288\", "
        "\"file\": \"a b\\\"c\", \"name\": \"x\\\\x0a\\\\xff\\\\x5c\", "
        "\"size\": 1600000000, \"seconds\": 0.250, \"rtt_ms\": \"nan\", "
        "\"host\": \"-\", \"repeated\": 17}");
}
END_TEST

START_TEST(journal_form)
{
    struct log_line l;
    struct text t = empty();
    a_line(&l);
    l.repeated = 1;
    log_as_journal(&l, &t);
    ck_assert_str_eq(shown,
                     "MESSAGE=tftp failed file=\"a b\\\"c\" name=x\\x0a\\xff\\x5c "
                     "size=1600000000 seconds=0.250 rtt_ms=nan host=- (repeated once)\n"
                     "PRIORITY=4\nSYSLOG_IDENTIFIER=pxed\n"
                     "MESSAGE_ID=4fb41d451bbc42b0a68465fe0b2a5288\n"
                     "PXE_FILE=a b\"c\nPXE_NAME=x\\x0a\\xff\\x5c\nPXE_SIZE=1600000000\n"
                     "PXE_SECONDS=0.250\nPXE_RTT_MS=nan\nPXE_HOST=-\nPXE_REPEATED=1\n");
}
END_TEST

START_TEST(sentences_have_a_form_too)
{
    struct log_line l;
    struct text t = empty();
    log_line_sentence(&l, LOG_ERROR, "cannot\nopen \"x\"");
    log_as_text(&l, "<3>", false, &t);
    ck_assert_str_eq(shown, "<3>cannot\\x0aopen \"x\"");
    t = empty();
    log_as_json(&l, "T", &t);
    ck_assert_str_eq(shown,
                     "{\"time\": \"T\", \"level\": \"error\", \"event\": \"note\", "
                     "\"note\": \"cannot\\\\x0aopen \\\"x\\\"\"}");
    t = empty();
    log_as_journal(&l, &t);
    ck_assert_str_eq(
        shown, "MESSAGE=cannot\\x0aopen \"x\"\nPRIORITY=3\nSYSLOG_IDENTIFIER=pxed\n");
}
END_TEST

/* A value that tries to be more than one field, or line, in every form. */
START_TEST(no_value_forges_a_field)
{
    struct log_line l;
    struct text t = empty();
    log_line_event(&l, LOG_INFO, "tftp done");
    log_text(&l, "file", "a\nMESSAGE_ID=00\nPRIORITY=0\x9b\xe2\x80\xae");
    log_as_journal(&l, &t);
    ck_assert_ptr_null(strstr(shown, "\nMESSAGE_ID=00"));
    ck_assert_ptr_null(strstr(shown, "\nPRIORITY=0"));
    ck_assert_ptr_null(strchr(shown, '\x9b'));
    ck_assert_ptr_null(strstr(shown, "\xe2\x80\xae"));
}
END_TEST

/* Fields and values without end: the line is cut, and stays sound. */
START_TEST(nothing_is_too_long)
{
    struct log_line l;
    char quotes[400];
    memset(quotes, '"', sizeof quotes - 1);
    quotes[sizeof quotes - 1] = '\0';
    log_line_event(&l, LOG_INFO, "tftp done");
    for (int i = 0; i < 3 * LOG_FIELDS; i++) {
        log_text(&l, "a_key_of_some_length_for_a_log", i % 2 ? quotes : "\xc3\xa4");
    }
    ck_assert_uint_eq(l.count, LOG_FIELDS);
    struct text t = empty();
    log_as_json(&l, "T", &t);
    ck_assert_uint_lt(t.used, sizeof shown - 1);
    ck_assert_int_eq(shown[t.used - 1], '}');
    t = empty();
    log_as_journal(&l, &t);
    ck_assert_uint_lt(t.used, sizeof shown - 1);
    t = empty();
    log_as_text(&l, "", true, &t);
    ck_assert_uint_lt(t.used, sizeof shown - 1);
}
END_TEST

static const struct {
    const char *value;
    bool number;
} numbers[] = {
    {"0", true},    {"-1.5", true},   {"18446744073709551615", true},
    {"inf", false}, {"", false},      {"-", false},
    {"1.", false},  {"1.2.3", false},
};

START_TEST(json_numbers_are_numbers)
{
    struct log_line l;
    struct text t = empty();
    char want[64];
    log_line_event(&l, LOG_INFO, "x");
    log_text(&l, "n", numbers[_i].value);
    l.field[0].number = true;
    log_as_json(&l, "T", &t);
    snprintf(want, sizeof want, numbers[_i].number ? "\"n\": %s}" : "\"n\": \"%s\"}",
             numbers[_i].value);
    ck_assert_msg(strstr(shown, want) != NULL, "%s in %s", want, shown);
}
END_TEST

/* -- repeats ------------------------------------------------------------------------------ */

#define AT(seconds) ((usec_t)(seconds)*USEC_PER_SEC)

static void a_refusal(struct log_line *l, const char *file, unsigned port)
{
    log_line_event(l, LOG_INFO, "tftp refused");
    log_text(l, "file", file);
    log_varying(l);
    log_number(l, "port", port);
}

START_TEST(repeats_are_told_as_one)
{
    static struct log_repeats r;
    struct log_line l;
    struct log_line sum;
    r.count = 0;
    for (unsigned i = 0; i < 18; i++) {
        a_refusal(&l, "a", 1000 + i);
        ck_assert_int_eq(log_repeats_note(&r, &l, AT(i)), i == 0);
    }
    a_refusal(&l, "b", 1000);
    ck_assert(log_repeats_note(&r, &l, AT(18)));
    ck_assert_uint_eq(log_repeats_deadline(&r), AT(30));
    ck_assert(!log_repeats_due(&r, AT(30) - 1, &sum));
    ck_assert(log_repeats_due(&r, AT(30), &sum));
    ck_assert_uint_eq(sum.repeated, 17);
    ck_assert_str_eq(log_value(&sum, 1), "1017"); /* the newest */
    ck_assert(!log_repeats_due(&r, AT(30), &sum));
    ck_assert_uint_eq(log_repeats_deadline(&r), USEC_NEVER);
    /* "a" goes on being folded, "b" has been forgotten */
    a_refusal(&l, "a", 1);
    ck_assert(!log_repeats_note(&r, &l, AT(50)));
    ck_assert_uint_eq(log_repeats_deadline(&r), AT(60));
    a_refusal(&l, "b", 1);
    ck_assert(log_repeats_note(&r, &l, AT(50)));
}
END_TEST

START_TEST(what_comes_late_is_no_repeat)
{
    static struct log_repeats r;
    struct log_line l;
    r.count = 0;
    a_refusal(&l, "a", 1);
    ck_assert(log_repeats_note(&r, &l, AT(0)));
    ck_assert(log_repeats_note(&r, &l, AT(30)));
    ck_assert(!log_repeats_note(&r, &l, AT(31)));
}
END_TEST

START_TEST(levels_and_sentences_are_told_apart)
{
    static struct log_repeats r;
    struct log_line l;
    r.count = 0;
    log_line_sentence(&l, LOG_ERROR, "tftp done");
    ck_assert(log_repeats_note(&r, &l, 0));
    log_line_sentence(&l, LOG_WARNING, "tftp done");
    ck_assert(log_repeats_note(&r, &l, 0));
    log_line_event(&l, LOG_ERROR, "tftp done");
    ck_assert(log_repeats_note(&r, &l, 0));
    log_line_sentence(&l, LOG_ERROR, "tftp done");
    ck_assert(!log_repeats_note(&r, &l, 0));
}
END_TEST

START_TEST(a_full_table_tells_everything)
{
    static struct log_repeats r;
    struct log_line l;
    struct log_line sum;
    char file[8];
    r.count = 0;
    for (unsigned i = 0; i < LOG_REPEATS_MAX * 2; i++) {
        snprintf(file, sizeof file, "%u", i / 2);
        a_refusal(&l, file, 1);
        ck_assert_int_eq(log_repeats_note(&r, &l, AT(i)), i % 2 == 0 ? 1 : 0);
    }
    a_refusal(&l, "x", 1);
    ck_assert(log_repeats_note(&r, &l, 1));
    ck_assert(log_repeats_note(&r, &l, 1));
    unsigned sums = 0;
    while (log_repeats_due(&r, USEC_NEVER, &sum)) {
        sums++;
    }
    ck_assert_uint_eq(sums, LOG_REPEATS_MAX);
    ck_assert_uint_eq(r.count, 0);
}
END_TEST

START_TEST(what_nothing_repeated_makes_room)
{
    static struct log_repeats r;
    struct log_line l;
    char file[8];
    r.count = 0;
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(file, sizeof file, "%u", i);
        a_refusal(&l, file, 1);
        ck_assert(log_repeats_note(&r, &l, 1000 - i));
    }
    ck_assert_uint_eq(r.count, LOG_REPEATS_MAX);
}
END_TEST

/* -- to a journal ------------------------------------------------------------------------- */

static char directory[64];
static char path[96];
static char got[16384];

static int open_fake_journal(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    snprintf(directory, sizeof directory, "/tmp/pxed-log-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/socket", directory);
    memcpy(at.sun_path, path, strlen(path) + 1);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static void close_fake_journal(int fd)
{
    close(fd);
    unlink(path);
    rmdir(directory);
}

/* A datagram, or what the descriptor in it holds. */
static size_t receive(int fd, bool *as_file)
{
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec into = {got, sizeof got - 1};
    struct msghdr message = {
        .msg_iov = &into,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    ck_assert_int_ge(n, 0);
    const struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    *as_file = c != NULL;
    if (c) {
        int file;
        memcpy(&file, CMSG_DATA(c), sizeof file);
        int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
        ck_assert_int_eq(fcntl(file, F_GET_SEALS), seals);
        n = pread(file, got, sizeof got - 1, 0);
        close(file);
    }
    got[n] = '\0';
    return (size_t)n;
}

START_TEST(lines_reach_the_journal_as_fields)
{
    int fd = open_fake_journal();
    bool as_file;
    struct log_line l;
    ck_assert_int_eq(log_open(LOG_AS_JOURNAL, path), 0);
    log_begin(&l, LOG_INFO, "tftp done");
    log_text(&l, "mac", "52:54:00:12:34:56");
    log_text(&l, "file", "x64/shimx64.efi");
    log_end(&l);
    (void)receive(fd, &as_file);
    ck_assert(!as_file);
    ck_assert_str_eq(
        got, "MESSAGE=tftp done mac=52:54:00:12:34:56 file=x64/shimx64.efi\nPRIORITY=6\n"
             "SYSLOG_IDENTIFIER=pxed\nMESSAGE_ID=da1c0dbca6054a3491022d610ab48228\n"
             "PXE_MAC=52:54:00:12:34:56\nPXE_FILE=x64/shimx64.efi\n");
    log_end(&l); /* folded */
    ck_assert_int_lt(recv(fd, got, sizeof got, 0), 0);
    log_flush();
    (void)receive(fd, &as_file);
    ck_assert_ptr_nonnull(strstr(got, "\nPXE_REPEATED=1\n"));
    for (int i = 0; i < 2; i++) { /* a change is told each time */
        log_news(LOG_INFO, "interface eth0 is down");
        (void)receive(fd, &as_file);
        ck_assert_int_eq(strncmp(got, "MESSAGE=interface eth0 is down\n", 31), 0);
    }
    close_fake_journal(fd);
}
END_TEST

/* The kernel's least send buffer does not hold 6 kB of quotes. */
START_TEST(large_lines_reach_the_journal_as_a_file)
{
    int fd = open_fake_journal();
    bool as_file;
    struct log_line l;
    char quotes[1900];
    memset(quotes, '"', sizeof quotes - 1);
    quotes[sizeof quotes - 1] = '\0';
    ck_assert_int_eq(log_open(LOG_AS_JOURNAL, path), 0);
    /* The log keeps its socket to itself; it is the newest one of this process. */
    int newest = dup(fd) - 1;
    int least = 1;
    ck_assert_int_eq(setsockopt(newest, SOL_SOCKET, SO_SNDBUF, &least, sizeof least), 0);
    log_begin(&l, LOG_INFO, "tftp done");
    log_text(&l, "file", quotes);
    log_end(&l);
    size_t len = receive(fd, &as_file);
    ck_assert(as_file);
    ck_assert_uint_gt(len, 5500);
    ck_assert_int_eq(strncmp(got, "MESSAGE=tftp done file=", 23), 0);
    close(newest + 1);
    close_fake_journal(fd);
}
END_TEST

/* A journal that takes nothing must not stop the service, and is told what it missed. */
START_TEST(a_journal_that_is_stuck_loses_lines)
{
    int fd = open_fake_journal();
    bool as_file;
    struct log_line l;
    ck_assert_int_eq(log_open(LOG_AS_JOURNAL, path), 0);
    for (unsigned i = 0; i < 5000; i++) {
        log_begin(&l, LOG_INFO, "tftp done");
        log_number(&l, "i", i);
        log_end(&l);
    }
    unsigned taken = 0;
    while (recv(fd, got, sizeof got, 0) > 0) {
        taken++;
    }
    ck_assert_uint_lt(taken, 5000);
    log_begin(&l, LOG_INFO, "tftp failed");
    log_end(&l);
    char want[80];
    snprintf(want, sizeof want, "MESSAGE=%u lines of the log were lost\n", 5000 - taken);
    (void)receive(fd, &as_file);
    ck_assert_msg(strncmp(got, want, strlen(want)) == 0, "%s, want %s", got, want);
    (void)receive(fd, &as_file);
    ck_assert_int_eq(strncmp(got, "MESSAGE=tftp failed\n", 20), 0);
    close_fake_journal(fd);
}
END_TEST

START_TEST(no_journal_is_an_error_and_text)
{
    int ends[2];
    ck_assert_int_eq(log_open(LOG_AS_JOURNAL, "/nonexistent/socket"), -ENOENT);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_ge(dup2(ends[1], STDERR_FILENO), 0);
    log_say(LOG_WARNING, "hello");
    ssize_t n = read(ends[0], got, sizeof got - 1);
    ck_assert_int_gt(n, 0);
    got[n] = '\0';
    ck_assert_ptr_nonnull(strstr(got, " warning: hello\n"));
}
END_TEST

/* JOURNAL_STREAM is believed only when it names what standard error is now. */
START_TEST(auto_looks_at_what_standard_error_is)
{
    int fd = open_fake_journal();
    int ends[2];
    bool as_file;
    char stream[64];
    struct stat st;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_ge(dup2(ends[1], STDERR_FILENO), 0);
    ck_assert_int_eq(fstat(STDERR_FILENO, &st), 0);
    setenv("JOURNAL_STREAM", "1:2", 1);
    ck_assert_int_eq(log_open(LOG_AUTO, path), 0);
    log_say(LOG_INFO, "to the pipe");
    ck_assert_int_lt(recv(fd, got, sizeof got, 0), 0);
    snprintf(stream, sizeof stream, "%llu:%llu", (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    setenv("JOURNAL_STREAM", stream, 1);
    ck_assert_int_eq(log_open(LOG_AUTO, path), 0);
    log_say(LOG_INFO, "to the journal");
    (void)receive(fd, &as_file);
    ck_assert_int_eq(strncmp(got, "MESSAGE=to the journal\n", 23), 0);
    ck_assert_int_eq(log_open(LOG_AS_TEXT, path), 0);
    log_say(LOG_ERROR, "text there");
    ssize_t n = read(ends[0], got, sizeof got - 1);
    ck_assert_int_gt(n, 0);
    got[n] = '\0';
    ck_assert_ptr_nonnull(strstr(got, "<3>text there\n"));
    close_fake_journal(fd);
}
END_TEST

static void tell_of(const char *event, unsigned machine, enum log_limit limit)
{
    struct log_line l;
    log_begin(&l, LOG_INFO, event);
    log_limit(&l, limit);
    log_number(&l, "mac", machine);
    log_end(&l);
}

static const struct {
    enum log_limit limit;
    unsigned burst;
    const char *said;
} floods[] = {
    {LOG_OF_STRANGER, 8192, "more is heard of machines that no host names"},
    {LOG_OF_NOTHING, 2000, "more requests for files come to nothing"},
};

/* Machines of the host table are told of all the same, and each limit is by itself. */
START_TEST(a_flood_fills_no_disk)
{
    enum { FLOOD = 20000 };
    static char text[FLOOD * 64];
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
    ck_assert_int_eq(log_open(LOG_AS_TEXT, ""), 0);
    for (unsigned i = 0; i < FLOOD; i++) {
        tell_of("flood", i, floods[_i].limit);
    }
    tell_of("other", 7, floods[1 - _i].limit);
    tell_of("dhcp ack", 7, LOG_UNLIMITED);
    ssize_t len = pread(fileno(file), text, sizeof text - 1, 0);
    ck_assert_int_gt(len, 0);
    text[len] = '\0';
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) {
        lines++;
    }
    ck_assert_uint_ge(lines, floods[_i].burst + 3);
    ck_assert_uint_lt(lines,
                      floods[_i].burst + 200); /* as many more a second as may come */
    const char *said = strstr(text, floods[_i].said);
    ck_assert_ptr_nonnull(said);
    ck_assert_ptr_null(strstr(said + 1, floods[_i].said));
    ck_assert_ptr_nonnull(strstr(said, "other mac=7\n"));
    ck_assert_ptr_nonnull(strstr(said, "dhcp ack mac=7\n"));
    (void)fclose(file);
}
END_TEST

Suite *suite_common_log(void)
{
    Suite *s = suite_create("common/log");
    TCase *forms = tcase_create("forms");
    tcase_add_test(forms, text_form);
    tcase_add_test(forms, json_form);
    tcase_add_test(forms, journal_form);
    tcase_add_test(forms, sentences_have_a_form_too);
    tcase_add_test(forms, no_value_forges_a_field);
    tcase_add_test(forms, nothing_is_too_long);
    tcase_add_loop_test(forms, json_numbers_are_numbers, 0, COUNT(numbers));
    suite_add_tcase(s, forms);
    TCase *repeats = tcase_create("repeats");
    tcase_add_test(repeats, repeats_are_told_as_one);
    tcase_add_test(repeats, what_comes_late_is_no_repeat);
    tcase_add_test(repeats, levels_and_sentences_are_told_apart);
    tcase_add_test(repeats, a_full_table_tells_everything);
    tcase_add_test(repeats, what_nothing_repeated_makes_room);
    tcase_add_loop_test(repeats, a_flood_fills_no_disk, 0, COUNT(floods));
    suite_add_tcase(s, repeats);
    TCase *journal = tcase_create("journal");
    tcase_add_test(journal, lines_reach_the_journal_as_fields);
    tcase_add_test(journal, large_lines_reach_the_journal_as_a_file);
    tcase_add_test(journal, a_journal_that_is_stuck_loses_lines);
    tcase_add_test(journal, no_journal_is_an_error_and_text);
    tcase_add_test(journal, auto_looks_at_what_standard_error_is);
    suite_add_tcase(s, journal);
    return s;
}
