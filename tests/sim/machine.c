#include "tests/sim/machine.h"

struct mac sim_mac(uint8_t kind, uint64_t n)
{
    struct mac mac = {{kind}};
    for (unsigned i = 1; i < 6; i++) {
        mac.octet[i] = (uint8_t)(n >> 8 * (5 - i));
    }
    return mac;
}

void sim_discover(struct timeline *t, const struct timeline_who *who, bool in_table,
                  usec_t now)
{
    struct timeline_request r = {.kind = TIMELINE_DISCOVER,
                                 .words = "DISCOVER, x64-uefi, PXEClient",
                                 .interface = "eth0",
                                 .boots = true,
                                 .client = BOOT_CLIENT_UEFI};
    struct timeline_answer a = {.answered = true,
                                .offer = true,
                                .form = "pxe",
                                .file = "x64.efi",
                                .profile = "default",
                                .in_table = in_table};
    timeline_request(t, who, &r, now);
    timeline_answer(t, who, &a, now);
}
