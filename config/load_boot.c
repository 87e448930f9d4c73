/* What clients of each kind load: keys of a profile, and of a host that says it over its own. */
#include <stdlib.h>
#include <string.h>

#include "config/load_parts.h"
#include "config/url.h"

/* -- what a client may be given -------------------------------------------------------- */

static bool is_url(const char *file)
{
    size_t scheme = strspn(file, "abcdefghijklmnopqrstuvwxyz0123456789+.-");
    return scheme > 0 && !strncmp(file + scheme, "://", 3);
}

/* A component ".." between slashes of either kind. */
static bool climbs(const char *file)
{
    for (const char *p = file; *p; p += strcspn(p, "/\\"), p += *p != '\0') {
        if (strcspn(p, "/\\") == 2 && p[0] == '.' && p[1] == '.') {
            return true;
        }
    }
    return false;
}

static const char *objection_to_name(const char *file)
{
    if (climbs(file)) {
        return "\"..\" leads out of tftp.root: give a file beneath it";
    }
    return file[strspn(file, "/\\")] == '\0' ? "is no name of a file" : NULL;
}

static const char *objection_for_http(const char *file, bool http)
{
    if (!strncmp(file, "http://", 7) || !strncmp(file, "https://", 8)) {
        return NULL;
    }
    if (is_url(file)) {
        return "clients of this architecture load by HTTP: give an http:// or "
               "https:// URL";
    }
    return http ? objection_to_name(file)
                : "clients of this architecture load by HTTP: give an http:// or "
                  "https:// URL, or set \"boot_files\" of \"http\" to true for a file "
                  "beneath tftp.root";
}

const char *boot_file_objection(const char *file, unsigned slot, bool http)
{
    if (slot < ARCH_COUNT && arch_is_http((uint16_t)slot)) {
        return objection_for_http(file, http);
    }
    if (is_url(file)) {
        return slot == SLOT_IPXE
                   ? NULL
                   : "clients of this architecture load by TFTP: give a file "
                     "beneath tftp.root, not a URL";
    }
    return objection_to_name(file);
}

/* -- entries --------------------------------------------------------------------------- */

static void read_boot_entry(struct reader *r, const json_t *value,
                            const struct json_path *at, unsigned slot,
                            struct boot_entry *entry)
{
    bool http = slot < ARCH_COUNT && arch_is_http((uint16_t)slot);
    const char *file = string_of(r, value, at, 1, http ? BOOT_URL_MAX : BOOT_FILE_MAX);
    const char *objection =
        file ? boot_file_objection(file, slot, r->out->http.boot_files) : NULL;
    if (objection) {
        complain(r, at, "%s", objection);
        return;
    }
    if (file && http && is_url(file) && url_host(file) == URL_HOST_NAME) {
        warn(
            r, at,
            "UEFI resolves a host name only if the DHCP server gives it a DNS server: an "
            "address always works");
    }
    char *copy = file ? strdup(file) : NULL;
    if (!copy) {
        if (file) {
            no_memory(r, at);
        }
        return;
    }
    struct json_place place = place_of(r, at);
    entry->file = copy;
    entry->line = (uint32_t)place.line;
    entry->column = (uint32_t)place.column;
}

void read_boot_entries(struct reader *r, const struct field_set *set,
                       const json_t *object, const struct json_path *at,
                       struct boot_entry boot[SLOT_COUNT])
{
    const char *spelled[SLOT_COUNT] = {NULL}; /* the key that set a slot */
    json_t *all =
        (json_t *)object; /* the iteration macro takes no const; it reads only */
    const char *key;
    json_t *value;

    json_object_foreach (all, key, value) {
        struct json_path here = {.up = at, .key = key};
        unsigned slot;
        if (is_known(set, key) || !slot_parse(key, &slot)) {
            continue;
        }
        if (spelled[slot]) {
            complain_key(r, &here, "the same architecture as \"%s\" beside it",
                         spelled[slot]);
        } else {
            spelled[slot] = key;
            read_boot_entry(r, value, &here, slot, &boot[slot]);
        }
    }
}
