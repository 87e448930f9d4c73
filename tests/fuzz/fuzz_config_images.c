/*
 * What `pxed check` looks into: the first octets of boot files, and the modules of a GRUB image.
 *
 * The first two octets: the size of the file beyond what is at hand, and the architecture that
 * is asked for.
 *
 * Properties: any octets are of some kind, with words; a file that suits nobody says why, one of
 * an unknown kind suits whoever boots by HTTP; where its modules are lies within the file, or that
 * is said to be cut short; a list of modules
 * is read within its octets, and without the magic there is none.
 */
#include "config/arch.h"
#include "config/bootfile.h"
#include "config/grub_image.h"
#include "tests/fuzz/fuzz.h"

static void check_file(const uint8_t *head, size_t len, uint64_t size)
{
    char words[128];
    char why[256];
    struct bootfile b = bootfile_look(head, len, size);
    must(b.kind < BOOTFILE_KIND_COUNT && bootfile_kind_name(b.kind)[0] != '\0');
    must(b.size == size && (len > 0) == (b.kind != BOOTFILE_EMPTY));
    must(bootfile_describe(&b, words, sizeof words) == words && fuzz_is_plain(words));
    must(words[0] != '\0');
    must(b.cut_short || b.mods_size == 0 ||
         (b.mods_at <= size && b.mods_size <= size - b.mods_at));
    for (uint16_t arch = 0; arch < ARCH_COUNT; arch++) {
        why[0] = '\0';
        bool fits = bootfile_fits(&b, arch, why, sizeof why);
        must(fits || (why[0] != '\0' && fuzz_is_plain(why)));
        must(fits || b.kind != BOOTFILE_UNKNOWN || !arch_is_http(arch));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd in = rd_over(data, size);
    uint64_t beyond = (uint64_t)rd_u8(&in) * rd_u8(&in);
    uint8_t *exact = fuzz_exact(in);
    size_t len = rd_left(&in);
    check_file(exact, len < BOOTFILE_HEAD ? len : BOOTFILE_HEAD, len + beyond);
    enum grub_server server = grub_image_server(exact, len);
    must(server <= GRUB_KNOWS);
    must(server == GRUB_NONE || memcmp(exact, "mimg", 4) == 0);
    free(exact);
    return 0;
}
