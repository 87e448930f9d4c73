#include "app/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/cleanup.h"
#include "tftp/path.h"

/* "shimx64.efi", "shimx64.efi.signed" as Debian names it: the "x64", or NULL. */
static const char *arch_of_shim(const char *name)
{
    static const char *const archs[] = {"x64", "ia32",    "aa64",
                                        "arm", "riscv64", "loongarch64"};
    if (strncasecmp(name, "shim", 4) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++) {
        size_t len = strlen(archs[i]);
        if (!strncasecmp(name + 4, archs[i], len) &&
            !strncasecmp(name + 4 + len, ".efi", 4)) {
            return archs[i];
        }
    }
    return NULL;
}

bool shim_second_stage(const char *file, char *out, size_t size)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    const char *arch = arch_of_shim(name);
    if (arch) {
        snprintf(out, size, "%.*sgrub%s.efi", (int)(name - file), file, arch);
    }
    return arch != NULL;
}

static void warn(const struct snapshot *s, const struct boot_file *b,
                 struct faults *faults, const char *next, const char *what)
{
    char text[TFTP_PATH_SIZE + 256];
    snprintf(text, sizeof text, "this shim loads \"%s\" next, which %s", next, what);
    boot_file_fault(s, b, FAULT_WARNING, faults, text);
}

static void check_one(const struct snapshot *s, const struct boot_file *b, int root,
                      struct faults *faults)
{
    char shim[TFTP_PATH_SIZE];
    char next[TFTP_PATH_SIZE + 16];
    char why[128];
    struct bootfile what;
    unsigned repairs;

    if (b->state != BOOT_FILE_THERE || b->what.kind != BOOTFILE_EFI ||
        tftp_path_clean((struct tftp_text){b->file, strlen(b->file)}, shim, &repairs) !=
            TFTP_PATH_OK ||
        !shim_second_stage(shim, next, sizeof next)) {
        return;
    }
    int error = boot_file_look(root, next, &what);
    if (error != 0) {
        snprintf(why, sizeof why, "cannot be read: %s", strerror(-error));
        warn(s, b, faults, next, error == -ENOENT ? "does not exist" : why);
    } else if (b->slot != ARCH_ANY && !bootfile_fits(&what, b->slot, why, sizeof why)) {
        warn(s, b, faults, next, why);
    } else if (!what.is_signed && b->what.is_signed) {
        warn(s, b, faults, next, "is not signed: Secure Boot ends there");
    }
}

void shim_check(const struct snapshot *s, const struct boot_file_list *files,
                struct faults *faults)
{
    if (!serves_files(s) || !s->tftp.root) {
        return;
    }
    AUTO(close) int root = open(s->tftp.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; root >= 0 && i < files->count; i++) {
        check_one(s, &files->list[i], root, faults);
    }
}
