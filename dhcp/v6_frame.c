#include "dhcp/v6_frame.h"

enum { TYPE_IPV6 = 0x86dd };
enum { UDP_HEADER_LEN = 8, HOP_LIMIT = 64 };
enum { HOP_BY_HOP = 0, PROTOCOL_UDP = 17, ROUTING = 43, FRAGMENT = 44, DESTINATION = 60 };

/* Over the extension headers; the type of what stands behind them. */
static uint8_t skip_extensions(struct rd *ip, uint8_t type)
{
    while (rd_ok(ip) && (type == HOP_BY_HOP || type == ROUTING || type == DESTINATION)) {
        type = rd_u8(ip);
        size_t more = rd_u8(ip);
        (void)rd_take(ip, 6 + 8 * more);
    }
    return type;
}

/* Leaves *ip standing at the UDP header, cut to what the IP header tells. */
static enum frame_fault parse_ip(struct rd *r, struct frame6 *f, struct rd *ip)
{
    uint32_t version = rd_u32(r) >> 28;
    size_t len = rd_u16(r);
    uint8_t type = rd_u8(r);
    (void)rd_u8(r); /* hop limit */
    frame_take(r, &f->ip_from, sizeof f->ip_from);
    frame_take(r, &f->ip_to, sizeof f->ip_to);
    if (!rd_ok(r)) {
        return FRAME_SHORT;
    }
    if (version != 6) {
        return FRAME_NOT_IPV6;
    }
    *ip = rd_sub(r, len);
    type = skip_extensions(ip, type);
    if (!rd_ok(ip)) {
        return FRAME_SHORT;
    }
    return type == PROTOCOL_UDP ? FRAME_OK
                                : (type == FRAGMENT ? FRAME_FRAGMENT : FRAME_NOT_UDP);
}

enum frame_fault frame6_parse(const void *octets, size_t len, struct frame6 *out)
{
    struct frame6 f;
    struct rd r = rd_over(octets, len);
    struct rd ip = rd_nothing();
    uint16_t type;
    enum frame_fault fault = frame_parse_ethernet(&r, &f.to, &f.from, &type);
    if (fault == FRAME_OK) {
        fault = type == TYPE_IPV6 ? parse_ip(&r, &f, &ip) : FRAME_NOT_IPV6;
    }
    if (fault == FRAME_OK) {
        fault = frame_parse_udp(&ip, &f.from_port, &f.to_port, &f.payload);
    }
    if (fault == FRAME_OK) {
        *out = f;
    }
    return fault;
}

static uint16_t udp_checksum(const struct frame6 *f, size_t udp_len)
{
    uint32_t s = frame_sum(0, &f->ip_from, sizeof f->ip_from);
    s = frame_sum(s, &f->ip_to, sizeof f->ip_to);
    s += PROTOCOL_UDP + (uint32_t)udp_len;
    s += f->from_port + (uint32_t)f->to_port + (uint32_t)udp_len;
    s = frame_sum(s, f->payload.p, rd_left(&f->payload));
    uint16_t checksum = frame_fold(s);
    return checksum ? checksum : 0xffff;
}

void frame6_write(struct wr *w, const struct frame6 *f)
{
    size_t udp_len = UDP_HEADER_LEN + rd_left(&f->payload);
    wr_put(w, &f->to, sizeof f->to);
    wr_put(w, &f->from, sizeof f->from);
    wr_u16(w, TYPE_IPV6);
    wr_u32(w, 6u << 28);
    wr_u16(w, (uint16_t)udp_len);
    wr_u8(w, PROTOCOL_UDP);
    wr_u8(w, HOP_LIMIT);
    wr_put(w, &f->ip_from, sizeof f->ip_from);
    wr_put(w, &f->ip_to, sizeof f->ip_to);
    wr_u16(w, f->from_port);
    wr_u16(w, f->to_port);
    wr_u16(w, (uint16_t)udp_len);
    wr_u16(w, udp_checksum(f, udp_len));
    wr_put(w, f->payload.p, rd_left(&f->payload));
}
