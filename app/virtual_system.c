#include "app/virtual_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/http_base.h"

#define AUTOEXEC        "autoexec.ipxe"
#define SYSTEM_TEXT_MAX 16384 /* the longest names and command line fit */

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* Where its files are, as it stands in a URL. */
static void print_host(const struct virtual_question *q, const struct plan *plan,
                       char buf[ENDPOINT_TEXT])
{
    struct ip4 next_server = plan_answer(plan->profile, plan->host).next_server;
    if (!ip4_is_any(next_server)) {
        (void)ip4_print(next_server, buf);
        return;
    }
    char ip[ENDPOINT_TEXT];
    bool bare = endpoint_is_ip4(&q->server);
    (void)endpoint_print_ip(&q->server, ip);
    snprintf(buf, ENDPOINT_TEXT, bare ? "%s" : "[%.58s]", ip);
}

/* The same for an iPXE: our HTTP server, if it gives boot files. */
static void print_url(const struct virtual_question *q, const struct plan *plan,
                      char buf[HTTP_BASE_SIZE])
{
    char host[ENDPOINT_TEXT];
    bool elsewhere = !ip4_is_any(plan_answer(plan->profile, plan->host).next_server);
    if (elsewhere || !http_base(&q->config->http, &q->server, buf)) {
        print_host(q, plan, host);
        snprintf(buf, HTTP_BASE_SIZE, "tftp://%s", host);
    }
}

/* -- "boot" ------------------------------------------------------------------------------- */

/*
 * The last name of a search says nothing of the machine, the others its MAC address: the word
 * of one whose packets we never heard is taken for it, that of another is not.
 */
static bool asks_for_itself(const struct virtual_question *q,
                            const struct system_name *name, struct machine *said,
                            struct virtual_question *out)
{
    *out = *q;
    if (!name->has_mac) {
        return true;
    }
    if (q->machine) {
        return memcmp(&q->machine->mac, &name->mac, sizeof name->mac) == 0;
    }
    *said = (struct machine){.mac = name->mac};
    out->machine = said;
    return true;
}

static enum tftp_virtual render(const struct virtual_question *q,
                                const struct system_conf *system, enum template_kind kind,
                                struct tftp_answer *out)
{
    char host[ENDPOINT_TEXT];
    char url[HTTP_BASE_SIZE];
    struct template_place place;
    struct plan plan = virtual_plan(q);
    struct template_client client = virtual_client(q);
    char *text = malloc(SYSTEM_TEXT_MAX);
    if (!text) {
        return virtual_refuse(out, "out of memory");
    }
    struct wr w = wr_over(text, SYSTEM_TEXT_MAX);
    print_host(q, &plan, host);
    print_url(q, &plan, url);
    struct system_server server = {host, url};
    enum template_fault fault = system_render(&client, system, kind, &server, &w, &place);
    if (fault != TEMPLATE_OK) {
        free(text);
        return virtual_refuse_fault(out, base_of(q->name), fault, &place);
    }
    out->octets = text;
    out->len = wr_len(&w);
    return TFTP_VIRTUAL_TEXT;
}

static enum tftp_virtual from_system(const struct virtual_question *q,
                                     struct tftp_answer *out)
{
    struct machine said;
    struct virtual_question asked;
    struct system_name name = system_name_read(q->name);
    if (name.kind == TEMPLATE_PLAIN || !asks_for_itself(q, &name, &said, &asked)) {
        return TFTP_VIRTUAL_NONE;
    }
    struct plan plan = virtual_plan(&asked);
    const struct system_conf *system =
        plan.profile ? plan_system(q->config, plan.profile, plan.host) : NULL;
    return system ? render(&asked, system, name.kind, out) : TFTP_VIRTUAL_NONE;
}

/* -- autoexec.ipxe ------------------------------------------------------------------------ */

/* As part of a URL; "${" stays, since iPXE fills that in. */
static void put_escaped(const char *path, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (const char *p = path + strspn(path, "/"); *p && used + 4 < size; p++) {
        bool plain = *p > 0x20 && *p < 0x7f && !strchr("\"%#?\\", *p);
        used += (size_t)snprintf(buf + used, size - used, plain ? "%c" : "%%%02x",
                                 (unsigned char)*p);
    }
}

/* Only where there is an "ipxe" entry, and one that is not this very script. */
static const char *script_of(const struct plan *plan)
{
    const struct boot_entry *entry = virtual_ipxe(plan);
    return entry && strcmp(base_of(entry->file), AUTOEXEC) != 0 ? entry->file : NULL;
}

static enum tftp_virtual from_autoexec(const struct virtual_question *q,
                                       struct tftp_answer *out)
{
    const struct plan plan = virtual_plan(q);
    const char *script = script_of(&plan);
    if (!script) {
        return TFTP_VIRTUAL_NONE;
    }
    const struct system_conf *system = plan_system(q->config, plan.profile, plan.host);
    if (system && strcmp(script, SYSTEM_SCRIPT) == 0) {
        return render(q, system, TEMPLATE_IPXE, out);
    }
    char host[ENDPOINT_TEXT];
    char path[4 * BOOT_FILE_MAX];
    char base[HTTP_BASE_SIZE];
    bool is_url = strstr(script, "://") != NULL;
    /* Whoever came by HTTP, whose port is there, goes on by it. */
    bool http = q->server.port > 0 && http_base(&q->config->http, &q->server, base);
    print_host(q, &plan, host);
    if (!http) {
        snprintf(base, sizeof base, "tftp://%s", host);
    }
    put_escaped(script, path, sizeof path);
    char *text = NULL;
    int len = is_url ? asprintf(&text, "#!ipxe\nchain --autofree %s\n", script)
                     : asprintf(&text, "#!ipxe\nchain --autofree %s/%s\n", base, path);
    if (len < 0) {
        return virtual_refuse(out, "out of memory");
    }
    out->octets = text;
    out->len = (size_t)len;
    return TFTP_VIRTUAL_TEXT;
}

enum tftp_virtual virtual_system(const struct virtual_question *q,
                                 struct tftp_answer *out)
{
    return strcmp(base_of(q->name), AUTOEXEC) == 0 ? from_autoexec(q, out)
                                                   : from_system(q, out);
}
