#include "app/http_request.h"

#include <string.h>
#include <strings.h>

/* -- targets ------------------------------------------------------------------------------ */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The octet that stands at *at, which goes behind it; -1: an escape that is none, or NUL. */
static int next_octet(const char **at, const char *end)
{
    const char *p = *at;
    if (*p != '%') {
        *at = p + 1;
        return (unsigned char)*p;
    }
    int high = end - p > 2 ? hex_digit(p[1]) : -1;
    int low = high >= 0 ? hex_digit(p[2]) : -1;
    *at = p + 3;
    return low < 0 || (high == 0 && low == 0) ? -1 : high << 4 | low;
}

static bool decode(const char *at, const char *end, char *out, size_t size)
{
    char text[HTTP_PATH_SIZE] = "";
    size_t used = 0;
    size = size < sizeof text ? size : sizeof text;
    while (at < end) {
        int octet = next_octet(&at, end);
        if (octet < 0 || used + 1 >= size) {
            return false;
        }
        text[used++] = (char)octet;
    }
    memcpy(out, text, used);
    out[used] = '\0';
    return true;
}

/* RFC 9112 section 3.2.2: "http://host/path" must be taken too; the host is always ours. */
static const char *path_of(const char *target)
{
    if (strncasecmp(target, "http://", 7) != 0) {
        return target;
    }
    const char *path = target + 7;
    path += strcspn(path, "/?");
    return *path == '/' ? path : "/";
}

bool http_path(const struct http_request *q, char out[HTTP_PATH_SIZE])
{
    const char *path = path_of(q->target);
    return path[0] == '/' &&
           decode(path, path + strcspn(path, "?#"), out, HTTP_PATH_SIZE);
}

/* A "+" of a query stays one: no form is ever sent here. */
bool http_query(const struct http_request *q, const char *key, char *out, size_t size)
{
    size_t len = strlen(key);
    const char *at = strchr(q->target, '?');
    while (at) {
        const char *pair = at + 1;
        const char *end = pair + strcspn(pair, "&#");
        if (strncmp(pair, key, len) == 0 && (pair[len] == '=' || pair + len == end)) {
            const char *value = pair + len + (pair[len] == '=');
            return decode(value, end, out, size);
        }
        at = *end == '&' ? end : NULL;
    }
    return false;
}

/* -- ranges ------------------------------------------------------------------------------- */

/* Digits at *at, which goes behind them; false: none, or more than fit. */
static bool take_number(const char **at, uint64_t *out)
{
    uint64_t n = 0;
    const char *p = *at;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (n > (UINT64_MAX - digit) / 10) {
            return false;
        }
        n = n * 10 + digit;
    }
    if (p == *at) {
        return false;
    }
    *at = p;
    *out = n;
    return true;
}

/* "-500": the last 500 octets. */
static enum http_range read_suffix(const char *p, uint64_t size, uint64_t *from,
                                   uint64_t *len)
{
    uint64_t n;
    if (!take_number(&p, &n) || *p != '\0') {
        return HTTP_RANGE_WHOLE;
    }
    if (n == 0 || size == 0) {
        return HTTP_RANGE_NONE;
    }
    *len = n < size ? n : size;
    *from = size - *len;
    return HTTP_RANGE_PART;
}

enum http_range http_range_read(const char *field, uint64_t size, uint64_t *from,
                                uint64_t *len)
{
    uint64_t first;
    uint64_t last = UINT64_MAX;
    if (!field || strncasecmp(field, "bytes=", 6) != 0) {
        return HTTP_RANGE_WHOLE;
    }
    const char *p = field + 6;
    if (*p == '-') {
        return read_suffix(p + 1, size, from, len);
    }
    if (!take_number(&p, &first) || *p++ != '-') {
        return HTTP_RANGE_WHOLE;
    }
    if (*p != '\0' && (!take_number(&p, &last) || *p != '\0' || last < first)) {
        return HTTP_RANGE_WHOLE;
    }
    if (first >= size) {
        return HTTP_RANGE_NONE;
    }
    *from = first;
    *len = (last < size - 1 ? last : size - 1) - first + 1;
    return HTTP_RANGE_PART;
}
