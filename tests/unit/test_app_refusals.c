#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/counts_json.h"
#include "app/metrics.h"
#include "tests/unit/suites.h"

/* -- everything counted ------------------------------------------------------------------- */

static struct dhcp_counters dhcp;
static struct dhcp6_counters dhcp6;
static struct tftp_counters tftp;
static struct http_counters http;
static uint64_t control[CONTROL_REFUSED_COUNT];
static const struct tallies tallies = {&dhcp, &dhcp6, &tftp, &http, control};
static struct refusals all[REFUSALS_LISTS];

static uint64_t number_of(size_t list, unsigned why)
{
    return 100 * list + why + 1;
}

/* Each reason another number of times. */
static void count_all(void)
{
    ck_assert_uint_eq(refusals_of(&tallies, all), REFUSALS_LISTS);
    for (size_t i = 0; i < REFUSALS_LISTS; i++) {
        uint64_t *count = (uint64_t *)all[i].count;
        for (unsigned why = 0; why < all[i].end; why++) {
            count[why] = number_of(i, why);
        }
    }
    const struct losses lost = {.socket = "any"};
    dhcp.lost_4011 = dhcp6.lost_547 = dhcp6.lost_4011 = lost;
    tftp.lost_requests = tftp.lost_data = lost;
}

/* -- documents ---------------------------------------------------------------------------- */

static char *read_document(const char *path)
{
    char *document = calloc(1, 1 << 20);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_gt(fread(document, 1, (1 << 20) - 1, f), 0);
    (void)fclose(f);
    return document;
}

/* The rows of the first table of reasons behind where the metric is named. */
static char *table_of(const char *document, const char *metric)
{
    char named[80];
    snprintf(named, sizeof named, "`%s`", metric);
    const char *at = strstr(document, named);
    at = at ? strstr(at, "\n| reason |") : NULL;
    ck_assert_msg(at, "docs/monitoring.md has no table for %s", metric);
    const char *end = strstr(at, "\n\n");
    char *table = strndup(at, end ? (size_t)(end - at) : strlen(at));
    char *rows = strdup(strstr(table, "---") ? strstr(table, "---") : "");
    free(table);
    return rows;
}

static bool is_a_reason_of(const char *metric, const char *name, size_t len)
{
    for (size_t i = 0; i < REFUSALS_LISTS; i++) {
        for (unsigned why = all[i].first; why < all[i].end; why++) {
            const char *known = all[i].name(why);
            if (strcmp(all[i].metric, metric) == 0 && strlen(known) == len &&
                memcmp(known, name, len) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* -- tests -------------------------------------------------------------------------------- */

START_TEST(every_reason_has_a_name_of_its_own)
{
    const struct refusals *r = &all[_i];
    count_all();
    ck_assert_uint_lt(r->first, r->end);
    for (unsigned why = 0; why < r->end; why++) {
        const char *name = r->name(why);
        ck_assert_msg(name && *name, "%s.%s: reason %u has no name", r->part, r->list,
                      why);
        ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz-0123456789"),
                          strlen(name));
        for (unsigned other = 0; other < why; other++) {
            ck_assert_str_ne(name, r->name(other));
        }
    }
}
END_TEST

START_TEST(every_reason_is_a_metric)
{
    static char text[METRICS_TEXT_MAX];
    const struct metrics_sources from = {.version = "1", .of = tallies};
    struct exposition e = exposition_over(text, sizeof text);
    const struct refusals *r = &all[_i];
    count_all();
    ck_assert(metrics_write(&from, &e));
    for (unsigned why = r->first; why < r->end; why++) {
        char line[200];
        const char *label =
            strcmp(r->metric, "pxed_dhcp_malformed_total") == 0 ? "layer" : "family";
        char first[40] = "";
        if (r->label) {
            snprintf(first, sizeof first, "%s=\"%s\",", label, r->label);
        }
        snprintf(line, sizeof line, "\n%s{%sreason=\"%s\"} %llu\n", r->metric, first,
                 r->name(why), (unsigned long long)number_of((size_t)_i, why));
        ck_assert_msg(strstr(text, line), "no sample %s", line);
    }
}
END_TEST

START_TEST(every_reason_is_in_the_status_document)
{
    const struct refusals *r = &all[_i];
    count_all();
    json_t *document = json_object();
    refusals_json(document, &tallies);
    const json_t *list = json_object_get(json_object_get(document, r->part), r->list);
    ck_assert_uint_eq(json_object_size(list), r->end - r->first);
    for (unsigned why = r->first; why < r->end; why++) {
        ck_assert_int_eq(json_integer_value(json_object_get(list, r->name(why))),
                         (json_int_t)number_of((size_t)_i, why));
    }
    json_decref(document);
}
END_TEST

START_TEST(every_reason_is_documented)
{
    const struct refusals *r = &all[_i];
    count_all();
    char *document = read_document("docs/monitoring.md");
    char *table = table_of(document, r->metric);
    for (unsigned why = r->first; why < r->end; why++) {
        char cell[80];
        snprintf(cell, sizeof cell, "`%s`", r->name(why));
        ck_assert_msg(strstr(table, cell), "docs/monitoring.md, %s: no row for %s",
                      r->metric, cell);
    }
    free(table);
    free(document);
}
END_TEST

START_TEST(no_other_reason_is_documented)
{
    const struct refusals *r = &all[_i];
    count_all();
    char *document = read_document("docs/monitoring.md");
    char *table = table_of(document, r->metric);
    for (const char *row = strstr(table, "\n| `"); row; row = strstr(row + 1, "\n| `")) {
        const char *end = strstr(row + 3, " |");
        for (const char *at = row; (at = strchr(at, '`')) && at < end; at++) {
            size_t len = strcspn(at + 1, "`");
            ck_assert_msg(is_a_reason_of(r->metric, at + 1, len),
                          "docs/monitoring.md, %s: there is no %.*s", r->metric, (int)len,
                          at + 1);
            at += len + 1;
        }
    }
    free(table);
    free(document);
}
END_TEST

START_TEST(every_list_is_in_the_document_of_the_document)
{
    const struct refusals *r = &all[_i];
    char part[40];
    char list[40];
    count_all();
    char *document = read_document("docs/control.md");
    snprintf(part, sizeof part, "\n      \"%s\": {", r->part);
    snprintf(list, sizeof list, "\"%s\": {", r->list);
    const char *at = strstr(document, part);
    ck_assert_msg(at, "docs/control.md: no %s", part);
    const char *found = strstr(at, list);
    ck_assert_msg(found && found < strchr(at + 1, '\n'), "docs/control.md: no %s in %s",
                  list, part);
    free(document);
}
END_TEST

START_TEST(what_is_disabled_is_null)
{
    static const struct tallies none;
    json_t *document = json_object();
    refusals_json(document, &none);
    ck_assert_uint_eq(json_object_size(document), 5);
    ck_assert(json_is_null(json_object_get(document, "tftp")));
    json_decref(document);
}
END_TEST

Suite *suite_app_refusals(void)
{
    Suite *s = suite_create("app/refusals");
    TCase *c = tcase_create("refusals");
    tcase_add_loop_test(c, every_reason_has_a_name_of_its_own, 0, REFUSALS_LISTS);
    tcase_add_loop_test(c, every_reason_is_a_metric, 0, REFUSALS_LISTS);
    tcase_add_loop_test(c, every_reason_is_in_the_status_document, 0, REFUSALS_LISTS);
    tcase_add_loop_test(c, every_reason_is_documented, 0, REFUSALS_LISTS);
    tcase_add_loop_test(c, no_other_reason_is_documented, 0, REFUSALS_LISTS);
    tcase_add_loop_test(c, every_list_is_in_the_document_of_the_document, 0,
                        REFUSALS_LISTS);
    tcase_add_test(c, what_is_disabled_is_null);
    suite_add_tcase(s, c);
    return s;
}
