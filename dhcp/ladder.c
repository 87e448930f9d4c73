#include "dhcp/ladder.h"

/* Forms that are tried, in the order of preference where nothing is known. */
static const enum offer_form forms[] = {OFFER_PXE, OFFER_BARE, OFFER_BOTH};
#define FORMS (sizeof forms / sizeof forms[0])

/* -- who is it? --------------------------------------------------------------------------- */

/* Words without digits: versions and architectures differ within one kind. */
static void words_of(const struct dhcp_packet *in, char out[LADDER_CLASS_LEN])
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    size_t len = 0;
    if (dhcp_find(in, DHCP_VENDOR_CLASS, buf, &value)) {
        while (rd_left(&value) > 0 && len < LADDER_CLASS_LEN - 1) {
            uint8_t c = rd_u8(&value);
            if (c >= '0' && c <= '9') {
                continue;
            }
            out[len++] = (char)(c > 0x20 && c < 0x7f ? c : '?');
        }
    }
    memset(out + len, 0, LADDER_CLASS_LEN - len);
}

bool ladder_key_of(const struct dhcp_packet *in, const struct pxe_request *client,
                   struct ladder_key *out)
{
    if (in->hlen == 0) {
        return false;
    }
    memset(out->chaddr, 0, sizeof out->chaddr);
    memcpy(out->chaddr, in->chaddr, in->hlen);
    out->ipxe = client->ipxe;
    out->arch = client->arch[0];
    words_of(in, out->class);
    out->xid = in->xid;
    out->relay = in->giaddr;
    return true;
}

static struct ladder_client *bucket_of(struct ladder *l, const uint8_t chaddr[16])
{
    uint64_t h = hash_keyed(&l->seed, chaddr, DHCP_CHADDR_LEN);
    return l->client[h % LADDER_BUCKETS];
}

static struct ladder_client *find(struct ladder *l, const struct ladder_key *key)
{
    struct ladder_client *c = bucket_of(l, key->chaddr);
    for (size_t i = 0; i < LADDER_WAYS; i++) {
        if (c[i].used && c[i].arch == key->arch && c[i].ipxe == key->ipxe &&
            memcmp(c[i].chaddr, key->chaddr, DHCP_CHADDR_LEN) == 0) {
            return &c[i];
        }
    }
    return NULL;
}

static bool is_fresh(usec_t then, usec_t now)
{
    return now < then || now - then <= LADDER_MEMORY;
}

/* Which of two is rather forgotten: a flood of strangers pushes out no machine of the table. */
static bool is_less_missed(const struct ladder_client *a, const struct ladder_client *b,
                           usec_t now)
{
    if (a->used != b->used) {
        return !a->used;
    }
    bool a_counts = a->named && is_fresh(a->heard, now);
    bool b_counts = b->named && is_fresh(b->heard, now);
    return a_counts != b_counts ? !a_counts : a->heard < b->heard;
}

static struct ladder_client *place_for(struct ladder *l, const struct ladder_key *key,
                                       usec_t now)
{
    struct ladder_client *c = bucket_of(l, key->chaddr);
    struct ladder_client *least = &c[0];
    for (size_t i = 1; i < LADDER_WAYS; i++) {
        least = is_less_missed(&c[i], least, now) ? &c[i] : least;
    }
    return least;
}

/* -- kinds -------------------------------------------------------------------------------- */

static uint64_t kind_id(const struct ladder *l, const struct ladder_key *key)
{
    uint8_t octets[LADDER_CLASS_LEN + 3];
    memcpy(octets, key->class, LADDER_CLASS_LEN);
    octets[LADDER_CLASS_LEN] = (uint8_t)(key->arch >> 8);
    octets[LADDER_CLASS_LEN + 1] = (uint8_t)key->arch;
    octets[LADDER_CLASS_LEN + 2] = key->ipxe;
    return hash_keyed(&l->seed, octets, sizeof octets);
}

static struct ladder_kind *find_kind(struct ladder *l, uint64_t id)
{
    for (size_t i = 0; i < LADDER_KINDS; i++) {
        if (l->kind[i].used && l->kind[i].id == id) {
            return &l->kind[i];
        }
    }
    return NULL;
}

static bool is_credited(const struct ladder_kind *k)
{
    return k->score[OFFER_PXE] || k->score[OFFER_BARE] || k->score[OFFER_BOTH];
}

/* Which of two is rather given up: the one that taught us nothing, else the older. */
static bool is_worth_less(const struct ladder_kind *a, const struct ladder_kind *b)
{
    if (a->used != b->used) {
        return !a->used;
    }
    if (is_credited(a) != is_credited(b)) {
        return !is_credited(a);
    }
    return a->heard < b->heard;
}

static struct ladder_kind *kind_of(struct ladder *l, const struct ladder_key *key,
                                   usec_t now)
{
    uint64_t id = kind_id(l, key);
    struct ladder_kind *k = find_kind(l, id);
    if (!k) {
        k = &l->kind[0];
        for (size_t i = 1; i < LADDER_KINDS; i++) {
            k = is_worth_less(&l->kind[i], k) ? &l->kind[i] : k;
        }
        *k = (struct ladder_kind){.used = true, .arch = key->arch, .id = id};
        memcpy(k->class, key->class, sizeof k->class);
    }
    k->heard = now;
    return k;
}

/*
 * A form gains by each client that comes and the others lose, so that a kind follows what its
 * machines have been doing of late, and a single stray changes nothing in a large fleet.
 */
static void credit(struct ladder_kind *k, enum offer_form form)
{
    for (size_t i = 0; i < FORMS; i++) {
        uint8_t *score = &k->score[forms[i]];
        if (forms[i] == form) {
            *score += *score < LADDER_SCORE_MAX;
        } else {
            *score -= *score > 0;
        }
    }
    k->came[form]++;
}

enum offer_form ladder_first(const struct ladder_kind *kind)
{
    enum offer_form best = forms[0];
    for (size_t i = 1; i < FORMS; i++) {
        best = kind->score[forms[i]] > kind->score[best] ? forms[i] : best;
    }
    return best;
}

const struct ladder_kind *ladder_kind_at(const struct ladder *l, size_t index)
{
    for (size_t i = 0; i < LADDER_KINDS; i++) {
        if (l->kind[i].used && index-- == 0) {
            return &l->kind[i];
        }
    }
    return NULL;
}

/* -- the rungs ---------------------------------------------------------------------------- */

static enum offer_form rung(enum offer_form first, unsigned offered)
{
    enum offer_form others[FORMS] = {first};
    size_t count = 0;
    unsigned at = offered % (FORMS + 1);
    for (size_t i = 0; i < FORMS; i++) {
        if (forms[i] != first) {
            others[count++] = forms[i];
        }
    }
    return at < 2 ? first : others[at - 2];
}

static struct ladder_client *begin(struct ladder *l, const struct ladder_key *key,
                                   const struct ladder_kind *kind, usec_t now)
{
    struct ladder_client *c = place_for(l, key, now);
    *c = (struct ladder_client){.used = true,
                                .ipxe = key->ipxe,
                                .arch = key->arch,
                                .first = (uint8_t)ladder_first(kind),
                                .last = OFFER_AUTO};
    memcpy(c->chaddr, key->chaddr, sizeof c->chaddr);
    return c;
}

/* A new boot.  What worked for this very machine it gets first again. */
static void begin_again(struct ladder_client *c, const struct ladder_kind *kind)
{
    c->asked = 0;
    c->offered = 0;
    c->last = OFFER_AUTO;
    if (!c->came) {
        c->first = (uint8_t)ladder_first(kind);
    }
}

static bool is_copy(const struct ladder_client *c, const struct ladder_key *key,
                    usec_t now)
{
    return c->asked > 0 && c->xid == key->xid && !ip4_equal(c->relay, key->relay) &&
           now - c->heard < LADDER_RETRY;
}

/* A transaction that was never tried again in earnest says nothing of its offer. */
static void enter_transaction(struct ladder_client *c, const struct ladder_key *key,
                              usec_t now)
{
    if (c->xid == key->xid && c->asked > 0) {
        return;
    }
    if (c->heard - c->began < LADDER_RETRY) {
        c->offered = 0;
    }
    c->began = now;
}

struct ladder_advice ladder_asks(struct ladder *l, const struct ladder_key *key,
                                 usec_t now)
{
    const struct ladder_kind *kind = kind_of(l, key, now);
    struct ladder_client *c = find(l, key);
    if (!c) {
        c = begin(l, key, kind, now);
    } else if (!is_fresh(c->heard, now)) {
        begin_again(c, kind);
    }
    bool again = is_copy(c, key, now);
    enter_transaction(c, key, now);
    bool frozen = c->came && is_fresh(c->since, now);
    c->counts = !again && !frozen;
    c->kind = kind->id;
    c->heard = now;
    c->xid = key->xid;
    c->relay = key->relay;
    c->asked += !again && c->asked < UINT16_MAX;
    enum offer_form form =
        frozen ? (enum offer_form)c->first : rung(c->first, c->offered);
    if (again && c->last != OFFER_AUTO) {
        form = (enum offer_form)c->last;
    }
    return (struct ladder_advice){.form = form, .asked = c->asked};
}

void ladder_offered(struct ladder *l, const struct ladder_key *key, enum offer_form form)
{
    struct ladder_client *c = find(l, key);
    if (c) {
        c->last = (uint8_t)form;
        c->offered += c->counts;
    }
}

/*
 * A client that loads without having been at 4011 cannot have followed a bare offer: it kept
 * an earlier one while it waited for something else, its address most likely.
 */
static void came(struct ladder *l, struct ladder_client *c, enum ladder_door door,
                 usec_t now)
{
    if (c->last != OFFER_AUTO) {
        struct ladder_kind *kind = find_kind(l, c->kind);
        bool earlier = c->last == OFFER_BARE && door == LADDER_TFTP;
        c->first = earlier ? c->first : c->last;
        if (kind) {
            credit(kind, (enum offer_form)c->first);
        }
        c->came = true;
        c->last = OFFER_AUTO; /* one credit for one boot */
    }
    if (c->came) {
        c->since = now;
    }
    c->asked = 0;
    c->offered = 0;
}

void ladder_reached(struct ladder *l, const struct ladder_key *key, enum ladder_door door,
                    usec_t now)
{
    struct ladder_client *c = find(l, key);
    if (c) {
        came(l, c, door, now);
    }
}

void ladder_loads(struct ladder *l, const struct mac *mac, usec_t now)
{
    uint8_t chaddr[DHCP_CHADDR_LEN] = {0};
    struct ladder_client *latest = NULL;
    memcpy(chaddr, mac->octet, sizeof mac->octet);
    struct ladder_client *c = bucket_of(l, chaddr);
    for (size_t i = 0; i < LADDER_WAYS; i++) {
        if (c[i].used && memcmp(c[i].chaddr, chaddr, sizeof chaddr) == 0 &&
            (!latest || c[i].heard > latest->heard)) {
            latest = &c[i];
        }
    }
    if (latest) {
        came(l, latest, LADDER_TFTP, now);
    }
}

/* -- around the decision ------------------------------------------------------------------ */

enum dhcp_verdict ladder_decide(struct ladder *l, struct dhcp_site *site,
                                const struct dhcp_arrival *at,
                                const struct dhcp_packet *in, usec_t now,
                                struct dhcp_decision *out)
{
    struct ladder_key key;
    struct pxe_request client = pxe_read(in);
    bool known = client.class != PXE_NO_CLIENT && ladder_key_of(in, &client, &key);
    if (known && at->port == DHCP_SERVER_PORT && in->type == DHCP_DISCOVER) {
        struct ladder_advice advice = ladder_asks(l, &key, now);
        site->form = advice.form;
        site->asked = advice.asked;
    }
    enum dhcp_verdict verdict = dhcp_decide(site, at, in, out);
    struct ladder_client *c = known ? find(l, &key) : NULL;
    if (c) {
        c->named = out->host != NULL;
    }
    if (!known || verdict != DHCP_ANSWERED) {
        return verdict;
    }
    if (at->port == DHCP_PXE_PORT) {
        ladder_reached(l, &key, LADDER_4011, now);
    } else if (out->on_ladder) {
        ladder_offered(l, &key, out->form);
    }
    return verdict;
}

void ladder_forget(struct ladder *l)
{
    memset(l->client, 0, sizeof l->client);
    memset(l->kind, 0, sizeof l->kind);
}
