#include "dhcp/repeats.h"

static uint64_t id_of(const struct repeats *r, const struct dhcp_packet *in)
{
    uint8_t key[DHCP_CHADDR_LEN + 6];
    struct wr w = wr_over(key, sizeof key);
    wr_put(&w, in->chaddr, DHCP_CHADDR_LEN);
    wr_u32(&w, in->xid);
    wr_u8(&w, (uint8_t)in->op);
    wr_u8(&w, (uint8_t)in->type);
    return hash_keyed(&r->seed, key, sizeof key) | 1;
}

bool repeats_heard(struct repeats *r, const struct dhcp_packet *in, size_t interface,
                   usec_t now)
{
    uint64_t id = id_of(r, in);
    size_t at = (size_t)(id >> 1) % REPEATS_SLOTS;
    bool recent =
        r->slot[at].id == id && now - r->slot[at].heard < REPEATS_MEMORY; /* monotonic */
    if (recent && r->slot[at].interface != interface) {
        return true;
    }
    r->slot[at].id = id;
    r->slot[at].interface = interface;
    r->slot[at].heard = now;
    return false;
}
