/*
 * Ethernet frames, as a capture or a recording brings them.
 *
 * Properties: any octets are a frame or a named fault, which leaves the outputs alone; a
 * payload lies within the octets; what was read, written again, is read as the same, with
 * checksums that a receiver finds right; a frame is of one family alone.
 */
#include "dhcp/v6_frame.h"
#include "tests/fuzz/fuzz.h"

static bool within(struct rd part, struct rd whole)
{
    return rd_left(&part) == 0 || (part.p >= whole.p && part.end <= whole.end);
}

static bool same(struct rd a, struct rd b)
{
    return rd_left(&a) == rd_left(&b) &&
           (rd_left(&a) == 0 || memcmp(a.p, b.p, rd_left(&a)) == 0);
}

/* UDP's checksum holds when the sum over all, the pseudo header too, is all ones. */
static void check_udp(const void *ends, size_t ends_len, const uint8_t *udp, size_t len)
{
    const uint8_t pseudo[4] = {0, 17, (uint8_t)(len >> 8), (uint8_t)len};
    uint32_t sum = frame_sum(0, ends, ends_len);
    sum = frame_sum(sum, pseudo, sizeof pseudo);
    must(frame_fold(frame_sum(sum, udp, len)) == 0);
    must(udp[6] != 0 || udp[7] != 0); /* zeros say: none */
}

static void check_ip4(struct rd octets)
{
    static uint8_t out[UINT16_MAX + FRAME_OVERHEAD];
    struct frame f;
    struct frame again;
    memset(&f, 0x5a, sizeof f);
    const struct frame untouched = f;
    enum frame_fault fault = frame_parse(octets.p, rd_left(&octets), &f);
    must(fault < FRAME_FAULT_COUNT && frame_fault_name(fault)[0] != '\0');
    if (fault != FRAME_OK) {
        must(memcmp(&f, &untouched, sizeof f) == 0);
        return;
    }
    must(within(f.payload, octets));
    struct wr w = wr_over(out, sizeof out);
    frame_write(&w, &f);
    must(wr_ok(&w) && frame_parse(out, wr_len(&w), &again) == FRAME_OK);
    must(mac_equal(&f.to, &again.to) && mac_equal(&f.from, &again.from));
    must(ip4_equal(f.ip_to, again.ip_to) && ip4_equal(f.ip_from, again.ip_from));
    must(f.to_port == again.to_port && f.from_port == again.from_port);
    must(same(f.payload, again.payload));
    must(frame_fold(frame_sum(0, out + 14, 20)) == 0);
    check_udp(out + 26, 8, out + 34, wr_len(&w) - 34);
}

static void check_ip6(struct rd octets)
{
    static uint8_t out[UINT16_MAX + FRAME6_OVERHEAD];
    struct frame6 f;
    struct frame6 again;
    struct frame other;
    memset(&f, 0x5a, sizeof f);
    const struct frame6 untouched = f;
    enum frame_fault fault = frame6_parse(octets.p, rd_left(&octets), &f);
    must(fault < FRAME_FAULT_COUNT && frame_fault_name(fault)[0] != '\0');
    if (fault != FRAME_OK) {
        must(memcmp(&f, &untouched, sizeof f) == 0);
        return;
    }
    must(frame_parse(octets.p, rd_left(&octets), &other) != FRAME_OK);
    must(within(f.payload, octets));
    struct wr w = wr_over(out, sizeof out);
    frame6_write(&w, &f);
    must(wr_ok(&w) && frame6_parse(out, wr_len(&w), &again) == FRAME_OK);
    must(mac_equal(&f.to, &again.to) && mac_equal(&f.from, &again.from));
    must(ip6_equal(&f.ip_to, &again.ip_to) && ip6_equal(&f.ip_from, &again.ip_from));
    must(f.to_port == again.to_port && f.from_port == again.from_port);
    must(same(f.payload, again.payload));
    check_udp(out + 22, 32, out + 54, wr_len(&w) - 54);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd octets = rd_over(data, size < UINT16_MAX ? size : UINT16_MAX);
    check_ip4(octets);
    check_ip6(octets);
    return 0;
}
