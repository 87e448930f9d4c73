#include "app/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/text.h"

void notify_systemd(const char *state)
{
    const char *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (!name || (name[0] != '/' && name[0] != '@') ||
        strlen(name) >= sizeof to.sun_path) {
        return;
    }
    size_t len = strlen(name);
    memcpy(to.sun_path, name, len);
    if (to.sun_path[0] == '@') {
        to.sun_path[0] = '\0'; /* an abstract name */
    }
    AUTO(close) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
                     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
    }
}

static bool is_for_us(const char *pid)
{
    uint64_t number;
    return !pid || (text_decimal(pid, &number) && number == (uint64_t)getpid());
}

void watchdog_start(struct watchdog *w, usec_t now)
{
    const char *text = getenv("WATCHDOG_USEC");
    uint64_t wait;
    *w = (struct watchdog){USEC_NEVER, USEC_NEVER};
    if (text && text_decimal(text, &wait) && wait > 1 && wait < USEC_NEVER &&
        is_for_us(getenv("WATCHDOG_PID"))) {
        w->every = wait / 2;
        w->due = now + w->every;
    }
}

void watchdog_timeout(struct watchdog *w, usec_t now)
{
    if (now >= w->due) {
        notify_systemd("WATCHDOG=1");
        w->due = now + w->every;
    }
}
