#include "config/grub_image.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/bytes.h"

#define MAGIC 0x676d696d /* "mimg" */

enum object { OBJECT_MEMDISK = 1, OBJECT_CONFIG = 2, OBJECT_PREFIX = 3 };

static uint32_t le32(struct rd *r)
{
    return __builtin_bswap32(rd_u32(r));
}

static bool begins(const uint8_t *text, size_t len, const char *with)
{
    size_t n = strlen(with);
    return len >= n && memcmp(text, with, n) == 0;
}

static bool contains(const uint8_t *text, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (const uint8_t *at = text; len >= n; at++) {
        const uint8_t *next = memchr(at, word[0], len - n + 1);
        if (!next) {
            return false;
        }
        len -= (size_t)(next - at);
        at = next;
        if (memcmp(at, word, n) == 0) {
            return true;
        }
        len--;
    }
    return false;
}

/*
 * "(tftp,10.0.0.1)/grub" names a server, and "(memdisk)/..." says where to look for one.
 * "/EFI/fedora" is of a GRUB that reads the proxy's offer, as only Debian's and Ubuntu's does
 * not.
 */
static bool prefix_knows(const uint8_t *text, size_t len)
{
    if (begins(text, len, "/EFI/")) {
        return !begins(text, len, "/EFI/debian") && !begins(text, len, "/EFI/ubuntu");
    }
    return begins(text, len, "(") && !begins(text, len, "(pxe)") &&
           !begins(text, len, "(tftp)") && !begins(text, len, "()");
}

/* A configuration that names a server, or asks for an address by itself. */
static bool script_knows(const uint8_t *text, size_t len)
{
    static const char *const words[] = {"(tftp,",   "(http,",       "net_bootp",
                                        "net_dhcp", "net_add_addr", "net_default_server"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (contains(text, len, words[i])) {
            return true;
        }
    }
    return false;
}

/* The list as a reader; false: there is none. */
static bool open_list(const void *mods, size_t len, struct rd *out)
{
    struct rd r = rd_over(mods, len);
    if (le32(&r) != MAGIC) {
        return false;
    }
    /* The 64-bit form has four octets of padding here, and wider fields. */
    uint32_t offset = le32(&r);
    bool wide = offset == 0;
    offset = wide ? le32(&r) : offset;
    (void)rd_take(&r, wide ? 4 : 0);
    uint32_t size = le32(&r);
    if (!rd_ok(&r) || size > len || offset > size) {
        return false;
    }
    *out = rd_over(mods, size);
    (void)rd_take(out, offset);
    return rd_ok(out);
}

enum grub_server grub_image_server(const void *mods, size_t len)
{
    struct rd r;
    bool prefix = false;
    bool knows = false;
    if (!open_list(mods, len, &r)) {
        return GRUB_NONE;
    }
    while (rd_left(&r) >= 8) {
        uint32_t type = le32(&r);
        uint32_t size = le32(&r);
        const uint8_t *text = size >= 8 ? rd_take(&r, size - 8) : NULL;
        if (!text) {
            break;
        }
        prefix = prefix || type == OBJECT_PREFIX;
        knows = knows || (type == OBJECT_PREFIX && prefix_knows(text, size - 8));
        knows = knows || ((type == OBJECT_CONFIG || type == OBJECT_MEMDISK) &&
                          script_knows(text, size - 8));
    }
    return knows ? GRUB_KNOWS : prefix ? GRUB_LEARNS : GRUB_NONE;
}
