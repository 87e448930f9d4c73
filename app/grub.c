#include "app/grub.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "app/shim.h"
#include "common/cleanup.h"
#include "config/arch.h"
#include "config/grub_image.h"
#include "tftp/path.h"

static bool learns(int root, const char *path)
{
    struct bootfile what;
    if (boot_file_look(root, path, &what) != 0 || what.mods_size == 0 ||
        what.mods_size > GRUB_MODULES_MAX) {
        return false;
    }
    size_t len = (size_t)what.mods_size;
    AUTO(free) void *mods = boot_file_part(root, path, what.mods_at, len);
    return mods && grub_image_server(mods, len) == GRUB_LEARNS;
}

/* A GRUB that came by HTTP is told its server; shim's signed one cannot read by HTTP. */
static bool leads_to_one(int root, const struct boot_file *b)
{
    char path[TFTP_PATH_SIZE];
    char next[TFTP_PATH_SIZE + 16];
    unsigned repairs;
    bool http = b->slot != ARCH_ANY && arch_is_http(b->slot);
    struct tftp_text name = {b->file, strlen(b->file)};
    if (b->state != BOOT_FILE_THERE || b->what.kind != BOOTFILE_EFI || b->host ||
        tftp_path_clean(name, path, &repairs) != TFTP_PATH_OK) {
        return false;
    }
    if (shim_second_stage(path, next, sizeof next)) {
        return learns(root, next);
    }
    return !http && b->what.mods_size > 0 && learns(root, path);
}

bool grub_warning(const struct snapshot *s, const struct boot_file *b,
                  char why[GRUB_WHY_SIZE])
{
    if (!b->grub_learns) {
        return false;
    }
    if (b->slot != ARCH_ANY && arch_is_http(b->slot)) {
        snprintf(
            why, GRUB_WHY_SIZE,
            "the signed GRUB that this shim loads cannot read by HTTP and stops at its "
            "prompt: name a disk image (`pxed init` makes secure.img)");
        return true;
    }
    snprintf(
        why, GRUB_WHY_SIZE,
        "leads to a GRUB that learns no server from a proxy and stops at its prompt: "
        "let the DHCP server name this host as next server (then set "
        "dhcp.next_server_is_us), or see docs/chains.md");
    return !s->dhcp.next_server_is_us;
}

void grub_check(const struct snapshot *s, struct boot_file_list *files,
                struct faults *faults)
{
    char why[GRUB_WHY_SIZE];
    if (!s->tftp.enabled || !s->tftp.root) {
        return;
    }
    AUTO(close) int root = open(s->tftp.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; root >= 0 && i < files->count; i++) {
        struct boot_file *b = &files->list[i];
        b->grub_learns = leads_to_one(root, b);
        if (grub_warning(s, b, why)) {
            boot_file_fault(s, b, FAULT_WARNING, faults, why);
        }
    }
}
