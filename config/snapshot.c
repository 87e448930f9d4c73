#include "config/snapshot.h"

#include <string.h>

/*
 * Quirk: RFC 4578 as printed gave 7 to EBC and 9 to x64, the erratum of 2016 swapped them:
 * x64 firmware of either age exists, EBC-only machines do not.  0: nobody stands in.
 */
static uint16_t stand_in(uint16_t arch)
{
    return arch == ARCH_X64_UEFI ? ARCH_EBC : arch == ARCH_EBC ? ARCH_X64_UEFI : 0;
}

bool serves_files(const struct snapshot *s)
{
    return s->tftp.enabled || s->http.boot_files;
}

/* -- a profile with its host over it --------------------------------------------------- */

static const struct host_own *own_of(const struct host *host)
{
    static const struct host_own none;
    return host && host->own ? host->own : &none;
}

static const struct boot_entry *boot_of_host(const struct host *host, unsigned slot)
{
    const struct host_own *own = own_of(host);
    for (uint16_t i = 0; i < own->boot_count; i++) {
        if (own->boot[i].slot == slot) {
            return &own->boot[i];
        }
    }
    return NULL;
}

static const struct boot_entry *boot_of_profile(const struct profile *p, unsigned slot)
{
    return p->boot[slot].file ? &p->boot[slot] : NULL;
}

const struct boot_entry *plan_boot(const struct profile *p, const struct host *host,
                                   unsigned slot)
{
    const struct boot_entry *own = boot_of_host(host, slot);
    return own ? own : boot_of_profile(p, slot);
}

static const struct boot_entry *arch_of_host(const struct host *host, uint16_t arch)
{
    uint16_t other = stand_in(arch);
    const struct boot_entry *found = boot_of_host(host, arch);
    return found || !other ? found : boot_of_host(host, other);
}

const struct boot_entry *plan_arch(const struct profile *p, const struct host *host,
                                   uint16_t arch)
{
    if (arch >= ARCH_COUNT) {
        return NULL;
    }
    uint16_t other = stand_in(arch);
    const struct boot_entry *found = arch_of_host(host, arch);
    found = found ? found : boot_of_profile(p, arch);
    return found || !other ? found : boot_of_profile(p, other);
}

const struct menu *plan_menu(const struct profile *p, const struct host *host,
                             uint16_t arch)
{
    if (own_of(host)->menu) {
        return own_of(host)->menu;
    }
    return arch_of_host(host, arch) ? NULL : p->menu;
}

struct repeat_conf plan_repeat(const struct profile *p, const struct host *host)
{
    return own_of(host)->says_repeat ? own_of(host)->repeat : p->repeat;
}

bool plan_msft_window(const struct profile *p, const struct host *host)
{
    return own_of(host)->says_msft_window ? own_of(host)->msft_window : p->msft_window;
}

const char *plan_done_when(const struct snapshot *s, const struct profile *p,
                           const struct host *host)
{
    if (own_of(host)->done_when) {
        return own_of(host)->done_when;
    }
    while (!p->done_when && p->parent >= 0) {
        p = &s->profiles[p->parent];
    }
    return p->done_when;
}

const struct system_conf *plan_system(const struct snapshot *s, const struct profile *p,
                                      const struct host *host)
{
    if (own_of(host)->system) {
        return own_of(host)->system;
    }
    while (!p->system && p->parent >= 0) {
        p = &s->profiles[p->parent];
    }
    return p->system;
}

const struct raw_options *plan_options(const struct snapshot *s, const struct profile *p,
                                       const struct host *host)
{
    if (own_of(host)->options) {
        return own_of(host)->options;
    }
    while (!p->options && p->parent >= 0) {
        p = &s->profiles[p->parent];
    }
    return p->options;
}

const char *plan_directory(const struct snapshot *s, const struct profile *p,
                           const struct host *host)
{
    if (own_of(host)->directory.name) {
        return own_of(host)->directory.name;
    }
    while (!p->directory.name && p->parent >= 0) {
        p = &s->profiles[p->parent];
    }
    return p->directory.name;
}

struct answer_conf plan_answer(const struct profile *p, const struct host *host)
{
    struct answer_conf answer = p->answer;
    if (host) {
        answer_lay(&answer, &host->answer);
    }
    return answer;
}

/* -- variables ------------------------------------------------------------------------- */

static const char *var_in(const struct host_vars *vars, const char *name)
{
    for (size_t i = 0; vars && i < vars->count; i++) {
        if (!strcmp(vars->list[i].name, name)) {
            return vars->list[i].value;
        }
    }
    return NULL;
}

const char *snapshot_var(const struct snapshot *s, size_t profile,
                         const struct host *host, const char *name)
{
    const char *found = host ? var_in(host->vars, name) : NULL;
    int32_t up = profile < s->profile_count ? (int32_t)profile : -1;
    for (; !found && up >= 0; up = s->profiles[up].parent) {
        found = var_in(s->profiles[up].vars, name);
    }
    return found;
}

/* -- menus ----------------------------------------------------------------------------- */

static const struct menu_file *exactly(const struct menu_item *item, uint16_t arch)
{
    for (size_t i = 0; i < item->file_count; i++) {
        if (item->files[i].arch == arch) {
            return &item->files[i];
        }
    }
    return NULL;
}

const struct menu_file *menu_file(const struct menu_item *item, uint16_t arch)
{
    const struct menu_file *found = exactly(item, arch);
    if (!found && stand_in(arch)) {
        found = exactly(item, stand_in(arch));
    }
    return found ? found : exactly(item, ARCH_ANY);
}

size_t menu_size(const struct menu *menu, uint16_t arch)
{
    size_t servers = 2;
    size_t items = 2;
    for (size_t i = 0; i < menu->item_count; i++) {
        const struct menu_item *item = &menu->item[i];
        if (!item->local && !menu_file(item, arch)) {
            continue;
        }
        items += 3 + (item->name ? strlen(item->name) : 0);
        if (!item->local) {
            servers += ip4_is_any(item->next_server) ? 3 + 4 : 3 + 4 + 4;
        }
    }
    size_t prompt = 2 + 1 + strlen(menu->prompt ? menu->prompt : MENU_PROMPT);
    return 3 + servers + items + prompt + 1;
}

/* -- answers, and names ---------------------------------------------------------------- */

void answer_lay(struct answer_conf *base, const struct answer_conf *over)
{
    if (over->said & SAYS_OFFER) {
        base->offer = over->offer;
    }
    if (over->said & SAYS_NEXT_SERVER) {
        base->next_server = over->next_server;
    }
    if (over->said & SAYS_IPXE_OVERRIDE) {
        base->ipxe_override = over->ipxe_override;
    }
    if (over->said & SAYS_DELAY) {
        base->delay_ms = over->delay_ms;
    }
    if (over->said & SAYS_AFTER_REQUESTS) {
        base->after_requests = over->after_requests;
    }
    base->said |= over->said;
}

const char *offer_form_name(enum offer_form form)
{
    static const char *const names[OFFER_FORM_COUNT] = {
        [OFFER_AUTO] = "auto", [OFFER_PXE] = "pxe",   [OFFER_BINL] = "binl",
        [OFFER_BOTH] = "both", [OFFER_BARE] = "bare",
    };
    return names[form];
}

const char *host_action_name(enum host_action action)
{
    static const char *const names[HOST_ACTION_COUNT] = {[HOST_BOOT] = "boot",
                                                         [HOST_IGNORE] = "ignore",
                                                         [HOST_LOCAL] = "local",
                                                         [HOST_HOLD] = "hold"};
    return names[action];
}

const char *slot_name(unsigned slot)
{
    return slot == SLOT_IPXE ? "ipxe" : arch_name((uint16_t)slot);
}

bool slot_parse(const char *key, unsigned *out)
{
    uint16_t arch;
    if (!strcmp(key, slot_name(SLOT_IPXE))) {
        *out = SLOT_IPXE;
        return true;
    }
    if (!arch_parse(key, &arch)) {
        return false;
    }
    *out = arch;
    return true;
}
