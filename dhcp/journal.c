#include "dhcp/journal.h"

#include <stdio.h>

enum log_level dhcp_journal_level(enum dhcp_verdict verdict)
{
    switch (verdict) {
    case DHCP_NO_FILE:
    case DHCP_FILE_MISSING:
    case DHCP_UNKNOWN_ARCH:
    case DHCP_NO_ARCH:
    case DHCP_TOO_LARGE:
    case DHCP_NO_ITEM:
    case DHCP_IPV4_ONLY:
    case DHCP_NO_ADDRESS:
        return LOG_WARNING;
    case DHCP_ANSWERED:
    case DHCP_HOST_IGNORED:
    case DHCP_HOST_LOCAL:
    case DHCP_TOO_EARLY:
    case DHCP_UNKNOWN_HOST:
    case DHCP_HOST_HELD:
    case DHCP_HOST_DONE:
        return LOG_INFO;
    default:
        return LOG_DEBUG;
    }
}

void dhcp_journal_machine(struct log_line *l, const struct dhcp_decision *d)
{
    if (d->has_arch && arch_name(d->arch)) {
        log_text(l, "arch", arch_name(d->arch));
    } else if (d->has_arch) {
        log_number(l, "arch", d->arch);
    }
    if (d->client.ipxe) {
        log_text(l, "client", "ipxe");
    }
}

void dhcp_journal_choice(struct log_line *l, const struct snapshot *config,
                         const struct dhcp_decision *d)
{
    if (d->file) {
        log_text(l, "file", d->file);
    }
    if (d->url[0]) {
        log_text(l, "url", d->url);
    }
    if (d->host && d->host->name) {
        log_text(l, "host", d->host->name);
    }
    for (unsigned i = 0; i < d->step_count; i++) {
        if (d->step[i].rule == RULE_PROFILE) {
            log_text(l, "profile", config->profiles[d->step[i].index].name);
        }
    }
}

static void log_client(struct log_line *l, const struct dhcp_packet *in,
                       const struct dhcp_decision *d)
{
    struct mac mac;
    char text[MAC_TEXT];
    if (dhcp_mac(in, &mac)) {
        log_text(l, "mac", mac_print(&mac, text));
    } else {
        log_peer(l, "chaddr", in->chaddr, in->hlen);
    }
    dhcp_journal_machine(l, d);
}

void dhcp_journal_decision(const struct snapshot *config, const char *interface,
                           const struct dhcp_arrival *at, const struct dhcp_packet *in,
                           const struct dhcp_decision *d)
{
    char ip[IP4_TEXT];
    struct log_line l;
    bool answered = d->verdict == DHCP_ANSWERED;
    bool offer = d->type == DHCP_OFFER;
    log_begin(&l, dhcp_journal_level(d->verdict),
              !answered ? "dhcp silent" : (offer ? "dhcp offer" : "dhcp ack"));
    if (!d->host) {
        log_limit(&l, LOG_OF_STRANGER);
    }
    log_client(&l, in, d);
    if (!answered) {
        log_text(&l, "reason", dhcp_verdict_name(d->verdict));
        log_text(&l, "message", dhcp_message_name(in->type));
    }
    dhcp_journal_choice(&l, config, d);
    if (answered && offer) {
        log_text(&l, "form", offer_form_name(d->form));
    }
    if (answered && d->delay_ms > 0) {
        log_number(&l, "delay_ms", d->delay_ms);
    }
    if (!ip4_is_any(in->giaddr)) {
        log_text(&l, "relay", ip4_print(in->giaddr, ip));
    }
    log_number(&l, "port", at->port);
    log_text(&l, "interface", interface);
    log_end(&l);
}

void dhcp_journal_fault(const char *interface, const struct dhcp_arrival *at,
                        enum dhcp_fault fault)
{
    char ip[IP4_TEXT];
    struct log_line l;
    log_begin(&l, LOG_DEBUG, "dhcp malformed");
    log_limit(&l, LOG_OF_STRANGER);
    log_text(&l, "from", ip4_print(at->from, ip));
    log_text(&l, "reason", dhcp_fault_name(fault));
    log_text(&l, "interface", interface);
    log_end(&l);
}

void dhcp_journal_conflict(const char *interface, const struct radar_event *e)
{
    static const struct mac none;
    char ip[IP4_TEXT];
    char mac[MAC_TEXT];
    char text[RADAR_TEXT];
    struct log_line l;
    log_begin(&l, radar_is_warning(e->kind) ? LOG_WARNING : LOG_INFO, "dhcp conflict");
    log_text(&l, "kind", radar_kind_name(e->kind));
    log_text(&l, "server", ip4_print(e->server, ip));
    if (!ip4_equal(e->via, e->server)) {
        log_text(&l, "via", ip4_print(e->via, ip));
    }
    log_text(&l, "server_mac", mac_print(&e->mac, mac));
    if (!mac_equal(&e->client, &none)) {
        log_text(&l, "client", mac_print(&e->client, mac));
    }
    log_text(&l, "interface", interface);
    log_text(&l, "text", radar_say(e, text));
    log_end(&l);
}
