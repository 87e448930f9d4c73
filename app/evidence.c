#include "app/evidence.h"

#include <stdlib.h>

#include "common/recent.h"
#include "dhcp/v6_frame.h"

#define PCAP_MAGIC  0xa1b2c3d4u
#define PCAP_HEADER 24
#define PCAP_RECORD 16
#define ETHERNET    1

/* Of a kept packet; its octets follow. */
struct record {
    usec_t at;
    uint64_t turn; /* rises with each packet of anybody */
    uint16_t len;
    uint16_t whole; /* what it had on the wire */
};

/* Records one behind the other, the oldest first. */
struct ring {
    size_t size;
    size_t used;
    uint8_t octets[];
};

struct client {
    struct ring *ring[EVIDENCE_PARTS]; /* NULL: nothing so far */
    usec_t heard;                      /* when it was last made the newest */
};

/* No padding: it is hashed and compared as octets. */
struct key {
    uint8_t by_mac;
    uint8_t octets[20];
};

struct evidence {
    struct recent *strangers;
    struct recent *known; /* by MAC, and they have loaded something */
    uint64_t turn;
    uint8_t payload[EVIDENCE_KEPT_MAX];
    uint8_t frame[FRAME6_OVERHEAD + EVIDENCE_KEPT_MAX];
};

/* -- clients ------------------------------------------------------------------------------ */

static void forget(void *context, void *value)
{
    struct client *c = value;
    (void)context;
    for (unsigned i = 0; i < EVIDENCE_PARTS; i++) {
        free(c->ring[i]);
    }
}

struct evidence *evidence_new(size_t clients, const struct hash_seed *seed)
{
    struct evidence *e = calloc(1, sizeof *e);
    if (!e) {
        return NULL;
    }
    size_t half = (clients + 1) / 2;
    e->strangers = recent_new(half, sizeof(struct key), sizeof(struct client), seed);
    e->known = recent_new(half, sizeof(struct key), sizeof(struct client), seed);
    if (!e->strangers || !e->known) {
        evidence_free(e);
        return NULL;
    }
    recent_on_forget(e->strangers, forget, NULL);
    recent_on_forget(e->known, forget, NULL);
    return e;
}

void evidence_free(struct evidence *e)
{
    if (e) {
        recent_free(e->strangers);
        recent_free(e->known);
        free(e);
    }
}

size_t evidence_bound(size_t clients)
{
    return (clients + 1) *
           (2 * sizeof(struct ring) + EVIDENCE_DHCP_RING + EVIDENCE_FILE_RING);
}

size_t evidence_clients(const struct evidence *e)
{
    return recent_count(e->strangers) + recent_count(e->known);
}

static struct key key_of_mac(const struct mac *mac)
{
    struct key key = {.by_mac = 1};
    memcpy(key.octets, mac->octet, sizeof mac->octet);
    return key;
}

static struct key key_of_address(const struct endpoint *address)
{
    struct key key = {.by_mac = 0};
    memcpy(key.octets, address->ip, sizeof address->ip);
    memcpy(key.octets + sizeof address->ip, &address->scope, sizeof address->scope);
    return key;
}

static struct client *find(const struct evidence *e, const struct key *key)
{
    struct client *c = recent_find(e->known, key);
    return c ? c : recent_find(e->strangers, key);
}

/* From the strangers to the known, with what is kept of it. */
static struct client *promote(struct evidence *e, const struct key *key)
{
    struct client *stranger = recent_find(e->strangers, key);
    struct client *c = recent_put(e->known, key);
    if (c && stranger) {
        *c = *stranger;
        *stranger = (struct client){.heard = 0};
        recent_remove(e->strangers, key);
    }
    return c;
}

/* Now and then is enough, as a second is nothing beside how long a client is remembered. */
static struct client *renew(struct recent *t, const struct key *key, struct client *c,
                            usec_t now)
{
    if (!c || now - c->heard >= USEC_PER_SEC) {
        c = recent_put(t, key);
    }
    if (c) {
        c->heard = now;
    }
    return c;
}

/* The client this packet is of, as the one heard last; NULL: none that is remembered. */
static struct client *client_of(struct evidence *e, const struct seen_client *who,
                                enum evidence_part part, bool begins, usec_t now)
{
    struct key key = who->has_mac ? key_of_mac(&who->mac) : key_of_address(&who->address);
    struct client *c = recent_find(e->known, &key);
    if (c) {
        return renew(e->known, &key, c, now);
    }
    c = recent_find(e->strangers, &key);
    if (!begins && !c) {
        return NULL;
    }
    if (part == EVIDENCE_FILE && who->has_mac) {
        return promote(e, &key);
    }
    return renew(e->strangers, &key, c, now);
}

void evidence_forget(struct evidence *e, const struct seen_client *who)
{
    const struct key keys[] = {key_of_mac(&who->mac), key_of_address(&who->address)};
    const bool has[] = {who->has_mac, who->has_address};
    for (unsigned i = 0; i < 2; i++) {
        if (has[i]) {
            recent_remove(e->known, &keys[i]);
            recent_remove(e->strangers, &keys[i]);
        }
    }
}

/* -- rings -------------------------------------------------------------------------------- */

static struct ring *ring_of(struct client *c, enum evidence_part part)
{
    size_t size = part == EVIDENCE_DHCP ? EVIDENCE_DHCP_RING : EVIDENCE_FILE_RING;
    if (!c->ring[part]) {
        c->ring[part] = malloc(sizeof(struct ring) + size);
        if (c->ring[part]) {
            *c->ring[part] = (struct ring){.size = size};
        }
    }
    return c->ring[part];
}

/* The record at this place, copied, as it need not be aligned; false: the end. */
static bool record_at(const struct ring *r, size_t at, struct record *out)
{
    if (!r || at >= r->used) {
        return false;
    }
    memcpy(out, r->octets + at, sizeof *out);
    return true;
}

static size_t record_size(const struct record *record)
{
    return sizeof *record + record->len;
}

/* Out with the oldest when there is no room for so much: a quarter, so that it is seldom. */
static void make_room(struct ring *r, size_t size)
{
    struct record oldest;
    size_t gone = 0;
    if (r->used + size <= r->size) {
        return;
    }
    while ((r->used - gone + size > r->size || gone < r->size / 4) &&
           record_at(r, gone, &oldest)) {
        gone += record_size(&oldest);
    }
    r->used -= gone;
    memmove(r->octets, r->octets + gone, r->used);
}

static void put(struct ring *r, const struct record *record, const uint8_t *octets)
{
    if (record_size(record) > r->size) {
        return;
    }
    make_room(r, record_size(record));
    memcpy(r->octets + r->used, record, sizeof *record);
    memcpy(r->octets + r->used + sizeof *record, octets, record->len);
    r->used += record_size(record);
}

/* -- frames ------------------------------------------------------------------------------- */

/* As much of the payload as is kept at the most. */
static struct rd gather(struct evidence *e, const struct seen_packet *p)
{
    size_t most = p->body_len > 0 ? EVIDENCE_DATA_HEAD : sizeof e->payload;
    struct wr w = wr_over(e->payload, most);
    size_t head = p->head_len < most ? p->head_len : most;
    wr_put(&w, p->head, head);
    wr_put(&w, p->body, p->body_len < most - head ? p->body_len : most - head);
    return rd_over(e->payload, wr_len(&w));
}

static void write_frame4(const struct seen_client *who, const struct seen_packet *p,
                         struct rd payload, struct wr *w)
{
    const struct frame f = {
        .to = p->sent ? who->mac : p->us,
        .from = p->sent ? p->us : who->mac,
        .ip_to = endpoint_to_ip4(&p->to),
        .ip_from = endpoint_to_ip4(&p->from),
        .to_port = p->to.port,
        .from_port = p->from.port,
        .payload = payload,
    };
    frame_write(w, &f);
}

static void write_frame6(const struct seen_client *who, const struct seen_packet *p,
                         struct rd payload, struct wr *w)
{
    struct frame6 f = {
        .to = p->sent ? who->mac : p->us,
        .from = p->sent ? p->us : who->mac,
        .to_port = p->to.port,
        .from_port = p->from.port,
        .payload = payload,
    };
    memcpy(f.ip_to.octet, p->to.ip, sizeof f.ip_to.octet);
    memcpy(f.ip_from.octet, p->from.ip, sizeof f.ip_from.octet);
    frame6_write(w, &f);
}

static void add_u16(uint8_t *at, size_t more)
{
    size_t sum = ((size_t)at[0] << 8 | at[1]) + more;
    at[0] = (uint8_t)(sum >> 8);
    at[1] = (uint8_t)sum;
}

/* The headers of a head tell the length of the whole, and no checksum of what is missing. */
static void lengthen(uint8_t *frame, bool ip4, size_t missing)
{
    uint8_t *ip = frame + 14;
    uint8_t *udp = ip + (ip4 ? 20 : 40);
    add_u16(udp + 4, missing);
    udp[6] = udp[7] = 0;
    if (!ip4) {
        add_u16(ip + 4, missing);
        return;
    }
    add_u16(ip + 2, missing);
    ip[10] = ip[11] = 0;
    uint16_t checksum = frame_fold(frame_sum(0, ip, 20));
    ip[10] = (uint8_t)(checksum >> 8);
    ip[11] = (uint8_t)checksum;
}

/* A frame, as much of it as is kept, and its length on the wire. */
struct composed {
    struct rd octets;
    size_t whole;
};

static struct composed compose(struct evidence *e, const struct seen_client *who,
                               const struct seen_packet *p)
{
    if (p->frame) {
        size_t len = p->frame_len < sizeof e->frame ? p->frame_len : sizeof e->frame;
        return (struct composed){rd_over(p->frame, len), p->frame_len};
    }
    struct wr w = wr_over(e->frame, sizeof e->frame);
    bool ip4 = endpoint_is_ip4(&p->from) && endpoint_is_ip4(&p->to);
    struct rd payload = gather(e, p);
    size_t missing = p->head_len + p->body_len - rd_left(&payload);
    if (ip4) {
        write_frame4(who, p, payload, &w);
    } else {
        write_frame6(who, p, payload, &w);
    }
    if (missing > 0) {
        lengthen(e->frame, ip4, missing);
    }
    return (struct composed){rd_over(e->frame, wr_len(&w)), wr_len(&w) + missing};
}

void evidence_note(struct evidence *e, const struct seen_client *who,
                   const struct seen_packet *packet, enum evidence_part part, bool begins,
                   usec_t now)
{
    bool named = who->has_mac || who->has_address;
    struct client *c = named ? client_of(e, who, part, begins, now) : NULL;
    struct ring *ring = c ? ring_of(c, part) : NULL;
    if (!ring) {
        return;
    }
    struct composed frame = compose(e, who, packet);
    size_t len = rd_left(&frame.octets);
    bool data = !packet->frame && packet->body_len > 0;
    size_t most = data ? EVIDENCE_DATA_HEAD : EVIDENCE_KEPT_MAX;
    const struct record record = {
        .at = now,
        .turn = ++e->turn,
        .len = (uint16_t)(len < most ? len : most),
        .whole = (uint16_t)(frame.whole < UINT16_MAX ? frame.whole : UINT16_MAX),
    };
    if (len > 0) {
        put(ring, &record, frame.octets.p);
    }
}

/* -- the recording ------------------------------------------------------------------------ */

static void put_u16(struct wr *w, uint16_t n)
{
    const uint8_t octets[] = {(uint8_t)n, (uint8_t)(n >> 8)};
    wr_put(w, octets, sizeof octets);
}

static void put_u32(struct wr *w, uint32_t n)
{
    put_u16(w, (uint16_t)n);
    put_u16(w, (uint16_t)(n >> 16));
}

static void write_head(struct wr *w)
{
    put_u32(w, PCAP_MAGIC);
    put_u16(w, 2); /* version 2.4 */
    put_u16(w, 4);
    put_u32(w, 0); /* time zone, and how exact */
    put_u32(w, 0);
    put_u32(w, UINT16_MAX);
    put_u32(w, ETHERNET);
}

/* False, and nothing written: there is no room. */
static bool write_record(struct wr *w, const struct record *r, const uint8_t *octets,
                         int64_t epoch)
{
    if ((size_t)(w->end - w->p) < PCAP_RECORD + (size_t)r->len) {
        return false;
    }
    uint64_t at = (uint64_t)((int64_t)r->at + epoch);
    put_u32(w, (uint32_t)(at / USEC_PER_SEC));
    put_u32(w, (uint32_t)(at % USEC_PER_SEC));
    put_u32(w, r->len);
    put_u32(w, r->whole);
    wr_put(w, octets, r->len);
    return true;
}

/* Rings of one client, read side by side. */
struct reading {
    const struct ring *ring[2 * EVIDENCE_PARTS];
    size_t at[2 * EVIDENCE_PARTS];
    size_t count;
};

static void add_rings(struct reading *reading, const struct client *c)
{
    for (unsigned i = 0; c && i < EVIDENCE_PARTS; i++) {
        reading->ring[reading->count++] = c->ring[i];
    }
}

/* The earliest packet that was not read yet; NULL: all were. */
static const uint8_t *next_record(struct reading *reading, struct record *out)
{
    struct record one;
    size_t from = SIZE_MAX;
    for (size_t i = 0; i < reading->count; i++) {
        if (record_at(reading->ring[i], reading->at[i], &one) &&
            (from == SIZE_MAX || one.turn < out->turn)) {
            *out = one;
            from = i;
        }
    }
    if (from == SIZE_MAX) {
        return NULL;
    }
    const uint8_t *octets =
        reading->ring[from]->octets + reading->at[from] + sizeof(struct record);
    reading->at[from] += record_size(out);
    return octets;
}

size_t evidence_write(const struct evidence *e, const struct seen_client *who,
                      int64_t epoch, void *buf, size_t room)
{
    struct reading reading = {.count = 0};
    struct key mac = key_of_mac(&who->mac);
    struct key address = key_of_address(&who->address);
    struct wr w = wr_over(buf, room);
    struct record record;
    const uint8_t *octets;
    add_rings(&reading, who->has_mac ? find(e, &mac) : NULL);
    add_rings(&reading, who->has_address ? find(e, &address) : NULL);
    write_head(&w);
    while ((octets = next_record(&reading, &record)) != NULL &&
           write_record(&w, &record, octets, epoch)) {
    }
    return wr_ok(&w) && wr_len(&w) > PCAP_HEADER ? wr_len(&w) : 0;
}
