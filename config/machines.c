#include "config/machines.h"

#include <string.h>

#include "common/recent.h"

/* Address and scope, without the port behind them. */
#define KEY_LEN (offsetof(struct endpoint, scope) + sizeof(uint32_t))

struct entry {
    struct machine machine;
    usec_t heard;
};

/* struct machines is a name for it: there is nothing else in it. */
static struct recent *table(const struct machines *t)
{
    return (struct recent *)t;
}

struct machines *machines_new(size_t room, const struct hash_seed *seed)
{
    return (struct machines *)recent_new(room, KEY_LEN, sizeof(struct entry), seed);
}

void machines_free(struct machines *t)
{
    recent_free(table(t));
}

size_t machines_count(const struct machines *t)
{
    return recent_count(table(t));
}

static struct machine merge(const struct machine *old, const struct machine *heard)
{
    struct machine m = *heard;
    if (!mac_equal(&old->mac, &heard->mac)) {
        return m;
    }
    if (!m.has_uuid && old->has_uuid) {
        m.has_uuid = true;
        memcpy(m.uuid, old->uuid, sizeof m.uuid);
    }
    if (!m.has_arch && old->has_arch) {
        m.has_arch = true;
        m.arch = old->arch;
    }
    return m;
}

void machines_learn(struct machines *t, const struct endpoint *at,
                    const struct machine *m, usec_t now)
{
    struct entry *e = recent_put(table(t), at);
    if (e) {
        *e = (struct entry){.machine = merge(&e->machine, m), .heard = now};
    }
}

const struct machine *machines_find(struct machines *t, const struct endpoint *at,
                                    usec_t now)
{
    const struct entry *e = recent_find(table(t), at);
    return e && now < e->heard + MACHINES_LIFE ? &e->machine : NULL;
}
