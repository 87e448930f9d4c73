/*
 * DHCPv6 clients over time: requests as firmware writes them and as it does not, from relays,
 * on two interfaces, with waits between, through all that is remembered of them
 * (dhcp/v6_clients, dhcp/v6_held), as dhcp/v6_service does it.
 *
 * Properties: an answer parses, is for this client and transaction and gives no address; a
 * message is held for a repeat only if the same was heard on the other interface within
 * CLIENTS6_REPEAT; a MAC is told of a DUID only if it was noted for it; what waits comes out
 * when it is due, not before, and never after its client asked again; never more than
 * HELD6_MAX wait; a request that we wrote ourselves can be read.
 */
#include "app/request.h"
#include "dhcp/v6_clients.h"
#include "dhcp/v6_held.h"
#include "dhcp/v6_sighting.h"
#include "tests/fuzz/fuzz.h"

static const char json[] =
    "{\"interfaces\": [\"eth0\"], \"tftp\": {\"root\": \"/srv/tftp\"}, \"profiles\": {"
    "\"default\": {\"x86-bios\": \"a\", \"x64-uefi\": \"b\", \"arm64-uefi\": \"c\","
    "\"x64-uefi-http\": \"http://[fd77::2]/d\", \"ipxe\": \"f\"},"
    "\"late\": {\"extends\": \"default\", \"delay_ms\": 900, \"after_requests\": 2}},"
    "\"hosts\": [{\"mac\": \"02:00:00:00:00:01\", \"profile\": \"late\"},"
    "{\"mac\": \"02:00:00:00:00:02\", \"action\": \"local\"}]}";

#define HEARD 64

struct heard {
    uint8_t duid[DHCP6_DUID_MAX];
    size_t duid_len;
    uint32_t xid;
    uint8_t type;
    uint16_t port;
    unsigned ifindex;
    usec_t at;
};

struct world {
    const struct snapshot *config;
    struct clients6 clients;
    struct held6 held;
    struct dhcp6_decision decision;
    struct heard heard[HEARD];
    size_t heard_count;
    size_t waiting;
    usec_t now;
};

static const struct ip6 addresses[] = {
    {{0xfe, 0x80, [15] = 1}},
    {{0xfd, 0x77, [15] = 2}},
};

static struct rd duid_of(const struct dhcp6_packet *in)
{
    struct rd duid = rd_nothing();
    (void)dhcp6_find(in->options, DHCP6_CLIENT_ID, &duid);
    return duid;
}

static bool was_heard(const struct world *w, struct rd duid,
                      const struct dhcp6_packet *in, uint16_t port, unsigned ifindex)
{
    for (size_t i = 0; i < w->heard_count; i++) {
        const struct heard *h = &w->heard[i];
        if (h->xid == in->xid && h->type == in->type && h->port == port &&
            h->ifindex != ifindex && w->now - h->at < CLIENTS6_REPEAT &&
            h->duid_len == rd_left(&duid) && memcmp(h->duid, duid.p, h->duid_len) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_repeat(struct world *w, struct rd duid, const struct dhcp6_packet *in,
                      uint16_t port, unsigned ifindex)
{
    size_t len = rd_left(&duid);
    bool known = len > 0 && len <= DHCP6_DUID_MAX;
    if (clients6_repeats(&w->clients, duid, in, port, ifindex, w->now)) {
        must(known && was_heard(w, duid, in, port, ifindex));
        return true;
    }
    if (known) {
        struct heard *h = &w->heard[w->heard_count++];
        *h = (struct heard){.duid_len = len,
                            .xid = in->xid,
                            .type = in->type,
                            .port = port,
                            .ifindex = ifindex,
                            .at = w->now};
        memcpy(h->duid, duid.p, len);
    }
    return false;
}

/* -- answers ------------------------------------------------------------------------------ */

static struct rd without_relays(const struct dhcp6_reply *r, unsigned relays)
{
    struct rd left = rd_over(r->packet, r->len);
    for (; relays > 0; relays--) {
        struct rd inner;
        must(rd_u8(&left) == DHCP6_RELAY_REPL && rd_take(&left, 33) != NULL);
        must(dhcp6_find(left, DHCP6_RELAY_MESSAGE, &inner));
        left = inner;
    }
    return left;
}

static void check_answer(const struct world *w, const struct dhcp6_packet *in)
{
    const struct dhcp6_reply *r = &w->decision.reply;
    struct dhcp6_packet p;
    struct rd value;
    must(r->len > 0 && r->len <= DHCP6_MAX_LEN && r->to_port != 0);
    struct rd message = without_relays(r, in->relay_count);
    must(dhcp6_parse(message.p, rd_left(&message), &p) == DHCP6_OK);
    must(p.xid == in->xid && p.relay_count == 0);
    must(p.type == (in->type == DHCP6_SOLICIT ? DHCP6_ADVERTISE : DHCP6_REPLY));
    must(dhcp6_find(p.options, DHCP6_SERVER_ID, &value));
    must(!dhcp6_find(p.options, DHCP6_IA_NA, &value));
    struct rd asked = duid_of(in);
    struct rd told = duid_of(&p);
    must(rd_left(&asked) == rd_left(&told));
    must(rd_left(&asked) == 0 || memcmp(asked.p, told.p, rd_left(&asked)) == 0);
}

/* -- what waits --------------------------------------------------------------------------- */

static void take_due(struct world *w)
{
    const struct held6_reply *r;
    must((held6_deadline(&w->held) == USEC_NEVER) == (w->waiting == 0));
    while ((r = held6_take(&w->held, w->now))) {
        must(r->timer.due <= w->now && r->len <= DHCP6_MAX_LEN && w->waiting > 0);
        w->waiting--;
    }
    must(held6_deadline(&w->held) > w->now);
    must(w->held.timers.count == w->waiting);
}

static void hold(struct world *w, uint64_t client, usec_t due)
{
    const struct dhcp6_reply *r = &w->decision.reply;
    const struct held6_way way = {.client = client};
    bool put = held6_put(&w->held, &way, r->packet, r->len, due);
    must(put == (w->waiting < HELD6_MAX));
    w->waiting += put;
}

static void drop(struct world *w, uint64_t client)
{
    held6_drop(&w->held, client);
    w->waiting = w->held.timers.count;
    for (size_t i = 0; i < w->waiting; i++) {
        must(((const struct held6_reply *)w->held.heap[i])->way.client != client);
    }
}

/* -- one message -------------------------------------------------------------------------- */

static void hear(struct world *w, struct rd octets, struct dhcp6_arrival *at,
                 unsigned ifindex, uint64_t client)
{
    struct dhcp6_packet in;
    struct ip6 seen_at;
    struct machine machine;
    if (dhcp6_parse(octets.p, rd_left(&octets), &in) != DHCP6_OK) {
        return;
    }
    struct rd duid = duid_of(&in);
    if (is_repeat(w, duid, &in, at->port, ifindex)) {
        return;
    }
    struct dhcp6_site site = {
        .config = w->config, .address = addresses, .address_count = 2};
    dhcp6_duid(&(struct mac){{2, 0, 0, 0, 0, 99}}, site.duid);
    enum dhcp_verdict verdict =
        clients6_decide(&w->clients, &site, at, &in, w->now, &w->decision);
    must((verdict == DHCP_ANSWERED) == (w->decision.reply.len > 0));
    drop(w, client);
    if (verdict == DHCP_ANSWERED) {
        check_answer(w, &in);
        hold(w, client, w->now + w->decision.gate.delay_ms * USEC_PER_MSEC);
    }
    if (dhcp6_sighting(&in, at, &w->decision, &seen_at, &machine)) {
        must(!ip6_is_any(&seen_at) && !ip6_is_multicast(&seen_at));
    }
}

/* A relay's message around it. */
static size_t relayed(struct rd *in, const uint8_t *message, size_t len, uint8_t *out,
                      size_t room)
{
    struct wr w = wr_over(out, room);
    wr_u8(&w, DHCP6_RELAY_FORW);
    wr_u8(&w, rd_u8(in));
    wr_zero(&w, 16);
    wr_put(&w, addresses[0].octet, 16);
    dhcp6_option_write(&w, DHCP6_INTERFACE_ID, "e", 1);
    dhcp6_option_write(&w, DHCP6_RELAY_MESSAGE, message, len);
    must(wr_ok(&w));
    return wr_len(&w);
}

static void ask(struct world *w, struct rd *in)
{
    static const uint16_t archs[] = {0, 6, 7, 11, 16, 999};
    uint8_t buf[REQUEST_SIZE];
    uint8_t outer[REQUEST_SIZE + 128];
    uint8_t what = rd_u8(in);
    bool to_4011 = what & 1;
    struct request_terms terms = {
        .manner = what & 2 ? REQUEST_IPXE : REQUEST_EDK2,
        .mac = {{2, 0, 0, 0, 0, (uint8_t)fuzz_below(in, 6)}},
        .arch = archs[fuzz_below(in, sizeof archs / sizeof archs[0])],
        .has_uuid = what & 4,
    };
    struct dhcp6_packet packet;
    uint8_t *message = buf;
    size_t len = request6_write(&terms, to_4011, buf);
    must(len <= sizeof buf && dhcp6_parse(buf, len, &packet) == DHCP6_OK);
    must(packet.type == (to_4011 ? DHCP6_REQUEST : DHCP6_SOLICIT));
    buf[3] = (uint8_t)fuzz_below(in, 3);               /* of the transaction */
    for (uint32_t n = fuzz_below(in, 4); n > 0; n--) { /* or what no firmware sends */
        buf[rd_u16(in) % len] = rd_u8(in);
    }
    if (what & 8) {
        len = relayed(in, buf, len, outer, sizeof outer);
        message = outer;
    }
    struct dhcp6_arrival at = {.port = to_4011 ? DHCP_PXE_PORT : DHCP6_SERVER_PORT,
                               .from = request6_address(&terms.mac),
                               .from_port = DHCP6_CLIENT_PORT,
                               .to = what & 16 ? addresses[1] : request6_group()};
    if (what & 32) { /* the address it was leased tells no MAC */
        at.from = addresses[1];
    }
    uint8_t *exact = fuzz_exact(rd_over(message, len));
    hear(w, rd_over(exact, len), &at, 1 + fuzz_below(in, 2), terms.mac.octet[5]);
    free(exact);
}

static void recall(struct world *w, struct rd *in)
{
    struct rd duid = fuzz_octets(in, DHCP6_DUID_MAX + 2);
    struct mac mac = {{2, 0, 0, 0, 1, rd_u8(in)}};
    struct mac told;
    clients6_note(&w->clients, duid, &mac);
    bool known = rd_left(&duid) > 0 && rd_left(&duid) <= DHCP6_DUID_MAX;
    must(clients6_find(&w->clients, duid, &told) == known);
    must(!known || mac_equal(&told, &mac));
}

static void step(struct world *w, struct rd *in)
{
    uint8_t what = rd_u8(in);
    if (what < 190) {
        ask(w, in);
    } else if (what < 220) {
        w->now += (usec_t)(what - 189) * 200 * USEC_PER_MSEC;
    } else if (what < 240) {
        w->now += (usec_t)(what - 219) * 30 * USEC_PER_SEC;
    } else {
        recall(w, in);
    }
    take_due(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct snapshot *config = fuzz_config(json);
    static struct world w;
    struct rd in = rd_over(data, size);
    memset(&w, 0, sizeof w);
    w.config = config;
    w.clients.seed = (struct hash_seed){1, 2};
    w.now = USEC_PER_SEC;
    held6_init(&w.held);
    while (rd_left(&in) > 0 && w.heard_count < HEARD) {
        step(&w, &in);
    }
    return 0;
}
