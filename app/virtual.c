#include "app/virtual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/gate.h"
#include "config/template.h"

#define AUTO_NAME "auto"
#define AUTOEXEC  "autoexec.ipxe"

/* -- who asks ----------------------------------------------------------------------------- */

static struct gate gate_of(const struct virtual_question *q)
{
    struct host_facts facts = facts_of_machine(q->machine);
    return gate_ask(q->config, &facts, q->state);
}

/* What a machine is given (config/snapshot.h, plan_...). */
struct plan {
    const struct profile *profile; /* NULL: it boots nothing */
    const struct host *host;
};

static struct plan plan_of(const struct virtual_question *q)
{
    struct gate gate = gate_of(q);
    bool boots = gate_gives_files(&gate);
    return (struct plan){
        .profile = boots ? &q->config->profiles[gate.profile] : NULL,
        .host = gate.host,
    };
}

/* NULL: none, or it boots nothing. */
static const struct boot_entry *ipxe_of(const struct plan *plan)
{
    return plan->profile ? plan_boot(plan->profile, plan->host, SLOT_IPXE) : NULL;
}

static const struct boot_entry *arch_of(const struct plan *plan, const struct machine *m)
{
    return plan->profile && m && m->has_arch
               ? plan_arch(plan->profile, plan->host, m->arch)
               : NULL;
}

static struct template_client client_of(const struct virtual_question *q)
{
    struct gate gate = gate_of(q);
    return (struct template_client){
        .config = q->config,
        .host = gate.host,
        .profile = gate_gives_files(&gate) ? gate.profile : q->config->profile_count,
        .machine = q->machine,
        .address = q->client,
        .server = q->server,
    };
}

static enum tftp_virtual refuse(struct tftp_answer *out, const char *why)
{
    snprintf(out->why, sizeof out->why, "%s", why);
    return TFTP_VIRTUAL_REFUSED;
}

/* -- "files" ------------------------------------------------------------------------------ */

static enum template_fault render_name(const struct template_client *client,
                                       const char *pattern, char *out, size_t size,
                                       struct template_place *place)
{
    struct wr w = wr_over(out, size - 1);
    struct template_source from = {pattern, strlen(pattern), TEMPLATE_PLAIN};
    enum template_fault fault = template_render(client, &from, &w, place);
    out[fault == TEMPLATE_OK ? wr_len(&w) : 0] = '\0';
    return fault;
}

/* What is served under this name to this client, or NULL. */
static const struct virtual_file *find_file(const struct virtual_question *q,
                                            const struct template_client *client)
{
    char name[TFTP_PATH_SIZE];
    struct template_place place;
    for (size_t i = 0; i < q->config->file_count; i++) {
        const struct virtual_file *f = &q->config->files[i];
        if (template_is_plain(f->name)) {
            if (strcmp(f->name, q->name) == 0) {
                return f;
            }
        } else if (template_may_be(f->name, q->name) &&
                   render_name(client, f->name, name, sizeof name, &place) ==
                       TEMPLATE_OK &&
                   strcmp(name, q->name) == 0) {
            return f;
        }
    }
    return NULL;
}

static enum tftp_virtual refuse_fault(struct tftp_answer *out, const char *what,
                                      enum template_fault fault,
                                      const struct template_place *place)
{
    char words[160];
    (void)template_explain(fault, place, words, sizeof words);
    snprintf(out->why, sizeof out->why, "%.30s: %.60s", what, words);
    return TFTP_VIRTUAL_REFUSED;
}

static enum tftp_virtual render_file(const struct template_client *client,
                                     const struct virtual_file *f,
                                     struct tftp_answer *out)
{
    struct template_place place;
    char *text = malloc(TEMPLATE_RENDERED_MAX);
    if (!text) {
        return refuse(out, "out of memory");
    }
    struct wr w = wr_over(text, TEMPLATE_RENDERED_MAX);
    struct template_source from = {f->text, f->len, f->kind};
    enum template_fault fault = template_render(client, &from, &w, &place);
    if (fault != TEMPLATE_OK) {
        free(text);
        return refuse_fault(out, f->name, fault, &place);
    }
    char *fitting = realloc(text, wr_len(&w) + 1);
    out->octets = fitting ? fitting : text;
    out->len = wr_len(&w);
    return TFTP_VIRTUAL_TEXT;
}

static enum tftp_virtual from_files(const struct virtual_question *q,
                                    struct tftp_answer *out)
{
    struct template_client client = client_of(q);
    const struct virtual_file *f = find_file(q, &client);
    if (!f) {
        return TFTP_VIRTUAL_NONE;
    }
    if (f->template) {
        return render_file(&client, f, out);
    }
    struct template_place place;
    enum template_fault fault =
        render_name(&client, f->file, out->file, sizeof out->file, &place);
    return fault == TEMPLATE_OK ? TFTP_VIRTUAL_FILE
                                : refuse_fault(out, f->name, fault, &place);
}

/* -- auto --------------------------------------------------------------------------------- */

/* The boot file of the profile for what is known of the machine, or NULL with the reason. */
static const char *boot_file_of(const struct virtual_question *q, char *why, size_t size)
{
    const struct plan plan = plan_of(q);
    const struct machine *m = q->machine;
    if (!m || (!m->has_arch && !m->ipxe)) {
        snprintf(why, size,
                 "auto: no DHCP request of this client was seen, so its "
                 "architecture is unknown");
        return NULL;
    }
    const struct boot_entry *entry = m->ipxe ? ipxe_of(&plan) : NULL;
    entry = entry ? entry : arch_of(&plan, m);
    if (!entry) {
        const char *arch = m->has_arch ? arch_name(m->arch) : NULL;
        snprintf(why, size, "auto: the profile has no file for %s",
                 arch ? arch : "its architecture");
        return NULL;
    }
    if (strstr(entry->file, "://") || strcmp(entry->file, AUTO_NAME) == 0) {
        snprintf(why, size, "auto: the profile's entry is no file to be loaded by TFTP");
        return NULL;
    }
    return entry->file;
}

static enum tftp_virtual from_auto(const struct virtual_question *q,
                                   struct tftp_answer *out)
{
    const char *file = boot_file_of(q, out->why, sizeof out->why);
    if (!file) {
        return TFTP_VIRTUAL_REFUSED;
    }
    unsigned repairs = 0;
    struct tftp_text name = {file, strlen(file)};
    if (tftp_path_clean(name, out->file, &repairs) != TFTP_PATH_OK) {
        return refuse(out, "auto: the profile's entry is no name of a file");
    }
    char clean[TFTP_PATH_SIZE];
    memcpy(clean, out->file, sizeof clean);
    struct virtual_question real = *q;
    real.name = clean;
    enum tftp_virtual found = from_files(&real, out);
    return found == TFTP_VIRTUAL_NONE ? TFTP_VIRTUAL_FILE : found;
}

/* -- autoexec.ipxe ------------------------------------------------------------------------ */

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

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
    const struct boot_entry *entry = ipxe_of(plan);
    return entry && strcmp(base_of(entry->file), AUTOEXEC) != 0 ? entry->file : NULL;
}

static enum tftp_virtual from_autoexec(const struct virtual_question *q,
                                       struct tftp_answer *out)
{
    const struct plan plan = plan_of(q);
    const char *script = script_of(&plan);
    if (!script) {
        return TFTP_VIRTUAL_NONE;
    }
    char host[ENDPOINT_TEXT];
    char path[4 * BOOT_FILE_MAX];
    bool is_url = strstr(script, "://") != NULL;
    print_host(q, &plan, host);
    put_escaped(script, path, sizeof path);
    char *text = NULL;
    int len =
        is_url ? asprintf(&text, "#!ipxe\nchain --autofree %s\n", script)
               : asprintf(&text, "#!ipxe\nchain --autofree tftp://%s/%s\n", host, path);
    if (len < 0) {
        return refuse(out, "out of memory");
    }
    out->octets = text;
    out->len = (size_t)len;
    return TFTP_VIRTUAL_TEXT;
}

/* -- the whole ---------------------------------------------------------------------------- */

enum tftp_virtual virtual_find(const struct virtual_question *q, enum tftp_turn turn,
                               struct tftp_answer *out)
{
    if (turn == TFTP_BEFORE_DISK) {
        return from_files(q, out);
    }
    if (strcmp(q->name, AUTO_NAME) == 0) {
        return from_auto(q, out);
    }
    return strcmp(base_of(q->name), AUTOEXEC) == 0 ? from_autoexec(q, out)
                                                   : TFTP_VIRTUAL_NONE;
}

static const char *last_file(const struct virtual_question *q)
{
    const struct plan plan = plan_of(q);
    const struct boot_entry *entry = ipxe_of(&plan);
    const char *said =
        plan.profile ? plan_done_when(q->config, plan.profile, plan.host) : NULL;
    entry = entry ? entry : arch_of(&plan, q->machine);
    return said ? said : entry ? entry->file : NULL;
}

bool virtual_ends_boot(const struct virtual_question *q)
{
    char why[100];
    char path[TFTP_PATH_SIZE];
    unsigned repairs = 0;
    const char *last = last_file(q);
    const char *name =
        strcmp(q->name, AUTO_NAME) == 0 ? boot_file_of(q, why, sizeof why) : q->name;
    if (!last || !name) {
        return false;
    }
    struct tftp_text text = {last, strlen(last)};
    return tftp_path_clean(text, path, &repairs) == TFTP_PATH_OK &&
           (strcasecmp(path, name) == 0 || strcmp(last, name) == 0);
}

bool virtual_has(const struct snapshot *config, const char *name, const char **file)
{
    *file = NULL;
    for (size_t i = 0; i < config->file_count; i++) {
        const struct virtual_file *f = &config->files[i];
        if (template_may_be(f->name, name)) {
            *file = f->file && template_is_plain(f->file) ? f->file : NULL;
            return true;
        }
    }
    return false;
}
