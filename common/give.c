#include "common/give.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

int give_away(const char *path, mode_t kind, uid_t user, gid_t group)
{
    struct stat st;
    AUTO(close) int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        return -errno;
    }
    if ((st.st_mode & S_IFMT) != kind) {
        return -EEXIST;
    }
    return fchownat(fd, "", user, group, AT_EMPTY_PATH) == 0 ? 0 : -errno;
}
