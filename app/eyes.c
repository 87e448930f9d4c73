#include "app/eyes.h"

#include <grp.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "app/privileges.h"

static void give_back(const struct eyes *e)
{
    (void)setfsuid(geteuid());
    (void)setfsgid(getegid());
    (void)setgroups((size_t)e->group_count, e->groups);
}

/* The kernel takes away what root may do to files as long as fsuid is another user. */
static bool take_on(const struct passwd *user, struct eyes *e)
{
    e->group_count = getgroups(EYES_GROUPS_MAX, e->groups);
    if (e->group_count < 0 || setgroups(0, NULL) != 0) {
        return false;
    }
    (void)setfsgid(user->pw_gid);
    (void)setfsuid(user->pw_uid);
    if (setfsuid((uid_t)-1) == (int)user->pw_uid) { /* asks only */
        return true;
    }
    give_back(e);
    return false;
}

bool eyes_take(struct eyes *e, const char *name)
{
    const struct passwd *user = geteuid() == 0 ? privileges_user(name) : NULL;
    e->taken = user && take_on(user, e);
    if (e->taken) {
        snprintf(e->user, sizeof e->user, "%s", user->pw_name);
    }
    return e->taken;
}

void eyes_back(struct eyes *e)
{
    if (e->taken) {
        give_back(e);
        e->taken = false;
    }
}
