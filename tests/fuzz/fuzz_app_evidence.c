/*
 * Any packets of any clients, as they are kept for recordings.
 *
 * Properties: a recording is a whole pcap whose packets are kept in order and lie within it;
 * no more clients are remembered than there is room for.
 */
#include "app/evidence.h"
#include "tests/fuzz/fuzz.h"

#define CLIENTS 4

static uint32_t u32_le(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void check_recording(const struct evidence *e, const struct seen_client *who)
{
    static uint8_t pcap[EVIDENCE_PCAP_MAX];
    size_t len = evidence_write(e, who, 1, pcap, sizeof pcap);
    size_t at = 24;
    must(len == 0 || len > at);
    while (at < len) {
        must(len - at >= 16);
        uint32_t kept = u32_le(pcap + at + 8);
        must(kept > 0 && kept <= u32_le(pcap + at + 12) && kept <= len - at - 16);
        at += 16 + kept;
    }
}

/* What one octet says of the packet that follows: whose it is, and of which kind. */
static struct seen_client client_of(uint8_t word)
{
    return (struct seen_client){
        .has_mac = word & 1,
        .mac = {{2, 0, 0, 0, 0, word >> 4}},
        .has_address = word & 2,
        .address = endpoint_ip4((struct ip4){{10, 0, 0, word >> 4}}, 1),
    };
}

static struct seen_packet packet_of(uint8_t word, struct rd octets)
{
    struct seen_packet p = {.sent = word & 4};
    if (word & 8) {
        p.frame = octets.p;
        p.frame_len = rd_left(&octets);
        return p;
    }
    memset(p.from.ip, word, sizeof p.from.ip);
    p.to = p.from;
    p.head_len = rd_left(&octets) / 2;
    p.head = octets.p;
    p.body = octets.p ? octets.p + p.head_len : NULL;
    p.body_len = rd_left(&octets) - p.head_len;
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hash_seed seed = {1, 2};
    struct evidence *e = evidence_new(CLIENTS, &seed);
    struct rd in = rd_over(data, size);
    usec_t now = 0;
    must(e != NULL);
    while (rd_left(&in) >= 3) {
        uint8_t word = rd_u8(&in);
        size_t len = (size_t)rd_u16(&in) % 5000;
        struct rd octets = rd_sub(&in, len < rd_left(&in) ? len : rd_left(&in));
        struct seen_client who = client_of(word);
        struct seen_packet packet = packet_of(word, octets);
        evidence_note(e, &who, &packet, len % 2 ? EVIDENCE_FILE : EVIDENCE_DHCP,
                      len % 7 > 0, ++now);
        check_recording(e, &who);
        must(evidence_clients(e) <= CLIENTS);
        if (len % 31 == 30) {
            evidence_forget(e, &who);
        }
    }
    evidence_free(e);
    return 0;
}
