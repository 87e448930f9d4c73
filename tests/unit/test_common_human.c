#include <math.h>
#include <string.h>

#include "common/human.h"
#include "tests/unit/suites.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof(rows)[0]))

static char shown[512];

static struct text empty(void)
{
    shown[0] = '\0';
    return (struct text){shown, sizeof shown, 0};
}

static const struct {
    double seconds;
    const char *text;
} durations[] = {
    {0, "0.00s"},      {0.04, "0.04s"},     {0.999, "1.0s"},   {7.44, "7.4s"},
    {9.96, "9s"},      {59.9, "59s"},       {60, "1:00"},      {3599.9, "59:59"},
    {3600, "1:00:00"}, {86399, "23:59:59"}, {273600, "3d 4h"}, {-1, "-"},
    {NAN, "-"},        {INFINITY, "-"},
};

START_TEST(durations_are_read_at_a_glance)
{
    struct text t = empty();
    human_duration(&t, durations[_i].seconds);
    ck_assert_str_eq(shown, durations[_i].text);
}
END_TEST

static const struct {
    double rate;
    const char *text;
} rates[] = {
    {95e6, "95MB/s"}, {1.25e6, "1.2MB/s"}, {0, "-"},
    {-5, "-"},        {NAN, "-"},          {INFINITY, "-"},
};

START_TEST(rates_have_a_unit)
{
    struct text t = empty();
    human_rate(&t, rates[_i].rate);
    ck_assert_str_eq(shown, rates[_i].text);
}
END_TEST

static const struct {
    const char *name;
    const char *text;
    unsigned width;
    bool utf8;
    enum human_fill fill;
    const char *want;
} fits[] = {
    {"room enough", "boot.wim", 10, true, HUMAN_CUT, "boot.wim"},
    {"filled on the right", "boot.wim", 10, true, HUMAN_LEFT, "boot.wim  "},
    {"filled on the left", "7.4s", 6, true, HUMAN_RIGHT, "  7.4s"},
    {"exactly", "boot.wim", 8, true, HUMAN_LEFT, "boot.wim"},
    {"cut", "boot.wim", 7, true, HUMAN_LEFT, "boot.w…"},
    {"cut without UTF-8", "boot.wim", 7, false, HUMAN_LEFT, "boot..."},
    {"one column", "boot.wim", 1, false, HUMAN_CUT, "."},
    {"no limit", "boot.wim", 0, true, HUMAN_RIGHT, "boot.wim"},
    {"two octets, one column", "Ger\xc3\xa4t", 6, true, HUMAN_LEFT, "Ger\xc3\xa4t "},
    {"never half a character", "\xc3\xa4\xc3\xa4\xc3\xa4", 2, true, HUMAN_CUT,
     "\xc3\xa4…"},
    {"wide characters", "\xe8\xb5\xb7\xe5\x8b\x95", 3, true, HUMAN_LEFT, "\xe8\xb5\xb7…"},
    {"half a wide one is none", "\xe8\xb5\xb7\xe5\x8b\x95x", 4, true, HUMAN_LEFT,
     "\xe8\xb5\xb7… "},
    {"marks take no column", "e\xcc\x81x", 2, true, HUMAN_LEFT, "e\xcc\x81x"},
    {"an escape sequence", "a\x1b[2Jb", 9, true, HUMAN_CUT, "a?[2Jb"},
    {"C1 control",
     "a\xc2\x9b"
     "b",
     9, true, HUMAN_CUT, "a?b"},
    {"direction turned",
     "a\xe2\x80\xae"
     "b",
     9, true, HUMAN_CUT, "a?b"},
    {"no UTF-8",
     "a\xff"
     "b\xc3",
     9, true, HUMAN_CUT, "a?b?"},
    {"overlong", "a\xc0\xaf", 9, true, HUMAN_CUT, "a??"},
    {"surrogate", "\xed\xa0\x80", 9, true, HUMAN_CUT, "???"},
    {"an ASCII terminal", "Ger\xc3\xa4t", 9, false, HUMAN_CUT, "Ger?t"},
};

START_TEST(text_fits_its_column)
{
    struct text t = empty();
    struct human_room room = {fits[_i].width, fits[_i].utf8};
    human_fit(&t, fits[_i].text, room, fits[_i].fill);
    ck_assert_msg(strcmp(shown, fits[_i].want) == 0, "%s: got \"%s\"", fits[_i].name,
                  shown);
}
END_TEST

static const struct {
    const char *text;
    unsigned width;
    unsigned indent;
    const char *want;
} wraps[] = {
    {"the machine got no file", 0, 4, "the machine got no file"},
    {"the machine got no file", 80, 4, "the machine got no file"},
    {"the machine got no file", 20, 4, "the machine got\n    no file"},
    {"the machine got no file", 3, 2, "the\n  machine\n  got no\n  file"},
    {"averylongwordindeed x", 12, 2, "averylong…\n  x"},
    {"", 12, 2, ""},
    {"  a  b  ", 12, 2, "a b"},
    {"a\x1b[2J b", 12, 2, "a?[2J b"},
};

START_TEST(sentences_break_between_words)
{
    struct text t = empty();
    struct human_room room = {wraps[_i].width, true};
    human_wrap(&t, wraps[_i].text, room, wraps[_i].indent);
    ck_assert_str_eq(shown, wraps[_i].want);
}
END_TEST

static const struct {
    uint64_t part;
    uint64_t whole;
    unsigned width;
    const char *want;
} bars[] = {
    {0, 100, 12, "[----------]"},
    {50, 100, 12, "[#####-----]"},
    {99, 100, 12, "[#########-]"},
    {100, 100, 12, "[##########]"},
    {200, 100, 12, "[##########]"},
    {5, 0, 12, "[----------]"},
    {1, 1, 0, "[#]"},
    {UINT64_MAX - 1, UINT64_MAX, 4, "[##]"},
};

START_TEST(bars_are_full_at_the_end_only)
{
    struct text t = empty();
    human_bar(&t, bars[_i].part, bars[_i].whole,
              (struct human_room){bars[_i].width, false});
    ck_assert_str_eq(shown, bars[_i].want);
}
END_TEST

#define WIM                                                                              \
    {                                                                                    \
        "boot.wim", 1000000000, 1600000000, 95e6, 6.3, NULL                              \
    }
#define LONG                                                                             \
    {                                                                                    \
        "images/x64/releases/boot.wim", 1000000000, 1600000000, 95e6, 6.3, NULL          \
    }

static const struct {
    struct human_progress p;
    unsigned width;
    const char *want;
} lines[] = {
    {WIM, 0, "boot.wim: 62%, 1.0GB of 1.6GB, 95MB/s, 6.3s left"},
    {WIM, 79,
     "boot.wim  [################-----------]  62%  1.0GB of 1.6GB  95MB/s  6.3s left"},
    {WIM, 60, "boot.wim  [#####---]  62%  1.0GB of 1.6GB  95MB/s  6.3s left"},
    {LONG, 60, "images..  [#####---]  62%  1.0GB of 1.6GB  95MB/s  6.3s left"},
    {WIM, 44, "bo..  62%  1.0GB of 1.6GB  95MB/s  6.3s left"},
    {WIM, 20, " 62%  1.0GB of 1.6.."},
    {{"answers", 3, 0, 0, -1, "servers"}, 0, "answers: 3 servers"},
    {{"check", 120, 4000, 30, 129, "files"},
     0,
     "check: 3%, 120 of 4000 files, 2:09 left"},
};

START_TEST(progress_keeps_to_the_width)
{
    struct text t = empty();
    human_progress(&t, &lines[_i].p, (struct human_room){lines[_i].width, false});
    ck_assert_str_eq(shown, lines[_i].want);
    if (lines[_i].width) {
        ck_assert_uint_le(human_columns(shown, false), lines[_i].width);
    }
}
END_TEST

START_TEST(progress_of_any_width_fits)
{
    static const struct human_progress p = LONG;
    for (unsigned width = 1; width < 200; width++) {
        struct text t = empty();
        human_progress(&t, &p, (struct human_room){width, true});
        ck_assert_msg(human_columns(shown, true) <= width, "%u: \"%s\"", width, shown);
    }
}
END_TEST

Suite *suite_common_human(void)
{
    Suite *s = suite_create("common/human");
    TCase *tc = tcase_create("rows");
    tcase_add_loop_test(tc, durations_are_read_at_a_glance, 0, COUNT(durations));
    tcase_add_loop_test(tc, rates_have_a_unit, 0, COUNT(rates));
    tcase_add_loop_test(tc, text_fits_its_column, 0, COUNT(fits));
    tcase_add_loop_test(tc, sentences_break_between_words, 0, COUNT(wraps));
    tcase_add_loop_test(tc, bars_are_full_at_the_end_only, 0, COUNT(bars));
    tcase_add_loop_test(tc, progress_keeps_to_the_width, 0, COUNT(lines));
    tcase_add_test(tc, progress_of_any_width_fits);
    suite_add_tcase(s, tc);
    return s;
}
