#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "config/load_parts.h"

#define LISTEN_EXPECTED                                                                  \
    "expected \"ADDRESS:PORT\" such as \"127.0.0.1:8069\" or \"[::1]:8069\", "           \
    "\":8069\" for all addresses, or \"off\""

/* -- addresses ------------------------------------------------------------------------- */

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
    if (brackets && (!any_ip_parse(text + 1, len - 2, e.ip) || endpoint_is_ip4(&e))) {
        return false;
    }
    if (!brackets && len > 0 &&
        (!any_ip_parse(text, len, e.ip) || !endpoint_is_ip4(&e))) {
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

static void read_page_from(struct reader *r, const struct field *f, const json_t *value,
                           const struct json_path *at, void *dst)
{
    struct http_conf *http = dst;
    (void)f;
    read_subnets(r, value, at, &http->page_from, NULL);
}

/* -- names ----------------------------------------------------------------------------- */

static bool is_host_name(const char *text)
{
    size_t len = strlen(text);
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789-_.")] == '\0' &&
           text[0] != '.' && text[len - 1] != '.' && !strstr(text, "..");
}

static void read_page_names(struct reader *r, const struct field *f, const json_t *value,
                            const struct json_path *at, void *dst)
{
    struct http_names *names = &((struct http_conf *)dst)->page_names;
    size_t count = json_array_size(value);
    (void)f;
    if (!json_is_array(value) || count > HTTP_NAMES_MAX) {
        complain(r, at, "expected a list of up to %d names, got %s with %zu",
                 HTTP_NAMES_MAX, json_kind(value), count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct json_path here = {.up = at, .index = i};
        const char *text =
            string_of(r, json_array_get(value, i), &here, 1, HTTP_NAME_SIZE - 1);
        if (text && !is_host_name(text)) {
            complain(r, &here,
                     "expected a name such as \"boot.example.org\", without port");
        } else if (text) {
            memcpy(names->list[names->count++], text, strlen(text) + 1);
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
    {.key = "page_names", .read = read_page_names},
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
                any_subnet_parse("127.0.0.0/8", &http->page_from.list[0]) &&
                any_subnet_parse("::1", &http->page_from.list[1]);
    assert(good);
    (void)good;
    http->page_from.count = 2;
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
    } else if (http->boot_files && endpoint_is_loopback(&http->listen)) {
        warn(r, &boot_files,
             "no client reaches a loopback address: set \"listen\" to \":%u\"",
             http->listen.port);
    }
}
