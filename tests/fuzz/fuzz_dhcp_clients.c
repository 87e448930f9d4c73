/*
 * DHCP clients over time: requests as firmware writes them and as it does not, on two
 * interfaces, with waits between, through all that is remembered of them (dhcp/ladder,
 * dhcp/pending, dhcp/repeats), as dhcp/service does it.
 *
 * Properties: each reply is a good one (dhcp_reply.h); a request is held for a repeat only if
 * the same was heard on the other interface within REPEATS_MEMORY; a form of offer is one that
 * may go out; at most one delayed offer waits for a client, never more than PENDING_MAX, each
 * comes out when it is due and not before; a request that we wrote ourselves can be read; a
 * sighting is an address the client named.
 */
#include "app/request.h"
#include "dhcp/ladder.h"
#include "dhcp/pending.h"
#include "dhcp/repeats.h"
#include "dhcp/sighting.h"
#include "dhcp/traffic.h"
#include "tests/fuzz/dhcp_reply.h"

static const char json[] =
    "{\"interfaces\": [\"eth0\"], \"tftp\": {\"root\": \"/srv/tftp\"}, \"profiles\": {"
    "\"default\": {\"x86-bios\": \"a\", \"x64-uefi\": \"b\", \"arm64-uefi\": \"c\","
    "\"x64-uefi-http\": \"http://10.0.0.1/d\", \"arm-rpiboot\": \"e\", \"ipxe\": \"f\","
    "\"offer\": \"auto\"},"
    "\"late\": {\"extends\": \"default\", \"delay_ms\": 900},"
    "\"twice\": {\"extends\": \"late\", \"offer\": \"both\", \"after_requests\": 2},"
    "\"menu\": {\"extends\": \"default\", \"menu\": {\"items\": ["
    "{\"name\": \"disk\", \"action\": \"local\"}, {\"name\": \"one\", \"file\": "
    "\"g\"}]}}},"
    "\"hosts\": [{\"mac\": \"02:00:00:00:00:01\", \"profile\": \"late\"},"
    "{\"mac\": \"02:00:00:00:00:02\", \"profile\": \"twice\"},"
    "{\"mac\": \"02:00:00:00:00:03\", \"profile\": \"menu\"},"
    "{\"mac\": \"02:00:00:00:00:04\", \"action\": \"hold\"}]}";

#define HEARD 64

struct heard {
    uint8_t chaddr[DHCP_CHADDR_LEN];
    uint32_t xid;
    enum dhcp_op op;
    enum dhcp_message type;
    size_t interface;
    usec_t at;
};

struct world {
    const struct snapshot *config;
    struct ladder ladder;
    struct pending pending;
    struct repeats repeats;
    struct traffic traffic;
    struct dhcp_decision decision;
    struct heard heard[HEARD];
    size_t heard_count;
    usec_t now;
    struct host_state marks;
};

static const struct host_state *state_of(void *context, const struct mac *mac)
{
    struct world *w = context;
    return mac->octet[5] & 1 ? &w->marks : NULL;
}

static bool has_file(void *context, const char *file)
{
    (void)context;
    return strcmp(file, "c") != 0;
}

/* -- repeats ------------------------------------------------------------------------------ */

static bool was_heard(const struct world *w, const struct dhcp_packet *in,
                      size_t interface)
{
    for (size_t i = 0; i < w->heard_count; i++) {
        const struct heard *h = &w->heard[i];
        if (h->xid == in->xid && h->op == in->op && h->type == in->type &&
            h->interface != interface && w->now - h->at < REPEATS_MEMORY &&
            memcmp(h->chaddr, in->chaddr, DHCP_CHADDR_LEN) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_repeat(struct world *w, const struct dhcp_packet *in, size_t interface)
{
    if (repeats_heard(&w->repeats, in, interface, w->now)) {
        must(was_heard(w, in, interface));
        return true;
    }
    struct heard *h = &w->heard[w->heard_count++];
    *h = (struct heard){.xid = in->xid,
                        .op = in->op,
                        .type = in->type,
                        .interface = interface,
                        .at = w->now};
    memcpy(h->chaddr, in->chaddr, DHCP_CHADDR_LEN);
    return false;
}

/* -- what waits --------------------------------------------------------------------------- */

static size_t waiting_for(const struct world *w, const uint8_t *chaddr)
{
    size_t count = 0;
    for (size_t i = 0; i < PENDING_MAX; i++) {
        const struct pending_offer *o = &w->pending.offer[i];
        count += o->used && memcmp(o->chaddr, chaddr, DHCP_CHADDR_LEN) == 0;
    }
    return count;
}

static void take_due(struct world *w)
{
    const struct pending_offer *o;
    usec_t deadline = pending_deadline(&w->pending);
    must((deadline == USEC_NEVER) == (w->pending.count == 0));
    bool any = deadline <= w->now;
    while ((o = pending_take(&w->pending, w->now))) {
        must(any && o->due <= w->now && o->reply_count >= 1 && o->reply_count <= 2);
    }
    must(pending_deadline(&w->pending) > w->now);
}

/* -- one request -------------------------------------------------------------------------- */

static void check_decision(struct world *w, const struct dhcp_arrival *at,
                           const struct dhcp_packet *in)
{
    const struct dhcp_decision *d = &w->decision;
    must((d->verdict == DHCP_ANSWERED) == (d->reply_count > 0));
    must(d->form < OFFER_FORM_COUNT && d->step_count <= DHCP_STEPS_MAX);
    must(d->type != DHCP_OFFER || d->verdict != DHCP_ANSWERED || d->form != OFFER_AUTO);
    for (unsigned i = 0; i < d->reply_count; i++) {
        check_reply(&d->reply[i], at, in);
    }
    if (d->verdict == DHCP_ANSWERED && d->delay_ms > 0 && d->type == DHCP_OFFER) {
        const struct pending_offer where = {.due = w->now + d->delay_ms * USEC_PER_MSEC};
        size_t before = w->pending.count;
        bool put = pending_put(&w->pending, in, d, &where);
        must(put == (before < PENDING_MAX));
    }
    must(waiting_for(w, in->chaddr) <= 1 && w->pending.count <= PENDING_MAX);
}

static void check_sighting(const struct dhcp_arrival *at, const struct dhcp_packet *in,
                           const struct pxe_request *client)
{
    struct ip4 address;
    struct machine m;
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd wanted = rd_nothing();
    if (!dhcp_sighting(in, at, client, &address, &m)) {
        return;
    }
    (void)dhcp_find(in, DHCP_REQUESTED_ADDRESS, buf, &wanted);
    bool named = rd_left(&wanted) == 4 && memcmp(wanted.p, address.octet, 4) == 0;
    must(named || ip4_equal(address, in->ciaddr) || ip4_equal(address, at->from));
    must(!ip4_is_any(address));
}

static void hear(struct world *w, struct rd octets, const struct dhcp_arrival *at,
                 size_t interface)
{
    struct dhcp_packet in;
    if (dhcp_parse(octets.p, rd_left(&octets), &in) != DHCP_OK ||
        is_repeat(w, &in, interface)) {
        return;
    }
    struct dhcp_site site = {.config = w->config,
                             .address = {{10, 0, 0, 1}},
                             .interface = interface ? "eth1" : "eth0",
                             .state = state_of,
                             .has_file = has_file,
                             .context = w};
    if (in.op == BOOTREQUEST && in.type == DHCP_DISCOVER) {
        pending_drop(&w->pending, &in);
    }
    (void)ladder_decide(&w->ladder, &site, at, &in, w->now, &w->decision);
    traffic_count_request(&w->traffic,
                          in.type == DHCP_DISCOVER  ? TRAFFIC_DISCOVER
                          : in.type == DHCP_REQUEST ? TRAFFIC_REQUEST
                                                    : TRAFFIC_OTHER_MESSAGE,
                          &w->decision);
    if (in.type == DHCP_DISCOVER || w->decision.type != DHCP_OFFER) {
        check_decision(w, at, &in);
    }
    check_sighting(at, &in, &w->decision.client);
}

static struct ip4 address_of(struct rd *in)
{
    uint8_t n = rd_u8(in);
    return n < 128 ? IP4_ANY : (struct ip4){{10, 0, 0, n & 3}};
}

static void ask(struct world *w, struct rd *in)
{
    static const uint16_t archs[] = {0, 6, 7, 9, 11, 16, 18, 41, 5, 999};
    static const char *const classes[] = {NULL,
                                          NULL,
                                          "PXEClient",
                                          "HTTPClient:Arch:00016",
                                          "PXEClient:Arch:00000:UNDI:002001",
                                          "MSFT 5.0"};
    uint8_t buf[REQUEST_SIZE];
    uint8_t what = rd_u8(in);
    struct request_terms terms = {
        .manner = (enum request_manner)(what % REQUEST_MANNERS),
        .at_4011 = what & 0x40,
        .type = what & 0xc0 ? DHCP_REQUEST : DHCP_DISCOVER,
        .xid = fuzz_below(in, 3),
        .mac = {{2, 0, 0, 0, 0, (uint8_t)fuzz_below(in, 8)}},
        .arch = archs[fuzz_below(in, sizeof archs / sizeof archs[0])],
        .class = classes[fuzz_below(in, sizeof classes / sizeof classes[0])],
        .client = address_of(in),
        .relay = address_of(in),
        .server = address_of(in),
        .wanted = address_of(in),
        .has_uuid = what & 0x20,
        .has_item = fuzz_bool(in),
        .item = (uint16_t)(0x8000 + fuzz_below(in, 4)),
    };
    struct dhcp_packet packet;
    size_t len = request_write(&terms, buf);
    must(len <= sizeof buf && dhcp_parse(buf, len, &packet) == DHCP_OK);
    must(packet.type == terms.type && packet.xid == terms.xid);
    for (uint32_t n = fuzz_below(in, 4); n > 0; n--) { /* or what no firmware sends */
        buf[rd_u16(in) % len] = rd_u8(in);
    }
    size_t interface = fuzz_below(in, 2);
    const struct dhcp_arrival at = {
        terms.at_4011 ? DHCP_PXE_PORT : DHCP_SERVER_PORT, {{10, 0, 0, 2}}, 68};
    uint8_t *exact = fuzz_exact(rd_over(buf, len));
    hear(w, rd_over(exact, len), &at, interface);
    free(exact);
}

static void check_ladder(const struct world *w)
{
    const struct ladder_kind *kind;
    for (size_t i = 0; (kind = ladder_kind_at(&w->ladder, i)); i++) {
        enum offer_form first = ladder_first(kind);
        must(first == OFFER_PXE || first == OFFER_BARE || first == OFFER_BOTH);
        must(fuzz_is_plain(kind->class) && i < LADDER_KINDS);
        for (size_t form = 0; form < OFFER_FORM_COUNT; form++) {
            must(kind->score[form] <= LADDER_SCORE_MAX);
        }
    }
}

static void step(struct world *w, struct rd *in)
{
    uint8_t what = rd_u8(in);
    if (what < 160) {
        ask(w, in);
    } else if (what < 200) {
        w->now += (usec_t)(what - 159) * 100 * USEC_PER_MSEC;
    } else if (what < 220) {
        w->now += (usec_t)(what - 199) * 30 * USEC_PER_SEC;
    } else if (what < 250) {
        ladder_loads(&w->ladder, &(struct mac){{2, 0, 0, 0, 0, what & 7}}, w->now);
    } else if (what < 253) {
        w->marks.approved = what & 1;
        w->marks.done = what & 2;
    } else {
        ladder_forget(&w->ladder);
        must(!ladder_kind_at(&w->ladder, 0));
    }
    take_due(w);
    check_ladder(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct snapshot *config = fuzz_config(json);
    static struct world w;
    struct rd in = rd_over(data, size);
    memset(&w, 0, sizeof w);
    w.config = config;
    w.ladder.seed = w.repeats.seed = (struct hash_seed){1, 2};
    w.now = USEC_PER_SEC;
    while (rd_left(&in) > 0 && w.heard_count < HEARD) {
        step(&w, &in);
    }
    return 0;
}
