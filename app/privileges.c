#include "app/privileges.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

static const cap_value_t needed[] = {CAP_NET_RAW, CAP_NET_BIND_SERVICE};
#define NEEDED (sizeof needed / sizeof needed[0])

void privileges_raise(void)
{
    cap_t caps = cap_get_proc();
    if (!caps) {
        return;
    }
    for (size_t i = 0; i < NEEDED; i++) {
        cap_flag_value_t permitted = CAP_CLEAR;
        if (cap_get_flag(caps, needed[i], CAP_PERMITTED, &permitted) == 0 &&
            permitted == CAP_SET) {
            (void)cap_set_flag(caps, CAP_EFFECTIVE, 1, &needed[i], CAP_SET);
        }
    }
    (void)cap_set_proc(caps);
    (void)cap_free(caps);
}

static int complain(char why[PRIVILEGES_WHY_SIZE], const char *what)
{
    int error = errno;
    snprintf(why, PRIVILEGES_WHY_SIZE, "cannot %s: %s", what, strerror(error));
    return -error;
}

static int become(const struct passwd *user, char why[PRIVILEGES_WHY_SIZE])
{
    if (setgroups(0, NULL) != 0 ||
        setresgid(user->pw_gid, user->pw_gid, user->pw_gid) != 0 ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) != 0) {
        char what[128];
        snprintf(what, sizeof what, "become user \"%s\"", user->pw_name);
        return complain(why, what);
    }
    return 0;
}

const struct passwd *privileges_user(const char *name)
{
    const struct passwd *user = name ? getpwnam(name) : NULL;
    if (!user) {
        user = getpwnam("nobody");
    }
    return user && user->pw_uid != 0 ? user : NULL;
}

int privileges_identity(const char *name, uid_t *uid, gid_t *gid)
{
    const struct passwd *user = geteuid() == 0 ? privileges_user(name) : NULL;
    if (geteuid() == 0 && !user) {
        return -ENOENT;
    }
    *uid = user ? user->pw_uid : geteuid();
    *gid = user ? user->pw_gid : getegid();
    return 0;
}

static int become_user(const char *name, char why[PRIVILEGES_WHY_SIZE])
{
    const struct passwd *user = privileges_user(name);
    if (!user) {
        snprintf(why, PRIVILEGES_WHY_SIZE,
                 "there is no unprivileged user to become: create \"%s\", or name one as "
                 "\"user\" in the configuration",
                 name ? name : "pxed");
        return -ENOENT;
    }
    return become(user, why);
}

static bool is_permitted(cap_value_t right)
{
    cap_flag_value_t permitted = CAP_CLEAR;
    cap_t caps = cap_get_proc();
    if (!caps) {
        return false;
    }
    (void)cap_get_flag(caps, right, CAP_PERMITTED, &permitted);
    (void)cap_free(caps);
    return permitted == CAP_SET;
}

/* Nothing is left but, if wanted, CAP_NET_RAW as permitted. */
static int clear_capabilities(bool keep_raw, char why[PRIVILEGES_WHY_SIZE])
{
    static const cap_value_t raw = CAP_NET_RAW;
    cap_t left = cap_init();
    if (!left) {
        return complain(why, "empty the capability sets");
    }
    int status = keep_raw ? cap_set_flag(left, CAP_PERMITTED, 1, &raw, CAP_SET) : 0;
    if (status == 0) {
        status = cap_set_proc(left);
    }
    int error = errno;
    (void)cap_free(left);
    if (status != 0) {
        errno = error;
        return complain(why, "empty the capability sets");
    }
    (void)cap_reset_ambient(); /* older kernels have none */
    return 0;
}

int privileges_drop(const char *user, bool keep_raw, char why[PRIVILEGES_WHY_SIZE])
{
    int error = 0;
    keep_raw = keep_raw && is_permitted(CAP_NET_RAW);
    /* Becoming another user empties the permitted set, too, unless told otherwise. */
    if (keep_raw && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) {
        error = complain(why, "keep CAP_NET_RAW");
    }
    if (error == 0 && geteuid() == 0) {
        error = become_user(user, why);
    }
    if (error == 0) {
        error = clear_capabilities(keep_raw, why);
    }
    if (error == 0 && prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) != 0) {
        error = complain(why, "keep no further capability");
    }
    if (error == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        error = complain(why, "set no_new_privs");
    }
    if (error == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        error = complain(why, "make the process undumpable");
    }
    return error;
}

static void set_raw(cap_flag_value_t value)
{
    static const cap_value_t raw = CAP_NET_RAW;
    cap_t caps = cap_get_proc();
    if (caps) {
        (void)cap_set_flag(caps, CAP_EFFECTIVE, 1, &raw, value);
        (void)cap_set_proc(caps); /* fails when it was not kept: opening says so */
        (void)cap_free(caps);
    }
}

void privileges_raise_raw(void)
{
    set_raw(CAP_SET);
}

void privileges_lower_raw(void)
{
    set_raw(CAP_CLEAR);
}
