#include "tftp/optional.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static bool begins(const char *text, const char *with)
{
    return strncasecmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    size_t len = strlen(text);
    size_t tail = strlen(with);
    return len >= tail && strcasecmp(text + len - tail, with) == 0;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "9ffefdef/start4.elf", "dc-a6-32-01-36-c2/...": a Raspberry Pi's own directory. */
static bool is_own_directory(const char *path)
{
    size_t hex = strspn(path, "0123456789abcdefABCDEF");
    size_t mac = strspn(path, "0123456789abcdefABCDEF-");
    return (hex == 8 && path[hex] == '/') ||
           (mac == 17 && path[mac] == '/' && path[2] == '-' && path[14] == '-');
}

static bool is_searched(const char *path, const char *base)
{
    return begins(base, "grub.cfg-") ||
           (begins(path, "pxelinux.cfg/") && strcasecmp(base, "default") != 0) ||
           (strcasestr(path, "/pxelinux.cfg/") && strcasecmp(base, "default") != 0);
}

static bool is_windows(const char *path, const char *base)
{
    return ends(base, ".p7b") || ends(base, ".pol") || ends(base, ".stl") ||
           (ends(base, ".ttf") && strcasestr(path, "fonts/")) || ends(base, ".mui") ||
           strcasecmp(path, "BCD") == 0;
}

static bool is_raspberry_pi(const char *base)
{
    static const char *const names[] = {
        "autoboot.txt", "bootcfg.txt",  "bootcode.sig", "boot.sig",     "bootsig.bin",
        "dt-blob.bin",  "pieeprom.sig", "pieeprom.upd", "recovery.bin", "recovery.elf",
        "recover4.elf", "recover.elf",  "timeout",      "vl805.bin",    "vl805.sig",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcasecmp(base, names[i]) == 0) {
            return true;
        }
    }
    return begins(base, "armstub") || (begins(base, "kernel") && ends(base, ".img"));
}

bool tftp_is_optional(const char *path)
{
    const char *base = base_of(path);
    return is_searched(path, base) || is_windows(path, base) || is_own_directory(path) ||
           is_raspberry_pi(base);
}
