#include "app/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/beneath.h"
#include "common/clock.h"

void process_open(struct process *p)
{
    p->started = (double)clock_wall() / (double)USEC_PER_SEC;
    p->memory_fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    p->files_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void process_close(struct process *p)
{
    const int fds[] = {p->memory_fd, p->files_fd};
    for (size_t i = 0; i < 2; i++) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
    }
    p->memory_fd = p->files_fd = -1;
}

static void read_memory(const struct process *p, struct process_facts *out)
{
    char text[128];
    unsigned long long size;
    unsigned long long resident;
    ssize_t n = p->memory_fd >= 0 ? pread(p->memory_fd, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = '\0';
    // NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers
    if (sscanf(text, "%llu %llu", &size, &resident) == 2) {
        uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
        out->virtual = size * page;
        out->resident = resident * page;
    }
}

/* The directory's descriptor keeps its place, so it is rewound; the copy dies with closedir(). */
static uint64_t count_files(const struct process *p)
{
    DIR *dir = names_of(dup(p->files_fd));
    uint64_t count = 0;
    if (!dir) {
        return 0;
    }
    rewinddir(dir);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        count += e->d_name[0] != '.';
    }
    (void)closedir(dir);
    return count - 1; /* the copy */
}

void process_read(const struct process *p, struct process_facts *out)
{
    struct rusage usage = {0};
    struct rlimit limit = {0};
    *out = (struct process_facts){.started = p->started};
    (void)getrusage(RUSAGE_SELF, &usage);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    out->cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    out->max_files = limit.rlim_cur;
    out->open_files = count_files(p);
    read_memory(p, out);
}
