#include "dhcp/packet.h"

#define MAGIC_COOKIE 0x63825363u

enum { OVERLOAD_FILE = 1, OVERLOAD_SNAME = 2 };

static struct ip4 read_ip4(struct rd *r)
{
    struct ip4 ip = IP4_ANY;
    const uint8_t *at = rd_take(r, sizeof ip.octet);
    if (at) {
        memcpy(ip.octet, at, sizeof ip.octet);
    }
    return ip;
}

static void write_ip4(struct wr *w, struct ip4 ip)
{
    wr_put(w, ip.octet, sizeof ip.octet);
}

/* Checks one field of options; notes message type and overload on the way. */
static enum dhcp_fault check_field(struct rd field, struct dhcp_packet *pkt,
                                   int *overload)
{
    struct dhcp_option opt;
    while (dhcp_option_next(&field, &opt)) {
        if (dhcp_option_check(&opt)) {
            return DHCP_BAD_LENGTH;
        }
        uint64_t bit = UINT64_C(1) << opt.code % 64;
        pkt->split[opt.code / 64] |= pkt->seen[opt.code / 64] & bit;
        pkt->seen[opt.code / 64] |= bit;
        if (opt.code == DHCP_MSG_TYPE) {
            pkt->type = (enum dhcp_message)rd_u8(&opt.value);
        } else if (opt.code == DHCP_OVERLOAD && overload) {
            *overload = rd_u8(&opt.value);
        }
    }
    return rd_ok(&field) ? DHCP_OK : DHCP_BAD_OPTIONS;
}

/* RFC 3396 section 5: the options field, then `file`, then `sname`. */
static enum dhcp_fault read_options(struct rd *r, struct dhcp_packet *pkt)
{
    int overload = 0;
    pkt->fields[pkt->field_count++] = rd_sub(r, rd_left(r));
    enum dhcp_fault fault = check_field(pkt->fields[0], pkt, &overload);
    if (fault == DHCP_OK && overload & OVERLOAD_FILE) {
        pkt->fields[pkt->field_count++] = rd_over(pkt->file, DHCP_FILE_LEN);
        fault = check_field(rd_over(pkt->file, DHCP_FILE_LEN), pkt, NULL);
    }
    if (fault == DHCP_OK && overload & OVERLOAD_SNAME) {
        pkt->fields[pkt->field_count++] = rd_over(pkt->sname, DHCP_SNAME_LEN);
        fault = check_field(rd_over(pkt->sname, DHCP_SNAME_LEN), pkt, NULL);
    }
    if (fault == DHCP_OK && pkt->type == 0) {
        fault = DHCP_NO_TYPE;
    }
    return fault;
}

static void read_header(struct rd *r, struct dhcp_packet *pkt)
{
    pkt->op = (enum dhcp_op)rd_u8(r);
    pkt->htype = rd_u8(r);
    pkt->hlen = rd_u8(r);
    pkt->hops = rd_u8(r);
    pkt->xid = rd_u32(r);
    pkt->secs = rd_u16(r);
    pkt->flags = rd_u16(r);
    pkt->ciaddr = read_ip4(r);
    pkt->yiaddr = read_ip4(r);
    pkt->siaddr = read_ip4(r);
    pkt->giaddr = read_ip4(r);
    pkt->chaddr = rd_take(r, DHCP_CHADDR_LEN);
    pkt->sname = rd_take(r, DHCP_SNAME_LEN);
    pkt->file = rd_take(r, DHCP_FILE_LEN);
}

enum dhcp_fault dhcp_parse(const void *dgram, size_t len, struct dhcp_packet *out)
{
    struct dhcp_packet pkt = {0};
    struct rd r = rd_over(dgram, len);
    read_header(&r, &pkt);
    uint32_t cookie = rd_u32(&r);
    if (!rd_ok(&r)) {
        return DHCP_TRUNCATED;
    }
    if (cookie != MAGIC_COOKIE) {
        return DHCP_NO_COOKIE;
    }
    if (pkt.op != BOOTREQUEST && pkt.op != BOOTREPLY) {
        return DHCP_BAD_OP;
    }
    if (pkt.hlen > DHCP_CHADDR_LEN) {
        return DHCP_BAD_HLEN;
    }
    enum dhcp_fault fault = read_options(&r, &pkt);
    if (fault == DHCP_OK) {
        *out = pkt;
    }
    return fault;
}

static bool has_bit(const uint64_t bits[4], enum dhcp_code code)
{
    return bits[code / 64] >> code % 64 & 1;
}

bool dhcp_find(const struct dhcp_packet *p, enum dhcp_code code,
               uint8_t buf[DHCP_OPTION_MAX], struct rd *out)
{
    struct wr joined = wr_over(buf, DHCP_OPTION_MAX);
    if (!has_bit(p->seen, code)) {
        return false;
    }
    bool is_split = has_bit(p->split, code);
    for (unsigned i = 0; i < p->field_count; i++) {
        struct rd field = p->fields[i];
        struct dhcp_option opt;
        while (dhcp_option_next(&field, &opt)) {
            if (opt.code != code) {
                continue;
            }
            if (!is_split) {
                *out = opt.value;
                return true;
            }
            wr_put(&joined, opt.value.p, rd_left(&opt.value));
        }
    }
    if (!wr_ok(&joined)) {
        return false;
    }
    *out = rd_over(buf, wr_len(&joined));
    return true;
}

bool dhcp_mac(const struct dhcp_packet *p, struct mac *out)
{
    if (p->hlen != sizeof out->octet) {
        return false;
    }
    memcpy(out->octet, p->chaddr, sizeof out->octet);
    return true;
}

void dhcp_write_reply(struct wr *w, const struct dhcp_packet *to, bool keep_ciaddr,
                      struct ip4 siaddr, const char *sname, const char *file)
{
    size_t sname_len = strlen(sname);
    size_t len = strlen(file);
    if (len >= DHCP_FILE_LEN || sname_len >= DHCP_SNAME_LEN) {
        w->full = true;
        return;
    }
    wr_u8(w, BOOTREPLY);
    wr_u8(w, to->htype);
    wr_u8(w, to->hlen);
    wr_u8(w, 0); /* hops */
    wr_u32(w, to->xid);
    wr_u16(w, 0); /* secs */
    wr_u16(w, to->flags);
    write_ip4(w, keep_ciaddr ? to->ciaddr : IP4_ANY);
    write_ip4(w, IP4_ANY); /* yiaddr: addresses are another server's work */
    write_ip4(w, siaddr);
    write_ip4(w, to->giaddr);
    wr_put(w, to->chaddr, DHCP_CHADDR_LEN);
    wr_put(w, sname, sname_len);
    wr_zero(w, DHCP_SNAME_LEN - sname_len);
    wr_put(w, file, len);
    wr_zero(w, DHCP_FILE_LEN - len);
    wr_u32(w, MAGIC_COOKIE);
}

void dhcp_write_end(struct wr *w)
{
    wr_u8(w, DHCP_END);
    if (wr_ok(w) && wr_len(w) < DHCP_MIN_LEN) {
        wr_zero(w, DHCP_MIN_LEN - wr_len(w));
    }
}

const char *dhcp_fault_name(enum dhcp_fault fault)
{
    static const char *const names[DHCP_FAULT_COUNT] = {
        [DHCP_OK] = "ok",
        [DHCP_TRUNCATED] = "truncated",
        [DHCP_NO_COOKIE] = "no-cookie",
        [DHCP_BAD_OP] = "bad-op",
        [DHCP_BAD_HLEN] = "bad-hlen",
        [DHCP_BAD_OPTIONS] = "bad-options",
        [DHCP_BAD_LENGTH] = "bad-option-length",
        [DHCP_NO_TYPE] = "no-message-type",
    };
    return names[fault];
}

const char *dhcp_message_name(enum dhcp_message type)
{
    static const char *const names[] = {
        [DHCP_DISCOVER] = "DISCOVER", [DHCP_OFFER] = "OFFER",
        [DHCP_REQUEST] = "REQUEST",   [DHCP_DECLINE] = "DECLINE",
        [DHCP_ACK] = "ACK",           [DHCP_NAK] = "NAK",
        [DHCP_RELEASE] = "RELEASE",   [DHCP_INFORM] = "INFORM",
    };
    return type >= DHCP_DISCOVER && type <= DHCP_INFORM ? names[type] : "?";
}
