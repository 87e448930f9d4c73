#include "app/counts_json.h"

#include <stdio.h>
#include <string.h>

/* -- what got nowhere --------------------------------------------------------------------- */

struct tallies tallies_of(const struct appliance *a)
{
    return (struct tallies){
        .dhcp = a->dhcp ? dhcp_service_counters(a->dhcp) : NULL,
        .dhcp6 = a->dhcp6 ? dhcp6_service_counters(a->dhcp6) : NULL,
        .tftp = a->tftp ? tftp_service_counters(a->tftp) : NULL,
        .http = a->http ? http_counters(a->http) : NULL,
        .control = a->control ? control_refusals(a->control) : NULL,
    };
}

/* Reasons that did not come up are left out. */
static json_t *reasons_json(const struct refusals *r)
{
    json_t *o = json_object();
    for (unsigned why = r->first; why < r->end; why++) {
        if (r->count[why] > 0) {
            json_put(o, r->name(why), number_json(r->count[why]));
        }
    }
    return o;
}

void refusals_json(json_t *o, const struct tallies *t)
{
    struct refusals all[REFUSALS_LISTS];
    size_t count = refusals_of(t, all);
    for (size_t i = 0; i < count; i++) {
        json_t *part = json_object_get(o, all[i].part);
        if (!part) {
            part = all[i].count ? json_object() : json_null();
            json_put(o, all[i].part, part);
        }
        if (all[i].count) {
            json_put(part, all[i].list, reasons_json(&all[i]));
        }
    }
}

/* -- what was lost ------------------------------------------------------------------------ */

static void say_lost(const struct losses *l, char *out, size_t size)
{
    bool data = strcmp(l->socket, "tftp-data") == 0;
    snprintf(
        out, size,
        "%llu packets%s%s (%s) were dropped by the kernel, as this host was too busy "
        "to read them in time: %s.",
        (unsigned long long)l->count, l->interface ? " that came in by " : "",
        l->interface ? l->interface : "", l->socket,
        data ? "transfers went slower" : "machines asked that were not heard");
}

static json_t *one_lost_json(const struct losses *l, const struct moment *m)
{
    char sentence[256];
    json_t *o = json_object();
    say_lost(l, sentence, sizeof sentence);
    json_put(o, "socket", json_string(l->socket));
    json_put(o, "interface", text_or_null(l->interface));
    json_put(o, "count", number_json(l->count));
    json_put(o, "last", time_json(m, l->last));
    json_put(o, "sentence", json_string(sentence));
    json_put(o, "remedy",
             json_string("Find what kept the processor; CPUWeight=1000 in the unit of "
                         "pxed puts it before others."));
    return o;
}

json_t *lost_json(const struct tallies *t, size_t interface_count, const struct moment *m)
{
    const struct losses *all[LOSSES_LISTS];
    size_t count = losses_of(t, interface_count, all);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (all[i]->last > 0 && m->now - all[i]->last < LOST_LATELY) {
            (void)json_array_append_new(list, one_lost_json(all[i], m));
        }
    }
    return list;
}
