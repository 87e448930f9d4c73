#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "config/load_parts.h"

#define LISTEN_EXPECTED                                                                  \
    "expected \"ADDRESS:PORT\" such as \"127.0.0.1:8069\" or \"[::1]:8069\", "           \
    "\":8069\" for all addresses, or \"off\""

/* -- addresses ------------------------------------------------------------------------- */

static bool parse_ip(const char *text, size_t len, uint8_t out[16])
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

/* "ADDRESS:PORT", an IPv6 address in brackets, or none at all. */
static bool parse_listen(const char *text, struct endpoint *out)
{
    struct endpoint e = {.port = 0};
    const char *colon = strrchr(text, ':');
    uint64_t port;
    if (!colon || !text_decimal(colon + 1, &port) || port == 0 || port > UINT16_MAX) {
        return false;
    }
    size_t len = (size_t)(colon - text);
    bool brackets = len > 2 && text[0] == '[' && text[len - 1] == ']';
    if (brackets && (!parse_ip(text + 1, len - 2, e.ip) || endpoint_is_ip4(&e))) {
        return false;
    }
    if (!brackets && len > 0 && (!parse_ip(text, len, e.ip) || !endpoint_is_ip4(&e))) {
        return false;
    }
    e.port = (uint16_t)port;
    *out = e;
    return true;
}

static void read_listen(struct reader *r, const struct field *f, const json_t *value,
                        const struct json_path *at, void *dst)
{
    struct http_conf *http = dst;
    const char *text = string_of(r, value, at, f->min, f->max);
    if (!text) {
        return;
    }
    http->said = true;
    http->enabled = strcmp(text, "off") != 0;
    if (http->enabled && !parse_listen(text, &http->listen)) {
        complain(r, at, LISTEN_EXPECTED);
    }
}

/* -- subnets --------------------------------------------------------------------------- */

/* "10.0.0.0/24", "fd00::/8" or an address alone. */
static bool parse_subnet(const char *text, struct subnet *out)
{
    struct endpoint e = {.port = 0};
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : strlen(text);
    uint64_t bits = 0;
    if (!parse_ip(text, len, e.ip)) {
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

static void read_page_from(struct reader *r, const struct field *f, const json_t *value,
                           const struct json_path *at, void *dst)
{
    struct http_conf *http = dst;
    (void)f;
    if (!json_is_array(value)) {
        complain(r, at, "expected a list of subnets such as [\"10.0.0.0/24\"], got %s",
                 json_kind(value));
        return;
    }
    if (json_array_size(value) > HTTP_PAGE_FROM_MAX) {
        complain(r, at, "%zu subnets, at most %d are possible", json_array_size(value),
                 HTTP_PAGE_FROM_MAX);
        return;
    }
    http->page_from_count = 0;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_path here = {.up = at, .index = i};
        struct subnet one;
        const char *text = string_of(r, json_array_get(value, i), &here, 1, 255);
        if (text && !parse_subnet(text, &one)) {
            complain(r, &here,
                     "expected a subnet such as \"10.0.0.0/24\" or \"fd00::/8\", "
                     "or an address");
        } else if (text && !is_whole(&one)) {
            complain(r, &here,
                     "%s is an address within a subnet: nothing may stand behind "
                     "the bits that count",
                     text);
        } else if (text) {
            http->page_from[http->page_from_count++] = one;
        }
    }
}

/* -- the section ----------------------------------------------------------------------- */

/* clang-format off */
static const struct field http_fields[] = {
    {.key = "listen", .read = read_listen, .min = 1, .max = 63},
    {.key = "boot_files", .read = read_bool,
     .offset = offsetof(struct http_conf, boot_files)},
    {.key = "page_from", .read = read_page_from},
    {.key = "max_connections", .read = read_u32, .min = 1, .max = 10000,
     .offset = offsetof(struct http_conf, max_connections)},
    {.key = "max_per_address", .read = read_u32, .min = 1, .max = 10000,
     .offset = offsetof(struct http_conf, max_per_address)},
    {.key = "timeout", .read = read_u32, .min = 1, .max = 3600,
     .offset = offsetof(struct http_conf, timeout)},
};
/* clang-format on */

void http_conf_init(struct http_conf *http)
{
    *http = (struct http_conf){
        .enabled = true,
        .max_connections = 2048,
        .max_per_address = 64,
        .timeout = 30,
    };
    bool good = parse_listen("127.0.0.1:8069", &http->listen) &&
                parse_subnet("127.0.0.0/8", &http->page_from[0]) &&
                parse_subnet("::1", &http->page_from[1]);
    assert(good);
    (void)good;
    http->page_from_count = 2;
}

static bool is_loopback(const struct endpoint *e)
{
    static const uint8_t ip6[16] = {[15] = 1};
    return endpoint_is_ip4(e) ? endpoint_to_ip4(e).octet[0] == 127
                              : memcmp(e->ip, ip6, sizeof ip6) == 0;
}

void read_http(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst)
{
    static const struct field_set set = FIELD_SET(http_fields);
    struct http_conf *http = dst;
    struct json_path boot_files = {.up = at, .key = "boot_files"};
    (void)f;
    if (!json_is_object(value)) {
        complain(r, at, "expected an object { ... }, got %s", json_kind(value));
        return;
    }
    read_fields(r, &set, value, at, http);
    if (http->boot_files && !http->enabled) {
        complain(r, &boot_files, "nothing is served while \"listen\" is \"off\"");
    } else if (http->boot_files && is_loopback(&http->listen)) {
        warn(r, &boot_files,
             "no client reaches a loopback address: set \"listen\" to \":%u\"",
             http->listen.port);
    }
}
