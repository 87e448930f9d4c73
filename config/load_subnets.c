#include <arpa/inet.h>
#include <string.h>

#include "common/text.h"
#include "config/load_parts.h"

bool any_ip_parse(const char *text, size_t len, uint8_t out[16])
{
    char address[IP_TEXT];
    struct ip4 ip;
    if (len >= sizeof address) {
        return false;
    }
    memcpy(address, text, len);
    address[len] = '\0';
    if (ip4_parse(address, &ip)) {
        struct endpoint e = endpoint_ip4(ip, 0);
        memcpy(out, e.ip, sizeof e.ip);
        return true;
    }
    return inet_pton(AF_INET6, address, out) == 1;
}

bool any_subnet_parse(const char *text, struct subnet *out)
{
    struct endpoint e = {.port = 0};
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : strlen(text);
    uint64_t bits = 0;
    if (!any_ip_parse(text, len, e.ip)) {
        return false;
    }
    bool v4 = endpoint_is_ip4(&e);
    uint64_t most = v4 ? 32 : 128;
    if (slash && (!text_decimal(slash + 1, &bits) || bits > most)) {
        return false;
    }
    bits = slash ? bits : most;
    memcpy(out->ip, e.ip, sizeof out->ip);
    out->bits = (uint8_t)(v4 ? 96 + bits : bits);
    return true;
}

/* Nothing may stand in the bits that do not count: it would be meant. */
static bool is_whole(const struct subnet *s)
{
    for (unsigned bit = s->bits; bit < 128; bit++) {
        if (s->ip[bit / 8] & 0x80u >> bit % 8) {
            return false;
        }
    }
    return true;
}

static bool read_subnet(struct reader *r, const char *text, const struct json_path *at,
                        bool knows_word, struct subnet *out)
{
    if (!any_subnet_parse(text, out)) {
        complain(r, at, "expected a subnet such as \"10.0.0.0/24\" or \"fd00::/8\", %s",
                 knows_word ? "an address, or \"attached\"" : "or an address");
        return false;
    }
    if (!is_whole(out)) {
        complain(r, at,
                 "%s is an address within a subnet: nothing may stand behind "
                 "the bits that count",
                 text);
        return false;
    }
    return true;
}

void read_subnets(struct reader *r, const json_t *value, const struct json_path *at,
                  struct subnets *out, bool *attached)
{
    if (!json_is_array(value)) {
        complain(r, at, "expected a list of subnets such as [\"10.0.0.0/24\"], got %s",
                 json_kind(value));
        return;
    }
    if (json_array_size(value) > SUBNETS_MAX) {
        complain(r, at, "%zu subnets, at most %d are possible", json_array_size(value),
                 SUBNETS_MAX);
        return;
    }
    out->count = 0;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_path here = {.up = at, .index = i};
        const char *text = string_of(r, json_array_get(value, i), &here, 1, 255);
        if (text && attached && strcmp(text, "attached") == 0) {
            *attached = true;
        } else if (text && read_subnet(r, text, &here, attached != NULL,
                                       &out->list[out->count])) {
            out->count++;
        }
    }
}

void read_allow(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst)
{
    struct tftp_allow *allow = dst;
    (void)f;
    if (json_is_array(value) && json_array_size(value) == 0) {
        complain(r, at,
                 "names nobody, so that nobody gets a file: leave it out for the "
                 "attached subnets");
        return;
    }
    allow->attached = false;
    read_subnets(r, value, at, &allow->subnets, &allow->attached);
}
