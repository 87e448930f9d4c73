#include "config/variables.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "config/arch.h"
#include "config/http_base.h"

enum variable {
    VAR_MAC,
    VAR_MAC_DASH,
    VAR_UUID,
    VAR_IP,
    VAR_IP_HEX,
    VAR_ARCH,
    VAR_HOST,
    VAR_PROFILE,
    VAR_SERVER,
    VAR_HTTP,
    VAR_COUNT,
};

static const char *const names[VAR_COUNT] = {
    [VAR_MAC] = "mac",   [VAR_MAC_DASH] = "mac-dash", [VAR_UUID] = "uuid",
    [VAR_IP] = "ip",     [VAR_IP_HEX] = "ip-hex",     [VAR_ARCH] = "arch",
    [VAR_HOST] = "host", [VAR_PROFILE] = "profile",   [VAR_SERVER] = "server",
    [VAR_HTTP] = "http",
};

static enum variable variable_of(const char *name)
{
    enum variable i = 0;
    while (i < VAR_COUNT && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

const char *variable_is_var(const char *name)
{
    return strncmp(name, "vars.", 5) == 0 ? name + 5 : NULL;
}

bool variable_exists(const char *name)
{
    return variable_of(name) < VAR_COUNT;
}

const char *variable_nearest(const char *name)
{
    for (int i = 0; i < VAR_COUNT; i++) {
        unsigned far = text_distance(names[i], name);
        if (far <= 2 && far < strlen(names[i])) {
            return names[i];
        }
    }
    return NULL;
}

static const char *mac_with(const struct mac *mac, char between, char *buf)
{
    (void)mac_print(mac, buf);
    for (char *p = buf; *p; p++) {
        if (*p == ':') {
            *p = between;
        }
    }
    return buf;
}

static const char *print_hex(const struct endpoint *e, char *buf, size_t size)
{
    if (!endpoint_is_ip4(e)) {
        return NULL;
    }
    struct ip4 ip = endpoint_to_ip4(e);
    snprintf(buf, size, "%02X%02X%02X%02X", ip.octet[0], ip.octet[1], ip.octet[2],
             ip.octet[3]);
    return buf;
}

const char *variable_value(const struct template_client *c, const char *name,
                           char buf[VARIABLE_MAX])
{
    const struct machine *m = c->machine;
    const char *var = variable_is_var(name);
    if (var) {
        return snapshot_var(c->config, c->profile, c->host, var);
    }
    switch (variable_of(name)) {
    case VAR_MAC:
        return m ? mac_with(&m->mac, ':', buf) : NULL;
    case VAR_MAC_DASH:
        return m ? mac_with(&m->mac, '-', buf) : NULL;
    case VAR_UUID:
        return m && m->has_uuid ? text_uuid(m->uuid, buf) : NULL;
    case VAR_IP:
        return endpoint_print_ip(&c->address, buf);
    case VAR_IP_HEX:
        return print_hex(&c->address, buf, VARIABLE_MAX);
    case VAR_ARCH:
        return m && m->has_arch ? arch_name(m->arch) : NULL;
    case VAR_HOST:
        return c->host ? c->host->name : NULL;
    case VAR_PROFILE:
        return c->profile < c->config->profile_count
                   ? c->config->profiles[c->profile].name
                   : NULL;
    case VAR_SERVER:
        return endpoint_print_ip(&c->server, buf);
    case VAR_HTTP:
        return http_base(&c->config->http, &c->server, buf) ? buf : NULL;
    default:
        return NULL;
    }
}
