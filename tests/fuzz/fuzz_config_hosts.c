/*
 * The host table: hosts of few MACs, UUIDs and demands, so that they meet; and machines that
 * ask for theirs.
 *
 * Properties: who is found is who a walk over all hosts by the rules of config/hosts.h finds
 * (exact MAC, then UUID in either order of its octets, then the others in file order, each only
 * if all it demands holds); a twin is one that names exactly the same, and only a twin is
 * refused here; a host that is said to be never reached never is; what was added stands where
 * it was added.
 */
#include "config/hosts.h"
#include "tests/fuzz/fuzz.h"

#define HOSTS 48

struct world {
    struct hosts *table;
    struct host_match match[HOSTS];
    size_t count;
    size_t hidden_by[HOSTS]; /* SIZE_MAX: nobody */
};

static struct mac mac_of(uint8_t n)
{
    return (struct mac){{2, 0, 0, 0, n >> 2 & 1, n & 3}};
}

static void uuid_of(uint8_t n, uint8_t out[16])
{
    for (uint8_t i = 0; i < 16; i++) {
        out[i] = (uint8_t)(i * 16 + (n & 1));
    }
    if (n & 2) { /* as SMBIOS writes it */
        static const uint8_t order[8] = {3, 2, 1, 0, 5, 4, 7, 6};
        uint8_t first[8];
        memcpy(first, out, sizeof first);
        for (size_t i = 0; i < sizeof order; i++) {
            out[i] = first[order[i]];
        }
    }
    if ((n & 15) == 15) {
        memset(out, n & 16 ? 0xff : 0, 16);
    }
}

static struct octet_pattern pattern_of(uint8_t n)
{
    static uint8_t words[] = "PXEClient";
    if (n % 4 == 0) {
        return (struct octet_pattern){.len = 0};
    }
    return (struct octet_pattern){words, n % 4 == 1 ? 9 : 3, n % 4 != 1};
}

/* False: it names nobody. */
static bool host_of(struct rd *in, struct host_match *m, struct host *out)
{
    uint8_t what = rd_u8(in);
    *out = (struct host){.mac_len = (uint8_t)(what & 1   ? 6
                                              : what & 2 ? 1 + fuzz_below(in, 5)
                                                         : 0),
                         .has_uuid = what & 4,
                         .line = 1};
    *m = (struct host_match){.archs = 0};
    if (out->mac_len > 0) {
        out->mac = mac_of(rd_u8(in));
    }
    if (out->has_uuid) {
        uuid_of(rd_u8(in) & 3, out->uuid);
    }
    if (what & 8) {
        uint8_t n = rd_u8(in);
        m->vendor_class = pattern_of(n);
        m->user_class = pattern_of(n >> 2);
        m->circuit_id = pattern_of(n >> 4);
        m->archs = n & 64 ? UINT64_C(1) << 7 | 1 : 0;
        m->has_relay = n & 128;
        m->relay_bits = n & 128 ? 24 + (n & 8) : 0;
        m->relay = (struct ip4){{10, 0, 0, 0}};
        if (n & 32) {
            snprintf(m->interface, sizeof m->interface, "eth%d", n & 1);
        }
        out->match = m;
    }
    bool demands = m->vendor_class.octets || m->user_class.octets ||
                   m->circuit_id.octets || m->archs || m->has_relay || m->interface[0];
    out->match = demands ? m : NULL;
    return out->mac_len > 0 || out->has_uuid || demands;
}

/* -- as the header says it ---------------------------------------------------------------- */

static const struct host *first_of(const struct world *w, const struct host_facts *facts,
                                   bool by_mac, bool by_uuid)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct host *h = hosts_at(w->table, i);
        bool mac = h->mac_len == 6;
        bool uuid = !mac && h->has_uuid;
        if (mac == by_mac && uuid == by_uuid && match_holds(h, facts)) {
            return h;
        }
    }
    return NULL;
}

static void find(const struct world *w, const struct host_facts *facts)
{
    const struct host *expected = first_of(w, facts, true, false);
    expected = expected ? expected : first_of(w, facts, false, true);
    expected = expected ? expected : first_of(w, facts, false, false);
    const struct host *found = hosts_find(w->table, facts);
    must(found == expected);
    if (found) {
        size_t index = hosts_index(w->table, found);
        must(index < w->count && hosts_at(w->table, index) == found);
        must(w->hidden_by[index] == SIZE_MAX);
    }
}

static void ask(const struct world *w, struct rd *in)
{
    static const uint8_t classes[] = {9, 'P', 'X', 'E', 'C', 'l', 'i', 'e', 'n', 't'};
    uint8_t what = rd_u8(in);
    uint8_t n = rd_u8(in);
    struct mac mac = mac_of(n);
    uint8_t uuid[16];
    uint16_t archs[2] = {(uint16_t)(n & 7), 16};
    uuid_of(rd_u8(in), uuid);
    const struct host_facts facts = {
        .mac = what & 1 ? &mac : NULL,
        .uuid = what & 2 ? uuid : NULL,
        .vendor_class = rd_over(classes + 1, what & 4 ? n & 15 & 9 : 0),
        .user_classes = rd_over(classes, what & 8 ? sizeof classes : 0),
        .circuit_id = rd_over(classes + 1, what & 16 ? 9 : 0),
        .archs = archs,
        .arch_count = what & 32 ? 2 : 0,
        .relay = what & 64 ? (struct ip4){{10, 0, 0, n}} : IP4_ANY,
        .interface = what & 128 ? "eth0" : NULL,
    };
    find(w, &facts);
}

static void add(struct world *w, struct rd *in)
{
    struct host host;
    size_t other = SIZE_MAX;
    if (w->count == HOSTS || !host_of(in, &w->match[w->count], &host)) {
        return;
    }
    bool twin = false;
    for (size_t i = 0; i < w->count; i++) {
        twin |= match_same(hosts_at(w->table, i), &host);
    }
    enum hosts_result result = hosts_add(w->table, &host, &other);
    must((result == HOSTS_TWIN) == twin);
    if (result == HOSTS_TWIN) {
        must(other < w->count && match_same(hosts_at(w->table, other), &host));
        return;
    }
    must(result == HOSTS_ADDED && hosts_count(w->table) == w->count + 1);
    must(other == SIZE_MAX || other < w->count);
    must(match_same(hosts_at(w->table, w->count), &host));
    w->hidden_by[w->count++] = other;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world w;
    struct rd in = rd_over(data, size);
    memset(&w, 0, sizeof w);
    w.table = hosts_new(0);
    must(w.table != NULL);
    while (rd_left(&in) > 0) {
        uint8_t what = rd_u8(&in);
        if (what & 1) {
            add(&w, &in);
        } else {
            ask(&w, &in);
        }
    }
    /* hosts_free() frees what a host points to, which here is the target's. */
    for (size_t i = 0; i < w.count; i++) {
        ((struct host *)hosts_at(w.table, i))->match = NULL;
    }
    hosts_free(w.table);
    return 0;
}
