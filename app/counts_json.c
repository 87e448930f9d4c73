#include "app/counts_json.h"

#include <stdio.h>
#include <string.h>

/* -- what nobody answered ----------------------------------------------------------------- */

/* Reasons that did not come up are left out. */
json_t *tftp_counts_json(const struct tftp_service *tftp)
{
    const struct tftp_counters *n = tftp ? tftp_service_counters(tftp) : NULL;
    if (!n) {
        return json_null();
    }
    json_t *ignored = json_object();
    for (unsigned why = TFTP_ADMITTED + 1; why < TFTP_IGNORED_COUNT; why++) {
        if (n->ignored[why] > 0) {
            json_put(ignored, tftp_ignored_name(why), number_json(n->ignored[why]));
        }
    }
    json_t *o = json_object();
    json_put(o, "half_open", number_json(tftp_service_half_open(tftp)));
    json_put(o, "ignored", ignored);
    return o;
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

static void add_lost(json_t *list, const struct losses *l, const struct moment *m)
{
    char sentence[256];
    if (l->last == 0 || m->now - l->last > LOST_LATELY) {
        return;
    }
    say_lost(l, sentence, sizeof sentence);
    json_t *o = json_object();
    json_put(o, "socket", json_string(l->socket));
    json_put(o, "interface", text_or_null(l->interface));
    json_put(o, "count", number_json(l->count));
    json_put(o, "last", time_json(m, l->last));
    json_put(o, "sentence", json_string(sentence));
    json_put(
        o, "remedy",
        json_string("Find what kept the processor; CPUWeight=1000 in the unit of pxed "
                    "puts it before others."));
    (void)json_array_append_new(list, o);
}

json_t *lost_json(const struct appliance *a, const struct moment *m)
{
    json_t *list = json_array();
    if (a->dhcp) {
        const struct dhcp_counters *n = dhcp_service_counters(a->dhcp);
        for (size_t i = 0; i < dhcp_service_ports(a->dhcp)->count; i++) {
            add_lost(list, &n->lost[i], m);
        }
        add_lost(list, &n->lost_4011, m);
    }
    if (a->dhcp6) {
        const struct dhcp6_counters *n = dhcp6_service_counters(a->dhcp6);
        add_lost(list, &n->lost_547, m);
        add_lost(list, &n->lost_4011, m);
    }
    if (a->tftp) {
        const struct tftp_counters *n = tftp_service_counters(a->tftp);
        add_lost(list, &n->lost_requests, m);
        add_lost(list, &n->lost_data, m);
    }
    return list;
}
