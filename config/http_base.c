#include "config/http_base.h"

#include <stdio.h>
#include <string.h>

/* Of the two families together, or of IPv4 alone. */
static bool is_any(const struct endpoint *e)
{
    static const uint8_t any[16];
    return endpoint_is_ip4(e) ? ip4_is_any(endpoint_to_ip4(e))
                              : memcmp(e->ip, any, sizeof any) == 0;
}

bool http_base(const struct http_conf *http, const struct endpoint *own,
               char buf[HTTP_BASE_SIZE])
{
    const struct endpoint *at = &http->listen;
    bool both = is_any(at) && !endpoint_is_ip4(at);
    if (!http->boot_files || (!both && endpoint_is_ip4(at) != endpoint_is_ip4(own))) {
        return false;
    }
    char text[ENDPOINT_TEXT];
    struct endpoint server = is_any(at) ? *own : *at;
    server.scope = 0; /* the client has its own number for that link */
    server.port = at->port;
    snprintf(buf, HTTP_BASE_SIZE, "http://%s", endpoint_print(&server, text));
    return true;
}
