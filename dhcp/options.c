#include "dhcp/options.h"

/* Lengths the RFCs allow; an option not listed may have any. */
static const struct spec {
    const char *name;
    uint8_t min;
    uint8_t max;
    uint8_t multiple;
} specs[256] = {
    [DHCP_OVERLOAD] = {"option overload", 1, 1, 1},
    [DHCP_MSG_TYPE] = {"message type", 1, 1, 1},
    [DHCP_SERVER_ID] = {"server identifier", 4, 4, 4},
    [DHCP_REQUESTED_ADDRESS] = {"requested address", 4, 4, 4},
    [DHCP_MAX_SIZE] = {"maximum message size", 2, 2, 2},
};

bool dhcp_option_next(struct rd *field, struct dhcp_option *out)
{
    uint8_t code = DHCP_PAD;
    while (code == DHCP_PAD && rd_left(field) > 0) {
        code = rd_u8(field);
    }
    if (code == DHCP_PAD || code == DHCP_END) {
        return false;
    }
    struct rd value = rd_sub(field, rd_u8(field));
    if (!rd_ok(field)) {
        return false;
    }
    *out = (struct dhcp_option){code, value};
    return true;
}

const char *dhcp_option_check(const struct dhcp_option *opt)
{
    const struct spec *s = &specs[opt->code];
    size_t len = rd_left(&opt->value);
    if (!s->name) {
        return NULL;
    }
    if (len < s->min || len > s->max || len % s->multiple) {
        return s->name;
    }
    return NULL;
}

void dhcp_option_write(struct wr *w, enum dhcp_code code, const void *value, size_t len)
{
    if (len > 255) {
        w->full = true;
        return;
    }
    wr_u8(w, (uint8_t)code);
    wr_u8(w, (uint8_t)len);
    wr_put(w, value, len);
}
