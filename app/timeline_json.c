#include "app/timeline_json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/boot_json.h"
#include "app/boot_watch.h"
#include "app/commands.h"
#include "app/counts_json.h"
#include "app/json.h"
#include "config/hosts.h"

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

/* Takes the value.  False: it does not fit into what is left of the answer. */
static bool append(json_t *list, json_t *value, size_t *room)
{
    size_t size = json_octets(value) + 1;
    if (size > *room) {
        json_decref(value);
        return false;
    }
    *room -= size;
    (void)json_array_append_new(list, value);
    return true;
}

/* As many as fit; *room is what is left of the answer. */
static json_t *list_json(const struct choice *c, const struct moment *m, unsigned parts,
                         size_t *room)
{
    json_t *list = json_array();
    size_t i = 0;
    while (i < c->count && append(list, boot_json(c->boot[i], m, parts), room)) {
        i++;
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
    qsort(c->boot, c->count, sizeof(struct boot *), newest_begun);
    return c;
}

json_t *boots_json(const struct appliance *a, const struct boots_wanted *wanted)
{
    struct moment m = moment_now();
    size_t room = STATUS_OCTETS;
    boot_watch_refresh(a->boots, m.now);
    struct choice *c = choose(boot_watch_timeline(a->boots), wanted);
    if (!c) {
        return NULL;
    }
    json_t *o = json_object();
    json_put(o, "boots", list_json(c, &m, BOOT_WITH_FILES | BOOT_WITH_EVENTS, &room));
    free(c);
    return o;
}

json_t *ended_json(const struct appliance *a, const struct mac *mac, uint64_t after,
                   size_t *count)
{
    struct moment m = moment_now();
    const struct timeline *t = boot_watch_timeline(a->boots);
    const struct boot *b;
    struct boots_wanted wanted = {.mac = mac};
    size_t room = STATUS_OCTETS;
    json_t *list = json_array();
    *count = 0;
    after = after < timeline_turn(t) ? after : timeline_turn(t);
    while ((b = timeline_after(t, after)) != NULL) {
        if (is_wanted(b, &wanted)) {
            if (!append(list, boot_json(b, &m, BOOT_WITH_FILES), &room)) {
                break;
            }
            ++*count;
        }
        after = b->turn;
    }
    json_t *o = json_object();
    json_put(o, "boots", list);
    json_put(o, "next", number_json(after));
    return o;
}

/* -- the status document ------------------------------------------------------------------ */

static json_t *configuration_json(const struct appliance *a, const struct moment *m)
{
    const struct snapshot *s = a->config.snapshot;
    const struct reload_outcome *last = reload_last(a->reload);
    json_t *o = json_object();
    json_put(o, "path", json_text(a->config.path));
    json_put(o, "loaded", time_json(m, a->loaded));
    json_put(o, "hosts", number_json(hosts_count(s->hosts)));
    json_put(o, "profiles", number_json(s->profile_count));
    json_put(o, "reload",
             last->at == 0
                 ? json_null()
                 : json_pack("{s:o, s:b, s:I, s:o}", "time", time_json(m, last->at), "ok",
                             last->good, "faults", (json_int_t)last->faults, "first",
                             text_or_null(last->first)));
    return o;
}

static json_t *interface_json(const struct port *p, uint64_t lost)
{
    char ip[IP4_TEXT];
    json_t *o = json_object();
    json_put(o, "name", json_text(p->conf.name));
    json_put(o, "state", json_string(p->waits == 0 ? "serving" : "waiting"));
    json_put(o, "address",
             ip4_is_any(p->facts.identity.offered)
                 ? json_null()
                 : json_string(ip4_print(p->facts.identity.offered, ip)));
    json_put(o, "listen", json_string(p->conf.listen == LISTEN_UDP ? "udp" : "capture"));
    json_put(o, "lost", number_json(lost));
    if (p->waits != 0) {
        json_put(o, "why", json_text(p->why));
    }
    return o;
}

static json_t *interfaces_json(const struct appliance *a)
{
    json_t *list = json_array();
    const struct ports *ports = a->dhcp ? dhcp_service_ports(a->dhcp) : NULL;
    for (size_t i = 0; ports && i < ports->count; i++) {
        uint64_t lost = dhcp_service_counters(a->dhcp)->lost[i].count;
        (void)json_array_append_new(list, interface_json(&ports->list[i], lost));
    }
    return list;
}

/* False: no more fit. */
static bool add_transfers_of(json_t *list, const struct boot *b, const struct moment *m,
                             size_t *room)
{
    for (uint32_t i = 0; i < b->file_count; i++) {
        const struct boot_load *f = &b->files[i];
        if (f->end != BOOT_FILE_RUNS) {
            continue;
        }
        json_t *file = file_json(f, m);
        json_put(file, "boot", number_json(b->id));
        if (!append(list, file, room)) {
            return false;
        }
    }
    return true;
}

static json_t *transfers_json(const struct choice *c, const struct moment *m,
                              size_t *room)
{
    json_t *list = json_array();
    size_t i = 0;
    while (i < c->count && add_transfers_of(list, c->boot[i], m, room)) {
        i++;
    }
    return list;
}

json_t *conflicts_json(const struct dhcp_service *dhcp)
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
    while (json_array_size(list) < STATUS_HELD &&
           state_next_held(a->state, a->config.snapshot, &at, &row)) {
        char mac[MAC_TEXT];
        const struct host_facts facts = {
            .mac = &row.mac, .archs = &row.state.arch, .arch_count = row.state.has_arch};
        struct gate gate = gate_ask(a->config.snapshot, &facts, &row.state);
        json_t *o = json_object();
        json_put(o, "mac", json_string(mac_print(&row.mac, mac)));
        json_put(o, "host", text_or_null(gate.host ? gate.host->name : NULL));
        json_put(o, "last_seen",
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
    json_put(o, "booted", number_json(n->booted));
    json_put(o, "stopped", number_json(n->stopped));
    json_put(o, "silent", number_json(n->silent));
    json_put(o, "transfers", number_json(n->files));
    json_put(o, "octets", number_json(n->octets));
    json_put(o, "resent", number_json(n->resent));
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
    qsort(ended->boot, ended->count, sizeof(struct boot *), newest_ended);
    ended->count = ended->count < STATUS_RECENT ? ended->count : STATUS_RECENT;
}

/* Those that have ended, and which of them needs somebody. */
static json_t *recent_json(const struct choice *ended, const struct choice *under_way,
                           const struct moment *m, unsigned parts, size_t *room)
{
    json_t *list = json_array();
    bool fits = true;
    for (size_t i = 0; i < ended->count && fits; i++) {
        json_t *o = boot_json(ended->boot[i], m, parts);
        json_put(o, "attention",
                 json_boolean(boot_failure_stands(ended->boot, i, under_way->boot,
                                                  under_way->count)));
        fits = append(list, o, room);
    }
    return list;
}

static void add_boots(json_t *o, const struct appliance *a, const struct moment *m,
                      unsigned parts)
{
    static const struct boots_wanted all;
    size_t room = STATUS_OCTETS;
    struct choice *c = choose(boot_watch_timeline(a->boots), &all);
    struct choice *ended = malloc(sizeof *ended);
    if (c && ended) {
        part(c, ended);
        json_put(o, "transfers", transfers_json(c, m, &room));
        json_put(o, "boots", list_json(c, m, parts, &room));
        json_put(o, "recent", recent_json(ended, c, m, parts, &room));
    }
    free(c);
    free(ended);
}

json_t *status_json(const struct appliance *a, unsigned parts)
{
    struct moment m = moment_now();
    struct tallies tallies = tallies_of(a);
    json_t *o = json_object();
    boot_watch_refresh(a->boots, m.now);
    json_put(o, "version", json_string(PXED_VERSION));
    json_put(o, "time", time_json(&m, m.now));
    json_put(o, "uptime", json_real(seconds_of(m.now - a->began)));
    json_put(o, "pid", json_integer(getpid()));
    json_put(o, "configuration", configuration_json(a, &m));
    json_put(o, "interfaces", interfaces_json(a));
    add_boots(o, a, &m, parts);
    json_put(o, "conflicts", conflicts_json(a->dhcp));
    json_put(o, "lost", lost_json(&tallies, a->network.interface_count, &m));
    json_put(o, "held", held_json(a));
    json_put(o, "totals", totals_json(a));
    refusals_json(o, &tallies);
    if (a->tftp) {
        json_put(json_object_get(o, "tftp"), "half_open",
                 number_json(tftp_service_half_open(a->tftp)));
    }
    json_put(o, "confinement", confinement_json(&a->confinement));
    return o;
}
