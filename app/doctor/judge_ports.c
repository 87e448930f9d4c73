#include <stdio.h>
#include <string.h>

#include "app/doctor/judge.h"

#define TCP_LISTEN 10

/* -- /proc/net ---------------------------------------------------------------------------- */

static bool hex(const char **at, size_t most, uint64_t *out)
{
    uint64_t value = 0;
    size_t n = 0;
    for (; n < most; n++, (*at)++) {
        char c = **at;
        char low = (char)(c | 0x20);
        if (c >= '0' && c <= '9') {
            value = value << 4 | (uint64_t)(c - '0');
        } else if (low >= 'a' && low <= 'f') {
            value = value << 4 | (uint64_t)(low - 'a' + 10);
        } else {
            break;
        }
    }
    *out = value;
    return n > 0;
}

static const char *skip(const char *at)
{
    return at + strspn(at, " ");
}

static const char *skip_words(const char *at, unsigned count)
{
    for (at = skip(at); count > 0; count--) {
        at = skip(at + strcspn(at, " "));
    }
    return at;
}

/* "  12: 00000000:0045 00000000:0000 07 ... uid timeout inode" */
bool port_read(const char *line, bool tcp, struct port_holder *out)
{
    const char *at = strchr(line, ':');
    uint64_t state;
    uint64_t port;
    if (!at) {
        return false;
    }
    at = skip(at + 1);
    size_t address = strspn(at, "0123456789ABCDEFabcdef");
    bool everywhere = strspn(at, "0") >= address;
    const char *inode = skip_words(at, 8);
    const char *word = skip_words(at, 2);
    at += address;
    if (*at++ != ':' || !hex(&at, 4, &port) || !hex(&word, 2, &state) ||
        (tcp && state != TCP_LISTEN)) {
        return false;
    }
    *out = (struct port_holder){
        .tcp = tcp, .everywhere = everywhere, .port = (uint16_t)port};
    for (; *inode >= '0' && *inode <= '9'; inode++) {
        out->inode = out->inode * 10 + (uint64_t)(*inode - '0');
    }
    return true;
}

/* -- judgements --------------------------------------------------------------------------- */

size_t port_needs(const struct snapshot *s, struct port_need out[PORT_NEEDS_MAX])
{
    size_t count = 0;
    if (s->tftp.enabled) {
        out[count++] = (struct port_need){false, 69, "serve files by TFTP"};
    }
    if (s->dhcp.enabled) {
        out[count++] = (struct port_need){false, 4011,
                                          "answer clients that ask there for their file"};
    }
    if (s->http.enabled) {
        out[count++] = (struct port_need){true, s->http.listen.port, "serve by HTTP"};
    }
    return count;
}

static bool is_pxed(const struct port_holder *h)
{
    return strcmp(h->process, "pxed") == 0;
}

/* Who holds it; NULL: nobody, or nobody but us. */
static const struct port_holder *other_holder(const struct port_holder *list,
                                              size_t count, bool tcp, uint16_t port,
                                              bool *ours)
{
    const struct port_holder *other = NULL;
    *ours = false;
    for (size_t i = 0; i < count; i++) {
        if (list[i].tcp == tcp && list[i].port == port) {
            *ours |= is_pxed(&list[i]);
            other = is_pxed(&list[i]) ? other : &list[i];
        }
    }
    return other;
}

static void name_holder(const struct port_holder *h, char out[PROCESS_NAME + 24])
{
    if (h->pid > 0) {
        snprintf(out, PROCESS_NAME + 24, "%s (pid %d)", h->process, h->pid);
    } else {
        snprintf(out, PROCESS_NAME + 24, "a process that only root may know");
    }
}

void judge_port(const struct port_need *need, const struct port_holder *list,
                size_t count, struct findings *out)
{
    char who[PROCESS_NAME + 24];
    bool ours;
    const char *kind = need->tcp ? "TCP" : "UDP";
    const struct port_holder *other =
        other_holder(list, count, need->tcp, need->port, &ours);
    if (ours) {
        finding_add(out, FINDING_GOOD, "ports", "%s port %u is held by pxed", kind,
                    need->port);
    } else if (!other) {
        finding_add(out, FINDING_GOOD, "ports", "%s port %u is free", kind, need->port);
    } else if (other->pid == 0) {
        name_holder(other, who);
        struct finding *f =
            finding_add(out, FINDING_NOTE, "ports", "%s port %u is held by %s", kind,
                        need->port, who);
        finding_remedy(f, "run pxed doctor as root to see who it is");
    } else {
        name_holder(other, who);
        struct finding *f = finding_add(out, FINDING_FAULT, "ports",
                                        "%s port %u is held by %s: pxed cannot %s", kind,
                                        need->port, who, need->purpose);
        finding_remedy(
            f, need->tcp ? "stop that server, or choose another \"http.listen\""
               : need->port == 69
                   ? "stop and disable that TFTP server (systemctl disable --now "
                     "...), or set \"tftp\": {\"enabled\": false}"
                   : "stop that PXE server, or its PXE service (dnsmasq: pxe-service, "
                     "dhcp-range=...,proxy)");
    }
}

void judge_port_67(bool by_udp, const struct port_holder *list, size_t count,
                   struct findings *out)
{
    char who[PROCESS_NAME + 24];
    bool ours;
    const struct port_holder *other = other_holder(list, count, false, 67, &ours);
    if (!other) {
        finding_add(out, FINDING_GOOD, "ports", "UDP port 67 is %s",
                    by_udp ? ours ? "held by pxed" : "free" : "read by capture");
        return;
    }
    name_holder(other, who);
    if (!by_udp) {
        finding_add(out, FINDING_GOOD, "ports",
                    "UDP port 67 is held by %s, and read by capture beside it", who);
    } else if (!ours) {
        struct finding *f =
            finding_add(out, FINDING_WARNING, "ports",
                        "UDP port 67 is held by %s, which may not share it", who);
        finding_remedy(f, "take \"listen\": \"udp\" out, so that it is read by capture");
    } else {
        finding_add(out, FINDING_GOOD, "ports", "UDP port 67 is shared with %s", who);
    }
}
