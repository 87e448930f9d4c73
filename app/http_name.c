#include "app/http_name.h"

#include <string.h>
#include <strings.h>

#include "common/netaddr.h"

/* The name or address, without port and the dot of the root.  False: it is too long. */
static bool cut_host(const char *field, char out[HTTP_NAME_SIZE])
{
    size_t len = strcspn(field, ":");
    len -= len > 0 && field[len - 1] == '.';
    if (len >= HTTP_NAME_SIZE) {
        return false;
    }
    memcpy(out, field, len);
    out[len] = '\0';
    return true;
}

static bool is_localhost(const char *name)
{
    static const char suffix[] = ".localhost";
    size_t len = strlen(name);
    const char *end = len >= sizeof suffix ? name + len - (sizeof suffix - 1) : "";
    return strcasecmp(name, suffix + 1) == 0 || strcasecmp(end, suffix) == 0;
}

bool http_name_is_ours(const char *host, const char *own, const struct http_names *names)
{
    char name[HTTP_NAME_SIZE];
    struct ip4 ip;
    if (!host || host[0] == '[') {
        return true; /* brackets: an IPv6 address */
    }
    if (!cut_host(host, name)) {
        return false;
    }
    bool ours = ip4_parse(name, &ip) || is_localhost(name) ||
                (own[0] && strcasecmp(name, own) == 0);
    for (size_t i = 0; !ours && i < names->count; i++) {
        ours = strcasecmp(name, names->list[i]) == 0;
    }
    return ours;
}
