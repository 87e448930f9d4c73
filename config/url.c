#include "config/url.h"

#include <string.h>

#include "common/netaddr.h"

enum url_host url_host(const char *url)
{
    char host[IP4_TEXT];
    struct ip4 ip;
    const char *at = strstr(url, "://");
    if (!at) {
        return URL_HOST_NAME;
    }
    at += strlen("://");
    if (*at == '[') {
        return URL_HOST_IP6;
    }
    size_t len = strcspn(at, ":/");
    if (len >= sizeof host) {
        return URL_HOST_NAME;
    }
    memcpy(host, at, len);
    host[len] = '\0';
    return ip4_parse(host, &ip) ? URL_HOST_IP4 : URL_HOST_NAME;
}
