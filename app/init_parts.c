#include "app/init_parts.h"

#include <string.h>

#define ROWS(list) (sizeof(list) / sizeof(list)[0])

#define GRUB_DIR  "usr/lib/grub/"
#define SHIM_DIR  "usr/lib/shim/"
#define BIOS_DIR  "usr/lib/syslinux/modules/bios/"
#define EFI32_DIR "usr/lib/syslinux/modules/efi32/"
#define EFI64_DIR "usr/lib/syslinux/modules/efi64/"

/* clang-format off */
#define COPY(name, from, path)                                                           \
    {.target = (name), .kind = INIT_COPY, .package = (from), .source = (path)}
#define MODULES(name, from, path)                                                        \
    {.target = (name), .kind = INIT_MODULES, .package = (from), .source = (path)}
#define GRUB(name, from, path, call)                                                     \
    {.target = (name), .kind = INIT_GRUB, .package = (from), .source = (path),           \
     .format = (call)}
#define DISK(name, shim, grub)                                                           \
    {.target = (name), .kind = INIT_DISK, .needs = {(shim), (grub)}}
#define MENU(name, loader) {.target = (name), .kind = INIT_MENU, .needs = {(loader), NULL}}

const struct init_part init_parts[] = {
    /* iPXE */
    COPY("undionly.kpxe", "ipxe", "usr/lib/ipxe/undionly.kpxe"),
    COPY("x64/snponly.efi", "ipxe", "usr/lib/ipxe/snponly.efi"),
    COPY("x64/ipxe.efi", "ipxe", "boot/ipxe.efi"),
    MENU("boot.ipxe", NULL),
    /* GRUB with our address in it, and the modules it may load later */
    GRUB("grub.0", "grub-pc-bin", GRUB_DIR "i386-pc", "i386-pc-pxe"),
    GRUB("x64/grub.efi", "grub-efi-amd64-bin", GRUB_DIR "x86_64-efi", "x86_64-efi"),
    GRUB("ia32/grub.efi", "grub-efi-ia32-bin", GRUB_DIR "i386-efi", "i386-efi"),
    GRUB("arm64/grub.efi", "grub-efi-arm64-bin", GRUB_DIR "arm64-efi", "arm64-efi"),
    MODULES("grub/i386-pc", "grub-pc-bin", GRUB_DIR "i386-pc"),
    MODULES("grub/x86_64-efi", "grub-efi-amd64-bin", GRUB_DIR "x86_64-efi"),
    MODULES("grub/i386-efi", "grub-efi-ia32-bin", GRUB_DIR "i386-efi"),
    MODULES("grub/arm64-efi", "grub-efi-arm64-bin", GRUB_DIR "arm64-efi"),
    MENU("grub/grub.cfg", NULL),
    /* PXELINUX and syslinux.efi look for their files beside themselves */
    COPY("pxelinux.0", "pxelinux", "usr/lib/PXELINUX/pxelinux.0"),
    COPY("ldlinux.c32", "syslinux-common", BIOS_DIR "ldlinux.c32"),
    MENU("pxelinux.cfg/default", "pxelinux.0"),
    COPY("x64/syslinux.efi", "syslinux-efi", "usr/lib/SYSLINUX.EFI/efi64/syslinux.efi"),
    COPY("x64/ldlinux.e64", "syslinux-common", EFI64_DIR "ldlinux.e64"),
    MENU("x64/pxelinux.cfg/default", "x64/syslinux.efi"),
    COPY("ia32/syslinux.efi", "syslinux-efi", "usr/lib/SYSLINUX.EFI/efi32/syslinux.efi"),
    COPY("ia32/ldlinux.e32", "syslinux-common", EFI32_DIR "ldlinux.e32"),
    MENU("ia32/pxelinux.cfg/default", "ia32/syslinux.efi"),
    /* Secure Boot; shim knows its followers by these names */
    COPY("x64/shimx64.efi", "shim-signed", SHIM_DIR "shimx64.efi.signed"),
    COPY("x64/mmx64.efi", "shim-helpers-amd64-signed", SHIM_DIR "mmx64.efi.signed"),
    COPY("x64/grubx64.efi", "grub-efi-amd64-signed", GRUB_DIR "x86_64-efi-signed/grubnetx64.efi.signed"),
    DISK("x64/secure.img", "x64/shimx64.efi", "x64/grubx64.efi"),
    COPY("arm64/shimaa64.efi", "shim-signed:arm64", SHIM_DIR "shimaa64.efi.signed"),
    COPY("arm64/mmaa64.efi", "shim-helpers-arm64-signed", SHIM_DIR "mmaa64.efi.signed"),
    COPY("arm64/grubaa64.efi", "grub-efi-arm64-signed", GRUB_DIR "arm64-efi-signed/grubnetaa64.efi.signed"),
    DISK("arm64/secure.img", "arm64/shimaa64.efi", "arm64/grubaa64.efi"),
    /* something to start */
    COPY("memtest/memtest86+x64.bin", "memtest86+", "boot/memtest86+x64.bin"),
    COPY("memtest/memtest86+x64.efi", "memtest86+", "boot/memtest86+x64.efi"),
    COPY("memtest/memtest86+ia32.efi", "memtest86+", "boot/memtest86+ia32.efi"),
};

const struct init_chain init_chains[] = {
    {"x86-bios", LOADER_IPXE, "iPXE", {"undionly.kpxe", NULL}},
    {"x86-bios", LOADER_PXELINUX, "PXELINUX", {"pxelinux.0", "ldlinux.c32"}},
    {"x86-bios", LOADER_GRUB, "GRUB", {"grub.0", NULL}},
    {"x64-uefi", LOADER_IPXE, "iPXE", {"x64/snponly.efi", NULL}},
    {"x64-uefi", LOADER_GRUB, "GRUB", {"x64/grub.efi", NULL}},
    {"x64-uefi", LOADER_PXELINUX, "syslinux.efi", {"x64/syslinux.efi", "x64/ldlinux.e64"}},
    {"x64-uefi", LOADER_SHIM, "shim, signed GRUB", {"x64/shimx64.efi", "x64/grubx64.efi"}},
    {"x86-uefi", LOADER_GRUB, "GRUB", {"ia32/grub.efi", NULL}},
    {"x86-uefi", LOADER_PXELINUX, "syslinux.efi", {"ia32/syslinux.efi", "ia32/ldlinux.e32"}},
    {"arm64-uefi", LOADER_GRUB, "GRUB", {"arm64/grub.efi", NULL}},
    {"arm64-uefi", LOADER_SHIM, "shim, signed GRUB",
     {"arm64/shimaa64.efi", "arm64/grubaa64.efi"}},
    /* with Secure Boot, too, and nothing needed of the DHCP server */
    {"x64-uefi-http", LOADER_SHIM, "a disk with shim and signed GRUB", {"x64/secure.img", NULL}},
    {"x64-uefi-http", LOADER_IPXE, "iPXE", {"x64/snponly.efi", NULL}},
    {"x64-uefi-http", LOADER_GRUB, "GRUB", {"x64/grub.efi", NULL}},
    {"arm64-uefi-http", LOADER_SHIM, "a disk with shim and signed GRUB", {"arm64/secure.img", NULL}},
    {"arm64-uefi-http", LOADER_GRUB, "GRUB", {"arm64/grub.efi", NULL}},
};
/* clang-format on */

_Static_assert(ROWS(init_parts) <= INIT_PARTS_MAX, "INIT_PARTS_MAX is too small");
const size_t init_part_count = ROWS(init_parts);
const size_t init_chain_count = ROWS(init_chains);

/* What a platform has not is left out; the rest is loaded when it is needed. */
const char *const init_grub_modules[] = {
    "normal", "configfile", "echo",       "test", "true",       "sleep", "halt",
    "reboot", "ls",         "minicmd",    "help", "linux",      "chain", "boot",
    "gzio",   "efinet",     "pxe",        "net",  "tftp",       "http",  "regexp",
    "search", "part_gpt",   "part_msdos", "fat",  "efifwsetup", NULL,
};

size_t init_part_of(const char *target)
{
    size_t i = 0;
    while (i + 1 < init_part_count && strcmp(init_parts[i].target, target) != 0) {
        i++;
    }
    return i;
}

const char *init_program(enum init_kind kind)
{
    return kind == INIT_GRUB ? "grub-mkimage" : kind == INIT_DISK ? "mcopy" : NULL;
}

const char *init_program_package(enum init_kind kind)
{
    return kind == INIT_GRUB ? "grub-common" : kind == INIT_DISK ? "mtools" : NULL;
}

static const char *const loader_names[LOADER_COUNT] = {
    [LOADER_IPXE] = "ipxe",
    [LOADER_GRUB] = "grub",
    [LOADER_PXELINUX] = "pxelinux",
    [LOADER_SHIM] = "shim",
};

const char *init_loader_name(enum init_loader loader)
{
    return loader_names[loader];
}

bool init_loader_parse(const char *text, enum init_loader *out)
{
    for (unsigned i = 0; i < LOADER_COUNT; i++) {
        if (strcmp(loader_names[i], text) == 0) {
            *out = (enum init_loader)i;
            return true;
        }
    }
    return false;
}

static bool is_whole(const struct init_chain *c, const bool there[])
{
    return there[init_part_of(c->file[0])] &&
           (!c->file[1] || there[init_part_of(c->file[1])]);
}

const struct init_chain *init_chain_choose(const char *arch, enum init_loader preferred,
                                           const bool there[])
{
    const struct init_chain *chosen = NULL;
    for (size_t i = 0; i < init_chain_count; i++) {
        const struct init_chain *c = &init_chains[i];
        bool better = !chosen || (c->loader == preferred && chosen->loader != preferred &&
                                  !strstr(arch, "-http"));
        if (better && strcmp(c->arch, arch) == 0 && is_whole(c, there)) {
            chosen = c;
        }
    }
    return chosen;
}
