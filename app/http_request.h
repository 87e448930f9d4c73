/*
 * app/http_request: what an HTTP client asks for.
 *
 * Spec: RFC 9110 section 13 (conditions), 14 (ranges), RFC 9112 section 3.2 (targets),
 * RFC 3986 section 2.1 (percent-encoding).
 * Units: octets.
 * Ownership: a request is views, good while it is answered; all else goes into the caller's
 * memory, untouched on failure.  Pure.
 */
#ifndef APP_HTTP_REQUEST_H
#define APP_HTTP_REQUEST_H

#include "common/clock.h"
#include "common/netaddr.h"

#define HTTP_TARGET_SIZE 2048 /* a longer one is refused (414) */
#define HTTP_PATH_SIZE   1024 /* decoded, closing NUL included; a longer one is not found */

struct http_request {
    const char *method;
    const char *target; /* as sent: path, "?", query; percent-encoded */
    const char *host;   /* header fields; NULL: not there */
    const char *range;
    const char *if_range;
    const char *if_none_match;
    const char *if_modified_since;
    struct endpoint peer;
    struct endpoint local; /* where it was sent to, with its port */
    unsigned ifindex;      /* where it came in; 0: not known */
};

/*
 * The path, decoded, without what is behind "?".  False: it is no path: an escape that is
 * none or that stands for NUL, or too long.
 */
bool http_path(const struct http_request *q, char out[HTTP_PATH_SIZE]);

/* The value of a key in the query, decoded.  False: it is not there, or does not fit. */
bool http_query(const struct http_request *q, const char *key, char *out, size_t size);

/* The part of a body of `size` octets that a Range field asks for. */
enum http_range {
    HTTP_RANGE_WHOLE, /* nothing that is understood, or several ranges: all of it */
    HTTP_RANGE_PART,  /* *from and *len are set, len > 0 */
    HTTP_RANGE_NONE,  /* it lies behind the end: 416 */
};
enum http_range http_range_read(const char *field, uint64_t size, uint64_t *from,
                                uint64_t *len);

#endif
