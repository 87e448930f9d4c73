#include "config/snapshot.h"

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

const char *slot_name(unsigned slot)
{
    return slot == SLOT_IPXE ? "ipxe" : arch_name((uint16_t)slot);
}
