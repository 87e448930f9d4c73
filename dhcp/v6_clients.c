#include "dhcp/v6_clients.h"

static size_t set_of(const struct clients6 *t, const struct rd *duid)
{
    return hash_keyed(&t->seed, duid->p, rd_left(duid)) % CLIENTS6_SETS;
}

static bool is_duid(const struct rd *duid)
{
    return rd_left(duid) > 0 && rd_left(duid) <= DHCP6_DUID_MAX;
}

static bool is_at(const struct client6 *c, const struct rd *duid)
{
    return c->duid_len == rd_left(duid) && !memcmp(c->duid, duid->p, c->duid_len);
}

/* How long ago it was seen; a free place is the oldest.  Right when `now` wraps, too. */
static uint32_t age(const struct clients6 *t, const struct client6 *c)
{
    return c->duid_len == 0 ? UINT32_MAX : t->now - c->seen;
}

void clients6_note(struct clients6 *t, struct rd duid, const struct mac *mac)
{
    if (!is_duid(&duid)) {
        return;
    }
    struct client6 *set = t->place[set_of(t, &duid)];
    struct client6 *c = &set[0];
    for (unsigned i = 0; i < CLIENTS6_WAYS; i++) {
        if (is_at(&set[i], &duid)) {
            c = &set[i];
            break;
        }
        if (age(t, &set[i]) > age(t, c)) {
            c = &set[i];
        }
    }
    c->duid_len = (uint8_t)rd_left(&duid);
    memcpy(c->duid, duid.p, c->duid_len);
    c->mac = *mac;
    c->seen = ++t->now;
}

bool clients6_find(const struct clients6 *t, struct rd duid, struct mac *out)
{
    if (!is_duid(&duid)) {
        return false;
    }
    const struct client6 *set = t->place[set_of(t, &duid)];
    for (unsigned i = 0; i < CLIENTS6_WAYS; i++) {
        if (is_at(&set[i], &duid)) {
            *out = set[i].mac;
            return true;
        }
    }
    return false;
}
