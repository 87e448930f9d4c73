/*
 * One DHCPv6 datagram, through any relays, to port 547 or 4011.
 *
 * The first octet: which port, by multicast or not, whether we have a global address and whether
 * the client is known; the rest is the datagram.
 *
 * Properties: a request is answered exactly if there is a reply; it parses, mirrors the relays,
 * names the client and us, has a URL and no address, and is at most DHCP6_MAX_LEN octets.
 */
#include "dhcp/v6_decision.h"
#include "dhcp/v6_show.h"
#include "tests/fuzz/fuzz.h"

static const char json[] =
    "{\"interfaces\": [\"eth0\"], \"tftp\": {\"root\": \"/srv/tftp\"}, \"profiles\": {"
    "\"default\": {\"x86-bios\": \"a\", \"x64-uefi\": \"b c\", \"arm64-uefi\": \"c\","
    "\"x64-uefi-http\": \"http://[fd77::2]/d\", \"arm64-uefi-http\": "
    "\"http://10.0.0.1/e\","
    "\"ipxe\": \"f\"}}, \"hosts\": ["
    "{\"mac\": \"52:54:00:77:00:02\", \"action\": \"ignore\"},"
    "{\"uuid\": \"00112233-4455-6677-8899-aabbccddee02\", \"action\": \"ignore\"}]}";

static int same(struct rd a, struct rd b)
{
    return rd_left(&a) == rd_left(&b) &&
           (rd_left(&a) == 0 || !memcmp(a.p, b.p, rd_left(&a)));
}

/* The message inside the relays' answers, each of which is the request's mirror image. */
static struct rd unwrap(const struct dhcp6_reply *r, const struct dhcp6_packet *in)
{
    struct rd left = rd_over(r->packet, r->len);
    for (unsigned i = 0; i < in->relay_count; i++) {
        struct rd message;
        struct rd asked;
        struct rd answered;
        must(rd_u8(&left) == DHCP6_RELAY_REPL && rd_u8(&left) == in->relay[i].hops);
        must(!memcmp(rd_take(&left, 16), in->relay[i].link.octet, 16));
        must(!memcmp(rd_take(&left, 16), in->relay[i].peer.octet, 16));
        bool has_id = dhcp6_find(in->relay[i].options, DHCP6_INTERFACE_ID, &asked);
        must(has_id == dhcp6_find(left, DHCP6_INTERFACE_ID, &answered));
        must(!has_id || same(asked, answered));
        must(dhcp6_find(left, DHCP6_RELAY_MESSAGE, &message));
        left = message;
    }
    return left;
}

/* What we send is a good reply, whatever came in. */
static void check_reply(const struct dhcp6_decision *d, const struct dhcp6_site *site,
                        const struct dhcp6_packet *in)
{
    static const enum dhcp6_code never[] = {DHCP6_IA_NA, DHCP6_IA_TA, DHCP6_IA_PD,
                                            DHCP6_STATUS};
    static char text[20000];
    struct dhcp6_packet p;
    struct rd asked;
    struct rd value;
    struct rd message = unwrap(&d->reply, in);
    must(d->reply.len <= DHCP6_MAX_LEN && d->reply.to_port != 0);
    must(dhcp6_parse(message.p, rd_left(&message), &p) == DHCP6_OK);
    must(p.relay_count == 0 && p.xid == in->xid);
    must(p.type == (in->type == DHCP6_SOLICIT ? DHCP6_ADVERTISE : DHCP6_REPLY));
    bool named = dhcp6_find(in->options, DHCP6_CLIENT_ID, &asked);
    must(named == dhcp6_find(p.options, DHCP6_CLIENT_ID, &value));
    must(!named || same(asked, value));
    must(dhcp6_find(p.options, DHCP6_SERVER_ID, &value) &&
         same(value, rd_over(site->duid, sizeof site->duid)));
    must(dhcp6_find(p.options, DHCP6_BOOT_URL, &value) && rd_left(&value) > 10);
    must(dhcp6_find(p.options, DHCP6_VENDOR_CLASS, &value));
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        must(!dhcp6_find(p.options, never[i], &value));
    }
    dhcp6_show(d->reply.packet, d->reply.len, text, sizeof text);
    must(strstr(text, "boot file") != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ip6 addresses[] = {
        {{0xfe, 0x80, [15] = 1}},
        {{0xfd, 0x77, [15] = 2}},
    };
    static const struct ip6 group = {{0xff, 2, [13] = 1, [15] = 2}};
    const struct snapshot *config = fuzz_config(json);
    static struct dhcp6_decision d;
    static char text[400];
    struct dhcp6_packet in;
    if (size < 1) {
        return 0;
    }
    struct dhcp6_site site = {
        .config = config, .address = addresses, .address_count = data[0] & 4 ? 1 : 2};
    struct dhcp6_arrival at = {
        .port = data[0] & 1 ? DHCP_PXE_PORT : DHCP6_SERVER_PORT,
        .from = {{0xfe, 0x80, [8] = 0x50, 0x54, 0, 0xff, 0xfe, 0x77, 0, data[0]}},
        .from_port = DHCP6_CLIENT_PORT,
        .to = data[0] & 2 ? addresses[1] : group,
        .has_mac = data[0] & 8,
    };
    dhcp6_duid(&at.mac, site.duid);
    dhcp6_show(data + 1, size - 1, text, sizeof text);
    if (dhcp6_parse(data + 1, size - 1, &in) != DHCP6_OK) {
        return 0;
    }
    enum dhcp_verdict verdict = dhcp6_decide(&site, &at, &in, &d);
    must((verdict == DHCP_ANSWERED) == (d.reply.len > 0));
    must(dhcp_verdict_name(verdict)[0] != '\0');
    if (verdict == DHCP_ANSWERED) {
        check_reply(&d, &site, &in);
    }
    return 0;
}
