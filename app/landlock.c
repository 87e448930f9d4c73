#include "app/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"

/* Of newer kernels than the headers may be. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif

#define FILE_READS  LANDLOCK_ACCESS_FS_READ_FILE
#define FILE_WRITES (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define READS       (FILE_READS | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITES                                                                           \
    (FILE_WRITES | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |           \
     LANDLOCK_ACCESS_FS_REMOVE_FILE)

/* Every right to a file that the kernel of this ABI can refuse. */
static uint64_t known_rights(int abi)
{
    uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    rights |= abi >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0;
    rights |= abi >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0;
    rights |= abi >= 5 ? LANDLOCK_ACCESS_FS_IOCTL_DEV : 0;
    return rights;
}

static int add_place(int ruleset, const struct landlock_place *place, uint64_t known)
{
    struct stat st;
    AUTO(close) int fd = open(place->path, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        return 0;
    }
    uint64_t rights = S_ISDIR(st.st_mode)
                          ? READS | (place->writes ? WRITES : 0)
                          : FILE_READS | (place->writes ? FILE_WRITES : 0);
    const struct landlock_path_beneath_attr rule = {.allowed_access = rights & known,
                                                    .parent_fd = fd};
    return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule,
                   0) == 0
               ? 0
               : -errno;
}

int landlock_confine(const struct landlock_place *places, size_t count)
{
    int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
                           LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1) {
        return abi < 0 ? -errno : -ENOSYS;
    }
    const struct landlock_ruleset_attr all = {.handled_access_fs = known_rights(abi)};
    AUTO(close)
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    int error = ruleset < 0 ? -errno : 0;
    for (size_t i = 0; error == 0 && i < count; i++) {
        error = add_place(ruleset, &places[i], all.handled_access_fs);
    }
    if (error == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) {
        error = -errno;
    }
    return error == 0 ? abi : error;
}
