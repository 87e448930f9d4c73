#include "app/metrics.h"

#include <string.h>

#define LABELS(...)                                                                      \
    (const char *const[])                                                                \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }

/* -- DHCP --------------------------------------------------------------------------------- */

static void read_build(const struct metrics_sources *s, struct exposition *e)
{
    exposition_count(e, LABELS(s->version), 1);
}

static void put_packets(struct exposition *e, const char *interface,
                        const struct traffic *t, bool is_ipv6)
{
    for (unsigned m = 0; m < TRAFFIC_MESSAGE_COUNT; m++) {
        if (m == (is_ipv6 ? TRAFFIC_DISCOVER : TRAFFIC_SOLICIT) ||
            (m == TRAFFIC_INFORMATION && !is_ipv6)) {
            continue; /* a message of the other family */
        }
        for (unsigned a = 0; a < TRAFFIC_ARCH_COUNT; a++) {
            const char *message = traffic_message_name(m);
            exposition_count(e, LABELS(interface, message, traffic_arch_name(a)),
                             t->packets[m][a]);
        }
    }
}

static void read_packets(const struct metrics_sources *s, struct exposition *e)
{
    for (size_t i = 0; s->of.dhcp && i < s->interface_count; i++) {
        put_packets(e, s->interfaces[i].name, &s->of.dhcp->traffic[i], false);
    }
}

static void read_packets6(const struct metrics_sources *s, struct exposition *e)
{
    for (size_t i = 0; s->of.dhcp6 && i < s->interface_count; i++) {
        put_packets(e, s->interfaces[i].name, &s->of.dhcp6->traffic[i], true);
    }
}

static void read_replies(const struct metrics_sources *s, struct exposition *e)
{
    for (size_t i = 0; s->of.dhcp && i < s->interface_count; i++) {
        const struct traffic *t = &s->of.dhcp->traffic[i];
        const char *interface = s->interfaces[i].name;
        for (unsigned form = OFFER_PXE; form < OFFER_FORM_COUNT; form++) {
            const char *name = offer_form_name(form);
            exposition_count(e, LABELS(interface, "offer", name), t->offers[form]);
        }
        exposition_count(e, LABELS(interface, "ack", ""), t->acks);
    }
}

static void read_replies6(const struct metrics_sources *s, struct exposition *e)
{
    for (size_t i = 0; s->of.dhcp6 && i < s->interface_count; i++) {
        const struct traffic *t = &s->of.dhcp6->traffic[i];
        const char *interface = s->interfaces[i].name;
        exposition_count(e, LABELS(interface, "advertise"), t->offers[OFFER_PXE]);
        exposition_count(e, LABELS(interface, "reply"), t->acks);
    }
}

/* All reasons that the metric at hand is about. */
static void read_refusals(const struct metrics_sources *s, struct exposition *e)
{
    struct refusals all[REFUSALS_LISTS];
    size_t count = refusals_of(&s->of, all);
    for (size_t i = 0; i < count; i++) {
        const struct refusals *r = &all[i];
        if (!r->count || strcmp(r->metric, e->metric->name) != 0) {
            continue;
        }
        for (unsigned why = r->first; why < r->end; why++) {
            const char *name = r->name(why);
            exposition_count(e, r->label ? LABELS(r->label, name) : LABELS(name),
                             r->count[why]);
        }
    }
}

static void read_lost(const struct metrics_sources *s, struct exposition *e)
{
    const struct losses *all[LOSSES_LISTS];
    size_t count = losses_of(&s->of, s->interface_count, all);
    for (size_t i = 0; i < count; i++) {
        const char *interface = all[i]->interface ? all[i]->interface : "";
        exposition_count(e, LABELS(interface, all[i]->socket), all[i]->count);
    }
}

static void read_send_errors(const struct metrics_sources *s, struct exposition *e)
{
    if (s->of.dhcp) {
        exposition_count(e, LABELS("ipv4"), s->of.dhcp->send_errors);
    }
    if (s->of.dhcp6) {
        exposition_count(e, LABELS("ipv6"), s->of.dhcp6->send_errors);
    }
}

static void read_conflicts(const struct metrics_sources *s, struct exposition *e)
{
    for (unsigned kind = 0; s->radar && kind < RADAR_KIND_COUNT; kind++) {
        exposition_count(e, LABELS(radar_kind_name(kind)), s->radar->seen[kind]);
    }
}

static void read_boots(const struct metrics_sources *s, struct exposition *e)
{
    for (unsigned stage = 0; s->boots && stage < BOOT_STAGE_COUNT; stage++) {
        for (unsigned rule = 0; rule < boot_rule_count(); rule++) {
            exposition_count(e,
                             LABELS(boot_stage_name(stage),
                                    boot_state_name(boot_rule_state(rule)),
                                    boot_rule_name(rule)),
                             s->boots->ended[stage][rule]);
        }
    }
}

static void read_booting(const struct metrics_sources *s, struct exposition *e)
{
    exposition_count(e, NULL, s->booting);
}

/* -- files -------------------------------------------------------------------------------- */

static void read_transfers(const struct metrics_sources *s, struct exposition *e)
{
    for (unsigned end = 1; s->of.tftp && end < TFTP_END_COUNT; end++) {
        exposition_count(e, LABELS("tftp", tftp_end_name(end)), s->of.tftp->ends[end]);
    }
    if (s->of.tftp) {
        uint64_t refused = 0;
        for (unsigned why = 0; why < TFTP_REFUSED_COUNT; why++) {
            refused += s->of.tftp->refused[why];
        }
        exposition_count(e, LABELS("tftp", "refused"), refused);
    }
    if (s->of.http) {
        exposition_count(e, LABELS("http", "done"), s->of.http->done);
        exposition_count(e, LABELS("http", "aborted"), s->of.http->aborted);
        exposition_count(e, LABELS("http", "refused"), s->of.http->refused);
    }
}

static void read_active(const struct metrics_sources *s, struct exposition *e)
{
    if (s->of.tftp) {
        exposition_count(e, LABELS("tftp"), s->tftp_running);
    }
    if (s->of.http) {
        exposition_count(e, LABELS("http"), s->of.http->active);
    }
}

static void read_half_open(const struct metrics_sources *s, struct exposition *e)
{
    if (s->of.tftp) {
        exposition_count(e, NULL, s->tftp_half_open);
    }
}

static void read_sent(const struct metrics_sources *s, struct exposition *e)
{
    if (s->of.tftp) {
        exposition_count(e, LABELS("tftp"), s->of.tftp->sent_octets);
    }
    if (s->of.http) {
        exposition_count(e, LABELS("http"), s->of.http->sent_octets);
    }
}

static void read_retransmits(const struct metrics_sources *s, struct exposition *e)
{
    if (s->of.tftp) {
        exposition_count(e, NULL, s->of.tftp->resent_blocks);
    }
}

static void read_durations(const struct metrics_sources *s, struct exposition *e)
{
    if (s->of.tftp) {
        exposition_histogram(e, LABELS("tftp"), &s->of.tftp->durations,
                             HISTOGRAM_DURATION);
    }
    if (s->of.http) {
        exposition_histogram(e, LABELS("http"), &s->of.http->durations,
                             HISTOGRAM_DURATION);
    }
}

static void read_first_data(const struct metrics_sources *s, struct exposition *e)
{
    if (s->of.tftp) {
        exposition_histogram(e, NULL, &s->of.tftp->first_data, HISTOGRAM_WAIT);
    }
}

static void read_windows(const struct metrics_sources *s, struct exposition *e)
{
    if (s->of.tftp) {
        exposition_histogram(e, NULL, &s->of.tftp->windows, HISTOGRAM_WINDOW);
    }
}

static void read_cold(const struct metrics_sources *s, struct exposition *e)
{
    if (s->of.tftp) {
        exposition_count(e, NULL, s->of.tftp->cold_reads);
    }
}

/* -- the process -------------------------------------------------------------------------- */

static void read_hosts(const struct metrics_sources *s, struct exposition *e)
{
    exposition_count(e, NULL, s->hosts);
}

static void read_reload_good(const struct metrics_sources *s, struct exposition *e)
{
    exposition_count(e, NULL, s->reload_good);
}

static void read_reload_time(const struct metrics_sources *s, struct exposition *e)
{
    exposition_number(e, NULL, s->reload_time);
}

static void read_cpu(const struct metrics_sources *s, struct exposition *e)
{
    exposition_number(e, NULL, s->process.cpu_seconds);
}

static void read_resident(const struct metrics_sources *s, struct exposition *e)
{
    exposition_count(e, NULL, s->process.resident);
}

static void read_virtual(const struct metrics_sources *s, struct exposition *e)
{
    exposition_count(e, NULL, s->process.virtual);
}

static void read_open_files(const struct metrics_sources *s, struct exposition *e)
{
    exposition_count(e, NULL, s->process.open_files);
}

static void read_max_files(const struct metrics_sources *s, struct exposition *e)
{
    exposition_count(e, NULL, s->process.max_files);
}

static void read_started(const struct metrics_sources *s, struct exposition *e)
{
    exposition_number(e, NULL, s->process.started);
}

/* -- the table ---------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    struct exposition_metric is;
    void (*read)(const struct metrics_sources *s, struct exposition *e);
} metrics[] = {
    {{"pxed_build_info", "gauge", {"version"},
      "Always 1; the label says which pxed runs."}, read_build},
    {{"pxed_dhcp_packets_total", "counter", {"iface", "type", "arch"},
      "DHCP requests that were looked at, those of ordinary clients included."}, read_packets},
    {{"pxed_dhcp_replies_total", "counter", {"iface", "type", "form"},
      "DHCP requests that were answered, by the form of the offer."}, read_replies},
    {{"pxed_dhcpv6_packets_total", "counter", {"iface", "type", "arch"},
      "DHCPv6 requests that were looked at."}, read_packets6},
    {{"pxed_dhcpv6_replies_total", "counter", {"iface", "type"},
      "DHCPv6 requests that were answered."}, read_replies6},
    {{"pxed_dhcp_ignored_total", "counter", {"family", "reason"},
      "Requests that were met with silence, by the reason."}, read_refusals},
    {{"pxed_packets_lost_total", "counter", {"iface", "socket"},
      "Packets that the kernel dropped as they were not read in time."}, read_lost},
    {{"pxed_dhcp_malformed_total", "counter", {"layer", "reason"},
      "Packets that could not be read."}, read_refusals},
    {{"pxed_dhcp_dropped_total", "counter", {"family", "reason"},
      "Requests that came to nothing before or after it was decided how to answer, by the reason."},
     read_refusals},
    {{"pxed_dhcp_send_errors_total", "counter", {"family"},
      "Replies that the kernel did not send."}, read_send_errors},
    {{"pxed_conflicts_total", "counter", {"kind"},
      "Packets of other servers that stand in the way of clients of pxed."}, read_conflicts},
    {{"pxed_boots_total", "counter", {"stage", "state", "verdict"},
      "Boots that have ended, by how far they came and what became of them."}, read_boots},
    {{"pxed_boots_active", "gauge", {NULL},
      "Machines that boot now."}, read_booting},
    {{"pxed_transfers_total", "counter", {"door", "result"},
      "Files that clients asked for, by how it ended."}, read_transfers},
    {{"pxed_tftp_ignored_total", "counter", {"reason"},
      "Datagrams to the TFTP ports that were met with silence, by the reason."},
     read_refusals},
    {{"pxed_tftp_refused_total", "counter", {"reason"},
      "Requests that got an ERROR, by the reason."}, read_refusals},
    {{"pxed_http_refused_total", "counter", {"reason"},
      "HTTP requests and connections that were refused, by the reason."}, read_refusals},
    {{"pxed_control_refused_total", "counter", {"reason"},
      "Questions at the control socket, and who asked, that were refused, by the reason."},
     read_refusals},
    {{"pxed_transfers_active", "gauge", {"door"},
      "Files under way."}, read_active},
    {{"pxed_tftp_half_open", "gauge", {NULL},
      "Of the files under way by TFTP, those whose client has not answered yet."},
     read_half_open},
    {{"pxed_sent_bytes_total", "counter", {"door"},
      "Octets of files that were sent, those sent again included."}, read_sent},
    {{"pxed_tftp_retransmits_total", "counter", {NULL},
      "Blocks that were sent again, of transfers that have ended."}, read_retransmits},
    {{"pxed_transfer_duration_seconds", "histogram", {"door"},
      "How long files took that came whole."}, read_durations},
    {{"pxed_tftp_first_data_seconds", "histogram", {NULL},
      "From the request to the first data sent."}, read_first_data},
    {{"pxed_tftp_window_blocks", "histogram", {NULL},
      "Blocks under way at once, as a transfer that came whole ended with."}, read_windows},
    {{"pxed_tftp_cold_reads_total", "counter", {NULL},
      "Parts of files that had to come from the disk."}, read_cold},
    {{"pxed_config_hosts", "gauge", {NULL},
      "Hosts in the table."}, read_hosts},
    {{"pxed_config_last_reload_success", "gauge", {NULL},
      "1: the last reload was taken over, or there was none; 0: it was refused."},
     read_reload_good},
    {{"pxed_config_last_reload_timestamp_seconds", "gauge", {NULL},
      "When the configuration in use was taken over."}, read_reload_time},
    {{"process_cpu_seconds_total", "counter", {NULL},
      "Processor time used, in user and kernel mode."}, read_cpu},
    {{"process_resident_memory_bytes", "gauge", {NULL},
      "Memory in use."}, read_resident},
    {{"process_virtual_memory_bytes", "gauge", {NULL},
      "Address space in use."}, read_virtual},
    {{"process_open_fds", "gauge", {NULL},
      "Open descriptors."}, read_open_files},
    {{"process_max_fds", "gauge", {NULL},
      "How many descriptors may be open."}, read_max_files},
    {{"process_start_time_seconds", "gauge", {NULL},
      "When pxed was started, since 1970."}, read_started},
};
/* clang-format on */

#define METRIC_COUNT (sizeof metrics / sizeof metrics[0])

const struct exposition_metric *metrics_at(size_t index)
{
    return index < METRIC_COUNT ? &metrics[index].is : NULL;
}

bool metrics_write(const struct metrics_sources *from, struct exposition *out)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        exposition_begin(out, &metrics[i].is);
        metrics[i].read(from, out);
    }
    return exposition_whole(out);
}
