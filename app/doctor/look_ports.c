#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/doctor/look.h"
#include "app/doctor/look_files.h"
#include "common/text.h"

#define LINE_SIZE 512

static bool is_needed(const struct port_need *needs, size_t count,
                      const struct port_holder *h)
{
    for (size_t i = 0; i < count; i++) {
        if (needs[i].tcp == h->tcp && needs[i].port == h->port) {
            return true;
        }
    }
    return !h->tcp && h->port == 67;
}

static size_t read_table(const char *path, bool tcp, const struct port_need *needs,
                         size_t need_count, struct port_holder *out, size_t count)
{
    char line[LINE_SIZE];
    FILE *f = fopen(path, "re");
    while (f && count < PORT_HOLDERS_MAX && fgets(line, sizeof line, f)) {
        struct port_holder h;
        if (port_read(line, tcp, &h) && is_needed(needs, need_count, &h)) {
            out[count++] = h;
        }
    }
    if (f) {
        (void)fclose(f);
    }
    return count;
}

/* "socket:[12345]" of one descriptor. */
static bool inode_of(int folder, const char *name, uint64_t *out)
{
    char link[64];
    ssize_t n = readlinkat(folder, name, link, sizeof link - 1);
    if (n < 9 || strncmp(link, "socket:[", 8) != 0) {
        return false;
    }
    link[n] = '\0';
    *out = strtoull(link + 8, NULL, 10);
    return true;
}

static void name_process(const char *pid, struct port_holder *h)
{
    char path[64];
    char name[PROCESS_NAME];
    snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
    h->pid = (int)strtol(pid, NULL, 10);
    if (look_text(path, name, sizeof name)) {
        name[strcspn(name, "\n")] = '\0';
        (void)text_show(name, strlen(name), h->process, sizeof h->process);
    }
}

static void look_into(const char *pid, struct port_holder *list, size_t count)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        uint64_t inode;
        if (!inode_of(dirfd(d), e->d_name, &inode)) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            if (list[i].inode == inode) {
                name_process(pid, &list[i]);
            }
        }
    }
    if (d) {
        (void)closedir(d);
    }
}

size_t look_at_ports(const struct port_need *needs, size_t count,
                     struct port_holder out[PORT_HOLDERS_MAX])
{
    static const struct {
        const char *path;
        bool tcp;
    } tables[] = {{"/proc/net/udp", false},
                  {"/proc/net/udp6", false},
                  {"/proc/net/tcp", true},
                  {"/proc/net/tcp6", true}};
    size_t found = 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        found = read_table(tables[i].path, tables[i].tcp, needs, count, out, found);
    }
    DIR *d = found > 0 ? opendir("/proc") : NULL;
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (isdigit((unsigned char)e->d_name[0])) {
            look_into(e->d_name, out, found);
        }
    }
    if (d) {
        (void)closedir(d);
    }
    return found;
}
