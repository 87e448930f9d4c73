#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/terminal.h"
#include "tests/unit/suites.h"

static char *written;
static size_t written_len;

static struct terminal on_memory(bool live)
{
    FILE *out = open_memstream(&written, &written_len);
    ck_assert_ptr_nonnull(out);
    return (struct terminal){.out = out, .live = live, .room = {live ? 60 : 0, false}};
}

static void expect(struct terminal *t, const char *want)
{
    fclose(t->out);
    ck_assert_str_eq(written, want);
    free(written);
}

#define AT(seconds) ((usec_t)((seconds)*1e6))

START_TEST(progress_is_drawn_in_place)
{
    struct terminal t = on_memory(true);
    struct progress p;
    progress_begin(&p, &t, "a", 1000, NULL, AT(5));
    progress_set(&p, 100, AT(5.05)); /* too early to be seen */
    progress_set(&p, 500, AT(5.5));
    progress_end(&p, 1000, true, AT(6));
    expect(&t, "\ra  [######-------]  50%  500B of 1.0kB  1.0kB/s  0.50s left\033[K"
               "\r\033[Ka: 1.0kB in 1.0s, 1.0kB/s\n");
}
END_TEST

START_TEST(progress_in_a_file_is_a_line_now_and_then)
{
    struct terminal t = on_memory(false);
    struct progress p;
    progress_begin(&p, &t, "a", 1000, NULL, AT(5));
    for (int i = 1; i <= 24; i++) {
        progress_set(&p, (uint64_t)i * 25, AT(5 + i));
    }
    progress_end(&p, 600, false, AT(30));
    expect(&t, "a: 25%, 250B of 1.0kB, 25B/s, 30s left\n"
               "a: 50%, 500B of 1.0kB, 25B/s, 20s left\n"
               "a: stopped after 600B in 25s, 24B/s\n");
}
END_TEST

START_TEST(what_is_counted_has_no_rate)
{
    struct terminal t = on_memory(false);
    struct progress p;
    progress_begin(&p, &t, "check", 0, "files", AT(5));
    progress_end(&p, 7, true, AT(7));
    expect(&t, "check: 7 files in 2.0s\n");
}
END_TEST

START_TEST(rate_follows_a_link_that_slows_down)
{
    struct terminal t = on_memory(false);
    struct progress p;
    progress_begin(&p, &t, "a", 0, NULL, 0);
    progress_set(&p, 1000000, AT(10));
    for (int i = 1; i <= 3; i++) {
        progress_set(&p, 1000000 + (uint64_t)i * 1000, AT(10 + 10 * i));
    }
    ck_assert_double_lt(p.rate, 1000);
    fclose(t.out);
    free(written);
}
END_TEST

static const struct {
    const char *name;
    const char *term;
    const char *refused;
    bool option;
} no_colour_rows[] = {
    {"no terminal", "xterm", NULL, false},
    {"dumb", "dumb", NULL, false},
    {"NO_COLOR", "xterm", "1", false},
    {"--no-color", "xterm", NULL, true},
};

START_TEST(no_colours_where_none_are_wanted)
{
    struct terminal t;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    FILE *out = fdopen(ends[1], "w");
    setenv("TERM", no_colour_rows[_i].term, 1);
    unsetenv("NO_COLOR");
    if (no_colour_rows[_i].refused) {
        setenv("NO_COLOR", no_colour_rows[_i].refused, 1);
    }
    terminal_open(&t, out, no_colour_rows[_i].option);
    ck_assert_msg(!t.colour && !t.live, "%s", no_colour_rows[_i].name);
    ck_assert_str_eq(terminal_tone(&t, TONE_BAD), "");
    ck_assert_uint_eq(t.room.width, 0);
    fclose(out);
    close(ends[0]);
}
END_TEST

/* The same rows, and one with colours, on a pseudo terminal. */
START_TEST(colours_on_a_terminal)
{
    struct terminal t;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(master, 0);
    ck_assert_int_eq(grantpt(master), 0);
    ck_assert_int_eq(unlockpt(master), 0);
    FILE *out = fopen(ptsname(master), "w");
    ck_assert_ptr_nonnull(out);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    terminal_open(&t, out, false);
    ck_assert(t.live && t.colour);
    ck_assert_uint_eq(t.room.width, 80);
    ck_assert_str_ne(terminal_tone(&t, TONE_BAD), "");
    for (int i = 1; i < (int)(sizeof no_colour_rows / sizeof no_colour_rows[0]); i++) {
        setenv("TERM", no_colour_rows[i].term, 1);
        unsetenv("NO_COLOR");
        if (no_colour_rows[i].refused) {
            setenv("NO_COLOR", no_colour_rows[i].refused, 1);
        }
        terminal_open(&t, out, no_colour_rows[i].option);
        ck_assert_msg(!t.colour, "%s", no_colour_rows[i].name);
    }
    fclose(out);
    close(master);
}
END_TEST

Suite *suite_app_terminal(void)
{
    Suite *s = suite_create("app/terminal");
    TCase *tc = tcase_create("progress");
    tcase_add_test(tc, progress_is_drawn_in_place);
    tcase_add_test(tc, progress_in_a_file_is_a_line_now_and_then);
    tcase_add_test(tc, what_is_counted_has_no_rate);
    tcase_add_test(tc, rate_follows_a_link_that_slows_down);
    tcase_add_loop_test(tc, no_colours_where_none_are_wanted, 0,
                        sizeof no_colour_rows / sizeof no_colour_rows[0]);
    tcase_add_test(tc, colours_on_a_terminal);
    suite_add_tcase(s, tc);
    return s;
}
