#include <string.h>
#include <unistd.h>

#include "app/options.h"
#include "tests/unit/suites.h"

struct wish {
    const char *file;
    bool json;
    bool watch;
    unsigned seen; /* code of the option that was read */
    const char *value;
};

static bool take(int code, const char *text, void *wish)
{
    struct wish *w = wish;
    w->seen = (unsigned)code;
    w->value = text;
    return strcmp(text, "bad") != 0;
}

static const struct option_row rows[] = {
    {"file", 'f', OPTION_TEXT, offsetof(struct wish, file)},
    {"json", 0, OPTION_FLAG, offsetof(struct wish, json)},
    {"watch", 0, OPTION_MAYBE, offsetof(struct wish, watch)},
    {"mac", OPTION_OWN, OPTION_VALUE, 0},
    {"", 'n', OPTION_VALUE, 0},
    {NULL, 0, 0, 0},
};

static const struct {
    const char *argv[4];
    bool good;
    struct wish wish;
    const char *refused; /* what optarg is then */
} cases[] = {
    {{"x"}, true, {0}, NULL},
    {{"x", "--json", "rest"}, true, {.json = true}, NULL},
    {{"x", "-f", "a", "--json"}, true, {.file = "a", .json = true}, NULL},
    {{"x", "--file=a"}, true, {.file = "a"}, NULL},
    {{"x", "--fi", "a"}, true, {.file = "a"}, NULL},
    {{"x", "--watch"}, true, {.watch = true}, NULL},
    {{"x", "--watch=3"}, true, {.watch = true, .value = "3"}, NULL},
    {{"x", "--mac", "7"}, true, {.seen = OPTION_OWN, .value = "7"}, NULL},
    {{"x", "-n7"}, true, {.seen = 'n', .value = "7"}, NULL},
    {{"x", "--mac", "bad"}, false, {.seen = OPTION_OWN, .value = "bad"}, "bad"},
    {{"x", "--mac"}, false, {0}, NULL},
    {{"x", "--none"}, false, {0}, NULL},
    {{"x", "-j"}, false, {0}, NULL},
    {{"x", "--json=1"}, false, {0}, NULL},
};

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

START_TEST(options_are_read_by_rows)
{
    struct wish w = {0};
    const struct wish *want = &cases[_i].wish;
    char *argv[5] = {NULL};
    int argc = 0;
    while (argc < 4 && cases[_i].argv[argc]) {
        argv[argc] = (char *)cases[_i].argv[argc];
        argc++;
    }
    opterr = 0;
    optind = 0;
    ck_assert_int_eq(options_read(rows, take, argc, argv, &w), cases[_i].good);
    ck_assert(same(w.file, want->file) && same(w.value, want->value));
    ck_assert(w.json == want->json && w.watch == want->watch && w.seen == want->seen);
    if (!cases[_i].good) {
        ck_assert(same(optarg, cases[_i].refused));
    }
}
END_TEST

Suite *suite_app_options(void)
{
    Suite *s = suite_create("app/options");
    TCase *tc = tcase_create("options");
    tcase_add_loop_test(tc, options_are_read_by_rows, 0, sizeof cases / sizeof cases[0]);
    suite_add_tcase(s, tc);
    return s;
}
