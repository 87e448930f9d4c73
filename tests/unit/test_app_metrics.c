#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/metrics.h"
#include "tests/unit/suites.h"

#define DOCUMENT "docs/metrics.md"

static char text[METRICS_TEXT_MAX];

/* A file of the source, as text; the caller's. */
static char *read_document(void)
{
    char *document = calloc(1, 1 << 20);
    FILE *f = fopen(DOCUMENT, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_gt(fread(document, 1, (1 << 20) - 1, f), 0);
    (void)fclose(f);
    return document;
}

static void say_row(const struct exposition_metric *m, struct text *row)
{
    text_say(row, "| `%s` | %s | ", m->name, m->type);
    for (size_t i = 0; i < EXPOSITION_LABELS_MAX && m->label[i]; i++) {
        text_say(row, "%s`%s`", i ? ", " : "", m->label[i]);
    }
    text_say(row, "%s| %s |\n", m->label[0] ? " " : "", m->help);
}

static size_t count_rows(const char *document, const char *beginning)
{
    size_t rows = 0;
    for (const char *at = document; (at = strstr(at, beginning)); at++) {
        rows++;
    }
    return rows;
}

START_TEST(the_documentation_lists_every_metric_and_no_other)
{
    char *document = read_document();
    const struct exposition_metric *m;
    size_t metrics = 0;
    for (; (m = metrics_at(metrics)); metrics++) {
        char row[512] = "";
        struct text say = {row, sizeof row, 0};
        say_row(m, &say);
        ck_assert_msg(strstr(document, row), DOCUMENT " lacks the row: %s", row);
    }
    size_t rows =
        count_rows(document, "\n| `pxed_") + count_rows(document, "\n| `process_");
    ck_assert_uint_eq(rows, metrics);
    free(document);
}
END_TEST

static const struct interface_conf interfaces[CONFIG_INTERFACES_MAX] = {{.name = "eth0"}};

static void name_losses(struct dhcp_counters *dhcp, struct dhcp6_counters *dhcp6)
{
    for (size_t i = 0; i < CONFIG_INTERFACES_MAX; i++) {
        dhcp->lost[i] = (struct losses){"capture", "eth0", .count = 7};
    }
    dhcp->lost_4011 = (struct losses){.socket = "udp-4011", .count = 9};
    dhcp6->lost_547 = (struct losses){.socket = "udp-547"};
    dhcp6->lost_4011 = (struct losses){.socket = "udp-4011-ipv6"};
}

/* Everything there is, as large as it gets. */
static bool write_all(size_t interface_count, struct exposition *e)
{
    static struct dhcp_counters dhcp;
    static struct dhcp6_counters dhcp6;
    static struct tftp_counters tftp;
    static struct radar radar;
    static struct http_counters http;
    static struct boot_tally boots;
    static const uint64_t control[CONTROL_REFUSED_COUNT] = {[CONTROL_CROWDED] = 4};
    memset(&dhcp, 0xff, sizeof dhcp);
    memset(&dhcp6, 0xff, sizeof dhcp6);
    name_losses(&dhcp, &dhcp6);
    memset(&radar, 0, sizeof radar);
    radar.seen[RADAR_SECOND_PROXY] = 7;
    memset(&tftp, 0, sizeof tftp);
    http =
        (struct http_counters){.done = 5, .aborted = 1, .sent_octets = 999, .active = 2};
    boots.ended[BOOT_STAGE_FILE][0] = 6;
    tftp.lost_requests = (struct losses){.socket = "udp-69", .count = 8};
    tftp.lost_data.socket = "tftp-data";
    tftp.ends[TFTP_END_DONE] = 7;
    tftp.refused[TFTP_NO_FILE] = 2;
    tftp.ignored[TFTP_NOT_ALLOWED] = 3;
    histogram_add(&tftp.durations, HISTOGRAM_DURATION, 0.5);
    const struct metrics_sources from = {.version = "1 \"\\\n",
                                         .interfaces = interfaces,
                                         .interface_count = interface_count,
                                         .of = {&dhcp, &dhcp6, &tftp, &http, control},
                                         .radar = &radar,
                                         .boots = &boots,
                                         .reload_good = true,
                                         .reload_time = 1764496800.25};
    return metrics_write(&from, e);
}

START_TEST(samples_carry_their_labels_and_values)
{
    static const char *const lines[] = {
        "# HELP pxed_build_info Always 1; the label says which pxed runs.\n",
        "# TYPE pxed_build_info gauge\n",
        "\npxed_build_info{version=\"1 \\\"\\\\\\n\"} 1\n",
        "\npxed_dhcp_packets_total{iface=\"eth0\",type=\"discover\",arch=\"uefi\"} "
        "18446744073709551615\n",
        "\npxed_dhcp_replies_total{iface=\"eth0\",type=\"offer\",form=\"binl\"} "
        "18446744073709551615\n",
        "\npxed_dhcp_ignored_total{family=\"ipv6\",reason=\"no-file\"} "
        "18446744073709551615\n",
        "\npxed_packets_lost_total{iface=\"eth0\",socket=\"capture\"} 7\n",
        "\npxed_packets_lost_total{iface=\"\",socket=\"udp-4011\"} 9\n",
        "\npxed_packets_lost_total{iface=\"\",socket=\"udp-69\"} 8\n",
        "\npxed_conflicts_total{kind=\"second-proxy\"} 7\n",
        "\npxed_transfers_total{door=\"tftp\",result=\"done\"} 7\n",
        "\npxed_transfers_total{door=\"tftp\",result=\"refused\"} 2\n",
        "\npxed_transfers_total{door=\"http\",result=\"done\"} 5\n",
        "\npxed_transfers_total{door=\"http\",result=\"aborted\"} 1\n",
        "\npxed_sent_bytes_total{door=\"http\"} 999\n",
        "\npxed_tftp_ignored_total{reason=\"not-allowed\"} 3\n",
        "\npxed_tftp_refused_total{reason=\"file-not-found\"} 2\n",
        "\npxed_control_refused_total{reason=\"crowded\"} 4\n",
        "\npxed_transfer_duration_seconds_bucket{door=\"tftp\",le=\"0.3\"} 0\n",
        "\npxed_transfer_duration_seconds_bucket{door=\"tftp\",le=\"1\"} 1\n",
        "\npxed_transfer_duration_seconds_bucket{door=\"tftp\",le=\"+Inf\"} 1\n",
        "\npxed_transfer_duration_seconds_sum{door=\"tftp\"} 0.5\n",
        "\npxed_transfer_duration_seconds_count{door=\"tftp\"} 1\n",
        "\npxed_tftp_window_blocks_bucket{le=\"256\"} 0\n",
        "\npxed_config_last_reload_success 1\n",
        "\npxed_config_last_reload_timestamp_seconds 1764496800.25\n",
    };
    struct exposition e = exposition_over(text, sizeof text);
    ck_assert(write_all(1, &e));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        ck_assert_msg(strstr(text, lines[i]), "no line %s", lines[i]);
    }
}
END_TEST

START_TEST(all_there_can_be_fits_and_what_does_not_is_told)
{
    struct exposition e = exposition_over(text, sizeof text);
    ck_assert(write_all(CONFIG_INTERFACES_MAX, &e));
    ck_assert_uint_lt(e.text.used, sizeof text / 2);
    e = exposition_over(text, e.text.used);
    ck_assert(!write_all(CONFIG_INTERFACES_MAX, &e));
}
END_TEST

START_TEST(what_is_disabled_has_no_samples)
{
    const struct metrics_sources none = {.version = "1"};
    struct exposition e = exposition_over(text, sizeof text);
    ck_assert(metrics_write(&none, &e));
    ck_assert_ptr_null(strstr(text, "\npxed_transfers_total{"));
    ck_assert_ptr_null(strstr(text, "\npxed_dhcp_ignored_total{"));
    ck_assert_ptr_nonnull(strstr(text, "\nprocess_open_fds 0\n"));
}
END_TEST

Suite *suite_app_metrics(void)
{
    Suite *s = suite_create("app/metrics");
    TCase *c = tcase_create("metrics");
    tcase_add_test(c, the_documentation_lists_every_metric_and_no_other);
    tcase_add_test(c, samples_carry_their_labels_and_values);
    tcase_add_test(c, all_there_can_be_fits_and_what_does_not_is_told);
    tcase_add_test(c, what_is_disabled_has_no_samples);
    suite_add_tcase(s, c);
    return s;
}
