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

static const struct client6 *find(const struct clients6 *t, const struct rd *duid)
{
    const struct client6 *set = t->place[set_of(t, duid)];
    for (unsigned i = 0; i < CLIENTS6_WAYS; i++) {
        if (is_at(&set[i], duid)) {
            return &set[i];
        }
    }
    return NULL;
}

/* Which of two is rather forgotten: a flood of strangers pushes out no machine of the table. */
static bool is_less_missed(const struct clients6 *t, const struct client6 *a,
                           const struct client6 *b)
{
    return a->named != b->named ? b->named : age(t, a) > age(t, b);
}

/* The client's place, made for it in another's when it has none. */
static struct client6 *place_for(struct clients6 *t, const struct rd *duid)
{
    struct client6 *set = t->place[set_of(t, duid)];
    struct client6 *c = (struct client6 *)find(t, duid);
    if (!c) {
        c = &set[0];
        for (unsigned i = 1; i < CLIENTS6_WAYS; i++) {
            c = is_less_missed(t, &set[i], c) ? &set[i] : c;
        }
        *c = (struct client6){.duid_len = (uint8_t)rd_left(duid)};
        memcpy(c->duid, duid->p, c->duid_len);
    }
    c->seen = ++t->now;
    return c;
}

void clients6_note(struct clients6 *t, struct rd duid, const struct mac *mac)
{
    if (is_duid(&duid)) {
        struct client6 *c = place_for(t, &duid);
        c->has_mac = true;
        c->mac = *mac;
    }
}

bool clients6_find(const struct clients6 *t, struct rd duid, struct mac *out)
{
    const struct client6 *c = is_duid(&duid) ? find(t, &duid) : NULL;
    if (!c || !c->has_mac) {
        return false;
    }
    *out = c->mac;
    return true;
}

static uint32_t message_of(const struct dhcp6_packet *in)
{
    return (uint32_t)in->type << 24 | in->xid;
}

/* What several relays bring is one message. */
static unsigned turn_of(const struct client6 *c, const struct dhcp6_packet *in,
                        usec_t now)
{
    if (!c || now - c->asked_at >= CLIENTS6_MEMORY) {
        return 1;
    }
    bool copy = c->asked > 0 && c->asked_message == message_of(in) &&
                now - c->asked_at < CLIENTS6_COPY;
    return c->asked + (copy || c->asked == UINT16_MAX ? 0 : 1);
}

unsigned clients6_turn(const struct clients6 *t, struct rd duid,
                       const struct dhcp6_packet *in, usec_t now)
{
    return is_duid(&duid) ? turn_of(find(t, &duid), in, now) : 0;
}

void clients6_asked(struct clients6 *t, struct rd duid, const struct dhcp6_packet *in,
                    usec_t now)
{
    if (is_duid(&duid)) {
        struct client6 *c = place_for(t, &duid);
        c->asked = turn_of(c, in, now);
        c->asked_at = now;
        c->asked_message = message_of(in);
    }
}

void clients6_came(struct clients6 *t, struct rd duid)
{
    if (is_duid(&duid)) {
        place_for(t, &duid)->asked = 0;
    }
}

bool clients6_repeats(struct clients6 *t, struct rd duid, const struct dhcp6_packet *in,
                      uint16_t port, unsigned ifindex, usec_t now)
{
    uint32_t message = message_of(in);
    if (!is_duid(&duid)) {
        return false;
    }
    struct client6 *c = place_for(t, &duid);
    bool again = c->message == message && c->port == port;
    if (again && c->ifindex != ifindex && now - c->heard < CLIENTS6_REPEAT) {
        return true;
    }
    c->message = message;
    c->port = port;
    c->ifindex = ifindex;
    c->heard = now;
    return false;
}

/* Only boot clients are remembered. */
static void remember(struct clients6 *t, struct rd duid, const struct dhcp6_arrival *at,
                     const struct dhcp6_packet *in, const struct dhcp6_decision *d,
                     usec_t now)
{
    if (d->gate.client.class == PXE_NO_CLIENT) {
        return;
    }
    if (d->has_mac) {
        clients6_note(t, duid, &d->mac);
    }
    if (at->port == DHCP6_SERVER_PORT) {
        clients6_asked(t, duid, in, now);
    } else {
        clients6_came(t, duid);
    }
    struct client6 *c = is_duid(&duid) ? (struct client6 *)find(t, &duid) : NULL;
    if (c) {
        c->named = d->gate.host != NULL;
    }
}

enum dhcp_verdict clients6_decide(struct clients6 *t, struct dhcp6_site *site,
                                  struct dhcp6_arrival *at, const struct dhcp6_packet *in,
                                  usec_t now, struct dhcp6_decision *out)
{
    struct rd duid;
    bool has_duid = dhcp6_find(in->options, DHCP6_CLIENT_ID, &duid);
    at->has_mac = has_duid && clients6_find(t, duid, &at->mac);
    site->asked = has_duid ? clients6_turn(t, duid, in, now) : 0;
    enum dhcp_verdict verdict = dhcp6_decide(site, at, in, out);
    if (has_duid) {
        remember(t, duid, at, in, out, now);
    }
    return verdict;
}
