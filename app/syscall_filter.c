#include "app/syscall_filter.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/log.h"

#define NAME_SIZE 32

/* -- the table ---------------------------------------------------------------------------- */

/* Whatever their arguments are.  Names that some machines lack: tests/unit/test_app_syscall_filter.c. */
static const struct {
    const char *why;
    const char *names;
} allowed[] = {
    {"files that are open",
     "read readv pread64 preadv preadv2 write writev pwrite64 lseek close dup fcntl "
     "ftruncate "
     "fallocate fsync fdatasync fadvise64 readahead sendfile getdents64 fstatfs fchmod"},
    {"files by name; which ones, Landlock says",
     "open openat openat2 stat lstat fstat newfstatat statx access faccessat faccessat2 "
     "readlink readlinkat getcwd"},
    {"state and recordings: SQLite, app/evidence_store; the control socket's name",
     "mkdir mkdirat unlink unlinkat rename renameat renameat2 flock"},
    {"packets and connections",
     "bind connect listen accept accept4 shutdown getsockname getpeername getsockopt "
     "setsockopt sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg"},
    {"the loop: libuv",
     "epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 poll ppoll select "
     "pselect6 timerfd_create timerfd_settime eventfd2 pipe2 inotify_init1 "
     "inotify_add_watch inotify_rm_watch"},
    {"threads, and their locks",
     "futex set_robust_list rseq sched_yield sched_getaffinity membarrier"},
    {"memory, and a long entry of the journal", "brk munmap mremap madvise memfd_create"},
    {"the clock",
     "clock_gettime clock_getres gettimeofday time nanosleep clock_nanosleep"},
    {"signals, and the end", "rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack "
                             "restart_syscall exit exit_group"},
    {"who we are, and how we fare: the log, /metrics",
     "getpid gettid getuid geteuid getgid getegid getrusage getrlimit sysinfo uname "
     "getrandom"},
    {"CAP_NET_RAW, for the moment in which an interface is opened", "capget capset"},
};
#define ALLOWED (sizeof allowed / sizeof allowed[0])

#define NAMESPACES                                                                       \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |       \
     CLONE_NEWPID | CLONE_NEWNET)
#define IS(value)        SCMP_CMP_EQ, (value), 0
#define LACKS(bits)      SCMP_CMP_MASKED_EQ, (bits), 0
#define ANY_OF(bits, is) SCMP_CMP_MASKED_EQ, (bits), (is)

/* Only with this argument; several rows of one call: any of them. */
static const struct {
    const char *name;
    unsigned arg;
    enum scmp_compare compare;
    uint64_t a;
    uint64_t b;
} allowed_with[] = {
    {"socket", 0, IS(AF_UNIX)}, /* journal, service manager */
    {"socket", 0, IS(AF_INET)}, /* transfers */
    {"socket", 0, IS(AF_INET6)},
    {"socket", 0, IS(AF_PACKET)},  /* an interface that comes back */
    {"socket", 0, IS(AF_NETLINK)}, /* interfaces, neighbours */
    {"clone", 0, ANY_OF(CLONE_THREAD | NAMESPACES, CLONE_THREAD)},
    {"mmap", 2, LACKS(PROT_EXEC)},
    {"mprotect", 2, LACKS(PROT_EXEC)},
    {"prlimit64", 0, IS(0)}, /* our own: room for HTTP connections */
    {"setrlimit", 0, IS(7)}, /* RLIMIT_NOFILE, the same */
    {"prctl", 0, IS(PR_SET_NAME)},
    {"prctl", 0, IS(PR_GET_NO_NEW_PRIVS)},
    {"prctl", 0, IS(PR_CAPBSET_READ)}, /* libcap counts capabilities */
    {"ioctl", 1, IS(FIONBIO)},         /* libuv */
    {"ioctl", 1, IS(FIOCLEX)},
    {"ioctl", 1, IS(FIONREAD)},
    {"ioctl", 1, IS(TCGETS)},       /* is the log a terminal? */
    {"ioctl", 1, IS(SIOCOUTQ)},     /* has the client got it? */
    {"ioctl", 1, IS(SIOCGIFINDEX)}, /* libpcap, and facts of interfaces */
    {"ioctl", 1, IS(SIOCGIFNAME)},
    {"ioctl", 1, IS(SIOCGIFFLAGS)},
    {"ioctl", 1, IS(SIOCGIFHWADDR)},
    {"ioctl", 1, IS(SIOCGIFMTU)},
    {"ioctl", 1, IS(SIOCETHTOOL)},
};
#define ALLOWED_WITH (sizeof allowed_with / sizeof allowed_with[0])

/* Tried by libraries, which go on without: their arguments lie where no filter can look. */
static const char *const as_if_missing[] = {"clone3", "io_uring_setup"};
#define AS_IF_MISSING (sizeof as_if_missing / sizeof as_if_missing[0])

const char *syscall_filter_names(size_t row)
{
    if (row < ALLOWED) {
        return allowed[row].names;
    }
    row -= ALLOWED;
    if (row < ALLOWED_WITH) {
        return allowed_with[row].name;
    }
    row -= ALLOWED_WITH;
    return row < AS_IF_MISSING ? as_if_missing[row] : NULL;
}

/* -- one that is refused ------------------------------------------------------------------ */

#define KEPT 16 /* different ones; further ones are refused, but not told */

static atomic_int refused[KEPT]; /* its number plus one; 0: free */
static atomic_uint refused_count;
static unsigned reported;

static void note(int number)
{
    for (size_t i = 0; i < KEPT; i++) {
        int free_place = 0;
        if (atomic_compare_exchange_strong(&refused[i], &free_place, number + 1)) {
            atomic_fetch_add(&refused_count, 1);
            return;
        }
        if (free_place == number + 1) {
            return;
        }
    }
}

/* In place of the call, which was not made: it returns -EPERM. */
static void on_refused(int signal, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    (void)signal;
    note(info->si_syscall);
#if defined(__x86_64__)
    at->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
    at->uc_mcontext.regs[0] = (unsigned long long)-EPERM;
#else
    (void)at; /* not reached: see refusal() */
#endif
}

bool syscall_filter_has_news(void)
{
    return atomic_load(&refused_count) != reported;
}

void syscall_filter_report(void)
{
    for (; reported < atomic_load(&refused_count); reported++) {
        int number = atomic_load(&refused[reported]) - 1;
        char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
        log_say(LOG_WARNING,
                "pxed was refused the system call %s (%d), which it should not need: "
                "please report this; \"confinement\": \"off\" allows it",
                name ? name : "-", number);
        free(name);
    }
}

/* Where we cannot set what a call returns, the kernel does, and nobody is told. */
static uint32_t refusal(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return SCMP_ACT_TRAP;
#else
    return SCMP_ACT_ERRNO(EPERM);
#endif
}

/* -- the filter --------------------------------------------------------------------------- */

/* The next name, copied; NULL: there is none. */
static const char *next_name(const char **at, char name[NAME_SIZE])
{
    *at += strspn(*at, " ");
    size_t len = strcspn(*at, " ");
    if (len == 0 || len >= NAME_SIZE) {
        return NULL;
    }
    memcpy(name, *at, len);
    name[len] = '\0';
    *at += len;
    return name;
}

static int allow(scmp_filter_ctx filter, const char *name)
{
    int number = seccomp_syscall_resolve_name(name);
    return number == __NR_SCMP_ERROR
               ? 0
               : seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
}

static int allow_all(scmp_filter_ctx filter)
{
    int error = 0;
    for (size_t i = 0; i < ALLOWED; i++) {
        char name[NAME_SIZE];
        const char *at = allowed[i].names;
        while (error == 0 && next_name(&at, name)) {
            error = allow(filter, name);
        }
    }
    return error;
}

static int allow_some(scmp_filter_ctx filter)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < ALLOWED_WITH; i++) {
        int number = seccomp_syscall_resolve_name(allowed_with[i].name);
        const struct scmp_arg_cmp wanted = {allowed_with[i].arg, allowed_with[i].compare,
                                            allowed_with[i].a, allowed_with[i].b};
        error = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 1, &wanted);
    }
    /* abort() is a signal to ourselves. */
    const struct scmp_arg_cmp ours = {0, SCMP_CMP_EQ, (uint64_t)getpid(), 0};
    return error == 0 ? seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
                                               1, &ours)
                      : error;
}

static int deny_quietly(scmp_filter_ctx filter)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < AS_IF_MISSING; i++) {
        error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS),
                                 seccomp_syscall_resolve_name(as_if_missing[i]), 0);
    }
    return error;
}

static int load(scmp_filter_ctx filter)
{
    const struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO};
    int error = allow_all(filter);
    if (error == 0) {
        error = allow_some(filter);
    }
    if (error == 0) {
        error = deny_quietly(filter);
    }
    /* A tree is quicker than a list; libseccomp before 2.5 has none. */
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (error == 0 && sigaction(SIGSYS, &action, NULL) != 0) {
        error = -errno;
    }
    return error == 0 ? seccomp_load(filter) : error;
}

int syscall_filter_load(void)
{
    scmp_filter_ctx filter = seccomp_init(refusal());
    int error = filter ? load(filter) : -ENOMEM;
    seccomp_release(filter);
    return error;
}
