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

const struct boot_entry *profile_boot(const struct profile *p, uint16_t arch)
{
    if (arch >= ARCH_COUNT) {
        return NULL;
    }
    uint16_t other = stand_in(arch);
    if (!p->boot[arch].file && other && p->boot[other].file) {
        return &p->boot[other];
    }
    return p->boot[arch].file ? &p->boot[arch] : NULL;
}

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

struct answer_conf answer_of(const struct profile *p, const struct host *host)
{
    struct answer_conf answer = p->answer;
    if (host) {
        answer_lay(&answer, &host->answer);
    }
    return answer;
}

const char *offer_form_name(enum offer_form form)
{
    static const char *const names[OFFER_FORM_COUNT] = {
        [OFFER_AUTO] = "auto", [OFFER_PXE] = "pxe",   [OFFER_BINL] = "binl",
        [OFFER_BOTH] = "both", [OFFER_BARE] = "bare",
    };
    return names[form];
}

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

const char *slot_name(unsigned slot)
{
    return slot == SLOT_IPXE ? "ipxe" : arch_name((uint16_t)slot);
}
