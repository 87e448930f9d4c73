#include "tftp/path.h"

#include <stdio.h>

#define COMPONENT_MAX 255

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

enum tftp_path_fault tftp_path_clean(struct tftp_text name, char out[TFTP_PATH_SIZE],
                                     unsigned *repairs)
{
    char path[TFTP_PATH_SIZE];
    size_t used = 0;
    unsigned found = 0;
    size_t i = 0;
    if (name.len > 0 && name.at[0] == '/') {
        i = 1; /* a leading slash means the root: everybody's habit, not worth a word */
    }
    while (i < name.len) {
        size_t end = i;
        while (end < name.len && !is_separator(name.at[end])) {
            end++;
        }
        size_t len = end - i;
        if (len == 2 && memcmp(name.at + i, "..", 2) == 0) {
            return TFTP_PATH_OUTSIDE;
        }
        if (len > COMPONENT_MAX) {
            return TFTP_PATH_LONG;
        }
        if (end < name.len && name.at[end] == '\\') {
            found |= TFTP_REPAIR_BACKSLASH;
        }
        if (len == 0 || (len == 1 && name.at[i] == '.')) {
            found |= TFTP_REPAIR_SLASHES;
        } else {
            if (used > 0) {
                path[used++] = '/';
            }
            memcpy(path + used, name.at + i, len);
            used += len;
        }
        i = end + 1;
    }
    if (used == 0) {
        return TFTP_PATH_EMPTY;
    }
    if (is_separator(name.at[name.len - 1])) {
        found |= TFTP_REPAIR_SLASHES;
    }
    memcpy(out, path, used);
    out[used] = '\0';
    *repairs |= found;
    return TFTP_PATH_OK;
}

bool tftp_path_cut_tail(char *path)
{
    size_t at = 0;
    while (path[at] && (uint8_t)path[at] >= 0x20 && (uint8_t)path[at] <= 0x7e) {
        at++;
    }
    if (path[at] == '\0' || at == 0 || path[at - 1] == '/') {
        return false;
    }
    path[at] = '\0';
    return true;
}

char *tftp_repairs_print(unsigned repairs, char *buf, size_t size)
{
    static const char *const names[] = {"backslash", "slashes", "tail", "case"};
    size_t used = 0;
    buf[0] = '\0';
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (repairs & 1u << i && used < size) {
            used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? "," : "",
                                     names[i]);
        }
    }
    return buf;
}
