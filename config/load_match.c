/* Whom a host of the table means: the keys beside "mac" and "uuid". */
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "config/load_parts.h"

#define PATTERN_MAX 255 /* octets: no class or circuit id is longer */

static struct host_match *match_of(struct reader *r, const struct json_path *at,
                                   struct host *host)
{
    if (!host->match) {
        host->match = calloc(1, sizeof *host->match);
    }
    if (!host->match) {
        no_memory(r, at);
    }
    return host->match;
}

/* -- octets ---------------------------------------------------------------------------- */

size_t hex_octets(const char *text, size_t len, uint8_t *out)
{
    for (size_t i = 0; i + 1 < len; i += 2) {
        if (!hex_octet(text + i, &out[i / 2])) {
            return SIZE_MAX;
        }
    }
    return len % 2 ? SIZE_MAX : len / 2;
}

static bool parse_pattern(const char *text, struct octet_pattern *out)
{
    size_t len = strlen(text);
    out->open = text[len - 1] == '*';
    len -= out->open;
    if (strncmp(text, "hex:", 4) != 0) {
        memcpy(out->octets, text, len);
        out->len = (uint16_t)len;
        return true;
    }
    size_t octets = len < 4 ? SIZE_MAX : hex_octets(text + 4, len - 4, out->octets);
    out->len = (uint16_t)octets;
    return octets != SIZE_MAX;
}

static void read_pattern(struct reader *r, const json_t *value,
                         const struct json_path *at, struct octet_pattern *dst)
{
    const char *text = string_of(r, value, at, 1, PATTERN_MAX);
    if (!text) {
        return;
    }
    struct octet_pattern p = {.octets = malloc(strlen(text) + 1)};
    if (!p.octets) {
        no_memory(r, at);
    } else if (!parse_pattern(text, &p)) {
        complain(r, at, "expected two hexadecimal digits for each octet behind \"hex:\"");
        free(p.octets);
    } else {
        *dst = p;
    }
}

void read_vendor_class(struct reader *r, const struct field *f, const json_t *value,
                       const struct json_path *at, void *dst)
{
    struct host_match *m = match_of(r, at, dst);
    (void)f;
    if (m) {
        read_pattern(r, value, at, &m->vendor_class);
        m->vendor_class.open = true; /* versions and serial numbers stand at its end */
    }
}

void read_user_class(struct reader *r, const struct field *f, const json_t *value,
                     const struct json_path *at, void *dst)
{
    struct host_match *m = match_of(r, at, dst);
    (void)f;
    if (m) {
        read_pattern(r, value, at, &m->user_class);
    }
}

void read_circuit_id(struct reader *r, const struct field *f, const json_t *value,
                     const struct json_path *at, void *dst)
{
    struct host_match *m = match_of(r, at, dst);
    (void)f;
    if (m) {
        read_pattern(r, value, at, &m->circuit_id);
    }
}

/* -- architectures --------------------------------------------------------------------- */

static bool parse_arch(struct reader *r, const json_t *value, const struct json_path *at,
                       uint16_t *out)
{
    const char *names[ARCH_COUNT];
    size_t count = 0;
    char digits[24];
    const char *text = digits;

    if (json_is_integer(value)) {
        snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(value));
    } else {
        text = string_of(r, value, at, 1, 255);
    }
    if (!text || arch_parse(text, out)) {
        return text != NULL;
    }
    for (int i = 0; i < ARCH_COUNT; i++) {
        names[count] = arch_name((uint16_t)i);
        count += names[count] != NULL;
    }
    const char *near = nearest(text, names, count);
    if (near) {
        complain(r, at, "there is no architecture \"%s\"; did you mean \"%s\"?", text,
                 near);
    } else {
        complain(r, at,
                 "there is no architecture \"%s\"; give a name such as \"x64-uefi\" or "
                 "a number such as 7",
                 text);
    }
    return false;
}

void read_arch(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst)
{
    struct host_match *m = match_of(r, at, dst);
    uint64_t archs = 0;
    uint16_t arch;
    bool good = true;
    (void)f;
    if (!m) {
        return;
    }
    if (!json_is_array(value)) {
        if (parse_arch(r, value, at, &arch)) {
            m->archs = UINT64_C(1) << arch;
        }
        return;
    }
    if (json_array_size(value) == 0) {
        complain(r, at, "is empty: name an architecture, or leave \"arch\" out");
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_path here = {.up = at, .index = i};
        if (parse_arch(r, json_array_get(value, i), &here, &arch)) {
            archs |= UINT64_C(1) << arch;
        } else {
            good = false;
        }
    }
    m->archs = good ? archs : 0;
}

/* -- where it was heard ---------------------------------------------------------------- */

/* "10.0.0.1" or "10.0.0.0/24"; the mask is not applied. */
static bool parse_subnet(const char *text, struct ip4 *ip, uint8_t *bits)
{
    char address[IP4_TEXT];
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : strlen(text);
    uint64_t n = 32;

    if (len >= sizeof address || (slash && (!text_decimal(slash + 1, &n) || n > 32))) {
        return false;
    }
    memcpy(address, text, len);
    address[len] = '\0';
    *bits = (uint8_t)n;
    return ip4_parse(address, ip);
}

static struct ip4 mask(struct ip4 ip, unsigned bits)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned here = bits > 8 * i ? bits - 8 * i : 0;
        ip.octet[i] &= (uint8_t)(here >= 8 ? 0xff : 0xff00 >> here);
    }
    return ip;
}

void read_relay(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst)
{
    struct host_match *m = match_of(r, at, dst);
    const char *text = string_of(r, value, at, 1, 255);
    char shown[IP4_TEXT];
    struct ip4 ip;
    uint8_t bits;
    (void)f;
    if (!m || !text) {
        return;
    }
    if (!parse_subnet(text, &ip, &bits)) {
        complain(r, at,
                 "expected the address of a relay agent such as \"10.0.5.1\", or a "
                 "subnet such as \"10.0.5.0/24\"");
        return;
    }
    if (!ip4_equal(ip, mask(ip, bits))) {
        complain(r, at, "%s is an address within a subnet; the subnet is %s/%u", text,
                 ip4_print(mask(ip, bits), shown), bits);
        return;
    }
    if (bits == 32 && ip4_is_any(ip)) {
        complain(r, at, "0.0.0.0 is the address of no relay agent");
        return;
    }
    m->has_relay = true;
    m->relay = ip;
    m->relay_bits = bits;
}

void read_interface_of_host(struct reader *r, const struct field *f, const json_t *value,
                            const struct json_path *at, void *dst)
{
    struct host_match *m = match_of(r, at, dst);
    const char *text = string_of(r, value, at, 1, 255);
    const struct snapshot *s = r->out;
    const char *names[CONFIG_INTERFACES_MAX];
    (void)f;
    if (!m || !text) {
        return;
    }
    for (size_t i = 0; i < s->interface_count; i++) {
        names[i] = s->interfaces[i].name;
        if (!strcmp(text, names[i])) {
            snprintf(m->interface, sizeof m->interface, "%s", text);
            return;
        }
    }
    const char *near = nearest(text, names, s->interface_count);
    if (near) {
        complain(r, at, "\"%s\" is not served; did you mean \"%s\"?", text, near);
    } else {
        complain(r, at, "\"%s\" is not served; \"interfaces\" must hold it", text);
    }
}

/* -- the whole ------------------------------------------------------------------------- */

bool host_is_clear(const json_t *object, const struct host *host)
{
    const struct host_match none = {0};
    const struct host_match *m = host->match ? host->match : &none;
    const struct {
        const char *key;
        bool taken;
    } keys[] = {
        {"mac", host->mac_len > 0},
        {"uuid", host->has_uuid},
        {"vendor_class", m->vendor_class.octets != NULL},
        {"user_class", m->user_class.octets != NULL},
        {"arch", m->archs != 0},
        {"relay", m->has_relay},
        {"circuit_id", m->circuit_id.octets != NULL},
        {"interface", m->interface[0] != '\0'},
    };
    bool named = false;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!keys[i].taken && json_object_get(object, keys[i].key)) {
            return false;
        }
        named |= keys[i].taken;
    }
    return named;
}
