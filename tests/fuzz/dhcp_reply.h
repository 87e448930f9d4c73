/*
 * tests/fuzz/dhcp_reply: what must hold of each DHCP reply of ours, whatever was asked.
 */
#ifndef TESTS_FUZZ_DHCP_REPLY_H
#define TESTS_FUZZ_DHCP_REPLY_H

#include "dhcp/decision.h"
#include "dhcp/show.h"
#include "tests/fuzz/fuzz.h"

static inline bool reply_has(const struct dhcp_packet *p, enum dhcp_code code)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    return dhcp_find(p, code, buf, &value) && rd_left(&value) > 0;
}

/* RFC 2132 section 9.10: what the client takes, less the IP and UDP headers that it counts. */
static inline size_t reply_limit(const struct dhcp_packet *in)
{
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd value;
    size_t asked = dhcp_find(in, DHCP_MAX_SIZE, buf, &value) ? rd_u16(&value) : 576;
    return (asked > 576 ? asked : 576) - 28;
}

/* An option that is asked back as it came: 97 and 82. */
static inline void check_echoed(const struct dhcp_packet *in, const struct dhcp_packet *p,
                                enum dhcp_code code)
{
    uint8_t asked[DHCP_OPTION_MAX];
    uint8_t told[DHCP_OPTION_MAX];
    struct rd a;
    struct rd b;
    if (dhcp_find(in, code, asked, &a)) {
        must(dhcp_find(p, code, told, &b) && rd_left(&a) == rd_left(&b));
        must(rd_left(&a) == 0 || memcmp(a.p, b.p, rd_left(&a)) == 0);
    } else {
        must(!dhcp_find(p, code, told, &b));
    }
}

/* A menu has prompt, items and servers, and never a discovery control that breaks clients. */
static inline void check_vendor(struct rd value)
{
    struct dhcp_option sub;
    uint64_t seen = 0;
    bool skips = false;
    while (dhcp_option_next(&value, &sub)) {
        seen |= sub.code < 64 ? UINT64_C(1) << sub.code : 0;
        skips |= sub.code == 6 && sub.value.p[0] & 8;
        must(sub.code != 6 || sub.value.p[0] != 0);
    }
    must(rd_ok(&value));
    bool servers = seen >> 8 & 1;
    must(!servers || (!skips && seen >> 9 & 1 && seen >> 10 & 1));
}

/* RFC 2131 sections 4.1 and 4.3, PXE 2.1: the header is the request's, and we lease nothing. */
static inline void check_reply_header(const struct dhcp_packet *in,
                                      const struct dhcp_packet *p)
{
    must(p->op == BOOTREPLY && p->xid == in->xid && p->htype == in->htype &&
         p->hlen == in->hlen && p->flags == in->flags);
    must(ip4_is_any(p->yiaddr) && !ip4_is_any(p->siaddr));
    must(ip4_equal(p->giaddr, in->giaddr));
    must(ip4_is_any(p->ciaddr) || ip4_equal(p->ciaddr, in->ciaddr));
    must(memcmp(p->chaddr, in->chaddr, DHCP_CHADDR_LEN) == 0);
    must(p->type == DHCP_OFFER || p->type == DHCP_ACK);
    must(p->type != DHCP_OFFER || in->type == DHCP_DISCOVER);
}

/* RFC 2131 section 4.1: by its relay, to whoever asked on port 4011, to its address or to all. */
static inline void check_reply_way(const struct dhcp_reply *r,
                                   const struct dhcp_arrival *at,
                                   const struct dhcp_packet *in)
{
    must(r->from_port == at->port);
    if (at->port == DHCP_PXE_PORT) {
        must(ip4_equal(r->to, at->from) && r->to_port == at->from_port);
    } else if (!ip4_is_any(in->giaddr)) {
        must(ip4_equal(r->to, in->giaddr) && r->to_port == DHCP_SERVER_PORT);
    } else {
        must(r->to_port == DHCP_CLIENT_PORT);
        must(ip4_equal(r->to, ip4_is_any(in->ciaddr) ? IP4_BROADCAST : in->ciaddr));
    }
}

static inline void check_reply(const struct dhcp_reply *r, const struct dhcp_arrival *at,
                               const struct dhcp_packet *in)
{
    static const enum dhcp_code never[] = {1, 3, 6, 12, 51, 58, 59, DHCP_OVERLOAD};
    static char text[20000];
    struct dhcp_packet p;
    uint8_t buf[DHCP_OPTION_MAX];
    struct rd vendor;
    must(r->len >= DHCP_MIN_LEN && r->len <= DHCP_MAX_LEN && r->len <= reply_limit(in));
    must(dhcp_parse(r->packet, r->len, &p) == DHCP_OK);
    check_reply_header(in, &p);
    check_reply_way(r, at, in);
    if (dhcp_find(&p, DHCP_VENDOR_SPECIFIC, buf, &vendor)) {
        check_vendor(vendor);
    }
    must(reply_has(&p, DHCP_MSG_TYPE) && reply_has(&p, DHCP_SERVER_ID) &&
         reply_has(&p, DHCP_VENDOR_CLASS));
    check_echoed(in, &p, DHCP_MACHINE_ID);
    check_echoed(in, &p, DHCP_RELAY_AGENT);
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        must(!reply_has(&p, never[i])); /* a lease is another server's business */
    }
    dhcp_show(r->packet, r->len, text, sizeof text);
    must(strstr(text, "END") != NULL);
}

#endif
