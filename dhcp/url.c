#include "dhcp/url.h"

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
