#include "dhcp/frame.h"

#define VLAN_ID 0x0fff /* of a tag; the rest of it is a priority */

enum { TYPE_IPV4 = 0x0800, TYPE_VLAN = 0x8100, TYPE_SERVICE_VLAN = 0x88a8 };
enum { IP_HEADER_LEN = 20, UDP_HEADER_LEN = 8, PROTOCOL_UDP = 17, TTL = 64 };
enum { MORE_FRAGMENTS = 0x2000, FRAGMENT_OFFSET = 0x1fff };

void frame_take(struct rd *r, void *to, size_t len)
{
    const uint8_t *at = rd_take(r, len);
    if (at) {
        memcpy(to, at, len);
    }
}

/* Leaves *ip standing at the UDP header, cut to what the IP header tells. */
static enum frame_fault parse_ip(struct rd *r, struct frame *f, struct rd *ip)
{
    struct rd all = *r;
    uint8_t version_len = rd_u8(r);
    size_t header_len = (size_t)(version_len & 0x0f) * 4;
    (void)rd_u8(r); /* type of service */
    size_t total = rd_u16(r);
    (void)rd_u16(r); /* identification */
    uint16_t fragment = rd_u16(r);
    (void)rd_u8(r); /* time to live */
    uint8_t protocol = rd_u8(r);
    (void)rd_u16(r); /* checksum */
    frame_take(r, &f->ip_from, sizeof f->ip_from);
    frame_take(r, &f->ip_to, sizeof f->ip_to);
    if (!rd_ok(r)) {
        return FRAME_SHORT;
    }
    if (version_len >> 4 != 4 || header_len < IP_HEADER_LEN || total < header_len) {
        return FRAME_NOT_IPV4;
    }
    if (fragment & (MORE_FRAGMENTS | FRAGMENT_OFFSET)) {
        return FRAME_FRAGMENT;
    }
    if (protocol != PROTOCOL_UDP) {
        return FRAME_NOT_UDP;
    }
    *ip = rd_sub(&all, total); /* Ethernet pads short frames */
    (void)rd_take(ip, header_len);
    return rd_ok(ip) ? FRAME_OK : FRAME_SHORT;
}

enum frame_fault frame_parse_ethernet(struct rd *r, struct mac *to, struct mac *from,
                                      uint16_t *type)
{
    frame_take(r, to, sizeof *to);
    frame_take(r, from, sizeof *from);
    *type = rd_u16(r);
    struct rd behind = *r;
    if (*type == TYPE_VLAN && (rd_u16(&behind) & VLAN_ID) == 0) {
        *type = rd_u16(&behind);
        *r = behind;
    }
    if (!rd_ok(r)) {
        return FRAME_SHORT;
    }
    return *type == TYPE_VLAN || *type == TYPE_SERVICE_VLAN ? FRAME_TAGGED : FRAME_OK;
}

enum frame_fault frame_parse_udp(struct rd *ip, uint16_t *from_port, uint16_t *to_port,
                                 struct rd *payload)
{
    *from_port = rd_u16(ip);
    *to_port = rd_u16(ip);
    size_t len = rd_u16(ip);
    (void)rd_u16(ip); /* checksum */
    if (!rd_ok(ip)) {
        return FRAME_SHORT;
    }
    if (len < UDP_HEADER_LEN || len - UDP_HEADER_LEN > rd_left(ip)) {
        return FRAME_BAD_LENGTH;
    }
    *payload = rd_sub(ip, len - UDP_HEADER_LEN);
    return FRAME_OK;
}

enum frame_fault frame_parse(const void *octets, size_t len, struct frame *out)
{
    struct frame f;
    struct rd r = rd_over(octets, len);
    struct rd ip = rd_nothing();
    uint16_t type;
    enum frame_fault fault = frame_parse_ethernet(&r, &f.to, &f.from, &type);
    if (fault == FRAME_OK) {
        fault = type == TYPE_IPV4 ? parse_ip(&r, &f, &ip) : FRAME_NOT_IPV4;
    }
    if (fault == FRAME_OK) {
        fault = frame_parse_udp(&ip, &f.from_port, &f.to_port, &f.payload);
    }
    if (fault == FRAME_OK) {
        *out = f;
    }
    return fault;
}

uint32_t frame_sum(uint32_t so_far, const void *octets, size_t len)
{
    const uint8_t *p = octets;
    for (size_t i = 0; i < len; i++) {
        so_far += i % 2 ? p[i] : (uint32_t)p[i] << 8;
    }
    return so_far;
}

uint16_t frame_fold(uint32_t sum)
{
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

static void write_ip(struct wr *w, const struct frame *f, size_t udp_len)
{
    uint8_t header[IP_HEADER_LEN];
    struct wr h = wr_over(header, sizeof header);
    wr_u8(&h, 0x45);
    wr_u8(&h, 0);
    wr_u16(&h, (uint16_t)(IP_HEADER_LEN + udp_len));
    wr_u16(&h, 0); /* identification: RFC 6864, an atomic datagram needs none */
    wr_u16(&h, 0); /* may be fragmented */
    wr_u8(&h, TTL);
    wr_u8(&h, PROTOCOL_UDP);
    wr_u16(&h, 0);
    wr_put(&h, &f->ip_from, sizeof f->ip_from);
    wr_put(&h, &f->ip_to, sizeof f->ip_to);
    uint16_t checksum = frame_fold(frame_sum(0, header, sizeof header));
    header[10] = (uint8_t)(checksum >> 8);
    header[11] = (uint8_t)checksum;
    wr_put(w, header, sizeof header);
}

static uint16_t udp_checksum(const struct frame *f, size_t udp_len)
{
    uint32_t s = frame_sum(0, &f->ip_from, sizeof f->ip_from);
    s = frame_sum(s, &f->ip_to, sizeof f->ip_to);
    s += PROTOCOL_UDP + (uint32_t)udp_len;
    s += f->from_port + (uint32_t)f->to_port + (uint32_t)udp_len;
    s = frame_sum(s, f->payload.p, rd_left(&f->payload));
    uint16_t checksum = frame_fold(s);
    return checksum ? checksum : 0xffff; /* RFC 768: 0 means none */
}

void frame_write(struct wr *w, const struct frame *frame)
{
    size_t udp_len = UDP_HEADER_LEN + rd_left(&frame->payload);
    wr_put(w, &frame->to, sizeof frame->to);
    wr_put(w, &frame->from, sizeof frame->from);
    wr_u16(w, TYPE_IPV4);
    write_ip(w, frame, udp_len);
    wr_u16(w, frame->from_port);
    wr_u16(w, frame->to_port);
    wr_u16(w, (uint16_t)udp_len);
    wr_u16(w, udp_checksum(frame, udp_len));
    wr_put(w, frame->payload.p, rd_left(&frame->payload));
}

const char *frame_fault_name(enum frame_fault fault)
{
    static const char *const names[FRAME_FAULT_COUNT] = {
        [FRAME_OK] = "ok",
        [FRAME_SHORT] = "short",
        [FRAME_TAGGED] = "tagged",
        [FRAME_NOT_IPV4] = "not-ipv4",
        [FRAME_NOT_IPV6] = "not-ipv6",
        [FRAME_FRAGMENT] = "fragment",
        [FRAME_NOT_UDP] = "not-udp",
        [FRAME_BAD_LENGTH] = "bad-length",
    };
    return names[fault];
}
