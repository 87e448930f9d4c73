#include "dhcp/url.h"

#include "config/http_base.h"

/* Octets that stand for themselves in the path of a URL (RFC 3986 section 3.3). */
static bool is_path_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~!$&'()*+,;=:@/", c));
}

void url_write_path(struct wr *w, const char *path)
{
    static const char hex[] = "0123456789ABCDEF";
    for (; *path; path++) {
        if (is_path_char(*path)) {
            wr_u8(w, (uint8_t)*path);
        } else {
            wr_u8(w, '%');
            wr_u8(w, (uint8_t)hex[(uint8_t)*path >> 4]);
            wr_u8(w, (uint8_t)hex[(uint8_t)*path & 15]);
        }
    }
}

bool url_write_own(struct wr *w, const struct http_conf *http, const struct endpoint *own,
                   const char *file)
{
    char base[HTTP_BASE_SIZE];
    if (!http_base(http, own, base)) {
        return false;
    }
    wr_put(w, base, strlen(base));
    wr_u8(w, '/');
    url_write_path(w, file[0] == '/' ? file + 1 : file);
    wr_u8(w, 0);
    return true;
}
