/*
 * inject.so: calls of the C library fail when they are told to, in a program that is preloaded
 * with it.
 *
 * The file that INJECT_PAGE names is shared with whoever gives the orders, tests/netns/inject.py:
 * rules that say which calls fail, how often and with what, how often each call was made, and
 * how far the wall clock is off.  Everything is looked up before main(), so that it goes on
 * under any confinement; without INJECT_PAGE nothing fails.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* -- the page ----------------------------------------------------------------------------- */

#define RULES     4
#define NAMES     64
#define NAME_SIZE 24

/* In place of an errno: what else may happen. */
#define ENDS_PROCESS (-1) /* as kill -9 would, before the call is made */

struct rule {
    uint64_t calls; /* a bit for each name; 0: no rule */
    int32_t error;
    uint32_t own;   /* calls by the program itself only, not by its libraries */
    uint32_t skip;  /* so many go through before */
    uint32_t times; /* so many fail then */
    uint32_t seen;
    uint32_t failed;
};

struct page {
    int64_t clock; /* seconds that are added to the wall clock */
    int64_t live;  /* pieces of memory in use, more or less what there was at the start */
    struct rule rules[RULES];
    uint64_t counts[NAMES];
    char names[NAMES][NAME_SIZE];
};

static struct page *page;
static uintptr_t own_begin;
static uintptr_t own_end;

static int see_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            own_begin = info->dlpi_addr + part->p_vaddr;
            own_end = own_begin + part->p_memsz;
        }
    }
    return 1; /* the program comes first */
}

static bool is_due(struct rule *r, unsigned call, const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (!(__atomic_load_n(&r->calls, __ATOMIC_ACQUIRE) >> call & 1) ||
        (r->own && (at < own_begin || at >= own_end))) {
        return false;
    }
    uint32_t seen = __atomic_fetch_add(&r->seen, 1, __ATOMIC_RELAXED);
    return seen >= r->skip && seen - r->skip < r->times;
}

/* The errno that this call is to fail with, or 0. */
static int verdict(unsigned call, const void *caller)
{
    if (!page) {
        return 0;
    }
    __atomic_fetch_add(&page->counts[call], 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < RULES; i++) {
        struct rule *r = &page->rules[i];
        if (is_due(r, call, caller)) {
            __atomic_fetch_add(&r->failed, 1, __ATOMIC_RELAXED);
            if (r->error == ENDS_PROCESS) {
                (void)syscall(SYS_exit_group, 128 + SIGKILL);
            }
            return r->error;
        }
    }
    return 0;
}

/* -- the calls ---------------------------------------------------------------------------- */

/* clang-format off */
#define CALLS(X)                                                                                   \
    X(malloc) X(calloc) X(realloc) X(strdup)                                                       \
    X(open) X(openat) X(openat2) X(opendir) X(stat) X(fstat) X(statx) X(mmap)                               \
    X(read) X(pread) X(preadv2) X(write) X(pwrite) X(sendfile)                                     \
    X(fsync) X(fdatasync) X(ftruncate) X(rename) X(mkdir) X(unlink) X(fcntl) X(ioctl)              \
    X(socket) X(bind) X(accept4) X(send) X(sendto) X(sendmsg) X(sendmmsg)                          \
    X(recv) X(recvfrom) X(recvmsg) X(recvmmsg) X(getsockopt) X(setsockopt) X(getsockname)                      \
    X(epoll_ctl) X(epoll_wait) X(poll) X(timerfd_settime) X(getrandom) X(prctl) X(pthread_create)
/* clang-format on */

enum {
#define NUMBER(name) CALL_##name,
    CALLS(NUMBER) CALL_COUNT
#undef NUMBER
};

_Static_assert(CALL_COUNT <= NAMES, "a rule has a bit for each call");

/* The C library's function of this name. */
static void find_real(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

#define REAL(result, name, ...)                                                          \
    static result (*real)(__VA_ARGS__);                                                  \
    if (!real) {                                                                         \
        find_real(#name, &real);                                                         \
    }
#define FAIL(call, failure)                                                              \
    int error = verdict(CALL_##call, __builtin_return_address(0));                       \
    if (error != 0) {                                                                    \
        errno = error;                                                                   \
        return failure;                                                                  \
    }

/* A function of the library that fails as a call of the table; parameters, then arguments. */
#define UNWRAP(...) __VA_ARGS__
#define FUNCTION(result, name, call, failure, parameters, arguments)                     \
    result name(UNWRAP parameters);                                                      \
    result name(UNWRAP parameters)                                                       \
    {                                                                                    \
        REAL(result, name, UNWRAP parameters)                                            \
        FAIL(call, failure)                                                              \
        return real arguments;                                                           \
    }

/* Memory: its functions are needed before any can be looked up. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static void *count_live(void *at, int64_t change)
{
    if (page && at) {
        __atomic_fetch_add(&page->live, change, __ATOMIC_RELAXED);
    }
    return at;
}

void *malloc(size_t size)
{
    FAIL(malloc, NULL)
    return count_live(__libc_malloc(size), 1);
}

void free(void *old)
{
    (void)count_live(old, -1);
    __libc_free(old);
}

void *calloc(size_t count, size_t size)
{
    FAIL(calloc, NULL)
    return count_live(__libc_calloc(count, size), 1);
}

void *realloc(void *old, size_t size)
{
    FAIL(realloc, NULL)
    void *at = __libc_realloc(old, size);
    return old ? at : count_live(at, 1);
}

FUNCTION(char *, strdup, strdup, NULL, (const char *s), (s))

/* Files.  The names with 64 are what libraries call; those with chk come of _FORTIFY_SOURCE. */
FUNCTION(int, __openat_2, openat, -1, (int dir, const char *path, int flags),
         (dir, path, flags))
FUNCTION(DIR *, opendir, opendir, NULL, (const char *path), (path))
FUNCTION(DIR *, fdopendir, opendir, NULL, (int fd), (fd))
FUNCTION(int, stat, stat, -1, (const char *path, struct stat *out), (path, out))
FUNCTION(int, stat64, stat, -1, (const char *path, struct stat64 *out), (path, out))
FUNCTION(int, fstat, fstat, -1, (int fd, struct stat *out), (fd, out))
FUNCTION(int, fstat64, fstat, -1, (int fd, struct stat64 *out), (fd, out))
FUNCTION(int, fstatat, stat, -1, (int dir, const char *path, struct stat *out, int flags),
         (dir, path, out, flags))
FUNCTION(int, statx, statx, -1,
         (int dir, const char *path, int flags, unsigned wanted, struct statx *out),
         (dir, path, flags, wanted, out))
FUNCTION(void *, mmap, mmap, MAP_FAILED,
         (void *at, size_t len, int prot, int flags, int fd, off_t offset),
         (at, len, prot, flags, fd, offset))
FUNCTION(void *, mmap64, mmap, MAP_FAILED,
         (void *at, size_t len, int prot, int flags, int fd, off64_t offset),
         (at, len, prot, flags, fd, offset))
FUNCTION(ssize_t, read, read, -1, (int fd, void *to, size_t len), (fd, to, len))
FUNCTION(ssize_t, __read_chk, read, -1, (int fd, void *to, size_t len, size_t room),
         (fd, to, len, room))
FUNCTION(ssize_t, pread, pread, -1, (int fd, void *to, size_t len, off_t at),
         (fd, to, len, at))
FUNCTION(ssize_t, pread64, pread, -1, (int fd, void *to, size_t len, off64_t at),
         (fd, to, len, at))
FUNCTION(ssize_t, __pread_chk, pread, -1,
         (int fd, void *to, size_t len, off_t at, size_t room), (fd, to, len, at, room))
FUNCTION(ssize_t, preadv2, preadv2, -1,
         (int fd, const struct iovec *to, int count, off_t at, int flags),
         (fd, to, count, at, flags))
FUNCTION(ssize_t, write, write, -1, (int fd, const void *from, size_t len),
         (fd, from, len))
FUNCTION(ssize_t, pwrite64, pwrite, -1,
         (int fd, const void *from, size_t len, off64_t at), (fd, from, len, at))
FUNCTION(ssize_t, sendfile64, sendfile, -1, (int to, int from, off64_t *at, size_t len),
         (to, from, at, len))
FUNCTION(int, fsync, fsync, -1, (int fd), (fd))
FUNCTION(int, fdatasync, fdatasync, -1, (int fd), (fd))
FUNCTION(int, ftruncate64, ftruncate, -1, (int fd, off64_t len), (fd, len))
FUNCTION(int, rename, rename, -1, (const char *from, const char *to), (from, to))
FUNCTION(int, renameat, rename, -1,
         (int dir, const char *from, int to_dir, const char *to), (dir, from, to_dir, to))
FUNCTION(int, mkdir, mkdir, -1, (const char *path, mode_t mode), (path, mode))
FUNCTION(int, unlink, unlink, -1, (const char *path), (path))
FUNCTION(int, unlinkat, unlink, -1, (int dir, const char *path, int flags),
         (dir, path, flags))

/* Sockets. */
FUNCTION(int, socket, socket, -1, (int family, int type, int protocol),
         (family, type, protocol))
FUNCTION(int, bind, bind, -1, (int fd, const struct sockaddr *at, socklen_t len),
         (fd, at, len))
FUNCTION(int, accept4, accept4, -1,
         (int fd, struct sockaddr *peer, socklen_t *len, int flags),
         (fd, peer, len, flags))
FUNCTION(ssize_t, send, send, -1, (int fd, const void *from, size_t len, int flags),
         (fd, from, len, flags))
FUNCTION(ssize_t, sendto, sendto, -1,
         (int fd, const void *from, size_t len, int flags, const struct sockaddr *to,
          socklen_t to_len),
         (fd, from, len, flags, to, to_len))
FUNCTION(ssize_t, sendmsg, sendmsg, -1, (int fd, const struct msghdr *m, int flags),
         (fd, m, flags))
FUNCTION(int, sendmmsg, sendmmsg, -1,
         (int fd, struct mmsghdr *m, unsigned count, int flags), (fd, m, count, flags))
FUNCTION(ssize_t, recv, recv, -1, (int fd, void *to, size_t len, int flags),
         (fd, to, len, flags))
FUNCTION(ssize_t, __recv_chk, recv, -1,
         (int fd, void *to, size_t len, size_t room, int flags),
         (fd, to, len, room, flags))
FUNCTION(ssize_t, recvfrom, recvfrom, -1,
         (int fd, void *to, size_t len, int flags, struct sockaddr *peer,
          socklen_t *peer_len),
         (fd, to, len, flags, peer, peer_len))
FUNCTION(ssize_t, recvmsg, recvmsg, -1, (int fd, struct msghdr *m, int flags),
         (fd, m, flags))
FUNCTION(int, recvmmsg, recvmmsg, -1,
         (int fd, struct mmsghdr *m, unsigned count, int flags, struct timespec *wait),
         (fd, m, count, flags, wait))
FUNCTION(int, getsockopt, getsockopt, -1,
         (int fd, int level, int name, void *value, socklen_t *len),
         (fd, level, name, value, len))
FUNCTION(int, setsockopt, setsockopt, -1,
         (int fd, int level, int name, const void *value, socklen_t len),
         (fd, level, name, value, len))
FUNCTION(int, getsockname, getsockname, -1,
         (int fd, struct sockaddr *out, socklen_t *len), (fd, out, len))

/* The loop, and the rest. */
FUNCTION(int, epoll_ctl, epoll_ctl, -1,
         (int fd, int what, int about, struct epoll_event *e), (fd, what, about, e))
FUNCTION(int, epoll_wait, epoll_wait, -1,
         (int fd, struct epoll_event *out, int count, int msec), (fd, out, count, msec))
FUNCTION(int, epoll_pwait, epoll_wait, -1,
         (int fd, struct epoll_event *out, int count, int msec, const sigset_t *mask),
         (fd, out, count, msec, mask))
FUNCTION(int, poll, poll, -1, (struct pollfd * fds, nfds_t count, int msec),
         (fds, count, msec))
FUNCTION(int, timerfd_settime, timerfd_settime, -1,
         (int fd, int flags, const struct itimerspec *when, struct itimerspec *old),
         (fd, flags, when, old))
FUNCTION(ssize_t, getrandom, getrandom, -1, (void *to, size_t len, unsigned flags),
         (to, len, flags))

int pthread_create(pthread_t *out, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *context)
{
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *),
         void *)
    int error = verdict(CALL_pthread_create, __builtin_return_address(0));
    return error != 0 ? error : real(out, attributes, start, context);
}

/* Those with more arguments than they say: a long is as wide as any. */
#define MORE(before)                                                                     \
    va_list more;                                                                        \
    va_start(more, before);                                                              \
    long a = va_arg(more, long);                                                         \
    va_end(more);
#define OPENING(name)                                                                    \
    int name(const char *path, int flags, ...);                                          \
    int name(const char *path, int flags, ...)                                           \
    {                                                                                    \
        MORE(flags)                                                                      \
        REAL(int, name, const char *, int, ...)                                          \
        FAIL(open, -1)                                                                   \
        return real(path, flags, a);                                                     \
    }
#define CONTROLLING(name, call, type)                                                    \
    int name(int fd, type what, ...);                                                    \
    int name(int fd, type what, ...)                                                     \
    {                                                                                    \
        MORE(what)                                                                       \
        REAL(int, name, int, type, ...)                                                  \
        FAIL(call, -1)                                                                   \
        return real(fd, what, a);                                                        \
    }

OPENING(open)
OPENING(open64)
CONTROLLING(fcntl, fcntl, int)
CONTROLLING(fcntl64, fcntl, int)
CONTROLLING(ioctl, ioctl, unsigned long)

int openat(int dir, const char *path, int flags, ...)
{
    MORE(flags)
    REAL(int, openat, int, const char *, int, ...)
    FAIL(openat, -1)
    return real(dir, path, flags, a);
}

int prctl(int what, ...)
{
    long a[4];
    va_list more;
    REAL(int, prctl, int, ...)
    va_start(more, what);
    for (size_t i = 0; i < 4; i++) {
        a[i] = va_arg(more, long);
    }
    va_end(more);
    FAIL(prctl, -1)
    return real(what, a[0], a[1], a[2], a[3]);
}

long syscall(long number, ...)
{
    long a[6];
    va_list more;
    REAL(long, syscall, long, ...)
    va_start(more, number);
    for (size_t i = 0; i < 6; i++) {
        a[i] = va_arg(more, long);
    }
    va_end(more);
    if (number == SYS_openat2) {
        FAIL(openat2, -1)
    }
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* -- the wall clock ----------------------------------------------------------------------- */

static int64_t off(void)
{
    return page ? __atomic_load_n(&page->clock, __ATOMIC_RELAXED) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    REAL(int, clock_gettime, clockid_t, struct timespec *)
    int result = real(clock, out);
    if (result == 0 && clock == CLOCK_REALTIME) {
        out->tv_sec += off();
    }
    return result;
}

int gettimeofday(struct timeval *out, void *zone)
{
    REAL(int, gettimeofday, struct timeval *, void *)
    int result = real(out, zone);
    out->tv_sec += off();
    return result;
}

time_t time(time_t *out)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}

/* -- the start ---------------------------------------------------------------------------- */

static void write_names(struct page *to)
{
    static const char *const names[] = {
#define NAME(name) #name,
        CALLS(NAME)
#undef NAME
    };
    for (size_t i = 0; i < CALL_COUNT; i++) {
        memcpy(to->names[i], names[i], strlen(names[i]) + 1);
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("INJECT_PAGE");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) {
        return;
    }
    struct page *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (at == MAP_FAILED) {
        return;
    }
    (void)dl_iterate_phdr(see_program, NULL);
    write_names(at);
    page = at;
}
