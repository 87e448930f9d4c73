#include "dhcp/v6_journal.h"

#include "dhcp/journal.h"

static void log_client(struct log_line *l, const struct dhcp6_arrival *at,
                       const struct dhcp6_decision *d)
{
    char mac[MAC_TEXT];
    char ip[IP_TEXT];
    if (d->has_mac) {
        log_text(l, "mac", mac_print(&d->mac, mac));
    }
    log_text(l, "from", ip6_print(&at->from, ip));
    dhcp_journal_machine(l, &d->gate);
}

void dhcp6_journal_decision(const struct snapshot *config, const char *interface,
                            const struct dhcp6_arrival *at, const struct dhcp6_packet *in,
                            const struct dhcp6_decision *d)
{
    struct log_line l;
    char ip[IP_TEXT];
    bool answered = d->gate.verdict == DHCP_ANSWERED;
    bool advertise = d->type == DHCP6_ADVERTISE;
    log_begin(&l, dhcp_journal_level(d->gate.verdict),
              !answered ? "dhcp6 silent"
                        : (advertise ? "dhcp6 advertise" : "dhcp6 reply"));
    if (!d->gate.host) {
        log_limit(&l, LOG_OF_STRANGER);
    }
    log_client(&l, at, d);
    if (!answered) {
        log_text(&l, "reason", dhcp_verdict_name(d->gate.verdict));
        log_text(&l, "message", dhcp6_message_name(in->type));
    }
    dhcp_journal_choice(&l, config, &d->gate);
    if (answered) {
        log_text(&l, "url", d->url);
    }
    if (in->relay_count > 0) {
        log_text(&l, "relay", ip6_print(&in->relay[0].link, ip));
    }
    log_number(&l, "port", at->port);
    log_text(&l, "interface", interface);
    log_end(&l);
}

void dhcp6_journal_fault(const char *interface, const struct dhcp6_arrival *at,
                         enum dhcp6_fault fault)
{
    struct log_line l;
    char ip[IP_TEXT];
    log_begin(&l, LOG_DEBUG, "dhcp6 malformed");
    log_limit(&l, LOG_OF_STRANGER);
    log_text(&l, "from", ip6_print(&at->from, ip));
    log_text(&l, "reason", dhcp6_fault_name(fault));
    log_text(&l, "interface", interface);
    log_end(&l);
}
