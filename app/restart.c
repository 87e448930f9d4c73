#include "app/restart.h"

#include <string.h>

#include "common/log.h"

static bool same_interfaces(const struct snapshot *a, const struct snapshot *b)
{
    return a->interface_count == b->interface_count &&
           memcmp(a->interfaces, b->interfaces,
                  a->interface_count * sizeof a->interfaces[0]) == 0;
}

/* What was opened at the start; boot_files and page_* are asked each time. */
static bool same_http(const struct http_conf *a, const struct http_conf *b)
{
    return a->enabled == b->enabled && endpoint_equal(&a->listen, &b->listen);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

void warn_of_restart(const struct snapshot *old, const struct snapshot *new)
{
    const struct {
        const char *key;
        bool same;
    } rows[] = {
        {"interfaces", same_interfaces(old, new)},
        {"hotplug", old->hotplug == new->hotplug},
        {"user", strcmp(old->user, new->user) == 0},
        {"dhcp.enabled", old->dhcp.enabled == new->dhcp.enabled},
        {"control", same_text(old->control, new->control)},
        {"state_dir", same_text(old->state_dir, new->state_dir)},
        {"confinement", old->confined == new->confined},
        {"watch", old->watch == new->watch},
        {"dhcp.ipv6", old->dhcp.ipv6 == new->dhcp.ipv6},
        {"tftp.enabled", old->tftp.enabled == new->tftp.enabled},
        {"http.listen", same_http(&old->http, &new->http)},
        {"http.max_connections", old->http.max_connections == new->http.max_connections},
        {"http.max_per_address", old->http.max_per_address == new->http.max_per_address},
        {"http.timeout", old->http.timeout == new->http.timeout},
        {"tftp.max_transfers", old->tftp.max_transfers == new->tftp.max_transfers},
        {"tftp.data_ports", old->tftp.single_port == new->tftp.single_port &&
                                old->tftp.data_port_first == new->tftp.data_port_first &&
                                old->tftp.data_port_last == new->tftp.data_port_last},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].same) {
            log_say(LOG_WARNING, "\"%s\" has changed: it takes effect at the next start",
                    rows[i].key);
        }
    }
}
