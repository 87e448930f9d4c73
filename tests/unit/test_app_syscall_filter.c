/* What a filtered process can and cannot do, each row in a process of its own; the table. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/syscall_filter.h"
#include "suites.h"

/* -- may not ------------------------------------------------------------------------------ */

static long runs_a_program(void)
{
    char *const none[] = {NULL};
    return execve("/bin/true", none, none);
}

static long forks(void)
{
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    return child;
}

static long traces(void)
{
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static long reads_memory_of_others(void)
{
    return syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0);
}

static long mounts(void)
{
    return mount("none", "/mnt", "tmpfs", 0, NULL);
}

static long enters_a_namespace(void)
{
    return unshare(CLONE_NEWUSER);
}

static long signals_others(void)
{
    return kill(getppid(), 0);
}

static long signals_a_thread_of_others(void)
{
    return syscall(SYS_tgkill, getppid(), getppid(), 0);
}

static long becomes_another(void)
{
    return setuid(0);
}

static long talks_bluetooth(void)
{
    return socket(AF_BLUETOOTH, SOCK_RAW, 0);
}

static long talks_to_the_kernel_crypto(void)
{
    return socket(AF_ALG, SOCK_SEQPACKET, 0);
}

static long maps_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
               ? -1
               : 0;
}

static long makes_memory_code(void)
{
    void *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static long types_into_a_terminal(void)
{
    char c = 'x';
    return ioctl(0, 0x5412 /* TIOCSTI */, &c);
}

static long loads_bpf(void)
{
    return syscall(SYS_bpf, BPF_MAP_CREATE, NULL, 0);
}

static long takes_keys(void)
{
    return syscall(SYS_keyctl, 0, 0, 0, 0, 0);
}

static long loads_a_module(void)
{
    return syscall(SYS_finit_module, 0, "", 0);
}

static long opens_by_handle(void)
{
    return syscall(SYS_open_by_handle_at, 0, NULL, 0);
}

static long limits_others(void)
{
    return prlimit(getppid(), RLIMIT_NOFILE, NULL, NULL);
}

static long becomes_dumpable(void)
{
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static long sees_memory_faults(void)
{
    return syscall(SYS_userfaultfd, 0);
}

static long rings_io(void)
{
    return syscall(SYS_io_uring_setup, 1, NULL);
}

/* -- may ---------------------------------------------------------------------------------- */

static void *in_thread(void *arg)
{
    return runs_a_program() < 0 && errno == EPERM ? arg : NULL;
}

static long starts_a_thread_that_is_filtered(void)
{
    pthread_t thread;
    void *result = NULL;
    int held = 0;
    if (pthread_create(&thread, NULL, in_thread, &held) != 0 ||
        pthread_join(thread, &result) != 0) {
        return -1;
    }
    errno = ENOEXEC;
    return result ? 0 : -1;
}

static long opens_sockets(void)
{
    return socket(AF_INET, SOCK_DGRAM, 0) >= 0 && socket(AF_INET6, SOCK_STREAM, 0) >= 0 &&
                   socket(AF_NETLINK, SOCK_RAW, 0) >= 0 &&
                   socket(AF_UNIX, SOCK_DGRAM, 0) >= 0
               ? 0
               : -1;
}

static long reads_a_file(void)
{
    return open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

static long takes_memory(void)
{
    char *much = malloc(16 << 20);
    if (much) {
        memset(much, 1, 16 << 20);
    }
    free(much);
    return much ? 0 : -1;
}

static const struct {
    const char *name;
    long (*act)(void);
    int want;
} rows[] = {
    {"execve", runs_a_program, EPERM},
    {"fork", forks, EPERM},
    {"ptrace", traces, EPERM},
    {"process_vm_readv", reads_memory_of_others, EPERM},
    {"mount", mounts, EPERM},
    {"unshare", enters_a_namespace, EPERM},
    {"kill", signals_others, EPERM},
    {"tgkill", signals_a_thread_of_others, EPERM},
    {"setuid", becomes_another, EPERM},
    {"AF_BLUETOOTH", talks_bluetooth, EPERM},
    {"AF_ALG", talks_to_the_kernel_crypto, EPERM},
    {"mmap", maps_code, EPERM},
    {"mprotect", makes_memory_code, EPERM},
    {"TIOCSTI", types_into_a_terminal, EPERM},
    {"bpf", loads_bpf, EPERM},
    {"keyctl", takes_keys, EPERM},
    {"finit_module", loads_a_module, EPERM},
    {"open_by_handle_at", opens_by_handle, EPERM},
    {"prlimit64", limits_others, EPERM},
    {"prctl", becomes_dumpable, EPERM},
    {"userfaultfd", sees_memory_faults, EPERM},
    {"io_uring_setup", rings_io, ENOSYS},
    {"a thread", starts_a_thread_that_is_filtered, 0},
    {"sockets", opens_sockets, 0},
    {"a file", reads_a_file, 0},
    {"memory", takes_memory, 0},
};
#define ROWS (sizeof rows / sizeof rows[0])

#define NO_SECCOMP 255

static bool is_filtered(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall_filter_load() == 0;
}

static int status_of(pid_t child)
{
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "it ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

START_TEST(what_it_may_and_may_not)
{
    pid_t child = fork();
    if (child == 0) {
        if (!is_filtered()) {
            _exit(NO_SECCOMP);
        }
        _exit(rows[_i].act() < 0 ? errno : 0);
    }
    int got = status_of(child);
    if (got != NO_SECCOMP) {
        ck_assert_msg(got == rows[_i].want, "%s: %s", rows[_i].name, strerror(got));
    }
}
END_TEST

/* 0: told once by name, however often it was tried, on standard error. */
static int refused_twice(int to)
{
    if (!is_filtered()) {
        return NO_SECCOMP;
    }
    bool quiet = !syscall_filter_has_news();
    (void)traces();
    (void)traces();
    bool news = syscall_filter_has_news();
    (void)close(STDERR_FILENO);
    if (fcntl(to, F_DUPFD, STDERR_FILENO) != STDERR_FILENO) {
        return 2;
    }
    syscall_filter_report();
    return quiet && news && !syscall_filter_has_news() ? 0 : 1;
}

START_TEST(one_that_is_refused_is_told_by_name_once)
{
    int ends[2];
    char said[4096] = "";
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        _exit(refused_twice(ends[1]));
    }
    int status = status_of(child);
    (void)close(ends[1]);
    ssize_t len = read(ends[0], said, sizeof said - 1);
    (void)close(ends[0]);
    if (status != NO_SECCOMP) {
        ck_assert_int_eq(status, 0);
        ck_assert_int_gt((int)len, 0);
        const char *first = strstr(said, "was refused the system call ptrace (");
        ck_assert_msg(first, "%s", said);
        ck_assert_ptr_null(strstr(first + 1, "was refused"));
    }
}
END_TEST

/* -- the table ---------------------------------------------------------------------------- */

/* arm64 began without these, whose work others do. */
static const char x86_only[] = " open stat lstat access readlink mkdir unlink rename "
                               "epoll_wait poll select time ";

static void check_name(const char *name)
{
    char with_blanks[64];
    snprintf(with_blanks, sizeof with_blanks, " %s ", name);
    bool on_arm64 = seccomp_syscall_resolve_name_arch(SCMP_ARCH_AARCH64, name) >= 0;
    ck_assert_msg(seccomp_syscall_resolve_name_arch(SCMP_ARCH_X86_64, name) >= 0,
                  "%s is no system call of x86-64", name);
    ck_assert_msg(on_arm64 == !strstr(x86_only, with_blanks), "%s on arm64", name);
}

START_TEST(every_name_is_one_of_x86_64_and_of_arm64_or_known_not_to_be)
{
    size_t count = 0;
    for (size_t row = 0; syscall_filter_names(row); row++) {
        char *copy = strdup(syscall_filter_names(row));
        char *rest = NULL;
        for (char *name = strtok_r(copy, " ", &rest); name;
             name = strtok_r(NULL, " ", &rest)) {
            check_name(name);
            count++;
        }
        free(copy);
    }
    ck_assert_uint_gt(count, 100);
}
END_TEST

Suite *suite_app_syscall_filter(void)
{
    Suite *s = suite_create("app/syscall_filter");
    TCase *t = tcase_create("filter");
    tcase_add_loop_test(t, what_it_may_and_may_not, 0, (int)ROWS);
    tcase_add_test(t, one_that_is_refused_is_told_by_name_once);
    tcase_add_test(t, every_name_is_one_of_x86_64_and_of_arm64_or_known_not_to_be);
    suite_add_tcase(s, t);
    return s;
}
