/* Writing into the configuration that a dnsmasq configuration becomes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/dnsmasq_parts.h"
#include "common/cleanup.h"

void dnsmasq_put(struct dnsmasq_conversion *c, json_t *object, const char *key,
                 json_t *value)
{
    if (json_object_set_new(object, key, value) != 0) {
        c->d->no_memory = true;
    } else if (c->line) {
        dnsmasq_from(c->d, value, c->line);
    }
}

void dnsmasq_append(struct dnsmasq_conversion *c, json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) != 0) {
        c->d->no_memory = true;
    } else {
        dnsmasq_from(c->d, value, c->line);
    }
}

json_t *dnsmasq_member(struct dnsmasq_conversion *c, json_t *object, const char *key,
                       json_t *(*make)(void))
{
    if (!json_object_get(object, key)) {
        dnsmasq_put(c, object, key, make());
    }
    return json_object_get(object, key);
}

json_t *dnsmasq_section(struct dnsmasq_conversion *c, const char *key)
{
    return dnsmasq_member(c, c->d->config, key, json_object);
}

/* "key value", malloc'd; names and numbers of machines are the same in any case. */
static char *name_of_host(const char *key, const char *value)
{
    char *name = NULL;
    if (asprintf(&name, "%s %s", key, value) < 0) {
        return NULL;
    }
    for (char *at = name; *at; at++) {
        *at = (char)tolower((unsigned char)*at);
    }
    return name;
}

json_t *dnsmasq_host(struct dnsmasq_conversion *c, const char *key, const char *value)
{
    json_t *hosts = dnsmasq_member(c, c->d->config, "hosts", json_array);
    AUTO(free) char *name = name_of_host(key, value);
    json_t *host = json_object_get(c->host_by_name, name);
    if (!host) {
        dnsmasq_append(c, hosts, json_pack("{ss}", key, value));
        host = json_array_get(hosts, json_array_size(hosts) - 1);
        if (json_object_set(c->host_by_name, name, host) != 0) {
            c->d->no_memory = true;
        }
    }
    return host;
}

void dnsmasq_say_of_group(struct dnsmasq_conversion *c, const char *group,
                          const char *key, const char *value)
{
    const struct dnsmasq_line *at_hand = c->line;
    for (size_t i = 0; i < c->tags.count; i++) {
        const struct dnsmasq_tag *tag = &c->tags.tag[i];
        if (tag->kind == TAG_MACHINE && strcmp(tag->name, group) == 0) {
            c->line = tag->line;
            dnsmasq_put(c, dnsmasq_host(c, tag->key, tag->value), key,
                        json_string(value));
        }
    }
    c->line = at_hand;
}

json_t *dnsmasq_profile(struct dnsmasq_conversion *c, const char *group)
{
    json_t *profiles = dnsmasq_section(c, "profiles");
    if (!group) {
        return dnsmasq_member(c, profiles, "default", json_object);
    }
    json_t *have = json_object_get(profiles, group);
    if (have) {
        return have;
    }
    (void)dnsmasq_member(c, profiles, "default", json_object);
    dnsmasq_put(c, profiles, group, json_pack("{ss}", "extends", "default"));
    dnsmasq_say_of_group(c, group, "profile", group);
    return json_object_get(profiles, group);
}
