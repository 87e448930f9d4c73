#include "config/snapshot.h"

#include <string.h>

const struct boot_entry *profile_boot(const struct profile *p, uint16_t arch)
{
    if (arch >= ARCH_COUNT) {
        return NULL;
    }
    /*
     * Quirk: RFC 4578 as printed gave 7 to EBC and 9 to x64, the erratum of 2016 swapped
     * them: x64 firmware of either age exists, EBC-only machines do not.
     */
    static const uint16_t stand_ins[ARCH_COUNT] = {
        [ARCH_X64_UEFI] = ARCH_EBC,
        [ARCH_EBC] = ARCH_X64_UEFI,
    };
    uint16_t other = stand_ins[arch];
    if (!p->boot[arch].file && other && p->boot[other].file) {
        return &p->boot[other];
    }
    return p->boot[arch].file ? &p->boot[arch] : NULL;
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
