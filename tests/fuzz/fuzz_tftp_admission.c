/*
 * Whose datagrams are looked at on port 69, and how many packets go to addresses that may be
 * forged (tftp/admission, tftp/budget), under floods from few addresses, known and unknown.
 *
 * Properties: who is admitted came in by a served interface, from no server's port, and from an
 * address that is attached or allowed, and not that of a whole subnet; what goes unanswered to
 * one address, and to strangers and to the known in all, is never more than the burst and the
 * rate allow; a flood of strangers takes nothing from those that are known; who has answered is
 * known for TFTP_ANSWERED_LIFE; what was answered costs nothing.
 */
#include "tests/fuzz/fuzz.h"
#include "tftp/admission.h"
#include "tftp/budget.h"

#define PEERS 16
#define CROWD 64

struct spent {
    uint64_t unanswered[TFTP_SPENDINGS];
};

struct world {
    struct tftp_budget *budget;
    usec_t now;
    struct spent one[PEERS];
    struct spent all[TFTP_TRUSTS];
    usec_t answered[PEERS]; /* when, lately; 0: never */
};

static struct endpoint peer_of(uint8_t n)
{
    return endpoint_ip4((struct ip4){{10, 0, 0, n % PEERS}}, 2000 + n);
}

static bool is_known_by_dhcp(uint8_t n)
{
    return n % PEERS < 4;
}

/* -- admission ---------------------------------------------------------------------------- */

static void add_subnet(struct rd *in, struct subnet *list, size_t *count, size_t room)
{
    if (*count < room) {
        struct endpoint e =
            endpoint_ip4((struct ip4){{10, rd_u8(in) & 1, rd_u8(in) & 3, rd_u8(in)}}, 0);
        memcpy(list[*count].ip, e.ip, sizeof list[*count].ip);
        list[(*count)++].bits = (uint8_t)(96 + fuzz_below(in, 33));
    }
}

static bool holds(const struct subnet *list, size_t count, const struct endpoint *e)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any |= subnet_holds(&list[i], e);
    }
    return any;
}

/* The last address of a subnet that is attached, and has room for hosts beside its ends. */
static bool is_broadcast(const struct tftp_doors *doors, const struct endpoint *e)
{
    const struct ip4 ip = endpoint_to_ip4(e);
    uint32_t bits =
        (uint32_t)ip.octet[0] << 24 | ip.octet[1] << 16 | ip.octet[2] << 8 | ip.octet[3];
    bool any = false;
    for (size_t i = 0; i < doors->attached_count; i++) {
        const struct subnet *s = &doors->attached[i];
        uint32_t hosts = s->bits < 127 ? UINT32_MAX >> (s->bits - 96) : 0;
        any |= hosts != 0 && subnet_holds(s, e) && (bits & hosts) == hosts;
    }
    return any;
}

static void admit(struct rd *in)
{
    static struct tftp_doors doors;
    static struct tftp_allow allow;
    memset(&doors, 0, sizeof doors);
    memset(&allow, 0, sizeof allow);
    uint8_t what = rd_u8(in);
    allow.attached = what & 1;
    doors.count = what >> 1 & 3;
    for (size_t i = 0; i < doors.count; i++) {
        doors.ifindex[i] = 1 + fuzz_below(in, 4);
    }
    doors.loopback = what & 8 ? 1 : 0;
    for (uint8_t i = 0; i < (what >> 4 & 3); i++) {
        add_subnet(in, doors.attached, &doors.attached_count, 3);
        add_subnet(in, allow.subnets.list, &allow.subnets.count, 2);
    }
    struct net_path path = {.local = endpoint_ip4((struct ip4){{10, 0, 0, 1}}, 69),
                            .ifindex = fuzz_below(in, 5)};
    static const uint16_t ports[] = {0, 67, 69, 4011, 68, 2070, 65535, 1};
    path.peer = endpoint_ip4((struct ip4){{10, rd_u8(in) & 1, rd_u8(in) & 3, rd_u8(in)}},
                             ports[fuzz_below(in, 8)]);
    enum tftp_ignored why = tftp_admit(&doors, &allow, &path);
    must(why < TFTP_IGNORED_COUNT && tftp_ignored_name(why)[0] != '\0');
    bool served = false;
    for (size_t i = 0; i < doors.count; i++) {
        served |= doors.ifindex[i] == path.ifindex;
    }
    uint16_t port = path.peer.port;
    bool server = port == 0 || port == 67 || port == 69 || port == 4011;
    bool host = !is_broadcast(&doors, &path.peer);
    bool attached = path.ifindex == doors.loopback ||
                    holds(doors.attached, doors.attached_count, &path.peer);
    bool allowed = holds(allow.subnets.list, allow.subnets.count, &path.peer);
    must((why == TFTP_ADMITTED) ==
         (served && !server && host && (allowed || (allow.attached && attached))));
}

/* -- budget ------------------------------------------------------------------------------- */

static void check_bound(const struct world *w, const struct spent *s,
                        enum tftp_spending what, struct tftp_allowance a)
{
    uint64_t earned = w->now * a.per_second / USEC_PER_SEC;
    must(s->unanswered[what] <= a.burst + earned + 1);
}

/* As many packets as are let out, up to this number; how many. */
static unsigned spend(struct world *w, uint8_t n, enum tftp_spending what, unsigned most)
{
    struct endpoint to = peer_of(n);
    unsigned sent = 0;
    for (; sent < most; sent++) {
        enum tftp_trust trust =
            tftp_budget_trust(w->budget, &to, is_known_by_dhcp(n), w->now);
        if (!tftp_budget_has(w->budget, what, &to, trust, w->now)) {
            break;
        }
        tftp_budget_take(w->budget, what, &to, trust, w->now);
        w->one[n % PEERS].unanswered[what]++;
        w->all[trust].unanswered[what]++;
    }
    check_bound(w, &w->one[n % PEERS], what, tftp_budget_of_one(what, CROWD));
    for (unsigned trust = 0; trust < TFTP_TRUSTS; trust++) {
        check_bound(w, &w->all[trust], what, tftp_budget_of_all(what, CROWD));
    }
    return sent;
}

/* One packet, which is answered: as if it had never been. */
static void exchange(struct world *w, uint8_t n)
{
    struct endpoint to = peer_of(n);
    enum tftp_trust trust =
        tftp_budget_trust(w->budget, &to, is_known_by_dhcp(n), w->now);
    if (!tftp_budget_has(w->budget, TFTP_FIRST, &to, trust, w->now)) {
        return;
    }
    tftp_budget_take(w->budget, TFTP_FIRST, &to, trust, w->now);
    tftp_budget_answered(w->budget, &to, trust, 1, w->now);
    must(tftp_budget_has(w->budget, TFTP_FIRST, &to, trust, w->now));
    must(tftp_budget_trust(w->budget, &to, false, w->now) == TFTP_ANSWERED);
    w->answered[n % PEERS] = w->now;
}

static void check_trust(const struct world *w, uint8_t n)
{
    struct endpoint to = peer_of(n);
    usec_t at = w->answered[n % PEERS];
    enum tftp_trust trust = tftp_budget_trust(w->budget, &to, false, w->now);
    must((trust == TFTP_ANSWERED) == (at > 0 && w->now < at + TFTP_ANSWERED_LIFE));
    must(tftp_budget_trust(w->budget, &to, true, w->now) != TFTP_STRANGER);
}

/* Strangers flood; the known are let out as if nothing was. */
static void flood(struct world *w, struct rd *in)
{
    struct endpoint known = peer_of(0);
    enum tftp_spending what = fuzz_bool(in) ? TFTP_REFUSAL : TFTP_FIRST;
    bool before = tftp_budget_has(w->budget, what, &known, TFTP_ANSWERED, w->now);
    for (uint8_t n = 4; n < PEERS; n++) {
        struct endpoint to = peer_of(n);
        if (tftp_budget_trust(w->budget, &to, false, w->now) == TFTP_STRANGER) {
            (void)spend(w, n, what, 4U * rd_u8(in));
        }
    }
    must(tftp_budget_has(w->budget, what, &known, TFTP_ANSWERED, w->now) == before);
}

static void step(struct world *w, struct rd *in)
{
    uint8_t what = rd_u8(in);
    uint8_t n = rd_u8(in);
    if (what < 40) {
        admit(in);
    } else if (what < 100) {
        (void)spend(w, n, what & 1 ? TFTP_FIRST : TFTP_REFUSAL, 4U * rd_u8(in));
    } else if (what < 150) {
        exchange(w, n);
    } else if (what < 170) {
        flood(w, in);
    } else if (what < 250) {
        w->now += (usec_t)n * 20 * USEC_PER_MSEC;
    } else {
        w->now += TFTP_ANSWERED_LIFE / 2 + n;
    }
    check_trust(w, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hash_seed seed = {1, 2};
    struct rd in = rd_over(data, size);
    struct world w = {.budget = tftp_budget_new(CROWD, &seed), .now = 1};
    must(w.budget != NULL);
    while (rd_left(&in) > 0) {
        step(&w, &in);
    }
    tftp_budget_free(w.budget);
    return 0;
}
