#include "app/virtual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/virtual_directory.h"
#include "app/virtual_system.h"

#define AUTO_NAME "auto"

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

static enum tftp_virtual render_file(const struct template_client *client,
                                     const struct virtual_file *f,
                                     struct tftp_answer *out)
{
    struct template_place place;
    char *text = malloc(TEMPLATE_RENDERED_MAX);
    if (!text) {
        return virtual_refuse(out, "out of memory");
    }
    struct wr w = wr_over(text, TEMPLATE_RENDERED_MAX);
    struct template_source from = {f->text, f->len, f->kind};
    enum template_fault fault = template_render(client, &from, &w, &place);
    if (fault != TEMPLATE_OK) {
        free(text);
        return virtual_refuse_fault(out, f->name, fault, &place);
    }
    char *fitting = realloc(text, wr_len(&w) + 1);
    if (fitting) {
        text = fitting;
    }
    out->octets = text;
    out->len = wr_len(&w);
    return TFTP_VIRTUAL_TEXT;
}

static enum tftp_virtual from_files(const struct virtual_question *q,
                                    struct tftp_answer *out)
{
    struct template_client client = virtual_client(q);
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
                                : virtual_refuse_fault(out, f->name, fault, &place);
}

/* -- auto --------------------------------------------------------------------------------- */

/* The boot file of the profile for what is known of the machine, or NULL with the reason. */
static const char *boot_file_of(const struct virtual_question *q, char *why, size_t size)
{
    const struct plan plan = virtual_plan(q);
    const struct machine *m = q->machine;
    if (!m || (!m->has_arch && !m->ipxe)) {
        snprintf(why, size,
                 "auto: no DHCP request of this client was seen, so its "
                 "architecture is unknown");
        return NULL;
    }
    const struct boot_entry *entry = m->ipxe ? virtual_ipxe(&plan) : NULL;
    entry = entry ? entry : virtual_arch(&plan, m);
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
        return virtual_refuse(out, "auto: the profile's entry is no name of a file");
    }
    char clean[TFTP_PATH_SIZE];
    memcpy(clean, out->file, sizeof clean);
    struct virtual_question real = *q;
    real.name = clean;
    enum tftp_virtual found = from_files(&real, out);
    found = found == TFTP_VIRTUAL_NONE && strcmp(clean, SYSTEM_SCRIPT) == 0
                ? virtual_system(&real, out)
                : found;
    return found == TFTP_VIRTUAL_NONE ? TFTP_VIRTUAL_FILE : found;
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
    enum tftp_virtual made = virtual_system(q, out);
    return made == TFTP_VIRTUAL_NONE ? virtual_directory(q, out) : made;
}

/* With "boot" its last file, whichever loader fetches it. */
static bool last_file(const struct virtual_question *q, char out[TFTP_PATH_SIZE])
{
    char name[SYSTEM_NAME_MAX + 1];
    const struct plan plan = virtual_plan(q);
    if (!plan.profile) {
        return false;
    }
    struct template_client client = virtual_client(q);
    const char *last = plan_done_when(q->config, plan.profile, plan.host);
    const struct system_conf *system = plan_system(q->config, plan.profile, plan.host);
    if (!last && system && system_last_file(&client, system, name)) {
        last = name;
    }
    const struct boot_entry *entry = virtual_ipxe(&plan);
    entry = entry ? entry : virtual_arch(&plan, q->machine);
    last = last ? last : entry ? entry->file : NULL;
    snprintf(out, TFTP_PATH_SIZE, "%s", last ? last : "");
    return last != NULL;
}

bool virtual_ends_boot(const struct virtual_question *q)
{
    char why[100];
    char path[TFTP_PATH_SIZE];
    unsigned repairs = 0;
    char last[TFTP_PATH_SIZE];
    const char *name =
        strcmp(q->name, AUTO_NAME) == 0 ? boot_file_of(q, why, sizeof why) : q->name;
    if (!name || !last_file(q, last)) {
        return false;
    }
    struct tftp_text text = {last, strlen(last)};
    return tftp_path_clean(text, path, &repairs) == TFTP_PATH_OK &&
           (strcasecmp(path, name) == 0 || strcmp(last, name) == 0);
}

bool virtual_has(const struct snapshot *config, const char *name, const char **file)
{
    *file = NULL;
    if (strcmp(name, SYSTEM_SCRIPT) == 0) {
        return true;
    }
    for (size_t i = 0; i < config->file_count; i++) {
        const struct virtual_file *f = &config->files[i];
        if (template_may_be(f->name, name)) {
            *file = f->file && template_is_plain(f->file) ? f->file : NULL;
            return true;
        }
    }
    return false;
}
