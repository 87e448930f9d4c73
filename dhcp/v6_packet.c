#include "dhcp/v6_packet.h"

#define RELAY_HEADER_LEN  34
#define OPTION_HEADER_LEN 4

bool dhcp6_option_next(struct rd *options, struct dhcp6_option *out)
{
    if (rd_left(options) == 0) {
        return false;
    }
    uint16_t code = rd_u16(options);
    struct rd value = rd_sub(options, rd_u16(options));
    if (!rd_ok(options)) {
        return false;
    }
    *out = (struct dhcp6_option){code, value};
    return true;
}

bool dhcp6_find(struct rd options, enum dhcp6_code code, struct rd *out)
{
    struct dhcp6_option opt;
    while (dhcp6_option_next(&options, &opt)) {
        if (opt.code == code) {
            *out = opt.value;
            return true;
        }
    }
    return false;
}

/* -- reading ------------------------------------------------------------------------------ */

/* What we read must have the length its RFC gives it; once: it may not stand twice. */
static const struct length {
    uint16_t code;
    uint16_t min;
    uint16_t max;
    uint16_t multiple;
    bool once;
} lengths[] = {
    {DHCP6_CLIENT_ID, 3, DHCP6_DUID_MAX, 1, true},
    {DHCP6_SERVER_ID, 3, DHCP6_DUID_MAX, 1, true},
    {DHCP6_VENDOR_CLASS, 4, UINT16_MAX, 1, false},
    {DHCP6_ARCH, 2, UINT16_MAX, 2, true},
    {DHCP6_CLIENT_LINK_LAYER, 2, UINT16_MAX, 1, true},
};

static enum dhcp6_fault check_option(const struct dhcp6_option *opt, unsigned *seen)
{
    size_t len = rd_left(&opt->value);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const struct length *l = &lengths[i];
        if (l->code != opt->code) {
            continue;
        }
        if (len < l->min || len > l->max || len % l->multiple != 0) {
            return DHCP6_BAD_LENGTH;
        }
        if (l->once && (*seen & 1U << i)) {
            return DHCP6_REPEATED;
        }
        *seen |= 1U << i;
    }
    return DHCP6_OK;
}

static enum dhcp6_fault check_options(struct rd options)
{
    struct dhcp6_option opt;
    unsigned seen = 0;
    while (dhcp6_option_next(&options, &opt)) {
        enum dhcp6_fault fault = check_option(&opt, &seen);
        if (fault != DHCP6_OK) {
            return fault;
        }
    }
    return rd_ok(&options) ? DHCP6_OK : DHCP6_BAD_OPTIONS;
}

static void read_ip6(struct rd *r, struct ip6 *out)
{
    const uint8_t *at = rd_take(r, sizeof out->octet);
    if (at) {
        memcpy(out->octet, at, sizeof out->octet);
    }
}

/* One relay's wrapping; r then stands at the message within. */
static enum dhcp6_fault unwrap(struct rd *r, struct dhcp6_packet *p)
{
    if (p->relay_count == DHCP6_RELAYS_MAX) {
        return DHCP6_TOO_DEEP;
    }
    struct dhcp6_relay *relay = &p->relay[p->relay_count];
    *relay = (struct dhcp6_relay){.hops = rd_u8(r)};
    read_ip6(r, &relay->link);
    read_ip6(r, &relay->peer);
    relay->options = *r;
    if (!rd_ok(r)) {
        return DHCP6_TRUNCATED;
    }
    enum dhcp6_fault fault = check_options(*r);
    if (fault != DHCP6_OK) {
        return fault;
    }
    p->relay_count++;
    return dhcp6_find(relay->options, DHCP6_RELAY_MESSAGE, r) ? DHCP6_OK
                                                              : DHCP6_NO_MESSAGE;
}

enum dhcp6_fault dhcp6_parse(const void *dgram, size_t len, struct dhcp6_packet *out)
{
    struct rd r = rd_over(dgram, len);
    struct dhcp6_packet p = {.type = rd_u8(&r)};
    while (rd_ok(&r) && p.type == DHCP6_RELAY_FORW) {
        enum dhcp6_fault fault = unwrap(&r, &p);
        if (fault != DHCP6_OK) {
            return fault;
        }
        p.type = rd_u8(&r);
    }
    if (p.type != DHCP6_RELAY_REPL) { /* which is read no further: some server's */
        p.xid = (uint32_t)rd_u8(&r) << 16;
        p.xid |= rd_u16(&r);
        p.options = r;
    }
    if (!rd_ok(&r)) {
        return DHCP6_TRUNCATED;
    }
    enum dhcp6_fault fault = check_options(p.options);
    if (fault == DHCP6_OK) {
        *out = p;
    }
    return fault;
}

/* -- writing ------------------------------------------------------------------------------ */

void dhcp6_option_write(struct wr *w, enum dhcp6_code code, const void *value, size_t len)
{
    if (len > UINT16_MAX) {
        w->full = true;
        return;
    }
    wr_u16(w, (uint16_t)code);
    wr_u16(w, (uint16_t)len);
    wr_put(w, value, len);
}

void dhcp6_header_write(struct wr *w, enum dhcp6_message type, uint32_t xid)
{
    wr_u32(w, (uint32_t)type << 24 | (xid & 0xffffff));
}

static size_t wrapped_len(const struct dhcp6_relay *relay, size_t len)
{
    struct rd id;
    size_t id_len = dhcp6_find(relay->options, DHCP6_INTERFACE_ID, &id)
                        ? OPTION_HEADER_LEN + rd_left(&id)
                        : 0;
    return RELAY_HEADER_LEN + id_len + OPTION_HEADER_LEN + len;
}

/* The header up to where the len octets of the message within follow. */
static void write_wrapping(struct wr *w, const struct dhcp6_relay *relay, size_t len)
{
    struct rd id;
    wr_u8(w, DHCP6_RELAY_REPL);
    wr_u8(w, relay->hops);
    wr_put(w, relay->link.octet, sizeof relay->link.octet);
    wr_put(w, relay->peer.octet, sizeof relay->peer.octet);
    if (dhcp6_find(relay->options, DHCP6_INTERFACE_ID, &id)) {
        dhcp6_option_write(w, DHCP6_INTERFACE_ID, id.p, rd_left(&id));
    }
    wr_u16(w, DHCP6_RELAY_MESSAGE);
    wr_u16(w, (uint16_t)len);
}

void dhcp6_relayed_write(struct wr *w, const struct dhcp6_packet *to, const void *message,
                         size_t len)
{
    size_t within[DHCP6_RELAYS_MAX]; /* octets inside each relay's wrapping */
    size_t total = len;
    for (unsigned i = to->relay_count; i-- > 0;) {
        within[i] = total;
        total = wrapped_len(&to->relay[i], total);
    }
    if (total > DHCP6_MAX_LEN) {
        w->full = true;
        return;
    }
    for (unsigned i = 0; i < to->relay_count; i++) {
        write_wrapping(w, &to->relay[i], within[i]);
    }
    wr_put(w, message, len);
}

/* -- names -------------------------------------------------------------------------------- */

const char *dhcp6_fault_name(enum dhcp6_fault fault)
{
    static const char *const names[DHCP6_FAULT_COUNT] = {
        [DHCP6_OK] = "ok",
        [DHCP6_TRUNCATED] = "truncated",
        [DHCP6_BAD_OPTIONS] = "bad-options",
        [DHCP6_BAD_LENGTH] = "bad-length",
        [DHCP6_REPEATED] = "repeated",
        [DHCP6_NO_MESSAGE] = "no-message",
        [DHCP6_TOO_DEEP] = "too-deep",
    };
    return names[fault];
}

const char *dhcp6_message_name(uint8_t type)
{
    static const char *const names[] = {
        "?",          "SOLICIT",    "ADVERTISE",   "REQUEST",
        "CONFIRM",    "RENEW",      "REBIND",      "REPLY",
        "RELEASE",    "DECLINE",    "RECONFIGURE", "INFORMATION-REQUEST",
        "RELAY-FORW", "RELAY-REPL",
    };
    return type < sizeof names / sizeof names[0] ? names[type] : names[0];
}
