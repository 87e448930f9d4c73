#include "app/timeline_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/boot_rules.h"
#include "app/boot_watch.h"
#include "app/commands.h"
#include "app/json.h"
#include "config/hosts.h"

#define TIME_TEXT 32

/* What one boot takes in the answer, about and rather more. */
#define BOOT_OCTETS  1800
#define FILE_OCTETS  800
#define EVENT_OCTETS 300

/* The moment the document is made: event times are told as wall times from it. */
struct moment {
    usec_t now;
    int64_t wall; /* milliseconds since 1970 */
};

static struct moment moment(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (struct moment){loop_clock(),
                           ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000};
}

/* -- values ------------------------------------------------------------------------------- */

static json_t *wall_json(int64_t milliseconds)
{
    char text[TIME_TEXT];
    char out[TIME_TEXT + 8];
    struct tm tm;
    time_t seconds = (time_t)(milliseconds / 1000);
    gmtime_r(&seconds, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out, sizeof out, "%s.%03dZ", text, (int)(milliseconds % 1000));
    return json_string(out);
}

static json_t *time_json(const struct moment *m, usec_t at)
{
    return wall_json(m->wall - ((int64_t)m->now - (int64_t)at) / 1000);
}

static json_t *number(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static double seconds(usec_t time)
{
    return (double)time / (double)USEC_PER_SEC;
}

/* "": null. */
static json_t *text_or_null(const char *text)
{
    return text && text[0] ? json_text(text) : json_null();
}

static void set(json_t *o, const char *key, json_t *value)
{
    (void)json_object_set_new(o, key, value);
}

/* -- a file ------------------------------------------------------------------------------- */

static json_t *asked_json(const struct boot_load *f)
{
    json_t *o = json_object();
    for (unsigned i = 0; i < f->asked_count; i++) {
        set(o, f->asked[i].name, number(f->asked[i].value));
    }
    return o;
}

static void add_speed(json_t *o, const struct boot_load *f, const struct moment *m)
{
    const struct boot_progress *p = &f->progress;
    bool runs = f->end == BOOT_FILE_RUNS;
    usec_t took = (runs ? m->now : f->ended) - f->began;
    double rate = took > 0 ? (double)p->sent / seconds(took) : 0;
    bool tells = runs && rate > 0 && p->size != UINT64_MAX;
    set(o, "seconds", json_real(seconds(took)));
    set(o, "rate", json_integer((json_int_t)rate));
    set(o, "left",
        tells  ? json_real((double)(p->size - p->sent) / rate)
        : runs ? json_null()
               : json_real(0));
}

static void add_wire(json_t *o, const struct boot_progress *p)
{
    set(o, "block", p->block > 0 ? number(p->block) : json_null());
    set(o, "window", p->window > 0 ? number(p->window) : json_null());
    set(o, "rtt", p->rtt > 0 ? json_real(seconds(p->rtt)) : json_null());
    set(o, "resent", number(p->resent));
}

static json_t *file_json(const struct boot_load *f, const struct moment *m)
{
    char peer[ENDPOINT_TEXT];
    json_t *o = json_object();
    bool refused = f->end == BOOT_FILE_REFUSED;
    set(o, "door", json_string(boot_door_name(f->door)));
    set(o, "name", json_text(f->name));
    set(o, "served",
        refused ? json_null() : json_text(f->served[0] ? f->served : f->name));
    set(o, "peer", json_string(endpoint_print(&f->peer, peer)));
    set(o, "size",
        f->progress.size == UINT64_MAX ? json_null() : number(f->progress.size));
    set(o, "sent", number(f->progress.sent));
    set(o, "asked", asked_json(f));
    add_wire(o, &f->progress);
    set(o, "began", time_json(m, f->began));
    add_speed(o, f, m);
    set(o, "end",
        f->end == BOOT_FILE_RUNS ? json_null() : json_string(boot_file_end_name(f->end)));
    if (refused) {
        set(o, "reason", json_text(f->reason));
        set(o, "repeats", number(f->repeats + 1));
    }
    return o;
}

static json_t *files_json(const struct boot *b, const struct moment *m)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->file_count; i++) {
        (void)json_array_append_new(list, file_json(&b->files[i], m));
    }
    return list;
}

/* -- a boot ------------------------------------------------------------------------------- */

static json_t *event_json(const struct boot *b, const struct boot_event *e)
{
    static const struct endpoint none;
    char server[ENDPOINT_TEXT];
    json_t *o = json_object();
    set(o, "at", json_real(seconds(e->at - b->began)));
    set(o, "kind", json_string(boot_event_kind_name(e->kind)));
    set(o, "text", json_text(e->text));
    set(o, "repeats", number(e->repeats));
    if (e->repeats > 1) {
        set(o, "last", json_real(seconds(e->last - b->began)));
    }
    if (e->kind == BOOT_SILENT) {
        set(o, "reason", json_text(e->text));
    }
    if (memcmp(&e->server, &none, sizeof none) != 0) {
        set(o, "server",
            json_string(e->server.port ? endpoint_print(&e->server, server)
                                       : endpoint_print_ip(&e->server, server)));
    }
    return o;
}

static json_t *events_json(const struct boot *b)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < b->event_count; i++) {
        (void)json_array_append_new(list, event_json(b, &b->events[i]));
    }
    return list;
}

static void add_machine(json_t *o, const struct boot *b)
{
    char text[ENDPOINT_TEXT];
    const char *arch = b->has_arch ? arch_name(b->arch) : NULL;
    const char *client = boot_client_name(b->client);
    set(o, "mac", b->has_mac ? json_string(mac_print(&b->mac, text)) : json_null());
    set(o, "ip",
        b->has_address ? json_string(endpoint_print_ip(&b->address, text)) : json_null());
    set(o, "host", text_or_null(b->host));
    set(o, "profile", text_or_null(b->profile));
    set(o, "arch", text_or_null(arch));
    set(o, "client", text_or_null(client));
    set(o, "interface", text_or_null(b->interface));
}

static void add_verdict(json_t *o, const struct boot *b)
{
    struct boot_words words = {.screen = NULL};
    if (b->ended) {
        boot_say(b, b->verdict, &words);
    }
    set(o, "verdict", text_or_null(b->ended ? boot_rule_name(b->verdict) : NULL));
    set(o, "sentence", text_or_null(words.sentence));
    set(o, "screen", text_or_null(words.screen));
    set(o, "remedy", text_or_null(words.remedy));
    set(o, "evidence", json_null());
}

static json_t *boot_json(const struct boot *b, const struct moment *m, bool events)
{
    json_t *o = json_object();
    set(o, "id", number(b->id));
    add_machine(o, b);
    set(o, "began", time_json(m, b->began));
    set(o, "ended", b->ended ? time_json(m, b->ended) : json_null());
    set(o, "seconds", json_real(seconds((b->ended ? b->heard : m->now) - b->began)));
    set(o, "state", json_string(boot_state_name(b->state)));
    set(o, "stage", json_string(boot_stage_name(b->stage)));
    add_verdict(o, b);
    set(o, "files", files_json(b, m));
    if (events) {
        set(o, "events", events_json(b));
    }
    set(o, "forgotten", number(b->forgotten));
    return o;
}

/* -- many boots --------------------------------------------------------------------------- */

struct choice {
    size_t count;
    const struct boot *boot[TIMELINE_BOOTS];
};

static int newest_begun(const void *a, const void *b)
{
    const struct boot *x = *(const struct boot *const *)a;
    const struct boot *y = *(const struct boot *const *)b;
    return x->id < y->id ? 1 : -1;
}

static int newest_ended(const void *a, const void *b)
{
    const struct boot *x = *(const struct boot *const *)a;
    const struct boot *y = *(const struct boot *const *)b;
    return x->turn < y->turn ? 1 : -1;
}

static size_t octets_of(const struct boot *b, bool events)
{
    return BOOT_OCTETS + b->file_count * FILE_OCTETS +
           (events ? b->event_count * EVENT_OCTETS : 0);
}

/* As many as fit; *room is what is left of the answer. */
static json_t *list_json(const struct choice *c, const struct moment *m, bool events,
                         size_t *room)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->count; i++) {
        size_t size = octets_of(c->boot[i], events);
        if (size > *room) {
            break;
        }
        *room -= size;
        (void)json_array_append_new(list, boot_json(c->boot[i], m, events));
    }
    return list;
}

static bool is_wanted(const struct boot *b, const struct boots_wanted *w)
{
    return (!w->mac || (b->has_mac && mac_equal(&b->mac, w->mac))) &&
           (w->id == 0 || b->id == w->id);
}

static struct choice *choose(const struct timeline *t, const struct boots_wanted *wanted)
{
    struct choice *c = malloc(sizeof *c);
    if (!c) {
        return NULL;
    }
    c->count = 0;
    for (size_t i = 0; i < timeline_room(t) && c->count < TIMELINE_BOOTS; i++) {
        const struct boot *b = timeline_at(t, i);
        if (b && is_wanted(b, wanted)) {
            c->boot[c->count++] = b;
        }
    }
    qsort(c->boot, c->count, sizeof c->boot[0], newest_begun);
    return c;
}

json_t *boots_json(const struct appliance *a, const struct boots_wanted *wanted)
{
    struct moment m = moment();
    size_t room = STATUS_OCTETS;
    boot_watch_refresh(a->boots, m.now);
    struct choice *c = choose(boot_watch_timeline(a->boots), wanted);
    if (!c) {
        return NULL;
    }
    json_t *o = json_object();
    set(o, "boots", list_json(c, &m, true, &room));
    free(c);
    return o;
}

json_t *ended_json(const struct appliance *a, const struct mac *mac, uint64_t after,
                   size_t *count)
{
    struct moment m = moment();
    const struct timeline *t = boot_watch_timeline(a->boots);
    const struct boot *b;
    struct boots_wanted wanted = {.mac = mac};
    size_t room = STATUS_OCTETS;
    json_t *list = json_array();
    *count = 0;
    while ((b = timeline_after(t, after)) != NULL) {
        if (is_wanted(b, &wanted)) {
            size_t size = octets_of(b, false);
            if (size > room) {
                break;
            }
            room -= size;
            ++*count;
            (void)json_array_append_new(list, boot_json(b, &m, false));
        }
        after = b->turn;
    }
    json_t *o = json_object();
    set(o, "boots", list);
    set(o, "next", number(after));
    return o;
}

/* -- the status document ------------------------------------------------------------------ */

static json_t *configuration_json(const struct appliance *a, const struct moment *m)
{
    const struct snapshot *s = a->config.snapshot;
    const struct reload_outcome *last = reload_last(a->reload);
    json_t *o = json_object();
    set(o, "path", json_text(a->config.path));
    set(o, "loaded", time_json(m, a->loaded));
    set(o, "hosts", number(hosts_count(s->hosts)));
    set(o, "profiles", number(s->profile_count));
    set(o, "reload",
        last->at == 0 ? json_null()
                      : json_pack("{s:o, s:b, s:I, s:o}", "time", time_json(m, last->at),
                                  "ok", last->good, "faults", (json_int_t)last->faults,
                                  "first", text_or_null(last->first)));
    return o;
}

static json_t *interface_json(const struct port *p)
{
    char ip[IP4_TEXT];
    json_t *o = json_object();
    set(o, "name", json_text(p->conf.name));
    set(o, "state", json_string(p->waits == 0 ? "serving" : "waiting"));
    set(o, "address",
        ip4_is_any(p->facts.identity.offered)
            ? json_null()
            : json_string(ip4_print(p->facts.identity.offered, ip)));
    set(o, "listen", json_string(p->conf.listen == LISTEN_UDP ? "udp" : "capture"));
    if (p->waits != 0) {
        set(o, "why", json_text(p->why));
    }
    return o;
}

static json_t *interfaces_json(const struct appliance *a)
{
    json_t *list = json_array();
    const struct ports *ports = a->dhcp ? dhcp_service_ports(a->dhcp) : NULL;
    for (size_t i = 0; ports && i < ports->count; i++) {
        (void)json_array_append_new(list, interface_json(&ports->list[i]));
    }
    return list;
}

static void add_transfers_of(json_t *list, const struct boot *b, const struct moment *m)
{
    for (uint32_t i = 0; i < b->file_count; i++) {
        if (b->files[i].end == BOOT_FILE_RUNS) {
            json_t *file = file_json(&b->files[i], m);
            set(file, "boot", number(b->id));
            (void)json_array_append_new(list, file);
        }
    }
}

static json_t *transfers_json(const struct choice *c, const struct moment *m,
                              size_t *room)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->count; i++) {
        size_t size = c->boot[i]->facts.running * FILE_OCTETS;
        if (size > *room) {
            break;
        }
        *room -= size;
        add_transfers_of(list, c->boot[i], m);
    }
    return list;
}

static json_t *conflicts_json(const struct dhcp_service *dhcp)
{
    json_t *list = json_array();
    const struct radar *radar = dhcp ? dhcp_service_radar(dhcp) : NULL;
    for (size_t i = 0; radar && i < radar->count; i++) {
        char sentence[RADAR_TEXT];
        const struct radar_event *e = &radar->event[i];
        (void)json_array_append_new(
            list, json_pack("{s:s, s:I, s:s}", "kind", radar_kind_name(e->kind), "count",
                            (json_int_t)e->count, "sentence", radar_say(e, sentence)));
    }
    return list;
}

static json_t *held_json(const struct appliance *a)
{
    json_t *list = json_array();
    struct state_row row;
    size_t at = 0;
    while (state_next_held(a->state, a->config.snapshot, &at, &row)) {
        char mac[MAC_TEXT];
        const struct host_facts facts = {
            .mac = &row.mac, .archs = &row.state.arch, .arch_count = row.state.has_arch};
        struct gate gate = gate_ask(a->config.snapshot, &facts, &row.state);
        json_t *o = json_object();
        set(o, "mac", json_string(mac_print(&row.mac, mac)));
        set(o, "host", text_or_null(gate.host ? gate.host->name : NULL));
        set(o, "last_seen",
            row.state.last_seen > 0 ? wall_json(row.state.last_seen * INT64_C(1000))
                                    : json_null());
        (void)json_array_append_new(list, o);
    }
    return list;
}

static json_t *totals_json(const struct appliance *a)
{
    const struct timeline_totals *n = timeline_totals(boot_watch_timeline(a->boots));
    json_t *o = json_object();
    set(o, "booted", number(n->booted));
    set(o, "stopped", number(n->stopped));
    set(o, "silent", number(n->silent));
    set(o, "transfers", number(n->files));
    set(o, "octets", number(n->octets));
    set(o, "resent", number(n->resent));
    return o;
}

/* Those under way stay in c; those that have ended go to ended, the last of them first. */
static void part(struct choice *c, struct choice *ended)
{
    size_t kept = 0;
    ended->count = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->boot[i]->ended) {
            ended->boot[ended->count++] = c->boot[i];
        } else {
            c->boot[kept++] = c->boot[i];
        }
    }
    c->count = kept;
    qsort(ended->boot, ended->count, sizeof ended->boot[0], newest_ended);
    ended->count = ended->count < STATUS_RECENT ? ended->count : STATUS_RECENT;
}

static void add_boots(json_t *o, const struct appliance *a, const struct moment *m)
{
    static const struct boots_wanted all;
    size_t room = STATUS_OCTETS;
    struct choice *c = choose(boot_watch_timeline(a->boots), &all);
    struct choice *ended = malloc(sizeof *ended);
    if (c && ended) {
        part(c, ended);
        set(o, "transfers", transfers_json(c, m, &room));
        set(o, "boots", list_json(c, m, false, &room));
        set(o, "recent", list_json(ended, m, false, &room));
    }
    free(c);
    free(ended);
}

json_t *status_json(const struct appliance *a)
{
    struct moment m = moment();
    json_t *o = json_object();
    boot_watch_refresh(a->boots, m.now);
    set(o, "version", json_string(PXED_VERSION));
    set(o, "time", time_json(&m, m.now));
    set(o, "uptime", json_real(seconds(m.now - a->began)));
    set(o, "pid", json_integer(getpid()));
    set(o, "configuration", configuration_json(a, &m));
    set(o, "interfaces", interfaces_json(a));
    add_boots(o, a, &m);
    set(o, "conflicts", conflicts_json(a->dhcp));
    set(o, "held", held_json(a));
    set(o, "totals", totals_json(a));
    return o;
}
