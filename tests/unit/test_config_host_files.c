#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hosts.h"
#include "tests/unit/quoted.h"
#include "tests/unit/starve.h"
#include "tests/unit/suites.h"

static const char main_text[] =
    "{\"interfaces\":[\"eth0\"],\"tftp\":{\"root\":\"/t\"},\n"
    "\"profiles\":{\"default\":{\"7\":\"a\"},\"rescue\":{\"7\":\"b\"}},\n"
    "\"hosts\":[{\"name\":\"first\",\"mac\":\"52:54:00:00:00:01\"}], "
    "\"host_files\":\"hosts.d\"}";

#define FILES_MAX 4

/* Reads the main text and these files, quotes written as '. */
struct reading {
    struct faults faults;
    struct snapshot *snapshot;
    struct fault_source file[FILES_MAX];
    size_t count;
};

static void begin(struct reading *g, const char *const texts[FILES_MAX])
{
    static const char *const names[FILES_MAX] = {"d/a.json", "d/b.json", "d/c.json",
                                                 "d/d.json"};
    *g = (struct reading){.count = 0};
    for (; g->count < FILES_MAX && texts[g->count]; g->count++) {
        char *copy = quoted(texts[g->count]);
        g->file[g->count] = (struct fault_source){names[g->count], copy, strlen(copy)};
    }
}

static void read_all(struct reading *g)
{
    g->snapshot = config_read(main_text, sizeof main_text - 1, &g->faults);
    if (g->snapshot) {
        config_read_hosts(g->snapshot, g->file, g->count, &g->faults);
    }
}

static void end(struct reading *g)
{
    snapshot_free(g->snapshot);
    faults_done(&g->faults);
    for (size_t i = 0; i < g->count; i++) {
        free((char *)g->file[i].text);
    }
}

static char *printed(const struct reading *g)
{
    char *out = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&out, &len);
    faults_print(&g->faults, "pxed.json", main_text, sizeof main_text - 1, to);
    (void)fclose(to);
    return out;
}

START_TEST(a_file_holds_one_host_or_a_list)
{
    static const char *const texts[FILES_MAX] = {
        "// one\n{'name':'a','mac':'52:54:00:00:00:02','profile':'rescue'}",
        "[\n {'name':'b','mac':'52:54:00:00:00:03'},\n {'name':'c','mac':'54:*'}]", "[]"};
    struct reading g;
    begin(&g, texts);
    read_all(&g);
    ck_assert_uint_eq(g.faults.count, 0);
    ck_assert_str_eq(g.snapshot->host_files, "hosts.d");
    ck_assert_uint_eq(g.snapshot->host_path_count, 3);
    ck_assert_uint_eq(hosts_count(g.snapshot->hosts), 4);
    static const struct {
        const char *name;
        unsigned file;
        unsigned line;
    } rows[] = {{"first", 0, 3}, {"a", 1, 2}, {"b", 2, 2}, {"c", 2, 3}};
    for (size_t i = 0; i < 4; i++) {
        const struct host *h = hosts_at(g.snapshot->hosts, i);
        ck_assert_str_eq(h->name, rows[i].name);
        ck_assert_uint_eq(h->file, rows[i].file);
        ck_assert_uint_eq(h->line, rows[i].line);
    }
    ck_assert_str_eq(g.snapshot->host_paths[1], "d/b.json");
    ck_assert_uint_eq(hosts_at(g.snapshot->hosts, 1)->profile, 1);
    end(&g);
}
END_TEST

START_TEST(faults_name_their_file_and_both_places)
{
    static const char *const texts[FILES_MAX] = {
        "{'mac':'52:54:00:00:00:01'}",
        "[{'name':'k','mac':'52:54:00:00:00:02'},\n {'mac':'52:*','profile':'resceu'}]",
        "{'mac':'52:54:00:00:00:02'}", "7"};
    struct reading g;
    begin(&g, texts);
    read_all(&g);
    char *got = printed(&g);
    ck_assert_str_eq(
        got,
        "d/a.json:1:8: mac: the same MAC address as host \"first\" on line 3 of the "
        "configuration file\n"
        "{\"mac\":\"52:54:00:00:00:01\"}\n"
        "       ^\n"
        "d/b.json:2:26: [1].profile: there is no profile \"resceu\"; did you mean "
        "\"rescue\"?\n"
        " {\"mac\":\"52:*\",\"profile\":\"resceu\"}]\n"
        "                         ^\n"
        "d/c.json:1:8: mac: the same MAC address as host \"k\" at b.json:1\n"
        "{\"mac\":\"52:54:00:00:00:02\"}\n"
        "       ^\n"
        "d/d.json:1:1: a host file holds one host { ... } or a list [ ... ] of them\n"
        "7\n"
        "^\n");
    free(got);
    end(&g);
}
END_TEST

START_TEST(faults_of_the_main_file_come_first)
{
    static const char *const texts[FILES_MAX] = {"{'mac':1}"};
    struct reading g;
    begin(&g, texts);
    read_all(&g);
    faults_add(&g.faults, FAULT_WARNING, 2, 3, "later", "is odd");
    faults_sort(&g.faults);
    ck_assert_uint_eq(g.faults.list[0].file, 0);
    ck_assert_str_eq(fault_file(&g.faults, &g.faults.list[0], "x.json"), "x.json");
    ck_assert_str_eq(fault_file(&g.faults, &g.faults.list[1], "x.json"), "d/a.json");
    end(&g);
}
END_TEST

START_TEST(survives_any_failed_allocation)
{
    static const char *const texts[FILES_MAX] = {
        "{'name':'a','arch':7,'vendor_class':'P','mac':'52:54:00:00:00:02',"
        "'vars':{'a':'b'}}",
        "[{'mac':'54:*','vars':{'a':'b','c':'d'}},{'uuid':"
        "'00112233-4455-6677-8899-aabbccddeeff'},{'circuit_id':'hex:00'}]"};
    unsigned fed = 0;
    for (unsigned n = 0; !fed; n++) {
        struct reading g;
        begin(&g, texts);
        starve_after(n);
        read_all(&g);
        fed = !starve_end();
        ck_assert_msg(fed == (g.faults.errors == 0), "allocation %u", n);
        end(&g);
        ck_assert_uint_lt(n, 5000);
    }
}
END_TEST

/* The fault lies within the text of the file it names. */
static bool inside(const struct reading *g, const struct fault *f)
{
    const char *p = f->file ? g->file[f->file - 1].text : main_text;
    const char *stop = p + (f->file ? g->file[f->file - 1].len : sizeof main_text - 1);
    for (int line = 1; line < f->line && p; line++) {
        p = p < stop ? memchr(p, '\n', (size_t)(stop - p)) : NULL;
        p = p ? p + 1 : NULL;
    }
    return p && f->line >= 1 && f->column >= 1 && p + f->column - 1 <= stop;
}

START_TEST(random_damage_has_a_place_in_its_own_file)
{
    static const char *const texts[FILES_MAX] = {
        "[{'name':'a','mac':'52:54:00:00:00:02','vars':{'a':'b'}},\n{'arch':[7,9]}]",
        "{'relay':'10.0.0.0/8',\n'circuit_id':'hex:00ff*'}"};
    unsigned seed = (unsigned)_i + 1;
    for (unsigned n = 0; n < 1000; n++) {
        struct reading g;
        begin(&g, texts);
        for (unsigned hits = 0; hits < 2; hits++) {
            seed = seed * 1103515245 + 12345;
            struct fault_source *file = &g.file[seed >> 16 & 1];
            seed = seed * 1103515245 + 12345;
            ((char *)file->text)[(seed >> 16) % file->len] =
                "{}[],:\"\\/*1a \n"[(seed >> 8) % 14];
        }
        read_all(&g);
        for (size_t i = 0; i < g.faults.count; i++) {
            ck_assert(inside(&g, &g.faults.list[i]));
        }
        free(printed(&g));
        end(&g);
    }
}
END_TEST

Suite *suite_config_host_files(void)
{
    Suite *s = suite_create("config/load, files of hosts");
    TCase *tc = tcase_create("host files");
    tcase_add_test(tc, a_file_holds_one_host_or_a_list);
    tcase_add_test(tc, faults_name_their_file_and_both_places);
    tcase_add_test(tc, faults_of_the_main_file_come_first);
    tcase_add_test(tc, survives_any_failed_allocation);
    tcase_add_loop_test(tc, random_damage_has_a_place_in_its_own_file, 0, 10);
    suite_add_tcase(s, tc);
    return s;
}
