#include "tftp/path.h"

#include <stdio.h>

#define COMPONENT_MAX 255

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static bool is(struct tftp_text component, const char *word)
{
    return component.len == strlen(word) &&
           memcmp(component.at, word, component.len) == 0;
}

/* Appends one component; empty and "." ones vanish. */
static enum tftp_path_fault append(char *path, size_t *used, struct tftp_text component,
                                   unsigned *found)
{
    if (is(component, "..")) {
        return TFTP_PATH_OUTSIDE;
    }
    if (component.len > COMPONENT_MAX) {
        return TFTP_PATH_LONG;
    }
    if (component.len == 0 || is(component, ".")) {
        *found |= TFTP_REPAIR_SLASHES;
        return TFTP_PATH_OK;
    }
    if (*used > 0) {
        path[(*used)++] = '/';
    }
    memcpy(path + *used, component.at, component.len);
    *used += component.len;
    return TFTP_PATH_OK;
}

enum tftp_path_fault tftp_path_clean(struct tftp_text name, char out[TFTP_PATH_SIZE],
                                     unsigned *repairs)
{
    char path[TFTP_PATH_SIZE];
    size_t used = 0;
    unsigned found = 0;
    /* A leading slash means the root: everybody's habit, not worth a word. */
    size_t i = name.len > 0 && name.at[0] == '/' ? 1 : 0;
    bool more = true;
    while (more) {
        size_t end = i;
        while (end < name.len && !is_separator(name.at[end])) {
            end++;
        }
        struct tftp_text component = {name.at + i, end - i};
        enum tftp_path_fault fault = append(path, &used, component, &found);
        if (fault != TFTP_PATH_OK) {
            return fault;
        }
        more = end < name.len;
        if (more && name.at[end] == '\\') {
            found |= TFTP_REPAIR_BACKSLASH;
        }
        i = end + 1;
    }
    if (used == 0) {
        return TFTP_PATH_EMPTY;
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
