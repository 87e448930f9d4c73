#include "app/boot_watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "app/appliance.h"
#include "app/boot_rules.h"
#include "common/log.h"
#include "common/text.h"

#define SOURCES_MAX 4

struct boot_watch {
    const struct appliance *appliance;
    struct timeline *timeline;
    uint64_t told; /* the turn of the last end that was logged */
    struct boot_tally tally;
    void (*ended)(void *context);
    void *ended_context;
    bool (*keep)(void *context, const struct boot *b, char name[BOOT_LABEL]);
    void *keep_context;
    size_t source_count;
    struct {
        void (*refresh)(void *context, struct timeline *t, usec_t now);
        void *context;
    } source[SOURCES_MAX];
};

int boot_watch_new(const struct appliance *a, struct boot_watch **out)
{
    struct hash_seed seed;
    struct boot_watch *w = calloc(1, sizeof *w);
    if (!w || getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        free(w);
        return -ENOMEM;
    }
    w->appliance = a;
    w->timeline = timeline_new(TIMELINE_BOOTS, TIMELINE_OCTETS, &seed);
    if (!w->timeline) {
        free(w);
        return -ENOMEM;
    }
    *out = w;
    return 0;
}

void boot_watch_free(struct boot_watch *w)
{
    if (w) {
        timeline_free(w->timeline);
        free(w);
    }
}

struct timeline *boot_watch_timeline(struct boot_watch *w)
{
    return w->timeline;
}

const struct boot_tally *boot_watch_tally(const struct boot_watch *w)
{
    return &w->tally;
}

void boot_watch_on_end(struct boot_watch *w, void (*ended)(void *context), void *context)
{
    w->ended = ended;
    w->ended_context = context;
}

void boot_watch_keep(struct boot_watch *w,
                     bool (*keep)(void *context, const struct boot *b,
                                  char name[BOOT_LABEL]),
                     void *context)
{
    w->keep = keep;
    w->keep_context = context;
}

/* -- the log ------------------------------------------------------------------------------ */

static void log_machine(struct log_line *l, const struct boot *b)
{
    char text[ENDPOINT_TEXT];
    if (b->has_mac) {
        log_text(l, "mac", mac_print(&b->mac, text));
    }
    if (b->has_address) {
        log_text(l, "ip", endpoint_print_ip(&b->address, text));
    }
    if (b->host[0]) {
        log_text(l, "host", b->host);
    }
    if (b->has_arch && arch_name(b->arch)) {
        log_text(l, "arch", arch_name(b->arch));
    }
}

static void log_boot(const struct boot *b)
{
    struct boot_words words;
    struct log_line l;
    boot_say(b, b->verdict, &words);
    log_begin(&l, b->state == BOOT_STOPPED ? LOG_WARNING : LOG_INFO,
              b->state == BOOT_STOPPED  ? "boot stopped"
              : b->state == BOOT_BOOTED ? "boot done"
                                        : "boot left alone");
    if (!b->host[0]) {
        log_limit(&l, LOG_OF_STRANGER);
    }
    log_machine(&l, b);
    log_decimal(&l, "seconds", (double)(b->heard - b->began) / (double)USEC_PER_SEC, 3);
    log_number(&l, "boot", b->id);
    log_text(&l, "verdict", boot_rule_name(b->verdict));
    if (b->evidence[0]) {
        log_text(&l, "evidence", b->evidence);
    }
    log_text(&l, "sentence", words.sentence);
    log_end(&l);
}

static void tell_ends(struct boot_watch *w)
{
    const struct boot *b;
    bool any = false;
    while ((b = timeline_after(w->timeline, w->told)) != NULL) {
        char name[BOOT_LABEL] = "";
        if (w->keep && w->keep(w->keep_context, b, name)) {
            timeline_keep(w->timeline, b, name);
        }
        log_boot(b);
        w->tally.ended[b->stage][b->verdict]++;
        w->told = b->turn;
        any = true;
    }
    if (any && w->ended) {
        w->ended(w->ended_context);
    }
}

usec_t boot_watch_deadline(const struct boot_watch *w)
{
    return timeline_deadline(w->timeline);
}

void boot_watch_timeout(struct boot_watch *w, usec_t now)
{
    timeline_timeout(w->timeline, now);
    tell_ends(w);
}

/* -- DHCP --------------------------------------------------------------------------------- */

static enum boot_client client_of(const struct dhcp_decision *d)
{
    const char *arch = d->has_arch ? arch_name(d->arch) : NULL;
    if (d->client.ipxe) {
        return BOOT_CLIENT_IPXE;
    }
    if (d->client.raspberry_pi) {
        return BOOT_CLIENT_PI;
    }
    if (d->client.class == PXE_HTTPCLIENT) {
        return BOOT_CLIENT_HTTP;
    }
    if (!arch) {
        return BOOT_CLIENT_UNKNOWN;
    }
    return strstr(arch, "uboot")                         ? BOOT_CLIENT_UBOOT
           : strstr(arch, "uefi") || d->arch == ARCH_EBC ? BOOT_CLIENT_UEFI
           : d->arch == ARCH_X86_BIOS                    ? BOOT_CLIENT_BIOS
                                                         : BOOT_CLIENT_UNKNOWN;
}

static void say_words(const struct dhcp_decision *d, const char *message, char *buf,
                      size_t size)
{
    buf[0] = '\0';
    struct text out = {.at = buf, .size = size};
    const char *arch = d->has_arch ? arch_name(d->arch) : NULL;
    text_say(&out, "%s", message);
    if (arch) {
        text_say(&out, ", %s", arch);
    }
    if (d->client.ipxe) {
        text_say(&out, ", iPXE");
    } else if (d->client.class != PXE_NO_CLIENT) {
        text_say(&out, ", %s", pxe_class_word(d->client.class));
    }
}

/* A URL, or a name at another server than us. */
static bool is_elsewhere(const struct dhcp_decision *d, const struct ip4 *us)
{
    char ip[IP4_TEXT];
    if (!us || !d->file) {
        return d->file && strstr(d->file, "://");
    }
    if (strstr(d->file, "://")) {
        return !strstr(d->file, ip4_print(*us, ip));
    }
    return d->profile && !d->url[0] && !ip4_is_any(d->answer.next_server) &&
           !ip4_equal(d->answer.next_server, *us);
}

static struct timeline_answer answer_of(const struct dhcp_decision *d,
                                        const struct ip4 *us)
{
    return (struct timeline_answer){
        .answered = d->verdict == DHCP_ANSWERED,
        .reason = d->verdict,
        .file = d->file,
        .host = d->host ? d->host->name : NULL,
        .profile = d->profile ? d->profile->name : NULL,
        .in_table = d->host != NULL,
        .elsewhere = is_elsewhere(d, us),
    };
}

/* What silence tells nothing of a boot: words to others, and what no boot client says. */
static bool is_silence(enum dhcp_verdict verdict)
{
    return verdict != DHCP_ANSWERED && verdict != DHCP_A_REPLY &&
           verdict != DHCP_NOT_OURS && verdict != DHCP_NOT_PXE &&
           verdict != DHCP_OTHER_SERVER;
}

static bool kind_of(const struct dhcp_event *e, enum timeline_request_kind *kind)
{
    if (e->packet->op != BOOTREQUEST) {
        return false;
    }
    if (e->at->port == DHCP_PXE_PORT) {
        *kind = TIMELINE_4011;
        return true;
    }
    *kind = e->packet->type == DHCP_DISCOVER ? TIMELINE_DISCOVER : TIMELINE_REQUEST;
    return e->packet->type == DHCP_DISCOVER || e->packet->type == DHCP_REQUEST;
}

static struct ip4 named_server(const struct dhcp_packet *in)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd id;
    struct ip4 server = IP4_ANY;
    if (dhcp_find(in, DHCP_SERVER_ID, buf, &id) && rd_left(&id) == sizeof server.octet) {
        memcpy(server.octet, id.p, sizeof server.octet);
    }
    return server;
}

static void on_decided(void *context, const struct dhcp_event *e)
{
    const struct appliance *a = context;
    struct boot_watch *w = a->boots;
    const struct dhcp_decision *d = e->decision;
    char text[BOOT_TEXT];
    struct timeline_who who = {.has_mac = true};
    struct timeline_request request = {
        .words = text,
        .interface = e->interface,
        .boots = d->client.class != PXE_NO_CLIENT,
        .client = client_of(d),
        .has_arch = d->has_arch,
        .arch = d->arch,
        .deaf = e->deaf,
    };
    if (!kind_of(e, &request.kind) || !dhcp_mac(e->packet, &who.mac)) {
        return;
    }
    if (request.kind == TIMELINE_REQUEST) {
        request.server = named_server(e->packet);
    }
    usec_t now = clock_now();
    say_words(d, dhcp_message_name(e->packet->type), text, sizeof text);
    timeline_request(w->timeline, &who, &request, now);
    if (d->verdict == DHCP_ANSWERED || is_silence(d->verdict)) {
        struct timeline_answer answer = answer_of(d, &e->us);
        answer.offer = d->type == DHCP_OFFER;
        answer.form = answer.offer ? offer_form_name(d->form) : NULL;
        timeline_answer(w->timeline, &who, &answer, now);
    }
    tell_ends(w);
}

static bool begins_or_goes_on(const struct dhcp6_packet *in)
{
    return in->type == DHCP6_SOLICIT || in->type == DHCP6_REQUEST ||
           in->type == DHCP6_INFORMATION_REQUEST;
}

static void on_decided6(void *context, const struct dhcp6_event *e)
{
    if (!begins_or_goes_on(e->packet)) {
        return;
    }
    const struct appliance *a = context;
    struct boot_watch *w = a->boots;
    const struct dhcp_decision *d = &e->decision->gate;
    char text[BOOT_TEXT];
    struct timeline_who who = {
        .has_mac = e->decision->has_mac,
        .mac = e->decision->mac,
        .has_address = e->packet->relay_count == 0, /* else it is the relay's */
    };
    struct timeline_request request = {
        .kind = e->at->port == DHCP_PXE_PORT       ? TIMELINE_4011
                : e->packet->type == DHCP6_REQUEST ? TIMELINE_REQUEST
                                                   : TIMELINE_DISCOVER,
        .words = text,
        .interface = e->interface,
        .boots = d->client.class != PXE_NO_CLIENT,
        .client = client_of(d),
        .has_arch = d->has_arch,
        .arch = d->arch,
        .ipv6 = true,
        .deaf = true,
    };
    usec_t now = clock_now();
    memcpy(who.address.ip, e->at->from.octet, sizeof who.address.ip);
    say_words(d, dhcp6_message_name(e->packet->type), text, sizeof text);
    timeline_request(w->timeline, &who, &request, now);
    if (d->verdict == DHCP_ANSWERED || is_silence(d->verdict)) {
        struct timeline_answer answer = answer_of(d, NULL);
        answer.offer = e->decision->type == DHCP6_ADVERTISE;
        timeline_answer(w->timeline, &who, &answer, now);
    }
    tell_ends(w);
}

static void on_offered(void *context, const struct mac *client,
                       const struct radar_offer *offer)
{
    const struct appliance *a = context;
    char file[BOOT_NAME];
    struct timeline_who who = {.has_mac = true, .mac = *client};
    struct timeline_offer o = {.server = offer->server,
                               .has_address = offer->has_address,
                               .pxe = offer->pxe,
                               .no_pxe = offer->no_pxe,
                               .next_server = offer->next_server,
                               .file = file};
    text_show(offer->file, strlen(offer->file), file, sizeof file);
    timeline_other_offer(a->boots->timeline, &who, &o, clock_now());
}

static void on_elsewhere(void *context, const struct mac *client, struct ip4 server,
                         uint16_t port, struct rd request)
{
    const struct appliance *a = context;
    char name[BOOT_NAME] = "";
    struct timeline_who who = {.has_mac = true, .mac = *client};
    bool tftp = port == TFTP_PORT;
    if (tftp) {
        (void)rd_u16(&request); /* the opcode */
        size_t left = rd_left(&request);
        text_show(request.p, strnlen((const char *)request.p, left), name, sizeof name);
    }
    timeline_elsewhere(a->boots->timeline, &who, server, tftp, name, clock_now());
}

void boot_watch_dhcp(struct dhcp_hooks *hooks)
{
    hooks->decided = on_decided;
    hooks->decided6 = on_decided6;
    hooks->offered = on_offered;
    hooks->elsewhere = on_elsewhere;
}

/* -- files -------------------------------------------------------------------------------- */

static struct timeline_who who_is(const struct boot_watch *w, const struct endpoint *peer,
                                  usec_t now)
{
    struct timeline_who who = {.has_address = true, .address = *peer};
    const struct machine *m = machines_find(w->appliance->machines, peer, now);
    if (m) {
        who.has_mac = true;
        who.mac = m->mac;
    }
    return who;
}

timeline_tag boot_watch_file_began(struct boot_watch *w, const struct boot_load *load)
{
    struct timeline_who who = who_is(w, &load->peer, load->began);
    return timeline_file_began(w->timeline, &who, load);
}

void boot_watch_file_ended(struct boot_watch *w, timeline_tag tag,
                           const struct boot_progress *progress, enum boot_file_end end,
                           usec_t now)
{
    timeline_file_ended(w->timeline, tag, progress, end, now);
    tell_ends(w);
}

void boot_watch_file_refused(struct boot_watch *w, const struct boot_load *load,
                             usec_t now)
{
    struct timeline_who who = who_is(w, &load->peer, now);
    timeline_file_refused(w->timeline, &who, load, now);
}

static void ask_option(struct boot_load *load, const struct tftp_opts *asked,
                       enum tftp_opt which, const char *name)
{
    if (tftp_opts_has(asked, which)) {
        load->asked[load->asked_count].name = name;
        load->asked[load->asked_count++].value = asked->val[which];
    }
}

static struct boot_progress progress_of(const struct tftp_report *r)
{
    return (struct boot_progress){
        .size = r->size,
        .sent = r->sent,
        .block = r->block,
        .window = r->window,
        .rtt = r->rtt,
        .resent = r->resent,
        .heard = r->heard,
    };
}

static uint64_t on_opened(void *context, const struct tftp_report *r)
{
    const struct appliance *a = context;
    struct boot_load load = {
        .door = BOOT_TFTP,
        .peer = r->peer,
        .port = r->port,
        .progress = progress_of(r),
        .began = r->now,
        .last_file = r->last_file,
    };
    snprintf(load.name, sizeof load.name, "%s", r->name);
    ask_option(&load, r->asked, TFTP_BLKSIZE, "blksize");
    ask_option(&load, r->asked, TFTP_WINDOWSIZE, "windowsize");
    ask_option(&load, r->asked, TFTP_TSIZE, "tsize");
    ask_option(&load, r->asked, TFTP_TIMEOUT, "timeout");
    return boot_watch_file_began(a->boots, &load);
}

static void on_ended(void *context, uint64_t tag, const struct tftp_report *r)
{
    static const enum boot_file_end ends[TFTP_END_COUNT] = {
        [TFTP_END_DONE] = BOOT_FILE_DONE,
        [TFTP_END_NO_FINAL_ACK] = BOOT_FILE_NO_FINAL_ACK,
        [TFTP_END_PROBE] = BOOT_FILE_PROBE,
        [TFTP_END_ABORTED] = BOOT_FILE_ABORTED,
        [TFTP_END_NO_ANSWER] = BOOT_FILE_NO_ANSWER,
        [TFTP_END_DISPLACED] = BOOT_FILE_NO_ANSWER,
        [TFTP_END_STALLED] = BOOT_FILE_STALLED,
        [TFTP_END_UNREACHABLE] = BOOT_FILE_UNREACHABLE,
        [TFTP_END_CLOSED] = BOOT_FILE_CLOSED,
    };
    const struct appliance *a = context;
    struct boot_progress progress = progress_of(r);
    bool ended_here = r->end == TFTP_END_DISPLACED && r->heard;
    boot_watch_file_ended(a->boots, tag, &progress,
                          ended_here ? BOOT_FILE_CLOSED : ends[r->end], r->now);
}

static void on_refused(void *context, const struct endpoint *peer, unsigned ifindex,
                       const char *name, const char *why, usec_t now)
{
    const struct appliance *a = context;
    struct boot_load load = {
        .door = BOOT_TFTP, .peer = *peer, .began = now, .progress.size = UINT64_MAX};
    (void)ifindex;
    snprintf(load.name, sizeof load.name, "%s", name[0] ? name : "?");
    snprintf(load.reason, sizeof load.reason, "%s", why);
    boot_watch_file_refused(a->boots, &load, now);
}

static void on_turned_away(void *context, const struct endpoint *peer, const char *name,
                           enum tftp_ignored why, usec_t now)
{
    const struct appliance *a = context;
    char ip[ENDPOINT_TEXT];
    struct boot_load load = {.door = BOOT_TFTP,
                             .peer = *peer,
                             .began = now,
                             .progress.size = UINT64_MAX,
                             .unanswered = true};
    (void)why; /* there is one that is told */
    snprintf(load.name, sizeof load.name, "%s", name);
    snprintf(load.reason, sizeof load.reason, "%.40s is not in tftp.allow",
             endpoint_print_ip(peer, ip));
    boot_watch_file_refused(a->boots, &load, now);
}

void boot_watch_tftp(struct tftp_hooks *hooks)
{
    hooks->opened = on_opened;
    hooks->ended = on_ended;
    hooks->refused = on_refused;
    hooks->turned_away = on_turned_away;
}

/* -- what is under way ---------------------------------------------------------------------- */

bool boot_watch_source(struct boot_watch *w,
                       void (*refresh)(void *context, struct timeline *t, usec_t now),
                       void *context)
{
    if (w->source_count == SOURCES_MAX) {
        return false;
    }
    w->source[w->source_count].refresh = refresh;
    w->source[w->source_count++].context = context;
    return true;
}

static void see_transfer(void *context, uint64_t tag, const struct tftp_report *r)
{
    struct boot_watch *w = context;
    struct boot_progress progress = progress_of(r);
    timeline_file_progress(w->timeline, tag, &progress);
}

void boot_watch_refresh(struct boot_watch *w, usec_t now)
{
    if (w->appliance->tftp) {
        tftp_service_each(w->appliance->tftp, see_transfer, w, now);
    }
    for (size_t i = 0; i < w->source_count; i++) {
        w->source[i].refresh(w->source[i].context, w->timeline, now);
    }
}
