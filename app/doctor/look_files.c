#include "app/doctor/look_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/terminal.h"
#include "common/text.h"

#define OUTPUT_MAX (16 << 20)
#define TIME_MAX   (10 * USEC_PER_SEC)

static const char *const folders[] = {"/usr/sbin", "/sbin", "/usr/bin", "/bin",
                                      "/usr/local/sbin"};
#define FOLDERS (sizeof folders / sizeof folders[0])

bool look_text(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);
    if (fd >= 0) {
        (void)close(fd);
    }
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

bool look_number(const char *path, uint64_t *out)
{
    char text[32];
    if (!look_text(path, text, sizeof text)) {
        return false;
    }
    text[strcspn(text, "\n")] = '\0';
    return text_decimal(text, out);
}

static bool find(const char *program, char out[128])
{
    for (size_t i = 0; i < FOLDERS; i++) {
        snprintf(out, 128, "%s/%s", folders[i], program);
        if (access(out, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

bool look_finds(const char *program)
{
    char path[128];
    return find(program, path);
}

static pid_t start(const char *path, const char *const argv[], int *from)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (dup2(null, 0) >= 0 && dup2(ends[1], 1) >= 0 && dup2(null, 2) >= 0) {
            (void)execv(path, (char *const *)argv);
        }
        _exit(127);
    }
    (void)close(ends[1]);
    *from = ends[0];
    return pid;
}

/* False: too much, or too late. */
static bool read_all(int fd, char *out, size_t *len)
{
    usec_t end = clock_now() + TIME_MAX;
    while (*len < OUTPUT_MAX) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        usec_t now = clock_now();
        if (now >= end || poll(&p, 1, (int)((end - now) / USEC_PER_MSEC) + 1) <= 0) {
            return false;
        }
        ssize_t n = read(fd, out + *len, OUTPUT_MAX - *len);
        if (n == 0) {
            return true;
        }
        if (n < 0 && errno != EINTR) {
            return false;
        }
        *len += n > 0 ? (size_t)n : 0;
    }
    return false;
}

char *look_run(const char *const argv[], size_t *len, int *status)
{
    char path[128];
    int fd = -1;
    char *text = malloc(OUTPUT_MAX + 1);
    pid_t pid = text && find(argv[0], path) ? start(path, argv, &fd) : -1;
    *len = 0;
    *status = -1;
    bool good = pid > 0 && read_all(fd, text, len);
    if (fd >= 0) {
        (void)close(fd);
    }
    if (pid > 0) {
        if (!good) {
            (void)kill(pid, SIGKILL);
        }
        good &= waitpid(pid, status, 0) == pid;
    }
    if (!good) {
        free(text);
        return NULL;
    }
    text[*len] = '\0';
    return text;
}
