/*
 * app/probe/http_head: URLs and answers of HTTP/1.1, as far as a boot client needs them.
 *
 * Spec: RFC 9112 (message syntax), RFC 3986 section 3.
 * Ownership: values only.  Errors: false.  Pure.
 */
#ifndef APP_PROBE_HTTP_HEAD_H
#define APP_PROBE_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_url {
    char host[128]; /* without the brackets of an IPv6 address */
    char port[8];
    char path[512]; /* begins with a slash */
};

/* False: it is no http:// URL, or too long.  https is none. */
bool http_url_read(const char *url, struct http_url *out);

struct http_head {
    size_t len; /* octets of it, with the empty line */
    unsigned status;
    bool has_length;
    uint64_t length;
    bool chunked;
};

enum http_read { HTTP_MORE, HTTP_WHOLE, HTTP_BROKEN };

enum http_read http_head_read(const char *text, size_t len, struct http_head *out);

#endif
